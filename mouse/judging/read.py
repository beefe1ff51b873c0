"""Reads a judge's score from what it wrote: JSON first, then a stated score, then a lone digit."""

from __future__ import annotations

import json
import re
import unicodedata

from mouse.answers.reasoning import strip_reasoning
from mouse.contracts import Completion

_STATED = re.compile(
    r"(?:最终)?(?:得分|分数|评分|打分|score|grade|rating|verdict)\s*(?:是|为|is)?\s*[:=]?\s*\**\s*([0-9]+(?:\.[0-9]+)?)",
    re.IGNORECASE,
)
_POINTS = re.compile(r"(?<![0-9.])([0-9]+)\s*分")
_FENCE = re.compile(r"```(?:json)?|```", re.IGNORECASE)
_LONE = re.compile(r"[\s*`\"'。.!]*([0-9]+)[\s*`\"'。.!]*")


def read_score(completion: Completion) -> tuple[int | None, str]:
    """(score 0, 1 or 2, rationale), or (None, why it cannot be read).

    Two different stated scores cannot be read; a number other than 0, 1, 2 is not rounded.
    """
    if completion.error is not None:
        return None, completion.error.message
    if completion.finish_reason not in ("stop", "length", None):
        return None, f"the judge's answer ended by {completion.finish_reason}"
    text = _without_reasoning(unicodedata.normalize("NFKC", completion.text or ""))
    if not text.strip():
        return None, "the judge wrote nothing"
    for candidate in _json_objects(text):
        if "score" in candidate:
            return _checked(str(candidate["score"]), str(candidate.get("rationale", "")), text)
    if match := _LONE.fullmatch(text):
        return _checked(match.group(1), "", text)
    stated = set(_STATED.findall(text)) or set(_POINTS.findall(text))
    if len(stated) == 1:
        return _checked(stated.pop(), text.strip(), text)
    shown = text.strip().replace("\n", " ")[:80]
    if stated:
        return None, f"the judge stated several scores ({', '.join(sorted(stated))}): {shown}"
    return None, f"no score in the judge's answer: {shown}"


def _checked(number: str, rationale: str, text: str) -> tuple[int | None, str]:
    if number.strip() in ("0", "1", "2"):
        return int(number), rationale
    return None, f"the judge's score {number!r} is not 0, 1 or 2: {text.strip()[:80]}"


def _without_reasoning(text: str) -> str:
    said, cut_off = strip_reasoning(text)
    # A tag that stands inside the answer and is never closed is one that the rationale speaks of.
    return text if cut_off and said.strip() else said


def _json_objects(text: str) -> list[dict[str, object]]:
    """Every JSON object that begins at a `{` of the text, the last one first."""
    found: list[dict[str, object]] = []
    decoder = json.JSONDecoder()
    bare = _FENCE.sub("", text)
    position = bare.find("{")
    while position >= 0 and len(found) < 8:
        try:
            value, end = decoder.raw_decode(bare, position)
        except ValueError:
            position = bare.find("{", position + 1)
            continue
        if isinstance(value, dict):
            found.append(value)
        position = bare.find("{", end)
    return found[::-1]
