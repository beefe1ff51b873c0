"""Takes out of a closed answer what merely repeats the prompt.

Compared are runs of tokens (a Latin word, a number, or one Chinese character), so white space and
punctuation may differ. A run is an echo when it is long, or starts where a clause of the prompt
starts, or when the whole text is a clause of the prompt; but one option's line or one label's
name is what an answer looks like, and stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from mouse.answers.normalise import clip, plain

_TOKEN = re.compile(r"[A-Za-z]+|\d+|[^\W\d_a-zA-Z]")
_CLAUSE_END = re.compile(r"[\n,.:;!?。、…]")
_AFTER_RUN = re.compile(r"[\s:.,。,、!?;\"'”’」』)\]】]*")
_GRAM = 6
"""Tokens that must agree before a repetition is taken to be one."""
_LONG = 14
"""Tokens from which a repetition is an echo even where it starts inside a clause."""

_CUES = (("答", "案"), ("意", "图"), ("answer",), ("intent",))
"""Tokens that may introduce an answer; with few-shot examples the prompt holds them so too."""

Token = tuple[str, int, int]


def _tokens(text: str) -> list[Token]:
    return [(m[0].casefold(), m.start(), m.end()) for m in _TOKEN.finditer(text)]


def _clause_starts(text: str, tokens: list[Token]) -> set[int]:
    """Indices of tokens before which a clause ends."""
    starts = {0}
    for index in range(1, len(tokens)):
        if _CLAUSE_END.search(text, tokens[index - 1][2], tokens[index][1]):
            starts.add(index)
    return starts


def remove_echo(text: str, prompt: str, answers: Iterable[str]) -> str:
    """`text` (already `plain`) without repetitions of `prompt`.

    `answers` are the option texts or label names, any one of which may stand in a reply though
    the prompt holds it too.
    """
    prompt = clip(plain(clip(prompt)))
    asked, told = _tokens(prompt), _tokens(text)
    if not asked or not told:
        return text
    starts = _clause_starts(prompt, asked)
    words, said = [t[0] for t in asked], [t[0] for t in told]
    allowed = [[t[0] for t in _tokens(plain(answer))] for answer in answers]

    if _is_clauses(said, words, starts) and not _one_answer(said, allowed):
        return ""

    grams: dict[tuple[str, ...], list[int]] = {}
    for index in range(len(words) - _GRAM + 1):
        known = grams.setdefault(tuple(words[index : index + _GRAM]), [])
        if len(known) < 8:
            known.append(index)
    kept: list[str] = []
    position = index = 0
    while index <= len(said) - _GRAM:
        places = grams.get(tuple(said[index : index + _GRAM]))
        if not places:
            index += 1
            continue
        lengths = {place: _agreement(said, index, words, place) for place in places}
        length = max(lengths.values())
        run = said[index : index + length]
        at_clause = any(place in starts for place in places if lengths[place] == length)
        if _one_answer(run, allowed) or not (at_clause or length >= _LONG):
            index += length
            continue
        kept.append(text[position : told[index][1]])
        after = _AFTER_RUN.match(text, told[index + length - 1][2])
        position = after.end() if after else told[index + length - 1][2]
        index += length
    kept.append(text[position:])
    return "\n".join(kept)


def _agreement(said: list[str], at: int, words: list[str], place: int) -> int:
    length = 0
    while (
        at + length < len(said)
        and place + length < len(words)
        and said[at + length] == words[place + length]
    ):
        length += 1
    cut_word = at + length == len(said) - 1 and place + length < len(words)
    if length and cut_word and words[place + length].startswith(said[-1]):
        length += 1
    return length


def _is_clauses(said: list[str], words: list[str], starts: set[int]) -> bool:
    """Whether a short text is one or more whole clauses of the prompt and nothing else."""
    size = len(said)
    if not 2 <= size < _GRAM:
        return False
    return any(
        words[start : start + size] == said
        and (start + size in starts or start + size == len(words))
        for start in starts
    )


def _one_answer(run: list[str], allowed: list[list[str]]) -> bool:
    """Whether a run lies within one option's line: letter or number, then its text, or a part."""
    for cue in _CUES:
        if tuple(run[: len(cue)]) == cue and len(run) > len(cue) + 1:
            run = run[len(cue) :]
            break
    for answer in allowed:
        for candidate in (run, run[1:] if run and len(run[0]) == 1 else run):
            if not candidate:
                return True
            size = len(candidate)
            if size <= len(answer) and any(
                answer[at : at + size] == candidate for at in range(len(answer) - size + 1)
            ):
                return True
    return False
