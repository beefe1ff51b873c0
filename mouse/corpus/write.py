"""Writes a data set to JSONL files that the readers give back item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from mouse.corpus.items import CHOICE_TASKS, CXEI, ChoiceItem, Dataset

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
    path.write_bytes(b"".join(map(json_line, items)))


def json_line(item: CXEI | ChoiceItem) -> bytes:
    """A line of the JSONL files. Raises `TypeError` for a lone surrogate."""
    import orjson

    return orjson.dumps(record(item), option=orjson.OPT_APPEND_NEWLINE)


def record(item: CXEI | ChoiceItem) -> dict[str, Any]:
    """An item as a record; its parts as they are, since orjson reads dataclasses.

    `open_case` is written with a derivation, so that such rows can be left out by a filter.
    """
    found = {field.name: getattr(item, field.name) for field in fields(item)}
    if isinstance(item, CXEI):
        found["open_case"] = item.open_case if item.derivation else None
    return found
