"""Writes a data set to JSONL files that the readers give back item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mouse.corpus.items import CHOICE_TASKS, CXEI, ChoiceItem, Dataset
from mouse.text.json_text import to_jsonl

Items = Sequence[CXEI | ChoiceItem]


def write(dataset: Dataset, folder: Path) -> None:
    """Write `cxei.jsonl`, `ms.jsonl` and `cc.jsonl`, those that have items, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, items in sections(dataset).items():
        write_jsonl(folder / f"{name}.jsonl", items)


def sections(dataset: Dataset) -> Mapping[str, Items]:
    """The items by the stem of the file that holds them."""
    found: dict[str, Items] = {"cxei": dataset.cxeis}
    found |= {task: [i for i in dataset.choices if i.task == task] for task in CHOICE_TASKS}
    return {name: items for name, items in found.items() if items}


def write_jsonl(path: Path, items: Items) -> None:
    path.write_text(to_jsonl(map(record, items)), encoding="utf-8", newline="\n")


def record(item: CXEI | ChoiceItem) -> dict[str, Any]:
    """An item as a nested record: a line of the JSONL files.

    `open_case` is written with a derivation, so that such rows can be left out by a filter.
    """
    nested = asdict(item)
    if isinstance(item, ChoiceItem):
        return nested
    steps = nested.pop("derivation")
    return {**nested, "open_case": item.open_case if steps else None, "derivation": steps}
