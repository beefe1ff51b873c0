"""Raw and hand-written lines to clean items: reads, cleans, masks, removes duplicates, logs all."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mouse.corpus.construction.cleaning import clean
from mouse.corpus.construction.deduplication import duplicates
from mouse.corpus.construction.masking import KINDS, mask
from mouse.corpus.near_duplicates import THRESHOLD
from mouse.corpus.reading.columns import ColumnMap
from mouse.corpus.reading.decode import decode
from mouse.corpus.reading.raw import ReadingError
from mouse.corpus.reading.readers import read
from mouse.corpus.reading.rows import Row
from mouse.errors import DataError, Fault, UserError
from mouse.text.json_text import to_json, to_jsonl


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line as it was collected (`raw`) or written by hand (`manual`)."""

    text: str
    origin: str
    file: str
    row: int | str


@dataclass(frozen=True, slots=True)
class Collected:
    """An item that is ready for annotators; its id follows from its text."""

    id: str
    text: str
    origin: str
    file: str
    row: int | str


@dataclass(frozen=True)
class Collection:
    """What came of the lines: items, lines that went with the reason, and every change of a text.

    `len(items) + len(removed)` is the number of lines.
    """

    items: tuple[Collected, ...]
    removed: tuple[dict[str, Any], ...]
    changes: tuple[dict[str, Any], ...]
    masked: dict[str, int] = field(default_factory=dict)

    @property
    def summary(self) -> dict[str, Any]:
        return {
            "lines": len(self.items) + len(self.removed),
            "items": len(self.items),
            "by_origin": dict(sorted(Counter(item.origin for item in self.items).items())),
            "removed": dict(sorted(Counter(row["reason"] for row in self.removed).items())),
            "changed_lines": len({(row["file"], row["row"]) for row in self.changes}),
            "masked": self.masked,
        }


def read_lines(paths: Sequence[Path], origin: str, columns: ColumnMap) -> list[RawLine]:
    """Lines of text files (`.txt`, one a line, blank ones skipped) and rows of data files.

    Raises `UserError` for a file that is not there, `DataError` for one that cannot be read or
    lacks a column of text.
    """
    return [line for path in paths for line in _read(path, origin, columns)]


def _read(path: Path, origin: str, columns: ColumnMap) -> Iterator[RawLine]:
    if path.suffix.lower() == ".txt":
        if not path.is_file():
            raise UserError(f"{path}: no such file")
        try:
            text, _ = decode(path.read_bytes())
        except ReadingError as error:
            fault = Fault(str(path), error.line, "(encoding)", error.value, error.problem)
            raise DataError(f"{path.name} cannot be read:", [fault]) from error
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield RawLine(line, origin, path.name, number)
        return
    reading = read(path)
    faults = list(reading.faults)
    lines = []
    for table in reading.tables:
        resolved = columns.resolve("cxei", table.headers)
        if "original_text" not in resolved.headers:
            problem = "no column of text; say --columns original_text=HEADER"
            faults.append(
                Fault(table.file, "header", "original_text", list(table.headers), problem)
            )
            continue
        for raw in table.rows:
            text = Row(table, raw, resolved, faults).text("original_text", required=True)
            lines.append(RawLine(text, origin, Path(table.file).name, raw.row))
    if faults:
        raise DataError(f"{path.name} has {len(faults)} fault(s):", faults)
    yield from lines


def collect(lines: Sequence[RawLine], threshold: float = THRESHOLD) -> Collection:
    """Clean and mask every line, then keep one of each set of near-duplicates (manual ones first).

    Changes say what kind of thing was changed, and never repeat what was masked.
    """
    changes: list[dict[str, Any]] = []
    removed: list[dict[str, Any]] = []
    kept: list[tuple[RawLine, str]] = []
    masked: Counter[str] = Counter()
    for line in lines:
        where = {"file": line.file, "row": line.row}
        cleaned = clean(line.text)
        changes += [{**where, "step": "clean", "change": change} for change in cleaned.changes]
        hidden = mask(cleaned.text)
        for kind, count in hidden.counts.items():
            if count:
                masked[kind] += count
                changes.append({**where, "step": "mask", "change": f"masked {kind} ×{count}"})
        if hidden.text:
            kept.append((line, hidden.text))
        else:
            removed.append({**where, "origin": line.origin, "text": "", "reason": "empty"})
    texts = [text for _, text in kept]
    identity = ["i" + hashlib.sha256(text.encode()).hexdigest()[:10] for text in texts]
    gone = {
        found.index: found
        for found in duplicates(texts, [line.origin == "manual" for line, _ in kept], threshold)
    }
    items = []
    for at, (line, text) in enumerate(kept):
        if at in gone:
            found = gone[at]
            kept_id, similarity = identity[found.kept], round(found.similarity, 4)
            row = {"file": line.file, "row": line.row, "origin": line.origin, "text": text}
            removed.append(
                row | {"reason": found.reason, "kept": kept_id, "similarity": similarity}
            )
        else:
            items.append(Collected(identity[at], text, line.origin, line.file, line.row))
    return Collection(
        tuple(items), tuple(removed), tuple(changes), {kind: masked[kind] for kind in KINDS}
    )


def write_collection(collection: Collection, folder: Path) -> None:
    """`items.jsonl`, `removed.jsonl`, `changes.jsonl` and `summary.json` in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (
        ("items", map(asdict, collection.items)),
        ("removed", collection.removed),
        ("changes", collection.changes),
    ):
        text = to_jsonl(rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8", newline="\n")
    summary = to_json(collection.summary, indent=2) + "\n"
    (folder / "summary.json").write_text(summary, encoding="utf-8")


def read_collected(path: Path) -> list[Collected]:
    """Items of `items.jsonl` (or of the folder that holds it) as `write_collection` wrote them."""
    file = path / "items.jsonl" if path.is_dir() else path
    if not file.is_file():
        raise UserError(f"{file}: no such file; `build clean` writes it")
    items = []
    for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            items.append(Collected(**json.loads(line)))
        except (ValueError, TypeError) as error:
            raise UserError(f"{file}, line {number}: not an item of `build clean`") from error
    if not items:
        raise UserError(f"{file}: there are no items in it")
    return items
