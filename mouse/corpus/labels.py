"""The closed label sets (intents, components, mechanisms) and every name that data give them.

How a substitution works, its mechanism, is what people decide; the components of an expression
follow from it and are decided nowhere else. Rules with examples: docs/decisions/labels.md.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Literal, get_args

Intent = Literal[
    "Comment",
    "Emotional Expression",
    "General Statement",
    "Sexualized Reference",
    "Humor & Memes",
    "Group Identity",
    "Urging",
    "Others",
]
INTENTS: tuple[Intent, ...] = get_args(Intent)

ComponentName = Literal["homophonic", "visual", "semantic"]
COMPONENTS: tuple[ComponentName, ...] = get_args(ComponentName)

COMPONENT_BITS: Mapping[ComponentName, int] = {
    name: 1 << place for place, name in enumerate(COMPONENTS)
}
"""Each component as one bit, for code that holds sets of components in an integer."""

Mechanism = Literal[
    "homophone",
    "digit",
    "letter",
    "image_chain",
    "transliteration",
    "decomposition",
    "visual_metaphor",
    "geometric",
    "symbol",
    "dialect",
    "meme",
]
MECHANISMS: tuple[Mechanism, ...] = get_args(Mechanism)

COMPONENT_OF: Mapping[Mechanism, ComponentName] = {
    "homophone": "homophonic",
    "digit": "homophonic",
    "letter": "homophonic",
    "image_chain": "homophonic",
    "transliteration": "homophonic",
    "decomposition": "visual",
    "visual_metaphor": "visual",
    "geometric": "visual",
    "symbol": "semantic",
    "dialect": "semantic",
    "meme": "semantic",
}
"""The component of each mechanism (the paper's §2.2.1); every mechanism has exactly one."""

OPEN_MECHANISMS: frozenset[Mechanism] = frozenset({"transliteration", "meme"})
"""Mechanisms on which the paper is silent, so that their component is this project's choice."""


def components_of(mechanisms: Iterable[Mechanism]) -> frozenset[ComponentName]:
    """The components that substitutions of these mechanisms bring into an expression."""
    return frozenset(COMPONENT_OF[mechanism] for mechanism in mechanisms)


INTENT_ZH: Mapping[Intent, str] = {
    "Comment": "评价（吐槽，赞扬等）",
    "Emotional Expression": "情绪表达",
    "General Statement": "一般陈述",
    "Sexualized Reference": "性暗示",
    "Humor & Memes": "幽默与梗",
    "Group Identity": "群体身份",
    "Urging": "催促",
    "Others": "其他",
}
"""The one Chinese name of each intent, as prompts and tables show it.

The paper gives one in Chinese, that of Comment (Table 2); the others are this project's.
"""

INTENT_FAMILIES: Mapping[str, tuple[Intent, ...]] = {
    "informational": ("General Statement", "Urging"),
    "affective": ("Comment", "Emotional Expression"),
    "social": ("Group Identity", "Humor & Memes"),
    "non-standard": ("Sexualized Reference",),
}
"""The families of the paper's §3.3; Others belongs to none."""

COMPONENT_ZH: Mapping[ComponentName, str] = {
    "homophonic": "谐音",
    "visual": "视觉",
    "semantic": "语义",
}
"""The one Chinese name of each component, as prompts and tables show it."""


def fold(text: str) -> str:
    """A label reduced to what is compared: width, case, spaces and punctuation do not count."""
    wide = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in wide if character.isalnum())


def names(listed: str) -> tuple[str, ...]:
    """Names that are written with a comma and a blank between them."""
    return tuple(listed.split(", "))


INTENT_SYNONYMS: Mapping[Intent, tuple[str, ...]] = {
    "Comment": names(
        "评价, 评价吐槽, 评价类, 吐槽, comments, commentary, 评论, 点评, 评论类, 评论评价, "
        "评论与评价"
    ),
    "Emotional Expression": names(
        "emotional expressions, direct emotional expression, 情感抒发, 情绪抒发, emotion, "
        "emotional, emotions, expression of emotion, 情感表达, 情绪, 情感, 情绪宣泄, "
        "表达情绪, 表达情感"
    ),
    "General Statement": names(
        "factual statement, basic factual statement, 一般性叙述, 普通叙述, 陈述句, "
        "statement, general statements, general, 陈述, 普通陈述, 一般性陈述, 一般叙述, "
        "日常陈述, 陈述事实"
    ),
    "Sexualized Reference": names(
        "sexual, sexual reference, sexualised reference, sexualized references, "
        "sexual innuendo, 性相关, 性指涉, 性化指称, 性化指涉, 性暗示类, 涉性, 涉性内容, "
        "性相关指代"
    ),
    "Humor & Memes": names(
        "Making a Joke & Memes, making a joke and memes, making jokes & memes, joke & memes, "
        "jokes & memes, jokes and memes, making a joke, joke, jokes, 开玩笑与玩梗, "
        "开玩笑和玩梗, 玩笑与梗, 玩笑与玩梗, 开玩笑, humor, humour, meme, memes, "
        "humor and meme, humor and memes, humour & memes, humour and memes, 幽默, 幽默梗, "
        "玩梗, 梗, 搞笑, 幽默与玩梗, 幽默和梗, 幽默及梗, 幽默与模因, 幽默与迷因, "
        "幽默与表情包"
    ),
    "Group Identity": names(
        "group identification, identity marking, 群体身份认同, 群体归属感, identity, "
        "group identities, 群体认同, 群体标识, 身份认同, 群体归属, 圈层身份, 圈子身份"
    ),
    "Urging": names("urging action, 劝说, 请求, urge, urges, 催更, 敦促, 督促, 催促类, 呼吁, 催"),
    "Others": names("other, misc, miscellaneous, 其它, 其他类, 其它类, 别的"),
}
"""Further names of each intent that data files use; compared after `fold`."""

COMPONENT_SYNONYMS: Mapping[ComponentName, tuple[str, ...]] = {
    "homophonic": names(
        "homophone, homophones, homophony, phonetic, sound, homophonic component, "
        "phonetic component, 谐音性, h, 谐音成分, 谐音类, 谐音替换, 同音, 近音, 音, 语音, "
        "读音"
    ),
    "visual": names(
        "visual form, vision, shape, graphic, visual component, v, 视觉成分, 视觉类, "
        "视觉替换, 形, 形近, 字形, 视觉性"
    ),
    "semantic": names(
        "semantics, meaning, semantic component, 语义性, s, 语义成分, 语义类, 语义替换, 义, "
        "意义, 含义"
    ),
}
"""Further names of each component that data files use; compared after `fold`."""


YES = frozenset(names("1, true, t, yes, y, 是, 有, 有毒, 对, 真, toxic, √, ✓, ✔"))
NO = frozenset(
    names(
        "0, false, f, no, n, 否, 无, 不是, 没有, 无毒, 错, 假, ×, ✗, nontoxic, non-toxic, "
        "non toxic, not toxic"
    )
)
"""Spellings of yes and no in lower case and ordinary width."""
NO_COMPONENT = frozenset(names("无, 没有, none, null, 均无, 都没有"))
"""What a cell says that names no component; compared after `fold`."""


def known_intent(name: object) -> Intent | None:
    """The intent of a name in either language, compared after `fold`; None where it is none."""
    return _INTENT_BY_NAME.get(fold(name)) if isinstance(name, str) else None


def known_component(name: object) -> ComponentName | None:
    """The component of a name in either language, compared after `fold`; None where it is none."""
    return _COMPONENT_BY_NAME.get(fold(name)) if isinstance(name, str) else None


_INTENT_BY_NAME: dict[str, Intent] = {
    fold(name): intent
    for intent in INTENTS
    for name in (intent, INTENT_ZH[intent], *INTENT_SYNONYMS[intent])
}
_COMPONENT_BY_NAME: dict[str, ComponentName] = {
    fold(name): component
    for component in COMPONENTS
    for name in (component, COMPONENT_ZH[component], *COMPONENT_SYNONYMS[component])
}
