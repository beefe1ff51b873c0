"""Reads the public ToxiCloakCN files: sentences, and the same with homophones or emoji put in.

The files are aligned by row. Each perturbed row becomes a CXEI whose reference is the base row, so
the data give real pairs for translation, labels for toxicity, and the components that follow from
what was put in the place of what (docs/decisions/toxicloakcn-components.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path

from mouse.corpus.chinese.characters import is_han
from mouse.corpus.chinese.lexicon import emoji_table, library_emoji_names
from mouse.corpus.chinese.near_sounds import sounds_like
from mouse.corpus.items import COMPONENTS, CXEI, ComponentName, Components, Dataset
from mouse.corpus.reading.build import build
from mouse.corpus.reading.columns import ColumnMap
from mouse.corpus.reading.readers import read
from mouse.errors import DataError, Fault, UserError

BASE = "base_data.tsv"

FILES = {
    "homophone": "homo_full.tsv",
    "emoji": "emoji_full.tsv",
    "homophone_keyword": "homo_keyword.csv",
    "emoji_keyword": "emoji_keyword.csv",
}
"""File of each perturbation; the keyword files replace insults alone, in about half of the rows."""

_HOMOPHONIC, _VISUAL, _SEMANTIC = (frozenset((name,)) for name in COMPONENTS)
_LONGEST_EMOJI = 8
_LONGEST_STRETCH = 100
"""Characters in a row that may all be replaced; the published files have fewer than that."""
_FOLDERS = ("", "Full_Perturbation", "Only_Keywords")
_COLUMNS = ColumnMap({"original_text": "content", "toxicity": "toxic"})
_KEYWORD_COLUMNS = ColumnMap({"original_text": "text", "toxicity": "label"})


def load_toxicloakcn(
    folder: Path, perturbations: Sequence[str], columns: ColumnMap | None = None
) -> Dataset:
    """One CXEI a row and perturbation; `group` is the base row, which all perturbations share.

    `folder`: the clone's root, its `Datasets`, or one folder with all files. Unchanged rows are
    kept. Raises `UserError` for a missing file, `DataError` where the files are not aligned.
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

    changed, plain = (text.replace("\ufe0f", "") for text in (changed, plain))
    seen: set[ComponentName] = set()
    clear = changed != plain
    for unequal, ops in groupby(Levenshtein.opcodes(changed, plain), lambda op: op.tag != "equal"):
        if not unequal:
            continue
        # Stretches beside each other are one: 👩 for 女人 is one character replaced, one inserted.
        stretches = [(op.src_start, op.src_end, op.dest_start, op.dest_end) for op in ops]
        left = changed[stretches[0][0] : stretches[-1][1]]
        right = plain[stretches[0][2] : stretches[-1][3]]
        kinds = _replacements("".join(left.split()), "".join(right.split()))
        if kinds is None:
            clear = False
            for start, end, dest_start, dest_end in stretches:
                kinds = _replacements(changed[start:end], plain[dest_start:dest_end])
                seen |= kinds or set()
        else:
            seen |= kinds
    absent = False if clear and seen else None
    return Components(*(True if name in seen else absent for name in COMPONENTS))


@lru_cache(maxsize=65536)
def _replacements(left: str, right: str) -> frozenset[ComponentName] | None:
    """The components by which `left` stands for `right`, taken apart from the left; None where it
    cannot be told. What an emoji is called goes before what its name sounds like."""
    if not left or not right:
        return frozenset() if left == right else None
    if len(left) > _LONGEST_STRETCH:
        return None
    if left[0] in "¿?？" and right[0] in "?？":
        return _and(frozenset() if left[0] != "¿" else _VISUAL, left[1:], right[1:])
    if left[0] == right[0]:
        return _replacements(left[1:], right[1:])
    if is_han(left[0]) and is_han(right[0]):
        alike = sounds_like(left[0], right[0])
        return _and(_HOMOPHONIC, left[1:], right[1:]) if alike else None
    for length in range(min(len(left), _LONGEST_EMOJI), 0, -1):
        names = sorted(_names().get(left[:length], ()), key=len, reverse=True)
        for kind, stands_for in ((_SEMANTIC, str.__eq__), (_HOMOPHONIC, _heard_as)):
            for name in names:
                if stands_for(name, right[: len(name)]):
                    found = _and(kind, left[length:], right[len(name) :])
                    if found is not None:
                        return found
    return None


def _heard_as(name: str, meant: str) -> bool:
    return len(meant) == len(name) and is_han(meant) and sounds_like(name, meant)


def _and(kinds: frozenset[ComponentName], left: str, right: str) -> frozenset[ComponentName] | None:
    rest = _replacements(left, right)
    return None if rest is None else kinds | rest


@cache
def _names() -> dict[str, tuple[str, ...]]:
    """Emoji (without presentation selectors) → what it is called, the usual name first."""
    found: dict[str, tuple[str, ...]] = {}
    for row in emoji_table():
        found[row.symbol.replace("\ufe0f", "")] = row.meant
    for symbol, name in library_emoji_names().items():
        known = found.get(bare := symbol.replace("\ufe0f", ""), ())
        found[bare] = known if name in known else (*known, name)
    # Of keycaps the library knows that they are keys, not how the number is read.
    found.update({f"{number}\u20e3": (name,) for number, name in enumerate("零一二三四五六七八九")})
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
