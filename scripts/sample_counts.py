"""Writes the counts of data/sample/ into its data card, so that the card cannot drift from the data.

python scripts/sample_counts.py           print the counts
python scripts/sample_counts.py --write   replace the block between the card's two markers
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "data" / "sample"
FILES = ("cxei", "ms", "cc", "ratings", "dev/cxei", "dev/ms", "dev/cc")
BEGIN = "<!-- counts: written by scripts/sample_counts.py -->"
END = "<!-- end of counts -->"


def rows(name: str) -> list[dict[str, Any]]:
    """All rows of one file of the sample, in its order."""
    # Not splitlines(): that would also split at U+2028 and the like inside a text.
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def table(title: str, counts: Iterable[tuple[str, object]]) -> str:
    body = "\n".join(f"| {label} | {count} |" for label, count in counts)
    return f"| {title} | n |\n|---|---:|\n{body}\n"


def counts_block() -> str:
    """The counts as Markdown tables, each row `| label | n |`."""
    files = {name: rows(name) for name in FILES}
    cxeis, ms, cc, ratings = (files[name] for name in ("cxei", "ms", "cc", "ratings"))
    dev = files["dev/cxei"]
    combinations = Counter(
        " + ".join(name for name, used in item["components"].items() if used) for item in cxeis
    )
    components = Counter(
        name for item in cxeis for name, used in item["components"].items() if used
    )
    steps = [step for item in cxeis for step in item["derivation"]]
    lengths = sorted(len(item["original_text"]) for item in cxeis)
    toxic = sum(item["toxicity"] for item in cxeis)
    by_intent = Counter(item["intent"] for item in cxeis)
    toxic_by_intent = Counter(item["intent"] for item in cxeis if item["toxicity"])
    tables = [
        table("file", [(f"`{name}.jsonl`", len(found)) for name, found in files.items()]),
        table("component used (alone or with others)", components.most_common()),
        table("exact combination of components", combinations.most_common()),
        "| intent | n | of them toxic |\n|---|---:|---:|\n"
        + "".join(
            f"| {name} | {n} | {toxic_by_intent[name]} |\n" for name, n in by_intent.most_common()
        ),
        table("toxicity", [("1 (toxic)", toxic), ("0 (not toxic)", len(cxeis) - toxic)]),
        table(
            "derivation",
            [
                ("substitutions", len(steps)),
                ("different surfaces", len({step["surface"] for step in steps})),
                ("items with two or more", sum(len(item["derivation"]) > 1 for item in cxeis)),
            ],
        ),
        table(
            "mechanism of a substitution",
            [
                (f"`{name}`", n)
                for name, n in Counter(step["mechanism"] for step in steps).most_common()
            ],
        ),
        table(
            "open cases (`transliteration`, `meme`)",
            [("rows with an open case", sum(item["open_case"] for item in cxeis))],
        ),
        table(
            "length of the original, in code points",
            [
                ("shortest", lengths[0]),
                ("median", int(statistics.median(lengths))),
                ("longest", lengths[-1]),
            ],
        ),
        *(
            table(
                f"right letter, {task}", sorted(Counter(item["answer"] for item in items).items())
            )
            for task, items in (("ms", ms), ("cc", cc))
        ),
        table(
            "dev split",
            [
                ("toxic rows of `dev/cxei.jsonl`", sum(item["toxicity"] for item in dev)),
                ("not toxic rows of `dev/cxei.jsonl`", sum(not item["toxicity"] for item in dev)),
            ],
        ),
        table("rating", sorted(Counter(str(row["rating"]) for row in ratings).items())),
    ]
    return "\n".join(tables)


def main() -> int:
    if sys.argv[1:] not in ([], ["--write"]):
        print(__doc__, file=sys.stderr)
        return 2
    if not sys.argv[1:]:
        print(counts_block())
        return 0
    card = FOLDER / "README.md"
    text = card.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        print(f"{card}: the two markers of the counts are not there once each", file=sys.stderr)
        return 2
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    card.write_text(f"{before}{BEGIN}\n\n{counts_block()}\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
