"""How Chinese characters are read, in pinyin without tones (package `pypinyin`).

`common_readings` is what a reader hears in a character by itself, `all_readings` every reading
that dictionaries list, `readings_in_context` the one reading that a sentence gives it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

_SECOND_READINGS = {
    char: reading
    for reading, chars in (
        *(("hang", "行"), ("chong", "重"), ("zhang", "长"), ("dei", "得"), ("liao", "了")),
        *(("zhao", "着朝"), ("huan", "还"), ("du", "都"), ("di", "地的"), ("dai", "大")),
        *(("kuai", "会"), ("mo", "没"), ("pian", "便"), ("huo", "和"), ("diao", "调")),
        *(("jiao", "觉"), ("jue", "角"), ("xiang", "降"), ("xue", "血"), ("shai", "色")),
        *(("shen", "参"), ("ceng", "曾"), ("chai", "差"), ("nei", "那哪"), ("zei", "这")),
        *(("tan", "弹"), ("zeng", "曾"), ("zhuan", "传"), ("shuai", "率"), ("le", "乐")),
        *(("bao", "薄"), ("shi", "什"), ("xiao", "校"), ("cang", "藏"), ("mai", "埋")),
        *(("sai", "塞"), ("zha", "炸扎"), ("qia", "卡"), ("la", "落"), ("sheng", "省")),
        ("hei", "嘿"),
    )
    for char in chars
}
"""Second readings in common use. pypinyin lists many more that nobody hears (个 gàn, 也 yí)."""


@cache
def _dictionary() -> dict[int, str]:
    from pypinyin.constants import PINYIN_DICT

    return PINYIN_DICT


@cache
def _toneless(syllable: str) -> str:
    from pypinyin import Style
    from pypinyin.style import convert

    return convert(syllable, Style.NORMAL, strict=False).replace("ü", "v")


@cache
def common_readings(char: str) -> tuple[str, ...]:
    """Readings of one character in common use, the commonest first; () if none."""
    listed = _dictionary().get(ord(char)) if len(char) == 1 else None
    if not listed:
        return ()
    first = _toneless(listed.split(",")[0])
    return tuple(dict.fromkeys((first, _SECOND_READINGS.get(char, first))))


@cache
def all_readings(char: str) -> frozenset[tuple[str, str]]:
    """(initial, final) of every reading of a character; the initial is empty for y and w."""
    from pypinyin import Style, pinyin
    from pypinyin.style import convert

    listed = pinyin(char, style=Style.NORMAL, heteronym=True, errors="ignore")
    return frozenset(
        (convert(s, Style.INITIALS, strict=True), convert(s, Style.FINALS, strict=True))
        for s in (listed[0] if listed else ())
    )


def readings_in_context(text: str) -> list[str]:
    """(len(text),) pinyin of each character in its context; other characters as they are."""
    from pypinyin import lazy_pinyin

    # Its stub allows text alone, but a list is taken as one entry a character.
    by_character: Any = list
    return lazy_pinyin(text, errors=by_character)


@cache
def usual_reading(char: str) -> str:
    """A character's reading where it stands alone; the character itself where it has none."""
    return readings_in_context(char)[0]


@cache
def known_syllables() -> frozenset[str]:
    """Every syllable of the commoner characters (U+4E00 to U+9FFF), in ASCII letters."""
    found = {s for point in range(0x4E00, 0xA000) for s in common_readings(chr(point))}
    return frozenset(s for s in found if s.isascii() and s.isalpha())


_CONFUSED_INITIALS = (("zh", "z"), ("ch", "c"), ("sh", "s"))
_CONFUSED_FINALS = (("ing", "in"), ("eng", "en"), ("ang", "an"))
_GLIDES = {"hua": "ha", "hui": "hei", "hun": "hen", "huo": "ho"}


@cache
def fold(syllable: str) -> str:
    """The class of syllables that a careless or dialect speaker confuses with this one.

    n/l, zh/z, ch/c, sh/s, f/h, in/ing, en/eng and an/ang are the same; folding twice changes
    nothing more.
    """
    s = syllable
    for strong, weak in _CONFUSED_INITIALS:
        if s.startswith(strong):
            s = weak + s[2:]
            break
    else:
        if s.startswith("n") and len(s) > 1 and s != "ng":
            s = "l" + s[1:]
        elif s.startswith("hu") and len(s) > 2:
            # hua/fa, huang/fang, hui/fei: the glide goes with the consonant.
            s = _GLIDES.get(s, "h" + s[2:])
        elif s.startswith("f"):
            s = "h" + s[1:]
    for strong, weak in _CONFUSED_FINALS:
        if s.endswith(strong):
            return s[: -len(strong)] + weak
    return s
