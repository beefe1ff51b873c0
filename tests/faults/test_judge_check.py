"""An LLM judge on the sample is measured in the same run: it also scores the rated translations."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import sklearn.metrics

from mouse.contracts import Outcome
from mouse.corpus.load import load
from mouse.judging.reference_ratings import rated_pairs
from mouse.verify import main as verify

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_session", "state")]


def test_an_llm_judge_is_checked_against_the_samples_ratings(
    runs: Any, server: Any, faulty: Any
) -> None:
    pairs = rated_pairs({item.id: item for item in load("sample").cxeis})
    known = {(pair.item.original_text, pair.output): pair.rating for pair in pairs}
    asked: list[tuple[str, str]] = []
    mute = next(pair for pair in pairs if pair.prediction(0.9).outcome is Outcome.VALID)

    def answer(body: dict[str, Any]) -> Any:
        text = body["messages"][-1]["content"]
        if body["model"] != "tiny-judge" or "{" not in text:
            return faulty.web.json_response(faulty.completion("说得很好"))
        material = json.loads(text)
        pair = (material["original"], material["answer"])
        asked.append(pair)
        if pair == (mute.item.original_text, mute.output):
            return faulty.web.json_response(faulty.completion("难说"))
        # It agrees with the ratings, but never gives a 0.
        score = max(1, known.get(pair, 0))
        return faulty.web.json_response(faulty.completion(str(score)))

    server.on_body = answer
    command = (
        "data=sample",
        "data.path=null",
        "limit=5",
        "task=tr",
        "tracking=mlflow",
        "judge=llm",
        "model@judge.model=openai",
        "judge.model.name=the-judge",
        "judge.model.id=tiny-judge",
        f"judge.model.base_url={server.url}",
        "judge.min_qwk=0.6",
    )
    first = runs.run(*command)
    assert first.code == 0, first.out + first.err
    about_rated = [pair for pair in asked if pair in known]
    copied = sum(pair.prediction(0.9).outcome is Outcome.COPIED for pair in pairs)
    assert len(about_rated) == len(set(about_rated)) == len(pairs) - copied
    assert len(asked) == len(about_rated) + 5
    line = re.search(r"QWK against (\d+) ratings ([\d.]+) \[([\d.]+), ([\d.]+)\]", first.out)
    assert line is not None, first.out
    assert int(line[1]) == len(pairs) - 1
    assert f"gave 1 of the data's {len(pairs)} rated translations no score" in first.out
    pairs = [pair for pair in pairs if pair.id != mute.id]
    # As computed by hand: the copied ones score 0 by the filter, the zeros of the others are 1.
    truth = [pair.rating for pair in pairs]
    given = [
        0 if pair.prediction(0.9).outcome is Outcome.COPIED else max(1, pair.rating)
        for pair in pairs
    ]
    qwk = sklearn.metrics.cohen_kappa_score(truth, given, weights="quadratic")
    assert float(line[2]) == round(qwk, 3)
    assert ("judge not validated" in first.out) == (qwk < 0.6)

    before = len(asked)
    again = runs.run(*command)
    assert again.code == 0 and line[0] in again.out
    assert len(asked) == before, "a judge that was checked is not paid again"
    run_id = re.search(r"tracked as (\w+)", again.out)
    assert run_id is not None
    verified = runs.call(verify, run_id[1])
    assert verified.code == 0, verified.out + verified.err
    assert "judge quality" in verified.out

    off = runs.run(*command, "judge.check=false")
    assert off.code == 0 and "QWK against" not in off.out
    assert "nobody has rated this run yet" in off.out
    planned = runs.run(*command, "dry_run=true")
    assert f"{5 + len(about_rated)} to the judge" in planned.out, planned.out
