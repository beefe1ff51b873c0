"""An answer is settled once its judge has answered everything, and not before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from mouse.contracts import Completion, Message, Outcome, Prediction, Request, Sampling, Verdict
from mouse.corpus.items import CXEI, Components
from mouse.judging.base import Judge, Judgement
from mouse.judging.pending import PendingVerdicts

ITEM = CXEI("x1", "太⑧行了", "太不行了", Components(True, False, False), None, 0)


class Twice(Judge):
    """Asks two questions about each translation and adds up the answers."""

    kinds = ("twice",)
    name = "twice"
    identity: Mapping[str, object] = {"judge": "twice"}

    @classmethod
    def from_config(cls, config, model):
        return cls()

    def questions(self, item: CXEI, prediction: Prediction) -> list[tuple[str, Request]]:
        if prediction.outcome is not Outcome.VALID:
            return []
        message = (Message("user", prediction.predicted or ""),)
        return [
            ("pool", Request("", prediction.item_id, "judge", "twice", n, message, Sampling()))
            for n in range(2)
        ]

    def score(
        self, item: CXEI, prediction: Prediction, answers: Sequence[tuple[Request, Completion]]
    ) -> Judgement:
        total = sum(int(completion.text or 0) for _, completion in answers)
        return Judgement(
            Verdict(prediction.item_id, total, "twice", "judged", repeat=prediction.repeat)
        )


def translation(repeat: int = 0, outcome: Outcome = Outcome.VALID) -> Prediction:
    return Prediction("x1", "", "太不行了", "太不行", outcome, "", task="tr", repeat=repeat)


def test_repeats_of_one_item_wait_apart_though_their_questions_are_alike() -> None:
    pending = PendingVerdicts(Twice())
    asked = {n: [q for _, q in pending.ask(ITEM, translation(n))] for n in range(2)}
    assert [question.about for question in asked[1]] == [("tr", 1), ("tr", 1)]
    pending.answer(asked[0][0], Completion("k", text="1"))
    pending.answer(asked[1][1], Completion("k", text="0"))
    pending.answer(asked[1][0], Completion("k", text="0"))
    assert [v.repeat for v in pending.answers("tr").verdicts] == [1]
    pending.answer(asked[0][1], Completion("k", text="1"))
    answers = pending.answers("tr")
    assert [(v.repeat, v.score) for v in answers.verdicts] == [(1, 0), (0, 2)]
    assert [p.repeat for p in answers.predictions] == [1, 0]
    assert pending.answers("other").predictions == []


@pytest.mark.parametrize(
    ("outcome", "score", "status"),
    [
        (Outcome.COPIED, 0, "copied"),
        (Outcome.REFUSAL, 0, "invalid_answer"),
        (Outcome.FAILED, None, "failed"),
    ],
)
def test_what_no_judge_needs_to_see_is_settled_at_once(
    outcome: Outcome, score: int | None, status: str
) -> None:
    pending = PendingVerdicts(Twice())
    assert pending.ask(ITEM, translation(outcome=outcome)) == []
    (verdict,) = pending.answers("tr").verdicts
    assert (verdict.score, verdict.status) == (score, status)
