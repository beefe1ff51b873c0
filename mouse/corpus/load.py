"""Loads a data set by kind: the sample, files, ToxiCloakCN, or the gated MOUSE benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

from mouse.corpus.columns import ColumnMap
from mouse.corpus.items import Dataset
from mouse.corpus.readers import read
from mouse.corpus.validate import build
from mouse.errors import UserError

DatasetKind = Literal["sample", "files", "toxicloakcn", "mouse"]
DATASET_KINDS: tuple[DatasetKind, ...] = get_args(DatasetKind)

SAMPLE_NOTE = (
    "The sample is written for developing and testing mouse; it is not the published benchmark,"
    " and its numbers are not comparable to the paper's."
)


def load(
    kind: str,
    *,
    path: str | Path | None = None,
    columns: Mapping[str, str] | None = None,
    perturbations: Sequence[str] = ("homophone", "emoji"),
    revision: str | None = None,
    name: str = "",
) -> Dataset:
    """A validated data set; order of items is the files'.

    `sample`: the items that come with mouse (`path` may name another copy).
    `files`: `path` is a file, or a folder whose data files are read together.
    `toxicloakcn`: `path` is the folder with the three files; `perturbations` chooses.
    `mouse`: `path` is a file or folder that the user downloaded, or `hub`, which fetches the
    gated data set (at `revision`) with the user's token.
    `columns` maps fields to headers, {field: header}, over the headers that are known.

    Raises `UserError` for a wrong call and `DataError`, with every fault, for wrong data.
    """
    if kind not in DATASET_KINDS:
        raise UserError(f"data.kind={kind}: expected one of {', '.join(DATASET_KINDS)}")
    column_map = ColumnMap(dict(columns or {}))
    if kind == "sample":
        return _items(
            Path(path) if path else sample_folder(), column_map, name or kind, SAMPLE_NOTE
        )
    if path is None or not str(path):
        raise UserError(f"data={kind} needs data.path=FILE or FOLDER{_HINTS.get(kind, '')}")
    place = Path(path).expanduser()
    if kind == "toxicloakcn":
        from mouse.corpus.toxicloakcn import load_toxicloakcn

        return load_toxicloakcn(place, perturbations, column_map if columns else None)
    if kind == "mouse":
        if str(path) == "hub":
            from mouse.corpus import hub

            place = hub.data_folder(hub.download(revision=revision))
        return _items(place, column_map, name or kind)
    return _items(place, column_map, name or place.resolve().stem)


_HINTS = {
    "mouse": ", or data.path=hub to fetch the gated data set with your own token",
    "toxicloakcn": " with base_data.tsv, homo_full.tsv and emoji_full.tsv",
}


def sample_folder() -> Path:
    """Where `data/sample` is: inside an installed wheel, else beside the package in a checkout."""
    package = Path(__file__).resolve().parents[1]
    places = (package / "data" / "sample", package.parent / "data" / "sample")
    for place in places:
        if place.is_dir():
            return place
    raise UserError(f"{places[0]}: the sample data are not there; reinstall mouse")


def sample_examples() -> Dataset:
    """The sample's few-shot examples, which none of its scored items is among."""
    return _items(sample_folder() / "dev", ColumnMap({}), "sample-dev")


def _items(path: Path, columns: ColumnMap, name: str, *notes: str) -> Dataset:
    items = build(read(path), columns)
    return Dataset(
        name=name,
        cxeis=tuple(items.cxeis),
        choices=tuple(items.choices),
        source=str(path),
        notes=(*notes, *items.notes),
    )
