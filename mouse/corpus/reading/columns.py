"""Which column of a file holds which field: headers in Chinese and English, and the user's word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from mouse.corpus.items import OPTION_LETTERS
from mouse.corpus.labels import fold, spellings
from mouse.errors import UserError

_BRACKETED = re.compile(r"[（(\[【][^（）()\[\]【】]*[）)\]】]")

TableKind = Literal["cxei", "choice"]

CXEI_HEADERS = spellings("cxei")
"""Headers that are understood for each field of a CXEI, the canonical one first."""

CHOICE_HEADERS: Mapping[str, tuple[str, ...]] = {
    **spellings("choice"),
    **{
        f"option_{letter.lower()}": (
            *(f"option_{letter}", f"选项{letter}", f"choice_{letter}", letter),
            *(f"option_{number}", f"选项{number}", f"choice_{number}"),
        )
        for number, letter in enumerate(OPTION_LETTERS, start=1)
    },
}
"""Headers that are understood for each field of a choice item, the canonical one first."""

_HEADERS = {"cxei": CXEI_HEADERS, "choice": CHOICE_HEADERS}
FIELDS: frozenset[str] = frozenset({*CXEI_HEADERS, *CHOICE_HEADERS})
"""All fields that a column or a constant may fill."""


@dataclass(frozen=True)
class Resolved:
    """A table's header of each field that it has, and the headers that mean no field."""

    headers: Mapping[str, str]
    unknown: tuple[str, ...]
    problems: tuple[tuple[str, str], ...] = ()
    """(field, why it cannot be told which column holds it)."""


@dataclass(frozen=True)
class ColumnMap:
    """The default headers with the user's overrides, {field: header}; an empty header: left unread."""

    overrides: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, header in self.overrides.items():
            if name not in FIELDS:
                known = ", ".join(sorted(FIELDS))
                raise UserError(f"columns.{name}: there is no such field; expected one of {known}")
            if not isinstance(header, str):
                raise UserError(f"columns.{name}: expected a header as text, found {header!r}")

    def kind(self, headers: Sequence[str]) -> TableKind:
        """What the rows under these headers are: options make a table one of choice items."""
        found = self.resolve("choice", headers).headers
        has_options = "options" in found or {"option_a", "option_b"} <= set(found)
        return "choice" if has_options else "cxei"

    def resolve(self, kind: TableKind, headers: Sequence[str]) -> Resolved:
        """Which header holds which field. The user's word goes first, then exact names."""
        found: dict[str, str] = {}
        problems: list[tuple[str, str]] = []
        taken: set[str] = set()
        for name, wanted in self.overrides.items():
            header = find(wanted, headers) if wanted else None
            if name in _HEADERS[kind] and header is not None:
                found[name] = header
                taken.add(header)
        for name, known in _HEADERS[kind].items():
            if name in self.overrides:
                continue
            spellings = [fold(spelling) for spelling in known]
            fits = [h for h in headers if h not in taken and spells(h, spellings)]
            canonical = [header for header in fits if spells(header, spellings[:1])]
            if len(fits) > 1 and len(canonical) != 1:
                shown = " and ".join(f"«{header}»" for header in fits)
                problem = f"{shown} may both be this field; say columns.{name}=HEADER"
                problems.append((name, problem))
            for header in canonical or fits[:1]:
                found[name] = header
                taken.add(header)
        unknown = tuple(header for header in headers if header not in taken)
        return Resolved(found, unknown, tuple(problems))

    def check_used(self, tables: Sequence[Sequence[str]]) -> None:
        """Raise `UserError` where an override names a header that no table has."""
        for name, wanted in self.overrides.items():
            if wanted and not any(find(wanted, headers) for headers in tables):
                present = ", ".join(dict.fromkeys(header for table in tables for header in table))
                raise UserError(
                    f"columns.{name}={wanted}: no such column; the data has: {present or 'none'}"
                )


def spells(header: str, spellings: Sequence[str]) -> bool:
    """Whether a header is one of the folded spellings, with or without what it has in brackets."""
    return fold(header) in spellings or fold(_BRACKETED.sub("", header)) in spellings


def find(wanted: str, headers: Sequence[str]) -> str | None:
    """The header that is meant: itself, else one that differs in width, case or punctuation."""
    if wanted in headers:
        return wanted
    return next((header for header in headers if fold(header) == fold(wanted) != ""), None)
