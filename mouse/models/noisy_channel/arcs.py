"""Hypotheses about what the surface of a text stands for, before any word is looked up.

An `Arc` spans a stretch of the text and says: these characters are meant here, at this cost, and
undoing it takes these components. Keeping a character is an arc too. Sounds are not arcs: every
character of an arc may be heard as another one later, when words are looked up.
"""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from mouse.corpus.chinese.characters import is_ideograph
from mouse.corpus.chinese.readings import known_syllables
from mouse.models.noisy_channel.language import code
from mouse.models.noisy_channel.signs import (
    FACES,
    ascii_form,
    bare_emoji,
    folded,
    in_one_word,
    is_boundary,
    is_modifier,
    is_odd_digit,
)
from mouse.models.noisy_channel.tables import HOMOPHONIC, PICTURE, TURNED, VISUAL, Tables

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


_HALF_TURN = {**{c: c for c in "osxz"}, "n": "u", "u": "n", "d": "p", "p": "d", "b": "q", "q": "b"}
"""Letters that are letters upside down too."""
_LATIN_PHRASE = string.ascii_letters + " "


def _read_as(end: int, readings: Sequence[str], cost: float, kinds: int = HOMOPHONIC) -> list[Arc]:
    """Arcs for the readings of a sign, each dearer than the one before; `kinds` are the first's."""
    return [
        Arc(end, reading, cost + 2.0 * rank, HOMOPHONIC if rank else kinds)
        for rank, reading in enumerate(readings)
    ]


def _heard(end: int, syllables: Sequence[str], cost: float, kinds: int) -> Arc:
    """An arc of characters that are known by their sound alone."""
    return Arc(end, "\0" * len(syllables), cost, kinds, tuple(map(code, syllables)))


class ArcFactory:
    """Makes all arcs of a text."""

    def __init__(self) -> None:
        self.tables = Tables()
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
            more = (*self._memes(text, start), *self._splits(text, start))
            arcs += [arc for arc in more if arc.end in starts]
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
        if char in self._emoji_by_first and not is_ideograph(char):
            end = self._emoji_end(text, start)
            if end:
                return self._emoji(text, start, end)
        if is_ideograph(char):
            keep = [Arc(start + 1, char, 0.0)]
            meant = self.tables.lookalikes.get(char, ())
            return keep + [Arc(start + 1, m, LOOKALIKE, VISUAL) for m in meant]
        plain = ascii_form(char)
        if plain.isdigit():
            return self._digits(text, start)
        number = unicodedata.normalize("NFKC", char)
        if number.isdigit() and number in self.tables.digits:
            keep = [Arc(start + 1, char, KEEP_ODD, final=True)]
            return keep + _read_as(start + 1, self.tables.digits[number], ODD_DIGIT_READING)
        if self._turned_end(text, start):
            return self._turned(text, start)
        if plain.isalpha():
            return self._letters(text, start)
        if char == " " and text[start - 1 : start].isascii() and text[start - 1 : start].islower():
            # Pinyin is often written with spaces between its syllables (gan ma).
            after = text[start + 1 : start + 2]
            keep = [Arc(start + 1, char, 0.0, final=True)]
            return keep + ([Arc(start + 1, "", 0.5)] if after.isascii() and after.islower() else [])
        if char in self.tables.lookalikes:
            meant = self.tables.lookalikes[char]
            keep = [Arc(start + 1, char, KEEP_RUN, final=True)]
            return keep + [Arc(start + 1, m, 2.0, VISUAL, final=not is_ideograph(m)) for m in meant]
        return [Arc(start + 1, char, 0.0, final=True)]

    def _emoji_end(self, text: str, start: int) -> int:
        """End of the longest emoji at `start`, selectors and skin tones included; 0 if none."""
        longest = self._emoji_by_first[text[start]]
        bare, end, best = "", start, 0
        while end < len(text) and len(bare) <= longest:
            char = text[end]
            skipped = is_modifier(char)
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
            digit = self.tables.digits["10" if bare == "🔟" else bare[0]]
            return arcs + _read_as(end, digit, ODD_DIGIT_READING, PICTURE)
        readings = self.tables.emoji.get(bare, ())
        cost = EMOJI_READING
        for reading, way in readings:
            arcs.append(Arc(end, reading, cost, way))
            cost += EMOJI_NEXT_READING
        name = self.tables.emoji_names.get(bare, "")
        if name and name not in dict(readings) and len(name) <= 4 and all(map(is_ideograph, name)):
            arcs.append(Arc(end, name, EMOJI_NAME, PICTURE))
            if not readings:
                arcs += [Arc(end, c, EMOJI_NAME + 1, PICTURE) for c in dict.fromkeys(name)]
        return arcs

    def _digits(self, text: str, start: int) -> list[Arc]:
        end, plain = start, ""
        while end < len(text) and (digit := ascii_form(text[end])).isdigit():
            if end > start and (is_odd_digit(text[start]) or is_odd_digit(text[end])):
                break  # a circled digit is a sign of its own, no part of a number
            plain += digit
            end += 1
        if end < len(text) and text[end] in "\ufe0f\u20e3" and end - start > 1:
            end -= 1  # the last digit belongs to a keycap
        if end - start > 1:
            return [Arc(end, text[start:end], 1.0, final=True)]
        keep = KEEP_ODD if is_odd_digit(text[start]) else KEEP_RUN
        cost = ODD_DIGIT_READING if text[start] != plain[0] else DIGIT_READING
        readings = _read_as(end, self.tables.digits[plain[0]], cost)
        return [Arc(end, text[start:end], keep, final=True), *readings]

    def _letters(self, text: str, start: int) -> list[Arc]:
        end, plain = start, ""
        while end < len(text) and (letter := ascii_form(text[end])).isalpha():
            plain += letter.lower()
            end += 1
        run = text[start:end]
        keep = Arc(end, run, KEEP_RUN, final=True)
        if len(run) == 1:
            return [keep, *_read_as(end, self.tables.letters.get(plain, ()), LETTER_READING)]
        if len(run) <= 24 and run.isascii() and not run.isupper():
            spelt = self._spelt(plain)
            if spelt and self._chinese_around(text, start, end):
                keep = Arc(end, run, KEEP_SPELT_SYLLABLE * len(spelt), final=True)
                return [keep, _heard(end, spelt, PINYIN_READING * len(spelt), HOMOPHONIC)]
        return [keep]

    def _chinese_around(self, text: str, start: int, end: int) -> bool:
        """Whether all words of the Latin phrase around text[start:end] spell pinyin.

        Many English words do (he, you, men); in the company of words that do not they are English.
        """
        first = len(text[:start].rstrip(_LATIN_PHRASE))
        last = len(text) - len(text[end:].lstrip(_LATIN_PHRASE))
        return all(self._spelt(word.lower()) for word in text[first:last].split())

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
            arcs.append(_heard(end, spelt, 1.0 + PINYIN_READING * len(spelt), TURNED))
        arcs.append(Arc(end, upright, 7.0, VISUAL, final=True))
        return arcs

    def _memes(self, text: str, start: int) -> list[Arc]:
        arcs = []
        entries = self.tables.memes.get(folded(text[start]), {})
        for surface, (meaning, kinds, alone) in entries.items():
            end = start + len(surface)
            if folded(text[start:end]) != surface:
                continue
            before, after = text[start - 1 : start], text[end : end + 1]
            if in_one_word(before, surface[0]) or in_one_word(surface[-1], after):
                continue
            if alone and not (is_boundary(before) and is_boundary(after)):
                continue
            cost = MEME_WORD if is_ideograph(surface[0]) else MEME_CODE
            arcs.append(Arc(end, meaning, cost, kinds, final=True))
        return arcs

    def _splits(self, text: str, start: int) -> list[Arc]:
        entries = self.tables.joined.get(text[start], {})
        found = ((size, entries.get(text[start : start + size])) for size in (2, 3))
        return [Arc(start + size, char, SPLIT_CHARACTER, VISUAL) for size, char in found if char]
