"""Writes a file of simulated people's answers to the sample's choice items, to try reports on people.

    python scripts/simulate_participants.py --out participants.csv

Each person knows an item with a probability around the group's and guesses otherwise, so that what
a report says of a group can be checked against what was put in. They are no people: say so where
shown.
"""

from __future__ import annotations

import argparse
import csv
import random
from pathlib import Path

from mouse.corpus.load import load

KNOWN = {"familiar": 0.9, "unfamiliar": 0.5}
"""Group → probability of knowing an item; a guess among four options adds a quarter of the rest."""
SPREAD = 0.08
"""A person's own probability is uniform within this of the group's."""


def main() -> None:
    """Write one row an answer: rater, group, item_id, task, text."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("participants.csv"))
    parser.add_argument("--each", type=int, default=3, help="people in each group (3)")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    data = load("sample")
    with given.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["rater", "group", "item_id", "task", "text"])
        for group, known in KNOWN.items():
            for number in range(1, given.each + 1):
                draw = random.Random(f"{given.seed} {group} {number}")
                own = draw.uniform(known - SPREAD, known + SPREAD)
                for item in data.choices:
                    letters = "ABCDEFGH"[: len(item.options)]
                    right = draw.random() < own
                    text = item.answer if right else draw.choice(letters)
                    writer.writerow([f"{group} {number}", group, item.id, item.task, text])


if __name__ == "__main__":
    main()
