"""Fills the sheets of an annotation export with simulated raters whose error rates are known.

A unit's true rating is drawn from the judge's score by TRUTH (the judge's own errors); each rater
reports it through a confusion matrix of their own. With both known, QWK, α and the corrected
Sem.Acc that `mouse.annotate import` estimates can be checked against the truth, which is printed.

    python scripts/simulate_raters.py RUN FOLDER [--seed 0] [--missing 0.0]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

TRUTH: Matrix = np.array([[0.90, 0.08, 0.02], [0.25, 0.60, 0.15], [0.08, 0.17, 0.75]])
"""P(true rating | judge's score), rows 0, 1, 2: a judge that is too kind."""
CAREFUL: Matrix = np.array([[0.94, 0.05, 0.01], [0.06, 0.88, 0.06], [0.01, 0.06, 0.93]])
"""P(rating | true rating) of a careful rater."""
SLOPPY: Matrix = np.array([[0.80, 0.15, 0.05], [0.15, 0.70, 0.15], [0.05, 0.20, 0.75]])
SPAMMER: Matrix = np.full((3, 3), 1 / 3)


@dataclass(frozen=True)
class Simulated:
    """What is true of the whole run, known because it was drawn.

    `truth`: (item id, repeat) → true rating of every judged translation. `consensus`: what the
    raters' majority (else median) is for each of them had they rated all.
    """

    truth: Mapping[tuple[str, int], int]
    ratings: Mapping[tuple[str, int], tuple[int, ...]]


def simulate(
    judged: Mapping[tuple[str, int], int], raters: Sequence[Matrix], seed: int
) -> Simulated:
    """Draw a true rating and every rater's rating of every judged translation of a run."""
    rng = np.random.default_rng(seed)
    truth: dict[tuple[str, int], int] = {}
    ratings: dict[tuple[str, int], tuple[int, ...]] = {}
    for key in sorted(judged):
        truth[key] = int(rng.choice(3, p=TRUTH[judged[key]]))
        ratings[key] = tuple(int(rng.choice(3, p=rater[truth[key]])) for rater in raters)
    return Simulated(truth, ratings)


def fill(folder: Path, simulated: Simulated, *, missing: float = 0.0, seed: int = 0) -> None:
    """Type the ratings into the XLSX sheets of an export, as a person would, and save them.

    `missing`: share of cells left empty. A rater beyond those simulated is left out.
    """
    from openpyxl import load_workbook

    key = json.loads((folder / "key.json").read_text(encoding="utf-8"))
    units = {row["row"]: (row["item_id"], row["repeat"]) for row in key["rows"]}
    rng = np.random.default_rng([seed, 1])
    for path in sorted((folder / "for_raters").glob("rater_*.xlsx")):
        rater = int(path.stem.rpartition("_")[2]) - 1
        book = load_workbook(path)
        sheet = book["rows"]
        for number in range(2, sheet.max_row + 1):
            given = simulated.ratings[units[sheet.cell(number, 1).value]]
            if rater < len(given) and rng.random() >= missing:
                sheet.cell(number, 5).value = given[rater]
        book.save(path)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("run")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--missing", type=float, default=0.0)
    given = parser.parse_args(arguments)

    from mouse.annotation.translations.population import population
    from mouse.tracking.reader import load_run

    people = population(load_run(given.run))
    simulated = simulate(
        {unit.key: unit.score for unit in people.units}, [CAREFUL, CAREFUL, SLOPPY], given.seed
    )
    fill(given.folder, simulated, missing=given.missing, seed=given.seed)
    true_score = sum(simulated.truth.values()) / 2 / people.scored
    judged_score = sum(unit.score for unit in people.units) / 2 / people.scored
    print(f"true Sem.Acc {true_score:.3f}, the judge's {judged_score:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
