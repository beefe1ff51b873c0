"""Streams synthesized items to a JSONL file: any number, no repeats, constant memory."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mouse.corpus.items import COMPONENTS, CXEI
from mouse.corpus.synthesis.make import Maker
from mouse.corpus.synthesis.plain import Source
from mouse.corpus.write import json_line
from mouse.errors import UserError

_ATTEMPTS = 16
"""Draws that a sentence gets for an item that is not there yet, before the next sentence's turn."""
_FILTER_BYTES = 16 * 1024 * 1024
_FILTER_HASHES = 4


@dataclass
class Synthesis:
    """What was written: counts of items by component and of the sentences that gave none."""

    items: int = 0
    sentences: int = 0
    """Sentences in a round."""
    unusable: int = 0
    """Sentences of a round that admit no substitution of these kinds."""
    substitutions: int = 0
    components: Counter[str] = field(default_factory=Counter)


class Seen:
    """Which texts were there before, as a Bloom filter of fixed size.

    Never says that a text is new when it is not; says of a new one that it was there in less than
    1 in 1,000 cases up to 6 million texts (16 MiB, four hashes), which costs one more draw.
    """

    def __init__(self) -> None:
        self._bits = bytearray(_FILTER_BYTES)

    def add(self, text: str) -> bool:
        """Remember the text; True if it is new."""
        digest = hashlib.blake2b(text.encode(), digest_size=8 * _FILTER_HASHES).digest()
        new = False
        for at in range(0, len(digest), 8):
            place = int.from_bytes(digest[at : at + 8], "big") % (8 * _FILTER_BYTES)
            byte, bit = place >> 3, 1 << (place & 7)
            if not self._bits[byte] & bit:
                new = True
                self._bits[byte] |= bit
        return new


def synthesize(
    source: Source, n: int, seed: int, rate: float, kinds: Sequence[str], counts: Synthesis
) -> Iterator[CXEI]:
    """`n` items from the sentences in turn, round after round; no original stands twice.

    The same arguments give the same items in the same order in any process. `counts` is filled on
    the way. Raises `UserError` where `n` is below 1, the sentences admit nothing, or they are
    exhausted: a whole round gave no item that was not there.
    """
    if n < 1:
        raise UserError(f"n {n}: expected at least one item")
    maker = Maker(rate, kinds)
    seen = Seen()
    while counts.items < n:
        before = counts.items
        unusable = 0
        for number, plain in enumerate(source(), 1):
            # The last round may end in the middle; what a whole one has is the largest seen.
            counts.sentences = max(counts.sentences, number)
            for attempt in range(_ATTEMPTS):
                item = maker.make(plain, seed, counts.items, attempt)
                if item is None or item.original_text == item.reference:
                    unusable += attempt == 0
                    counts.unusable = max(counts.unusable, unusable)
                    break
                if seen.add(item.original_text):
                    counts.items += 1
                    counts.substitutions += len(item.derivation)
                    counts.components.update(
                        name for name in COMPONENTS if getattr(item.components, name)
                    )
                    yield item
                    break
            if counts.items == n:
                return
        if counts.items == before:
            raise UserError(_exhausted(counts, kinds))


def _exhausted(counts: Synthesis, kinds: Sequence[str]) -> str:
    if not counts.sentences:
        return "there are no plain sentences to synthesize from."
    if not counts.items:
        return f"none of the {counts.sentences:,} sentences admits a {' or '.join(kinds)} substitution."
    return (
        f"the {counts.sentences:,} sentences gave {counts.items:,} different items and no more:"
        " give more sentences, more kinds or a higher rate."
    )


def write_stream(
    path: Path,
    source: Source,
    n: int,
    seed: int,
    rate: float,
    kinds: Sequence[str],
    progress: Callable[[int], None] = lambda done: None,
) -> Synthesis:
    """Write the items to a JSONL file as they are made; the file appears when it is complete.

    `progress` is called with the number of items every 10,000. Raises as `synthesize`, and
    `UserError` for a name that is not JSONL or a place that cannot be written.
    """
    if path.suffix.lower() != ".jsonl":
        raise UserError(f"{path}: items are streamed as JSONL; name the file .jsonl")
    counts = Synthesis()
    partial = path.with_name(path.name + ".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            for item in synthesize(source, n, seed, rate, kinds, counts):
                file.write(json_line(item))
                if counts.items % 10_000 == 0:
                    progress(counts.items)
        partial.replace(path)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error
    finally:
        partial.unlink(missing_ok=True)
    return counts
