"""Hypotheses about what the surface of a text stands for, before any word is looked up.

An `Arc` spans a stretch of the text and says: these characters are meant here, at this cost, and
undoing it takes these components. Keeping a character is an arc too. Sounds are not arcs: every
character of an arc may be heard as another one later, when words are looked up.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import pairwise

from mouse.models.noisy_channel.language import is_han
from mouse.models.noisy_channel.sounds import code, known_syllables
from mouse.models.noisy_channel.tables import (
    HOMOPHONIC,
    PICTURE,
    TURNED,
    VISUAL,
    Tables,
    bare_emoji,
)

# Costs in nats. They were tuned on the first 2,000 rows of ToxiCloakCN (scripts/bench/lexicon.py).
EMOJI_READING = 0.5
EMOJI_NEXT_READING = 1.5
EMOJI_NAME = 4.0
DIGIT_READING = 5.0
ODD_DIGIT_READING = 1.0
LETTER_READING = 6.0
PINYIN_READING = 1.5
SPLIT_CHARACTER = 6.0
LOOKALIKE = 4.0
MEME_WORD = 6.0
MEME_CODE = 0.5
KEEP_EMOJI = 13.0
KEEP_FACE_AT_EDGE = 0.5
# Keeping a symbol costs more the less it belongs in a sentence.
KEEP_RUN = 7.0
KEEP_ODD = 14.0
KEEP_SPELT_SYLLABLE = 7.5


@dataclass(frozen=True, slots=True)
class Arc:
    """One hypothesis: text[start:end] stands for `text`."""

    end: int
    text: str
    """Characters meant; U+0000 for a syllable that is known by its sound alone."""
    cost: float
    kinds: int = 0
    """What is undone by this arc: bits of HOMOPHONIC, VISUAL, SEMANTIC, PICTURE, TURNED."""
    sounds: tuple[str, ...] = ()
    """For U+0000 characters: the folded syllable codes, in their order."""
    final: bool = False
    """True where the arc's text is not taken apart into words (memes, kept symbols)."""


def _folded(text: str) -> str:
    """Lower case and ordinary width, character by character, so that lengths stay the same."""
    if text.isascii():
        return text.lower()
    plain = [unicodedata.normalize("NFKC", char).casefold() for char in text]
    return "".join(new if len(new) == 1 else old for old, new in zip(text, plain, strict=True))


def _is_odd_digit(char: str) -> bool:
    """True for a digit that no number is written with (⑧, ⁸): neither ASCII nor full-width."""
    return not char.isascii() and not "０" <= char <= "９"


def _faces() -> frozenset[str]:
    ranges = [(0x1F600, 0x1F64F), (0x1F910, 0x1F92F), (0x1F970, 0x1F97A), (0x1F493, 0x1F49F)]
    return frozenset(chr(p) for low, high in ranges for p in range(low, high + 1))


FACES = _faces()
_HALF_TURN = {**{c: c for c in "osxz"}, "n": "u", "u": "n", "d": "p", "p": "d", "b": "q", "q": "b"}
"""Letters that are letters upside down too."""


def is_boundary(char: str) -> bool:
    """True for punctuation, space and the ends of a text: what ends a clause."""
    return not char or unicodedata.category(char)[0] in "PZ"


class ArcFactory:
    """Makes all arcs of a text."""

    def __init__(self, tables: Tables | None = None) -> None:
        self.tables = tables or Tables()
        self._pinyin = known_syllables()
        self._emoji_by_first: dict[str, int] = {}
        for symbol in (*self.tables.emoji, *self.tables.emoji_names):
            if not symbol[0].isascii() or len(symbol) > 1:
                longest = self._emoji_by_first.get(symbol[0], 0)
                self._emoji_by_first[symbol[0]] = max(longest, len(symbol))

    def arcs(self, text: str) -> dict[int, list[Arc]]:
        """Arcs by the position they start at; positions inside a grapheme or a run have none.

        From position 0 every arc's end is again a start or the end of the text.
        """
        found: dict[int, list[Arc]] = {}
        position = 0
        while position < len(text):
            arcs = self._unit(text, position)
            found[position] = arcs
            position = arcs[0].end
        starts = set(found) | {len(text)}
        for start, arcs in found.items():
            arcs += [a for a in self._memes(text, start) if a.end in starts]
            arcs += [a for a in self._splits(text, start) if a.end in starts]
        return found

    def spelt_out(self, text: str) -> str:
        """The text with each emoji replaced by its Chinese library name."""
        shown, position = "", 0
        while position < len(text):
            end = self._emoji_end(text, position) if text[position] in self._emoji_by_first else 0
            if end:
                shown += self.tables.emoji_names.get(bare_emoji(text[position:end]), "")
            else:
                end = position + 1
                shown += text[position]
            position = end
        return shown

    def _unit(self, text: str, start: int) -> list[Arc]:
        """Arcs of the unit (grapheme, run of letters or digits) at `start`; the first keeps it."""
        char = text[start]
        if char in self._emoji_by_first and not is_han(char):
            end = self._emoji_end(text, start)
            if end:
                return self._emoji(text, start, end)
        if is_han(char):
            keep = [Arc(start + 1, char, 0.0)]
            meant = self.tables.lookalikes.get(char, ())
            return keep + [Arc(start + 1, m, LOOKALIKE, VISUAL) for m in meant]
        plain = unicodedata.normalize("NFKC", char)
        if len(plain) == 1 and plain.isascii() and plain.isdigit():
            return self._digits(text, start)
        if plain.isdigit() and plain in self.tables.digits:
            return [
                Arc(start + 1, char, KEEP_ODD, final=True),
                *self._digit(start + 1, plain, True),
            ]
        if self._turned_end(text, start):
            return self._turned(text, start)
        if (char.isascii() and char.isalpha()) or (
            len(plain) == 1 and plain.isascii() and plain.isalpha()
        ):
            return self._letters(text, start)
        if char == " " and text[start - 1 : start].isascii() and text[start - 1 : start].islower():
            # Pinyin is often written with spaces between its syllables (gan ma).
            after = text[start + 1 : start + 2]
            keep = [Arc(start + 1, char, 0.0, final=True)]
            return keep + ([Arc(start + 1, "", 0.5)] if after.isascii() and after.islower() else [])
        if char in self.tables.lookalikes:
            meant = self.tables.lookalikes[char]
            keep = [Arc(start + 1, char, KEEP_RUN, final=True)]
            return keep + [Arc(start + 1, m, 2.0, VISUAL, final=not is_han(m)) for m in meant]
        return [Arc(start + 1, char, 0.0, final=True)]

    def _emoji_end(self, text: str, start: int) -> int:
        """End of the longest emoji at `start`, selectors and skin tones included; 0 if none."""
        longest = self._emoji_by_first[text[start]]
        bare, end, best = "", start, 0
        while end < len(text) and len(bare) <= longest:
            char = text[end]
            skipped = char in "\ufe0f\ufe0e" or "🏻" <= char <= "🏿"
            if not skipped:
                bare += char
            end += 1
            if bare in self.tables.emoji or bare in self.tables.emoji_names:
                # An ASCII digit counts as an emoji only with its keycap.
                if not (len(bare) == 1 and bare.isascii()):
                    best = end
            elif skipped and best:
                break
        return best

    def _emoji(self, text: str, start: int, end: int) -> list[Arc]:
        surface = text[start:end]
        bare = bare_emoji(surface)
        before = text[start - 1] if start else ""
        after = text[end] if end < len(text) else ""
        # A face at the end of a clause, or repeated, is a gesture; elsewhere it stands for a word.
        gesture = is_boundary(after) or surface[-1] in (before, after)
        keep = KEEP_FACE_AT_EDGE if gesture and bare in FACES else KEEP_EMOJI
        arcs = [Arc(end, surface, keep, final=True)]
        if bare[-1] == "\u20e3" or bare == "🔟":
            return arcs + self._digit(end, "10" if bare == "🔟" else bare[0], True, PICTURE)
        readings = self.tables.emoji.get(bare, ())
        cost = EMOJI_READING
        for reading, way in readings:
            arcs.append(Arc(end, reading, cost, way))
            cost += EMOJI_NEXT_READING
        name = self.tables.emoji_names.get(bare, "")
        if name and name not in dict(readings) and len(name) <= 4 and all(map(is_han, name)):
            arcs.append(Arc(end, name, EMOJI_NAME, PICTURE))
            if not readings:
                arcs += [Arc(end, c, EMOJI_NAME + 1, PICTURE) for c in dict.fromkeys(name)]
        return arcs

    def _digit(self, end: int, digit: str, odd: bool, kinds: int = HOMOPHONIC) -> list[Arc]:
        cost = ODD_DIGIT_READING if odd else DIGIT_READING
        arcs = []
        for rank, reading in enumerate(self.tables.digits[digit]):
            arcs.append(Arc(end, reading, cost + 2.0 * rank, HOMOPHONIC if rank else kinds))
        return arcs

    def _digits(self, text: str, start: int) -> list[Arc]:
        end = start
        plain = ""
        while end < len(text):
            char = unicodedata.normalize("NFKC", text[end])
            if not (len(char) == 1 and char.isascii() and char.isdigit()):
                break
            if end > start and (_is_odd_digit(text[start]) or _is_odd_digit(text[end])):
                break  # a circled digit is a sign of its own, no part of a number
            plain += char
            end += 1
        if end < len(text) and text[end] in "\ufe0f\u20e3" and end - start > 1:
            end -= 1  # the last digit belongs to a keycap
        odd = text[start] != plain[0]
        keep = 1.0 if end - start > 1 else KEEP_ODD if _is_odd_digit(text[start]) else KEEP_RUN
        arcs = [Arc(end, text[start:end], keep, final=True)]
        if end - start == 1:
            arcs += self._digit(end, plain[0], odd)
        return arcs

    def _letters(self, text: str, start: int) -> list[Arc]:
        end = start
        plain = ""
        while end < len(text):
            char = unicodedata.normalize("NFKC", text[end])
            if not (len(char) == 1 and char.isascii() and char.isalpha()):
                break
            plain += char.lower()
            end += 1
        run = text[start:end]
        arcs = [Arc(end, run, KEEP_RUN, final=True)]
        if len(run) == 1:
            for rank, reading in enumerate(self.tables.letters.get(plain, ())):
                arcs.append(Arc(end, reading, LETTER_READING + 2.0 * rank, HOMOPHONIC))
        elif len(run) <= 24 and run.isascii() and not run.isupper():
            spelt = self._spelt(plain)
            if spelt and self._chinese_around(text, start, end):
                sounds = tuple(code(s) for s in spelt)
                arcs = [Arc(end, run, KEEP_SPELT_SYLLABLE * len(spelt), final=True)]
                cost = PINYIN_READING * len(spelt)
                arcs.append(Arc(end, "\0" * len(spelt), cost, HOMOPHONIC, sounds))
        return arcs

    def _chinese_around(self, text: str, start: int, end: int) -> bool:
        """Whether all words of the Latin phrase around text[start:end] spell pinyin.

        Many English words do (he, you, men); in the company of words that do not they are English.
        """
        while (
            start
            and text[start - 1].isascii()
            and (text[start - 1].isalpha() or text[start - 1] == " ")
        ):
            start -= 1
        while end < len(text) and text[end].isascii() and (text[end].isalpha() or text[end] == " "):
            end += 1
        return all(self._spelt(word.lower()) for word in text[start:end].split())

    def _spelt(self, letters: str) -> list[str]:
        """The letters as at most four pinyin syllables, the longest first; [] if they are none."""
        parts: list[str] = []
        while letters:
            for size in range(min(6, len(letters)), 1, -1):
                if letters[:size] in self._pinyin:
                    parts.append(letters[:size])
                    letters = letters[size:]
                    break
            else:
                return []
        return parts if len(parts) <= 4 else []

    def _turned_end(self, text: str, start: int) -> int:
        """End of the run of upside-down letters at `start`; 0 if it is none.

        Letters that look like letters when turned (p and d) belong to it, but do not make it.
        """
        end, sure = start, False
        while end < len(text) and (text[end] in self.tables.turned or text[end] in _HALF_TURN):
            sure = sure or (text[end] in self.tables.turned and text[end] not in "ıʃ")
            end += 1
        return end if sure else 0

    def _turned(self, text: str, start: int) -> list[Arc]:
        end = self._turned_end(text, start)
        letters = self.tables.turned
        upright = "".join(letters.get(c, _HALF_TURN.get(c, c)) for c in reversed(text[start:end]))
        arcs = [Arc(end, text[start:end], KEEP_RUN + 3.0, final=True)]
        meme = self.tables.memes.get(upright[0], {}).get(upright)
        if meme:
            arcs.append(Arc(end, meme[0], 1.0, VISUAL, final=True))
        spelt = self._spelt(upright)
        if spelt:
            sounds = tuple(code(s) for s in spelt)
            cost = 1.0 + 1.5 * len(spelt)
            arcs.append(Arc(end, "\0" * len(spelt), cost, TURNED, sounds))
        arcs.append(Arc(end, upright, 7.0, VISUAL, final=True))
        return arcs

    def _memes(self, text: str, start: int) -> list[Arc]:
        entries = self.tables.memes.get(_folded(text[start]))
        if not entries:
            return []
        arcs = []
        for surface, (meaning, kinds, alone) in entries.items():
            end = start + len(surface)
            if _folded(text[start:end]) != surface:
                continue
            before, after = text[start - 1 : start], text[end : end + 1]
            if any(
                a.isascii() and a.isalnum() and b.isascii() and b.isalnum()
                for a, b in pairwise_edges(before, surface, after)
            ):
                continue
            if alone and not (is_boundary(before) and is_boundary(after)):
                continue
            cost = MEME_WORD if is_han(surface[0]) else MEME_CODE
            arcs.append(Arc(end, meaning, cost, kinds, final=True))
        return arcs

    def _splits(self, text: str, start: int) -> list[Arc]:
        entries = self.tables.joined.get(text[start])
        if not entries:
            return []
        arcs = []
        for size in (2, 3):
            char = entries.get(text[start : start + size])
            if char:
                arcs.append(Arc(start + size, char, SPLIT_CHARACTER, VISUAL))
        return arcs


def pairwise_edges(before: str, surface: str, after: str) -> list[tuple[str, str]]:
    """The character pairs at both edges of a surface; those at the text's ends are left out."""
    pairs = list(pairwise((before, surface[0]))) + list(pairwise((surface[-1], after)))
    return [(a, b) for a, b in pairs if a and b]
