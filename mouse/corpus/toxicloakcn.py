"""Reads the public ToxiCloakCN files: sentences, and the same with homophones or emoji put in.

The files are aligned by row. Each perturbed row becomes a CXEI whose reference is the base row, so
the data give real pairs for translation, labels for toxicity, and the components that follow from
what was put in the place of what (docs/decisions/toxicloakcn-components.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from mouse.corpus.columns import ColumnMap
from mouse.corpus.items import CXEI, Components, Dataset
from mouse.corpus.near_sounds import sounds_like
from mouse.corpus.readers import read
from mouse.corpus.synthesis.tables import is_han, read_table
from mouse.corpus.validate import build
from mouse.errors import DataError, Fault, UserError

BASE = "base_data.tsv"

FILES = {
    "homophone": "homo_full.tsv",
    "emoji": "emoji_full.tsv",
    "homophone_keyword": "homo_keyword.csv",
    "emoji_keyword": "emoji_keyword.csv",
}
"""File of each perturbation; the keyword files replace insults alone, in about half of the rows."""

DEFAULT = ("homophone", "emoji")
_FOLDERS = ("", "Full_Perturbation", "Only_Keywords")
_COLUMNS = ColumnMap({"original_text": "content", "toxicity": "toxic"})
_KEYWORD_COLUMNS = ColumnMap({"original_text": "text", "toxicity": "label"})


def load_toxicloakcn(
    folder: Path, perturbations: Sequence[str] = DEFAULT, columns: ColumnMap | None = None
) -> Dataset:
    """One CXEI a row and perturbation; `group` is the base row, which all perturbations share.

    `folder`: the clone's root, its `Datasets`, or one folder with all files. Rows whose perturbation
    changed nothing are kept, without component labels. Raises `UserError` for an unknown
    perturbation or a missing file, and `DataError` where the files are not aligned: a different
    number of rows, or another label in the same row.
    """
    unknown = [name for name in perturbations if name not in FILES]
    if unknown or not perturbations:
        raise UserError(
            f"perturbations: expected some of {', '.join(FILES)}; found {unknown or 'none'}"
        )
    base = _rows(_place(folder, BASE), columns or _COLUMNS)
    cxeis: list[CXEI] = []
    faults: list[Fault] = []
    for name in dict.fromkeys(perturbations):
        path = _place(folder, FILES[name])
        own = _KEYWORD_COLUMNS if path.suffix == ".csv" else _COLUMNS
        perturbed = _rows(path, columns or own)
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
                    components=known_components(changed.original_text, plain.original_text),
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


def known_components(changed: str, plain: str) -> Components:
    """The components that follow from what stands in the place of what; None where it does not.

    Characters of the same sound are homophonic. An emoji whose name is what it replaces is
    semantic, one whose name only sounds like that is homophonic, ¿ for ？ is visual. A component
    is absent where every replacement is understood and none has it; where nothing was replaced,
    or some replacement is not understood, what is not seen stays unknown.
    """
    from rapidfuzz.distance import Levenshtein

    seen: set[str] = set()
    clear = changed != plain
    for op in Levenshtein.opcodes(changed, plain):
        if op.tag == "equal":
            continue
        left = changed[op.src_start : op.src_end].replace("\ufe0f", "")
        right = plain[op.dest_start : op.dest_end].replace("\ufe0f", "")
        if left.isspace() or right.isspace() or left == right:
            continue
        kind = _replacement(left, right)
        seen |= {kind} if kind else set()
        clear = clear and bool(kind)
    absent = False if clear and seen else None
    return Components(
        homophonic=True if "homophonic" in seen else absent,
        visual=True if "visual" in seen else absent,
        semantic=True if "semantic" in seen else absent,
    )


def _replacement(left: str, right: str) -> str:
    """The component of `left` standing for `right`; empty where it cannot be told."""
    if left and right and set(left) <= set("¿") and set(right) <= set("?？"):
        return "visual"
    if is_han(left) and is_han(right):
        return "homophonic" if sounds_like(left, right) else ""
    names = _names().get(left, ())
    if right in names:
        return "semantic"
    if any(len(name) == len(right) and sounds_like(name, right) for name in names):
        return "homophonic"
    return ""


@cache
def _names() -> dict[str, tuple[str, ...]]:
    """Emoji (without presentation selectors) → what it is called, the usual name first."""
    import emoji

    emoji.config.load_language("zh")
    found: dict[str, tuple[str, ...]] = {}
    for row in read_table("lexicon/emoji.tsv"):
        found[row[0].replace("\ufe0f", "")] = tuple(row[1].split())
    for symbol, entry in emoji.EMOJI_DATA.items():
        name = entry.get("zh", "").strip(":").split("_")[0]
        bare = symbol.replace("\ufe0f", "")
        if name and name not in found.get(bare, ()):
            found[bare] = (*found.get(bare, ()), name)
    return found


def _place(folder: Path, name: str) -> Path:
    """Where a file lies: in the folder, or in the clone's sub-folders. Raises `UserError`."""
    for root in (folder, folder / "Datasets"):
        for inner in _FOLDERS:
            if (root / inner / name).is_file():
                return root / inner / name
    raise UserError(
        f"{folder}: there is no {name} in it; data.path must be ToxiCloakCN's clone, its Datasets "
        f"folder, or a folder with {BASE} and the files of data.perturbations "
        f"({', '.join(f'{key}: {file}' for key, file in FILES.items())})"
    )


def _rows(path: Path, columns: ColumnMap) -> list[tuple[int | str, CXEI]]:
    """(row in the file, sentence with its label) of every row."""
    reading = read(path)
    # `build` gives one item a row or raises, so rows and items go in step.
    rows = [row.row for table in reading.tables for row in table.rows]
    return list(zip(rows, build(reading, columns).cxeis, strict=True))
