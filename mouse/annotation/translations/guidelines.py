"""What a rater reads: the columns of a sheet and how to rate, in Chinese and English."""

from __future__ import annotations

from typing import Literal, get_args

from mouse.annotation.sheets import Column
from mouse.errors import UserError

Lang = Literal["zh", "en"]
LANGS: tuple[str, ...] = get_args(Lang)

_HEADERS = {
    "zh": ("编号", "原文", "参考译文", "待评译文", "评分 0/1/2", "备注（可不填）"),
    "en": (
        "id",
        "original",
        "reference",
        "translation to rate",
        "rating 0/1/2",
        "comment (optional)",
    ),
}

_ZH = (
    "评分说明",
    "每一行是一句网络抽象话、它的标准中文参考译文，和一个系统写出的译文。请只比较“待评译文”与“参考译文”的意思，"
    "在“评分”一列选 2、1 或 0。",
    "2 分：核心意思与关键词语全部正确。措辞、语序、标点可以不同。",
    "1 分：主要信息保留，但有小的偏差或遗漏，或有个别词语没有还原。",
    "0 分：意思偏离，或丢失了关键信息，或根本没有翻译。",
    "",
    "例一　原文：这波操作太6了，yyds！　参考译文：这波操作太厉害了，永远的神！",
    "　“这次操作太强了，简直是永远的神！”→ 2：说法不同，意思齐全。",
    "　“这波操作太厉害了。”→ 1：夸赞还在，但“永远的神”丢了。",
    "　“这波操作里一共有六个人。”→ 0：把“6”当成了人数，意思不对。",
    "例二　原文：今天又要加🐔班，我🍵不多要🍞炸了　参考译文：今天又要加班，我差不多要爆炸了",
    "　“今天又得加班，我快要气炸了”→ 2：“快要气炸”与“差不多要爆炸”意思相同。",
    "　“今天又要加班，我差不多要吃面包了”→ 1：加班说对了，“爆炸”没有还原。",
    "　“今天又要去养鸡，我想喝茶吃面包”→ 0：照着图字面去解释，关键信息全丢。",
    "",
    "请独立评分，不要与其他评分者商量，也不要使用翻译软件或聊天机器人。",
    "可以排序和筛选，但请不要改动第一列和表头：靠它们找回每一行。",
    "只看意思，不因译文粗俗、冗长或不通顺而扣分，除非意思因此变了。译文中若有“请给 2 分”之类的话，也只当作译文来评。",
    "若觉得参考译文本身不对，仍以参考译文为准评分，并在“备注”里写明。",
    "拿不准时在两档中选较低的一档，并在“备注”里写一句原因；请不要留空。",
)
_EN = (
    "How to rate",
    "Each row is an expression of Chinese internet slang, its reference in Standard Chinese, and a "
    "translation written by a system. Compare the meaning of the translation with that of the "
    "reference only, and choose 2, 1 or 0 in the column “rating”.",
    "2: core meaning and all key terms are right. Wording, order and punctuation may differ.",
    "1: the essential information is kept, with minor deviations, omissions or a term not restored.",
    "0: the meaning diverges, or key information is lost, or nothing was translated.",
    "",
    "Example 1 · original: 这波操作太6了，yyds！ · reference: 这波操作太厉害了，永远的神！",
    "  这次操作太强了，简直是永远的神！ → 2: other words, all of the meaning.",
    "  这波操作太厉害了。 → 1: the praise is there, 永远的神 is lost.",
    "  这波操作里一共有六个人。 → 0: 6 was taken for a number of people.",
    "Example 2 · original: 今天又要加🐔班，我🍵不多要🍞炸了 · reference: 今天又要加班，我差不多要爆炸了",
    "  今天又得加班，我快要气炸了 → 2: 快要气炸 means what 差不多要爆炸 means.",
    "  今天又要加班，我差不多要吃面包了 → 1: the overtime is right, 爆炸 was not restored.",
    "  今天又要去养鸡，我想喝茶吃面包 → 0: the pictures were read literally, all key information lost.",
    "",
    "Rate alone: do not talk to other raters, and use no translation software or chat bot.",
    "You may sort and filter, but leave the first column and the headers as they are: rows are "
    "found again by them.",
    "Only meaning counts: take nothing off for rude, long or clumsy wording unless it changes the "
    "meaning. A sentence such as “give this a 2” inside a translation is part of the translation.",
    "If you think that the reference is wrong, rate against it all the same and say so in the comment.",
    "When in doubt between two ratings take the lower and say why in the comment; leave none empty.",
)


def columns(lang: str, code: str, rater: int) -> tuple[Column, ...]:
    """The columns of one rater's sheet; the first header says whose sheet of which export it is."""
    row, original, reference, translation, rating, comment = _HEADERS[check(lang)]
    return (
        Column("id", f"{row} {code}-{rater}", 13),
        Column("original", original, 36),
        Column("reference", reference, 36),
        Column("translation", translation, 36),
        Column("rating", rating, 9, ("0", "1", "2")),
        Column("comment", comment, 22, free=True),
    )


def guidelines(lang: str) -> tuple[str, ...]:
    """The guidelines sheet, a cell a line; the first is the title."""
    return _ZH if check(lang) == "zh" else _EN


def check(lang: str) -> str:
    if lang not in LANGS:
        raise UserError(f"--lang {lang}: one of {', '.join(LANGS)} is expected.")
    return lang
