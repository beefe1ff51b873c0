"""Finds the value that a model meant as its answer in JSON, also in JSON with small faults."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

CLOSED_KEYS = (
    "final_answer", "finalanswer", "最终答案", "answer", "答案", "正确答案", "choice", "option",
    "选项", "选择", "label", "标签", "intent", "意图", "category", "类别", "分类", "class",
    "toxicity", "toxic", "is_toxic", "毒性", "是否有毒", "prediction", "judgement", "judgment",
    "判断", "结论", "result", "结果", "output", "回答",
)  # fmt: skip
"""Keys of a closed answer, the most explicit first."""

TEXT_KEYS = (
    "translation", "译文", "翻译", "翻译结果", "standard_chinese", "标准中文", "标准汉语",
    "final_answer", "answer", "答案", "output", "result", "结果", "text", "reference",
)  # fmt: skip
"""Keys of a translation, the most explicit first."""

_ASIDE = frozenset(
    ("reason", "reasons", "reasoning", "rationale", "analysis", "explanation", "thought",
     "thoughts", "thinking", "confidence", "probability", "note", "notes", "original", "input",
     "理由", "原因", "解释", "分析", "说明", "思考", "置信度", "备注", "原文")
)  # fmt: skip
_MAX_OBJECTS = 16
_MAX_OBJECT = 20_000
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_PAIR = re.compile(
    r"[\"'“‘]?(?P<key>[\w一-鿿]{1,24})[\"'”’]?[ \t]{0,8}[:：][ \t\n]{0,8}"
    r"(?:\"(?P<double>[^\"\\\n]{0,400})\"|'(?P<single>[^'\\\n]{0,400})'"
    r"|[“](?P<curly>[^”\n]{0,400})”|(?P<word>-?[\w.]{1,24})(?=\s{0,8}[,，}\]]))"
)


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """The answers that the JSON objects of a text give, as text; booleans as `1` and `0`."""

    values: tuple[str, ...]
    rest: str
    """The text without the objects."""


def find_json_answer(text: str, keys: tuple[str, ...]) -> JsonAnswer | None:
    """The values under `keys` of every object in the text; None where there is no object.

    An object that names no answer gives an empty value if it is complete, none if it is cut off.
    """
    values: list[str] = []
    rest: list[str] = []
    position = 0
    found = False
    for start, end, complete in _objects(text):
        source = text[start:end]
        chosen = _pick(_parse(source), source, keys)
        if chosen is None:
            continue
        found = True
        if chosen or complete:
            values.extend(chosen or [""])
        rest.append(text[position:start])
        position = end
    if not found:
        return None
    rest.append(text[position:])
    return JsonAnswer(tuple(values), "\n".join(rest))


def _objects(text: str) -> Iterator[tuple[int, int, bool]]:
    """Spans from a brace to its partner, outermost ones; the last may be cut off."""
    position = 0
    for _ in range(_MAX_OBJECTS):
        start = text.find("{", position)
        if start < 0:
            return
        end = _closing_brace(text, start)
        if end is None:
            yield start, min(len(text), start + _MAX_OBJECT), False
            return
        yield start, end, True
        position = end


def _closing_brace(text: str, start: int) -> int | None:
    depth = 0
    in_string = escaped = False
    for index in range(start, min(len(text), start + _MAX_OBJECT)):
        char = text[index]
        if in_string:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                in_string = False
        elif char == '"':
            in_string = True
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return index + 1
    return None


def _parse(source: str) -> object:
    for attempt in (source, _TRAILING_COMMA.sub(r"\1", source)):
        try:
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _pick(parsed: object, source: str, keys: tuple[str, ...]) -> list[str] | None:
    """Values as text; an empty list where the object says nothing; None where it is no object."""
    if isinstance(parsed, dict):
        return _from_mapping(parsed, keys, depth=3)
    pairs = {
        match["key"]: next(
            value
            for value in (match["double"], match["single"], match["curly"], match["word"])
            if value is not None
        )
        for match in _PAIR.finditer(source)
    }
    if pairs:
        return _from_mapping(pairs, keys, depth=1)
    return [] if '":' in source or '": ' in source else None


def _from_mapping(mapping: dict[str, object], keys: tuple[str, ...], depth: int) -> list[str]:
    folded = {re.sub(r"[\s-]+", "_", str(key).strip()).casefold(): v for key, v in mapping.items()}
    for key in keys:
        if key in folded:
            return _scalars(folded[key], keys, depth)
    others = [value for key, value in folded.items() if key not in _ASIDE]
    if keys is TEXT_KEYS and len(others) != 1:
        return []
    values = [text for value in others for text in _scalars(value, keys, depth)]
    return list(dict.fromkeys(values))


def _scalars(value: object, keys: tuple[str, ...], depth: int) -> list[str]:
    if isinstance(value, bool):
        return [str(int(value))]
    if isinstance(value, float) and value.is_integer():
        return [str(int(value))]
    if isinstance(value, (int, float)):
        return [repr(value)] if abs(value) < 1e15 else []
    if isinstance(value, str):
        return [value]
    if depth > 0 and isinstance(value, list):
        return [text for item in value[:20] for text in _scalars(item, keys, depth - 1)]
    if depth > 0 and isinstance(value, dict):
        return _from_mapping(value, keys, depth - 1)
    return []
