"""Loads a data set by kind: the sample, files, ToxiCloakCN, or the gated MOUSE benchmark."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

from mouse.corpus.hub import data_folder, download
from mouse.corpus.items import Dataset
from mouse.corpus.reading.build import build
from mouse.corpus.reading.columns import ColumnMap
from mouse.corpus.reading.readers import READERS, read
from mouse.corpus.reading.shaping import Shape
from mouse.corpus.resources import data_path
from mouse.corpus.toxicloakcn import load_toxicloakcn
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
    path: str | Path | Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    shape: Shape | None = None,
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
    `columns` maps fields to headers, {field: header}, over the headers that are known; `shape`
    says what else has to be done to the tables (label words, a filter, constants). `path` may be a
    list of files or have wildcards (`data/*.csv`).

    Raises `UserError` for a wrong call and `DataError`, with every fault, for wrong data.
    """
    if kind not in DATASET_KINDS:
        raise UserError(f"data.kind={kind}: expected one of {', '.join(DATASET_KINDS)}")
    column_map, shape = ColumnMap(dict(columns or {})), shape or Shape()
    places = _places(path)
    if kind == "sample":
        return _items(places or [data_path("sample")], column_map, shape, name or kind, SAMPLE_NOTE)
    if not places:
        raise UserError(f"data={kind} needs data.path=FILE or FOLDER{_HINTS.get(kind, '')}")
    place = places[0]
    if kind == "toxicloakcn":
        if shape or len(places) > 1:
            raise UserError(
                "data=toxicloakcn takes one folder, and no data.labels, data.where or "
                "data.constants: read its files with data=files for that"
            )
        return load_toxicloakcn(place, perturbations, column_map if columns else None)
    if kind == "mouse":
        if str(path) == "hub":
            places = [data_folder(download(revision=revision))]
        return _items(places, column_map, shape, name or kind)
    return _items(places, column_map, shape, name or place.resolve().stem)


_HINTS = {
    "mouse": ", or data.path=hub to fetch the gated data set with your own token",
    "toxicloakcn": " with base_data.tsv, homo_full.tsv and emoji_full.tsv",
}


def sample_examples() -> Dataset:
    """The sample's few-shot examples, which none of its scored items is among."""
    return _items([data_path("sample") / "dev"], ColumnMap({}), Shape(), "sample-dev")


def _places(path: str | Path | Sequence[str] | None) -> list[Path]:
    """Files and folders that a path names: one, a list, or what a wildcard finds, by name.

    `**` goes through folders of any depth. Of what a wildcard finds, the data files are meant, and
    folders only where there is none. Raises `UserError` where it finds nothing.
    """
    found: list[Path] = []
    for one in path if isinstance(path, list | tuple) else [path]:
        # A folder named 2024 is a number to Hydra and YAML.
        if one is None or not str(one):
            continue
        place = Path(str(one)).expanduser()
        if place.exists() or not glob.has_magic(str(place)):
            found.append(place)
            continue
        seen = [Path(name) for name in sorted(glob.glob(str(place), recursive=True))]
        if not seen:
            raise UserError(f"data.path={one}: no file matches")
        matching = [file for file in seen if file.is_file() and file.suffix.lower() in READERS]
        found += matching or seen
    return found


def _items(
    places: Sequence[Path], columns: ColumnMap, shape: Shape, name: str, *notes: str
) -> Dataset:
    items = build(read(*places), columns, shape)
    return Dataset(
        name=name,
        cxeis=tuple(items.cxeis),
        choices=tuple(items.choices),
        source=", ".join(map(str, places)),
        notes=(*notes, *items.notes),
    )
