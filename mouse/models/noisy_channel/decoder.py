"""Decodes Chouxiang: what a text stands for in Standard Chinese, and what had to be undone.

The terms are those of noisy-channel decoding: a text is a noisy spelling of the sentence meant;
arcs are hypotheses about stretches of it, a lattice holds their sequences, and Viterbi search
finds the cheapest one.

Every text is read twice. The wary reading takes a sound for another only on strong evidence; the
suspicious one, to which homophones come cheap, is believed only where it makes the whole text
much more ordinary. So plain sentences stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from mouse.corpus.chinese.characters import is_ideograph
from mouse.corpus.labels import COMPONENT_BITS, ComponentName
from mouse.models.noisy_channel.arcs import ArcFactory
from mouse.models.noisy_channel.language import Language
from mouse.models.noisy_channel.lattice import Lattice, SoundCosts

WARY = SoundCosts(word=6.0, char=3.0, fuzzy=3.0, soft=5.0)
SUSPICIOUS = SoundCosts(word=1.0, char=1.0, fuzzy=3.0, soft=5.0)
SUSPECT_SAVING = 0.15
"""Nats a Chinese character by which the suspicious reading must be cheaper to be believed."""
LEAST_SAVING = 12.0
"""Nats it must be cheaper in any case: in a short text one chance homophone would suffice."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text decoded: the sentence meant, and which components had to be undone."""

    text: str
    cost: float
    """Total cost in nats: comparable between texts of the same length only."""
    components: dict[ComponentName, bool]


@cache
def shipped_language() -> Language:
    """The words with the shipped ones of the genre: built once a process, and then only read."""
    return Language()


class Decoder:
    """The noisy channel with its tables; building it takes about two seconds and 150 MB."""

    def __init__(self) -> None:
        language = shipped_language()
        self._factory = ArcFactory()
        self._wary = Lattice(language, WARY)
        self._suspicious = Lattice(language, SUSPICIOUS)

    def decode(self, text: str) -> Decoded:
        """The cheapest reading of a text; the same for the same text always."""
        arcs = self._factory.arcs(text)
        best = self._wary.best(len(text), arcs)
        other = self._suspicious.best(len(text), arcs)
        if best[0] - other[0] >= max(LEAST_SAVING, SUSPECT_SAVING * sum(map(is_ideograph, text))):
            best = other
        cost, meant, undone = best
        components = {name: bool(undone & bit) for name, bit in COMPONENT_BITS.items()}
        return Decoded(meant, cost, components)

    def spelt_out(self, text: str) -> str:
        """The text with each emoji as its Chinese name: what it shows, not what it means."""
        return self._factory.spelt_out(text)
