"""Ratings that ship with the sample: 150 (output, reference) pairs rated by the maintainers.

They check that a judge works at all. The maintainers wrote them, so agreement with them is not
agreement with independent raters; `mouse.annotate` is for that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from mouse.contracts import Outcome, Prediction
from mouse.corpus.items import CXEI
from mouse.corpus.resources import data_path
from mouse.errors import DataError, Fault
from mouse.scoring.reading import copy_filtered
from mouse.tasks.translation import Translation

FIXTURE = "sample/ratings.jsonl"


@dataclass(frozen=True)
class RatedPair:
    """A translation some model might give of one sample item, and its rating 0, 1 or 2."""

    id: str
    item: CXEI
    output: str
    rating: int

    def prediction(self, copy_threshold: float) -> Prediction:
        """The output as a model's answer, past the copy filter; its `item_id` is the pair's id."""
        prediction = Prediction(
            item_id=self.id,
            variant="",
            gold=self.item.reference or "",
            predicted=self.output,
            outcome=Outcome.VALID,
            raw_text=self.output,
            task=Translation.code,
        )
        return copy_filtered(prediction, self.item, copy_threshold)


def rated_pairs(cxeis: Mapping[str, CXEI]) -> list[RatedPair]:
    """The fixture's pairs whose items are in `cxeis`. Raises `DataError` for a rating off scale."""
    pairs = []
    path = data_path(FIXTURE)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        row = json.loads(line)
        if row["rating"] not in (0, 1, 2):
            fault = Fault(path.name, number, "rating", row["rating"], "0, 1 or 2 is needed")
            raise DataError("the ratings of the sample cannot be used:", [fault])
        if row["cxei_id"] in cxeis:
            pairs.append(RatedPair(row["id"], cxeis[row["cxei_id"]], row["output"], row["rating"]))
    return pairs
