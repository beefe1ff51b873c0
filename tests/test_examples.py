"""`prompt.shots`: examples come from elsewhere, and are part of what a run is."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from mouse.config.schema import DataKind, RunConfig
from mouse.corpus.load import load, sample_examples
from mouse.errors import UserError
from mouse.evaluation.data import load_data, load_examples
from mouse.evaluation.plan import Plan, make_plan
from mouse.run import main
from mouse.tracking import reader

TASKS = ("tr", "rc", "ir", "td", "ms", "cc")
QUIET = ("model=uniform", "engine=inline", "metrics.resamples=100", "tracking.figures=false")


def plan_of(config: RunConfig, tasks: tuple[str, ...] = TASKS) -> Plan:
    return make_plan(config, load_data(config), tasks, load_examples(config))


def with_shots(shots: int = 3) -> RunConfig:
    config = RunConfig()
    config.prompt.shots = shots
    config.data.name = "sample"
    return config


def rows_file(path: Path, texts: list[str], header: tuple[str, str] = ("句子", "毒不毒")) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows([text, number % 2] for number, text in enumerate(texts))
    return path


def files(tmp_path: Path) -> RunConfig:
    config = with_shots(2)
    config.data.kind = DataKind.files
    config.data.path = str(
        rows_file(tmp_path / "data.csv", ["泥萌好", "他⑧来", "走召牛", "白勺确"])
    )
    config.data.columns = {"original_text": "句子", "toxicity": "毒不毒"}
    return config


def test_no_scored_item_of_the_sample_is_an_example_of_any_task() -> None:
    plan = plan_of(with_shots())
    dev = sample_examples()
    known = {item.original_text for item in dev.cxeis} | {item.text for item in dev.choices}
    asked = {item.original_text for item in load("sample").cxeis}
    seen = 0
    for request in plan.requests():
        shown = [m.content for m in request.messages if m.role == "user"][:-1]
        for text in shown:
            assert any(one in text for one in known)
            if request.task not in ("ms", "cc"):
                assert text.removeprefix("抽象话：") not in asked
            seen += 1
    assert seen == 3 * plan.size


def test_all_items_of_a_task_share_their_examples_so_that_a_server_can_cache_them() -> None:
    heads = {request.messages[:-1] for request in plan_of(with_shots(4), ("td",)).requests()}
    assert len(heads) == 1


def test_other_data_without_examples_are_refused_with_the_line_to_add(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = rows_file(tmp_path / "data.csv", ["泥萌好", "他⑧来"], ("text", "toxicity"))
    command = [*QUIET, "data=files", f"data.path={path}", "task=td", "tracking=off"]
    assert main([*command, "prompt.shots=2"]) == 2
    assert "prompt.shots_from=FILE" in capsys.readouterr().err


def test_examples_are_read_with_the_datas_own_columns(tmp_path: Path) -> None:
    config = files(tmp_path)
    config.prompt.shots_from = str(rows_file(tmp_path / "more.csv", ["主包", "小汁", "泥萌好"]))
    plan = plan_of(config, ("td",))
    assert plan.warnings == ("1 of the examples stand in the data as well: not used as examples",)
    for request in plan.requests():
        assert [m.role for m in request.messages] == ["system", *["user", "assistant"] * 2, "user"]
        assert "泥萌好" not in "".join(m.content for m in request.messages[:-1])


def test_the_data_themselves_give_no_example(tmp_path: Path) -> None:
    config = files(tmp_path)
    config.prompt.shots_from = config.data.path
    with pytest.raises(UserError, match=r"needs 2 unrelated examples .* there are 0"):
        list(plan_of(config, ("td",)).requests())


def test_other_examples_make_another_run(
    own_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header = ("text", "toxicity")
    examples = rows_file(tmp_path / "examples.csv", ["主包", "小汁", "老登"], header)
    command = [*QUIET, "task=td", "limit=8", "prompt.shots=2", f"prompt.shots_from={examples}"]
    assert main(command) == 0
    [first] = reader.runs()
    manifest = reader.load_run(first.run_id).folder / "manifest.json"
    kept = json.loads(manifest.read_text(encoding="utf-8"))["examples"]
    assert kept["fingerprint"] == first.tags["examples_fingerprint"]
    assert main(["--from-manifest", str(manifest)]) == 0
    rows_file(examples, ["主包", "大汁", "老登"], header)
    assert main(["--from-manifest", str(manifest)]) == 2
    assert "the examples (fingerprint" in capsys.readouterr().err
    assert main(["--from-manifest", str(manifest), "prompt.shots=0"]) == 2
    assert main(command) == 0
    fingerprints = [run.tags["examples_fingerprint"] for run in reader.runs()]
    assert len(fingerprints) == 3 and len(set(fingerprints)) == 2
