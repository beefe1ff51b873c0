"""Plain sentences to synthesize from: streamed from a text file, or a data set's references."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mouse.corpus.items import Dataset, Intent
from mouse.corpus.resources import data_path
from mouse.errors import DataError, Fault, UserError


@dataclass(frozen=True, slots=True)
class Plain:
    """A sentence in Standard Chinese, with the labels that it keeps however it is written."""

    text: str
    intent: Intent | None = None
    toxicity: Literal[0, 1] | None = None

    @property
    def id(self) -> str:
        """Names the sentence by its text: the `group` of all items made from it."""
        return "p" + hashlib.sha256(self.text.encode()).hexdigest()[:10]


Source = Callable[[], Iterator[Plain]]
"""Starts over at each call; a round of sentences is never held in memory."""


def shipped() -> Path:
    """The sentences that come with mouse."""
    return data_path("synthesis/plain_sentences.txt")


def from_text_file(path: Path) -> Source:
    """One sentence a line of a UTF-8 file, blank lines skipped, read anew in each round."""
    if not path.is_file():
        raise UserError(f"{path}: no such file")

    def lines() -> Iterator[Plain]:
        with path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                try:
                    text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
                except UnicodeDecodeError as error:
                    fault = Fault(str(path), number, "(encoding)", raw[:40], "not UTF-8")
                    raise DataError(f"{path.name} cannot be read:", [fault]) from error
                if text:
                    yield Plain(text)

    return lines


def from_dataset(dataset: Dataset) -> Source:
    """The references of a data set with the intent and toxicity of their items."""
    found = [
        Plain(item.reference, item.intent, item.toxicity)
        for item in dataset.cxeis
        if item.reference
    ]
    if not found:
        raise UserError(f"{dataset.name}: no item has a reference to synthesize from")
    return lambda: iter(found)
