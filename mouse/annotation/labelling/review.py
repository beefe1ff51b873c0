"""Quality review as in the paper's Table 5: six yes/no questions, sheets for reviewers and back."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mouse.annotation.sheets import Column, read_filled, write_xlsx
from mouse.corpus.items import COMPONENTS, CXEI, OPTION_LETTERS, ChoiceItem, Dataset
from mouse.corpus.labels import COMPONENT_ZH, INTENT_ZH
from mouse.errors import DataError, Fault, UserError

Section = Literal["cxei", "ms", "cc"]
SECTIONS: tuple[Section, ...] = ("cxei", "ms", "cc")
YES_NO = ("是", "否")
MANIFEST = "review.json"


@dataclass(frozen=True, slots=True)
class Question:
    """One aspect of Table 5: which items it is asked of, and how it is put to reviewers.

    `text` and `english` ask what the paper's question asks, in this project's words.
    """

    aspect: str
    section: Section
    header: str
    text: str
    english: str


QUESTIONS = (
    Question(
        "semantic_validity",
        "cxei",
        "语义成立",
        "这句抽象话是否语义成立、意思连贯（参考译文说得通，且确是它的意思）？",
        "Is the expression semantically valid, with a coherent meaning (which the reference gives)?",
    ),
    Question(
        "intent_taxonomy",
        "cxei",
        "意图合适",
        "八类意图对这句话是否合适、够用，所标的一类恰当？",
        "Are the eight intents appropriate and comprehensive here, and is the one given fitting?",
    ),
    Question(
        "component_taxonomy",
        "cxei",
        "成分合适",
        "谐音、视觉、语义的划分是否抓住了这句话的构成，标注正确？",
        "Do the three components capture how the expression is built, and are they labelled right?",
    ),
    Question(
        "toxicity_labels",
        "cxei",
        "毒性合适",
        "有毒或无毒的标注是否恰当？",
        "Is the toxicity label appropriate?",
    ),
    Question(
        "meaning_distractors",
        "ms",
        "干扰项合理",
        "其余选项是否足够可信、足以迷惑模型（且确是错的）？",
        "Are the distractors plausible and confusing enough to challenge a model (and wrong)?",
    ),
    Question(
        "cloze_key",
        "cc",
        "答案最佳",
        "给出的答案在这段对话里是否最合适、说得出理由？",
        "Is the option given as right the best one in its context, for a reason one can state?",
    ),
)
"""The aspects of Table 5, named as in data/published/table5_quality.csv."""

_TEXT: dict[Section, tuple[Column, ...]] = {
    "cxei": (
        Column("text", "原文", 34),
        Column("reference", "参考译文", 34),
        Column("components", "成分", 14),
        Column("intent", "意图", 12),
        Column("toxicity", "毒性", 8),
    ),
    "ms": (
        Column("text", "原文", 34),
        Column("options", "选项", 48),
        Column("answer", "答案", 8),
    ),
    "cc": (
        Column("context", "对话", 44),
        Column("text", "填空", 34),
        Column("options", "选项", 30),
        Column("answer", "答案", 8),
    ),
}


def questions_of(section: Section) -> tuple[Question, ...]:
    return tuple(question for question in QUESTIONS if question.section == section)


def columns_of(section: Section) -> tuple[Column, ...]:
    """The columns of a section's sheet: id, what is shown, the questions, a comment."""
    asked = (Column(q.aspect, q.header, 12, YES_NO) for q in questions_of(section))
    return (
        Column("id", "编号", 12),
        *_TEXT[section],
        *asked,
        Column("comment", "备注", 24, free=True),
    )


def guidelines_of(section: Section) -> tuple[str, ...]:
    """What a reviewer of the section is told."""
    return (
        "质量复核说明",
        "请独立判断每一行，回答“是”或“否”；不要留空，也不要改动“编号”一列。可以排序和筛选。",
        *(f"{question.header}：{question.text}" for question in questions_of(section)),
        "选“否”时请在“备注”里写明原因。",
    )


@dataclass(frozen=True)
class Review:
    """Who reviews what: the ids of each section, the same for all reviewers."""

    reviewers: tuple[str, ...]
    ids: dict[str, tuple[str, ...]]
    fingerprint: str
    seed: int


@dataclass(frozen=True, slots=True)
class Opinion:
    """One reviewer's answer to one question about one item; None where the cell stayed empty."""

    reviewer: str
    item_id: str
    aspect: str
    yes: bool | None
    comment: str = ""


def hand_out(dataset: Dataset, reviewers: int, n: int | None, seed: int, folder: Path) -> Review:
    """Draw at most `n` items of each section (all, if None) and write one sheet a reviewer each.

    All reviewers see the same items, each in an order of their own. CXEIs without a reference or
    with a label missing cannot be reviewed and are not drawn. Raises `UserError` for fewer than
    two reviewers, nothing to review, and a folder that holds a review already.
    """
    if reviewers < 2:
        raise UserError("a review needs at least two reviewers: agreement is part of it.")
    manifest = folder / MANIFEST
    if manifest.exists():
        raise UserError(f"{manifest} exists: its sheets may be in use; give another --out")
    pools: dict[Section, list[CXEI | ChoiceItem]] = {
        "cxei": [item for item in dataset.cxeis if _complete(item)],
        "ms": [item for item in dataset.choices if item.task == "ms"],
        "cc": [item for item in dataset.choices if item.task == "cc"],
    }
    names = tuple(f"reviewer_{number}" for number in range(1, reviewers + 1))
    ids: dict[str, tuple[str, ...]] = {}
    for place, (section, pool) in enumerate(pools.items()):
        chance = random.Random(seed * 1_000_003 + place)
        drawn = pool if n is None or n >= len(pool) else chance.sample(pool, n)
        if not drawn:
            continue
        ids[section] = tuple(item.id for item in drawn)
        for name in names:
            order = list(drawn)
            chance.shuffle(order)
            rows = [_row(item) for item in order]
            path = folder / f"{name}_{section}.xlsx"
            write_xlsx(path, columns_of(section), rows, guidelines_of(section))
    if not ids:
        raise UserError(f"{dataset.name}: there is no fully labelled item to review.")
    review = Review(names, ids, dataset.fingerprint, seed)
    manifest.write_text(
        json.dumps(
            {"reviewers": names, "ids": ids, "fingerprint": review.fingerprint, "seed": seed},
            indent=1,
        )
        + "\n",
        encoding="utf-8",
    )
    return review


def _complete(item: CXEI) -> bool:
    flags = [getattr(item.components, name) for name in COMPONENTS]
    return None not in (item.reference, item.intent, item.toxicity, *flags)


def _row(item: CXEI | ChoiceItem) -> dict[str, str]:
    if isinstance(item, CXEI):
        named = [COMPONENT_ZH[name] for name in COMPONENTS if getattr(item.components, name)]
        return {
            "id": item.id,
            "text": item.original_text,
            "reference": item.reference or "",
            "components": "、".join(named) or "无",
            "intent": INTENT_ZH[item.intent] if item.intent else "",
            "toxicity": "有毒" if item.toxicity else "无毒",
        }
    return {
        "id": item.id,
        "context": item.context,
        "text": item.text,
        "options": "\n".join(
            f"{letter}. {option}"
            for letter, option in zip(OPTION_LETTERS, item.options, strict=False)
        ),
        "answer": item.answer,
    }


def read_review(folder: Path) -> Review:
    """What `hand_out` wrote. Raises `UserError` where there is none, or it was altered."""
    path = folder / MANIFEST
    if not path.is_file():
        raise UserError(f"{path}: no such file; `build review-out` writes it")
    try:
        raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        ids = {section: tuple(found) for section, found in raw["ids"].items()}
        return Review(tuple(raw["reviewers"]), ids, raw["fingerprint"], raw["seed"])
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path}: not a review of `build review-out`") from error


def take_in(folder: Path, review: Review) -> tuple[list[Opinion], list[str]]:
    """Every reviewer's opinions, and the addresses of empty cells (`reviewer_1_ms.xlsx!E7`).

    Raises `DataError` with every fault: a sheet, row or column that is gone, an impossible cell.
    """
    faults: list[Fault] = []
    opinions: list[Opinion] = []
    missing: list[str] = []
    for name in review.reviewers:
        for section in SECTIONS:
            if section not in review.ids:
                continue
            file = folder / f"{name}_{section}.xlsx"
            if not file.is_file():
                file = file.with_suffix(".csv")
            if not file.is_file():
                faults.append(Fault(f"{name}_{section}.xlsx", "-", "(file)", "", "no such sheet"))
                continue
            try:
                rows = {row.id: row for row in read_filled(file, columns_of(section))}
            except DataError as error:
                if not error.faults:
                    raise
                faults += error.faults
                continue
            given = set(review.ids[section])
            for strange in sorted(set(rows) - given):
                where = rows[strange].addresses["id"]
                faults.append(Fault(file.name, where, "编号", strange, "not an item of the review"))
            for gone in sorted(given - set(rows)):
                faults.append(Fault(file.name, "-", "编号", gone, "the row of this item is gone"))
            for item_id, row in rows.items():
                missing += [f"{file.name}!{address}" for address in row.missing]
                for question in questions_of(section):
                    value = row.values[question.aspect]
                    yes = None if value is None else value == YES_NO[0]
                    comment = row.texts.get("comment", "")
                    opinions.append(Opinion(name, item_id, question.aspect, yes, comment))
    if faults:
        raise DataError(f"The review sheets have {len(faults)} fault(s):", faults)
    return opinions, missing
