"""What a check of a run says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "DIFFERENT", "noted", "not checked"]


@dataclass(frozen=True)
class Check:
    """One question about a run and its answer.

    `DIFFERENT`: the run does not follow from what is stored, or its data or prompts are not those
    that are here. `noted`: something else differs (code, libraries) that need not change a number.
    `not checked`: what it needs is not at hand, which `why` names.
    """

    name: str
    status: Status
    why: str


def found(name: str, wrong: Sequence[str], fine: str) -> Check:
    """`ok` with the sentence `fine`, or `DIFFERENT` with the first of what is wrong."""
    return Check(name, "DIFFERENT", some(wrong)) if wrong else Check(name, "ok", fine)


def some(found: Sequence[str], most: int = 3) -> str:
    """The first few of what was found, and how many more there are."""
    shown = "; ".join(found[:most])
    return shown + (f"; and {len(found) - most} more" if len(found) > most else "")
