"""What to say of a table whose headers or words nobody knows: what it probably is, what to add.

Sentences and guesses alone; nothing here changes what is read.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mouse.corpus.labels import COMPONENTS
from mouse.corpus.reading import values
from mouse.corpus.reading.columns import Resolved, find
from mouse.corpus.reading.raw import RawTable
from mouse.corpus.reading.shaping import Shape

_MEANING = {
    "toxicity": "1 toxic, 0 not",
    "intent": "one of the eight intents",
    "components": "homophonic, visual or semantic",
    "answer": "the right option's letter",
}
_READ = {"toxicity": values.flag, "intent": values.intent, "components": values.components}
_SPECIAL = re.compile(r"[\s()\"'`$&|;<>*?\[\]{}~#!\\]")
_LOOKED_AT = 50
"""Rows from which it is guessed what a column holds."""


def missing_labels(resolved: Resolved, shape: Shape) -> list[str]:
    """Labels of an expression that no column and no constant gives; components count as one."""
    has = {*resolved.headers, *shape.constants}
    missing = [name for name in ("toxicity", "intent") if name not in has]
    return missing if has & {"components", *COMPONENTS} else [*missing, "components"]


def free_headers(table: RawTable, resolved: Resolved, shape: Shape) -> list[str]:
    """Headers that nothing reads: no field, not the filter, and no nested value of theirs."""
    read = {find(str(header), table.headers) for header in shape.where}
    read |= {find(header.partition(".")[0], table.headers) for header in resolved.headers.values()}
    return [header for header in resolved.unknown if header not in read]


def unused_note(table: RawTable, kind: str, resolved: Resolved, shape: Shape) -> str:
    """A note on the columns that nothing reads, and what those may be that look like a label."""
    file, free = Path(table.file).name, free_headers(table, resolved, shape)
    missing = missing_labels(resolved, shape) if kind == "cxei" else []
    if not free or not missing:
        return f"{file}: columns not used: {', '.join(free)}." if free else ""
    hints = [
        f" {header} looks like {name}: add {as_arguments({name: header})}."
        for name, header in guesses(table, free, missing).items()
    ]
    shown = f"{file}: no column for {', '.join(missing)}; columns not used: {sampled(table, free)}."
    return shown + "".join(hints)


def unknown_words(found: Counter[tuple[str, str]]) -> list[str]:
    """A sentence a field whose words are not known: all of them with counts, and what to add."""
    sentences = []
    for name in dict.fromkeys(name for name, _ in found):
        words = {word: count for (of, word), count in found.most_common() if of == name}
        listed = ", ".join(f"{word} ({count:,})" for word, count in words.items())
        mapping = "{" + ", ".join(f"{_yaml(word)}: …" for word in words) + "}"
        sentences.append(
            f"{name} has {len(words)} word{'s' * (len(words) > 1)} that mouse does not know: "
            f"{listed}. Say what they mean ({_MEANING.get(name, '1 yes, 0 no')}): "
            f"{_typed(f'data.labels.{name}={mapping}')}"
        )
    return sentences


def _yaml(word: str) -> str:
    plain = word and all(char.isalnum() or char in " _/-" for char in word)
    return word if plain else json.dumps(word, ensure_ascii=False)


def guesses(table: RawTable, headers: Sequence[str], missing: Sequence[str]) -> dict[str, str]:
    """Field → the header whose values look like it, among headers that nothing reads."""
    found: dict[str, str] = {}
    for header in headers:
        name = _looks_like(table.present(header, _LOOKED_AT))
        if name in missing and name not in found:
            found[name] = header
    if "original_text" in missing:
        lengths = {h: _length(table, h) for h in headers if h not in found.values()}
        longest = max(lengths, key=lambda header: lengths[header], default=None)
        if longest is not None and lengths[longest] >= 2:
            found["original_text"] = longest
    return found


def _looks_like(seen: Sequence[Any]) -> str:
    for name, read in _READ.items() if seen else ():
        try:
            for value in seen:
                read(value)
        except ValueError:
            continue
        return name
    return ""


def _length(table: RawTable, header: str) -> float:
    """Mean length of a column's texts; 0.0 where most of its rows hold none."""
    seen = [row.values.get(header) for row in table.rows[:_LOOKED_AT]]
    texts = [value for value in seen if isinstance(value, str)]
    return sum(map(len, texts)) / len(texts) if len(texts) * 2 > len(seen) else 0.0


def as_arguments(found: Mapping[str, str]) -> str:
    """The guesses as what to add to a command line."""
    return " ".join(_typed(f"data.columns.{name}={header}") for name, header in found.items())


def _typed(argument: str) -> str:
    """An argument as it is typed in a shell; Chinese needs no quotes, which `shlex` gives it."""
    return shlex.quote(argument) if _SPECIAL.search(argument) else argument


def sampled(table: RawTable, headers: Sequence[str]) -> str:
    """The headers with two of their values each, to recognise them by."""
    shown = []
    for header in headers:
        few = list(dict.fromkeys(str(v)[:24] for v in table.present(header, _LOOKED_AT)))[:2]
        shown.append(f"{header} (such as {', '.join(few)})" if few else header)
    return "; ".join(shown)
