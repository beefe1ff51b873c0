"""Data sets in every format that the readers take; mouse itself writes JSONL alone."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow
import pyarrow.parquet

from mouse.corpus.items import COMPONENTS, CXEI, OPTION_LETTERS, ChoiceItem, Dataset
from mouse.corpus.write import json_line, sections, write_jsonl

Items = Sequence[CXEI | ChoiceItem]

_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x1f]")


def write_as(dataset: Dataset, folder: str | Path, format: str) -> None:
    """Write `cxei`, `ms` and `cc` files, those that have items, into a folder."""
    for name, items in sections(dataset).items():
        _WRITERS[format](Path(folder) / f"{name}.{format}", items)


def record(item: CXEI | ChoiceItem) -> dict[str, Any]:
    """An item as JSON holds it."""
    return json.loads(json_line(item))


def flat_record(item: CXEI | ChoiceItem) -> dict[str, str]:
    """An item as one text a column, for tables whose cells hold text alone."""
    nested = record(item)
    if isinstance(item, CXEI):
        flags = nested.pop("components")
        steps = nested.pop("derivation")
        flat: dict[str, Any] = {**nested, **{name: flags[name] for name in COMPONENTS}}
        flat["derivation"] = json.dumps(steps, ensure_ascii=False) if steps else ""
    else:
        columns = {f"option_{letter.lower()}": "" for letter in OPTION_LETTERS}
        chosen = dict(zip(columns, item.options, strict=False))
        flat = {**nested, **columns, **chosen}
        del flat["options"]
    return {name: _cell(value) for name, value in flat.items()}


def _cell(value: object) -> str:
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool | int) else str(value)


def _write_json(path: Path, items: Items) -> None:
    text = json.dumps([record(item) for item in items], ensure_ascii=False, indent=2)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def _write_delimited(path: Path, items: Items) -> None:
    # With a byte-order mark, since spreadsheets read a CSV file without one as the local code page.
    delimiter, encoding = (",", "utf-8-sig") if path.suffix == ".csv" else ("\t", "utf-8")
    records = [flat_record(item) for item in items]
    with path.open("w", encoding=encoding, newline="") as file:
        # Everything quoted: then no text can be taken for a number, and line ends stay as they are.
        writer = csv.DictWriter(
            file, list(records[0]), delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows(records)


def _write_xlsx(path: Path, items: Items) -> None:
    records = [flat_record(item) for item in items]
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = path.stem
    for row, values in enumerate([list(records[0]), *(line.values() for line in records)], start=1):
        for column, value in enumerate(values, start=1):
            if value:
                cell = sheet.cell(row, column, _ESCAPED.sub(_xlsx_escape, value))
                # As text always: openpyxl takes what begins with = for a formula.
                cell.data_type = "s"
    book.save(path)


def _xlsx_escape(found: re.Match[str]) -> str:
    """The format's own escape for what XML cannot hold, and for text that looks like one."""
    return f"_x{ord(found[0]):04X}_"


def _write_parquet(path: Path, items: Items) -> None:
    text = pyarrow.string()
    flags = pyarrow.struct([(name, pyarrow.bool_()) for name in COMPONENTS])
    step = [("surface", text), ("chain", pyarrow.list_(text)), ("target", text)]
    types = {
        "components": flags,
        "toxicity": pyarrow.int8(),
        "open_case": pyarrow.bool_(),
        "derivation": pyarrow.list_(pyarrow.struct([*step, ("mechanism", text)])),
        "options": pyarrow.list_(text),
    }
    records = [record(item) for item in items]
    schema = pyarrow.schema([(name, types.get(name, text)) for name in records[0]])
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records, schema=schema), path)


_WRITERS: Mapping[str, Callable[[Path, Items], None]] = {
    "jsonl": write_jsonl,
    "json": _write_json,
    "csv": _write_delimited,
    "tsv": _write_delimited,
    "xlsx": _write_xlsx,
    "parquet": _write_parquet,
}
FORMATS = tuple(_WRITERS)
