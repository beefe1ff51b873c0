"""Reads the public ToxiCloakCN files: sentences, and the same with homophones or emoji put in.

Three files are aligned by row (columns `content` and `toxic`). Each perturbed row becomes a CXEI
whose reference is the base row, so the data give real pairs for translation, labels for
toxicity, and the components that are known from how a file was made.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mouse.corpus.columns import ColumnMap
from mouse.corpus.items import CXEI, Components, Dataset
from mouse.corpus.readers import read
from mouse.corpus.validate import build
from mouse.errors import DataError, Fault, UserError

BASE = "base_data.tsv"

FILES = {"homophone": "homo_full.tsv", "emoji": "emoji_full.tsv"}
"""File of each perturbation."""


def load_toxicloakcn(
    folder: Path, perturbations: Sequence[str] = tuple(FILES), columns: ColumnMap | None = None
) -> Dataset:
    """One CXEI a row and perturbation; `group` is the base row, which both perturbations share.

    Rows whose perturbation changed nothing are kept, without component labels. Raises `UserError` for an unknown
    perturbation or a missing file, and `DataError` where the files are not aligned: a different
    number of rows, or another label in the same row.
    """
    unknown = [name for name in perturbations if name not in FILES]
    if unknown or not perturbations:
        raise UserError(
            f"perturbations: expected some of {', '.join(FILES)}; found {unknown or 'none'}"
        )
    base = _rows(folder / BASE, columns)
    cxeis: list[CXEI] = []
    faults: list[Fault] = []
    for name in dict.fromkeys(perturbations):
        path = folder / FILES[name]
        perturbed = _rows(path, columns)
        if len(perturbed) != len(base):
            problem = f"not aligned: {BASE} has {len(base)} rows"
            faults.append(Fault(str(path), "all", "(rows)", len(perturbed), problem))
            continue
        pairs = zip(perturbed, base, strict=True)
        for number, ((row, changed), (_, plain)) in enumerate(pairs, start=1):
            if changed.toxicity != plain.toxicity:
                problem = f"not aligned: the same row of {BASE} has {plain.toxicity}"
                faults.append(Fault(str(path), row, "toxic", changed.toxicity, problem))
            cxeis.append(
                CXEI(
                    id=f"{name}-{number:05d}",
                    original_text=changed.original_text,
                    reference=plain.original_text,
                    components=_known_components(name, changed, plain),
                    intent=None,
                    toxicity=plain.toxicity,
                    source="ToxiCloakCN",
                    group=f"base-{number:05d}",
                )
            )
    if faults:
        raise DataError(f"ToxiCloakCN has {len(faults)} fault(s):", faults)
    unchanged = sum(item.original_text == item.reference for item in cxeis)
    return Dataset(
        name="toxicloakcn",
        cxeis=tuple(cxeis),
        source=str(folder),
        notes=(
            "ToxiCloakCN: perturbed sentences of ToxiCN, made by rule and not written by people;"
            " not the MOUSE benchmark.",
            f"{unchanged:,} of {len(cxeis):,} rows are as in the base file: nothing was replaced.",
        ),
    )


def _known_components(perturbation: str, changed: CXEI, plain: CXEI) -> Components:
    """The labels that follow from how a file was made, and None for the rest.

    Where nothing was replaced, nothing follows. Homophones replace characters by characters of
    the same sound and do nothing else, but an emoji that the base sentence had stays. An emoji
    put in is visual; whether it stands for a sound or a meaning the files do not say.
    """
    import emoji

    if changed.original_text == plain.original_text:
        return Components(homophonic=None, visual=None, semantic=None)
    if perturbation == "emoji":
        return Components(homophonic=None, visual=True, semantic=None)
    had_emoji = emoji.emoji_count(plain.original_text) > 0
    return Components(homophonic=True, visual=None if had_emoji else False, semantic=False)


def _rows(path: Path, columns: ColumnMap | None) -> list[tuple[int | str, CXEI]]:
    """(row in the file, sentence with its label) of every row."""
    if not path.is_file():
        needed = ", ".join([BASE, *FILES.values()])
        raise UserError(f"{path}: no such file; data.path must be a folder with {needed}")
    reading = read(path)
    # `build` gives one item a row or raises, so rows and items go in step.
    rows = [row.row for table in reading.tables for row in table.rows]
    return list(zip(rows, build(reading, columns or ColumnMap()).cxeis, strict=True))
