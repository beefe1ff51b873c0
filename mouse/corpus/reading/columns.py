"""Which column of a file holds which field: headers in Chinese and English, and the user's word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from mouse.corpus.items import OPTION_LETTERS
from mouse.corpus.labels import fold, names
from mouse.errors import UserError

_BRACKETED = re.compile(r"[（(\[【][^（）()\[\]【】]*[）)\]】]")

TableKind = Literal["cxei", "choice"]

CXEI_HEADERS: Mapping[str, tuple[str, ...]] = {
    "id": names("id, item_id, cxei_id, 编号, 序号, no, index"),
    "original_text": names(
        "original_text, original, text, content, chouxiang, chouxiang_text, cxei, expression, "
        "sentence, 原文, 原句, 抽象话, 抽象文本, 抽象表达, 原始文本, 文本, 句子, 表达, 内容, "
        "源文本, 抽象话原文, source_language, source_text, chouxiang_language, "
        "original_sentence, original_expression, 抽象话文本, 抽象话语句, 原始句子"
    ),
    "reference": names(
        "reference, translation, reference_translation, standard_chinese, standard, paraphrase, "
        "译文, 参考, 参考译文, 参考答案, 释义, 翻译, 标准中文, 标准汉语, 普通话, 含义, 解释, "
        "标准译文, 标准中文译文, 参考翻译, standard_chinese_translation, gold_reference, "
        "标准汉语译文, 标准中文翻译, 普通话翻译"
    ),
    "components": names(
        "components, component, representational_component, representational_components, "
        "representation_component, component_type, 成分, 构成, 构成成分, 成分类型, 构成方式, "
        "表征成分, 表示成分, 表现成分, 表征类型, 表征构成, 构成类型"
    ),
    "homophonic": names(
        "homophonic, is_homophonic, homophone, homophonic_component, phonetic, 谐音, 是否谐音, "
        "谐音成分, 谐音性"
    ),
    "visual": names("visual, is_visual, visual_component, 视觉, 是否视觉, 视觉成分, 字形, 视觉性"),
    "semantic": names(
        "semantic, is_semantic, semantic_component, 语义, 是否语义, 语义成分, 语义性"
    ),
    "intent": names(
        "intent, intention, intent_label, intent_category, intent_type, 意图, 意图类别, "
        "意图标签, 意图类型, 意图分类"
    ),
    "toxicity": names(
        "toxicity, toxic, is_toxic, toxicity_label, 毒性, 是否有毒, 有毒, 毒性标签, 毒性分类, "
        "毒性判断, 有害, 是否有害"
    ),
    "source": names("source, 来源, 出处"),
    "revision": names("revision, version, 修订, 版本"),
    "open_case": names("open_case"),
    "derivation": names("derivation, 推导, 推导链, 演变"),
    "group": names("group, cluster, 组, 组别, 分组"),
}
"""Headers that are understood for each field of a CXEI, the canonical one first."""

CHOICE_HEADERS: Mapping[str, tuple[str, ...]] = {
    "id": names("id, item_id, question_id, 编号, 序号, 题号, no, index"),
    "task": names("task, 任务, 题型"),
    "context": names("context, dialogue, dialog, conversation, 语境, 上下文, 对话, 对话语境, 背景"),
    "text": names(
        "text, question, original_text, expression, sentence, query, content, 题干, 题目, 问题, "
        "原文, 抽象话, 文本, 句子, 表达, 填空"
    ),
    "options": names("options, choices, candidates, 选项, 候选, 候选项"),
    **{
        f"option_{letter.lower()}": (
            *(f"option_{letter}", f"选项{letter}", f"choice_{letter}", letter),
            *(f"option_{number}", f"选项{number}", f"choice_{number}"),
        )
        for number, letter in enumerate(OPTION_LETTERS, start=1)
    },
    "answer": names(
        "answer, gold, label, correct, correct_answer, correct_option, 答案, 正确答案, 正确选项, "
        "标准答案"
    ),
    "cxei_id": names("cxei_id, expression_id, 原文编号, 表达编号"),
}
"""Headers that are understood for each field of a choice item, the canonical one first."""

_HEADERS = {"cxei": CXEI_HEADERS, "choice": CHOICE_HEADERS}
FIELDS: frozenset[str] = frozenset({*CXEI_HEADERS, *CHOICE_HEADERS})
"""All fields that a column or a constant may fill."""


@dataclass(frozen=True)
class Resolved:
    """A table's header of each field that it has, and the headers that mean no field."""

    headers: Mapping[str, str]
    unknown: tuple[str, ...]
    problems: tuple[tuple[str, str], ...] = ()
    """(field, why it cannot be told which column holds it)."""


@dataclass(frozen=True)
class ColumnMap:
    """The default headers with the user's overrides, {field: header}; an empty header: left unread."""

    overrides: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, header in self.overrides.items():
            if name not in FIELDS:
                known = ", ".join(sorted(FIELDS))
                raise UserError(f"columns.{name}: there is no such field; expected one of {known}")
            if not isinstance(header, str):
                raise UserError(f"columns.{name}: expected a header as text, found {header!r}")

    def kind(self, headers: Sequence[str]) -> TableKind:
        """What the rows under these headers are: options make a table one of choice items."""
        found = self.resolve("choice", headers).headers
        has_options = "options" in found or {"option_a", "option_b"} <= set(found)
        return "choice" if has_options else "cxei"

    def resolve(self, kind: TableKind, headers: Sequence[str]) -> Resolved:
        """Which header holds which field. The user's word goes first, then exact names."""
        found: dict[str, str] = {}
        problems: list[tuple[str, str]] = []
        taken: set[str] = set()
        for name, wanted in self.overrides.items():
            header = find(wanted, headers) if wanted else None
            if name in _HEADERS[kind] and header is not None:
                found[name] = header
                taken.add(header)
        for name, known in _HEADERS[kind].items():
            if name in self.overrides:
                continue
            spellings = [fold(spelling) for spelling in known]
            fits = [h for h in headers if h not in taken and spells(h, spellings)]
            canonical = [header for header in fits if spells(header, spellings[:1])]
            if len(fits) > 1 and len(canonical) != 1:
                shown = " and ".join(f"«{header}»" for header in fits)
                problem = f"{shown} may both be this field; say columns.{name}=HEADER"
                problems.append((name, problem))
            for header in canonical or fits[:1]:
                found[name] = header
                taken.add(header)
        unknown = tuple(header for header in headers if header not in taken)
        return Resolved(found, unknown, tuple(problems))

    def check_used(self, tables: Sequence[Sequence[str]]) -> None:
        """Raise `UserError` where an override names a header that no table has."""
        for name, wanted in self.overrides.items():
            if wanted and not any(find(wanted, headers) for headers in tables):
                present = ", ".join(dict.fromkeys(header for table in tables for header in table))
                raise UserError(
                    f"columns.{name}={wanted}: no such column; the data has: {present or 'none'}"
                )


def spells(header: str, spellings: Sequence[str]) -> bool:
    """Whether a header is one of the folded spellings, with or without what it has in brackets."""
    return fold(header) in spellings or fold(_BRACKETED.sub("", header)) in spellings


def find(wanted: str, headers: Sequence[str]) -> str | None:
    """The header that is meant: itself, else one that differs in width, case or punctuation."""
    if wanted in headers:
        return wanted
    return next((header for header in headers if fold(header) == fold(wanted) != ""), None)
