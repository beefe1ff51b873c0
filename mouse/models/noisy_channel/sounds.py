"""How Chinese characters sound, without tones, and which syllables pass for one another.

Syllables are pypinyin's single-character readings. `fold` maps a syllable to the class of all
that a careless or dialect speaker confuses with it (n/l, zh/z, ch/c, sh/s, f/h, in/ing, en/eng,
an/ang); words are indexed by folded syllables, and the price of a confusion is paid later.
"""

from __future__ import annotations

from functools import cache

POLYPHONES = {
    char: second
    for second, chars in {
        "hang": "行",
        "chong": "重",
        "zhang": "长",
        "dei": "得",
        "liao": "了",
        "zhao": "着朝",
        "huan": "还",
        "yue": "乐",
        "du": "都",
        "di": "地的",
        "dai": "大",
        "kuai": "会",
        "mo": "没",
        "pian": "便",
        "huo": "和",
        "diao": "调",
        "dan": "弹",
        "jiao": "觉",
        "jue": "角",
        "xiang": "降",
        "xue": "血",
        "shai": "色",
        "shen": "参什",
        "ceng": "曾",
        "chai": "差",
        "chuan": "传",
        "lv": "率",
        "bo": "薄",
        "nei": "那哪",
        "zei": "这",
        "tan": "弹",
        "zeng": "曾",
        "zhuan": "传",
        "shuai": "率",
        "le": "乐",
        "bao": "薄",
        "shi": "什",
        "xiao": "校",
        "zang": "藏",
        "cang": "藏",
        "mai": "埋",
        "sai": "塞",
        "zha": "炸扎",
        "ka": "卡",
        "qia": "卡",
        "luo": "落",
        "la": "落",
        "sheng": "省",
        "hei": "嘿",
    }.items()
    for char in chars
}
"""Second readings in common use. pypinyin lists many more that nobody hears (个 gàn, 也 yí)."""


@cache
def _dictionary() -> dict[int, str]:
    from pypinyin.constants import PINYIN_DICT

    return PINYIN_DICT


@cache
def _plain(syllable: str) -> str:
    from pypinyin import Style
    from pypinyin.style import convert

    return convert(syllable, Style.NORMAL, strict=False).replace("ü", "v")


@cache
def syllables(char: str) -> tuple[str, ...]:
    """Toneless readings of one character in common use, the commonest first; () if none."""
    listed = _dictionary().get(ord(char)) if len(char) == 1 else None
    if not listed:
        return ()
    first = _plain(listed.split(",")[0])
    second = POLYPHONES.get(char, first)
    return (first,) if second == first else (first, second)


@cache
def fold(syllable: str) -> str:
    """The class of syllables that pass for this one."""
    s = syllable
    for strong, weak in (("zh", "z"), ("ch", "c"), ("sh", "s")):
        if s.startswith(strong):
            s = weak + s[2:]
            break
    else:
        if s.startswith("n") and len(s) > 1 and s != "ng":
            s = "l" + s[1:]
        elif s.startswith("hu") and len(s) > 2:
            # hua/fa, huang/fang, hui/fei: the glide goes with the consonant.
            s = {"hua": "ha", "hui": "hei", "hun": "hen", "huo": "ho"}.get(s, "h" + s[2:])
        elif s.startswith("f"):
            s = "h" + s[1:]
    for strong, weak in (("ing", "in"), ("eng", "en"), ("ang", "an")):
        if s.endswith(strong):
            s = s[: -len(strong)] + weak
            break
    return s


_CODES: dict[str, str] = {}


@cache
def code(syllable: str) -> str:
    """One private-use character for the folded class, so that keys are short strings."""
    folded = fold(syllable)
    if folded not in _CODES:
        _CODES[folded] = chr(0xE000 + len(_CODES))
    return _CODES[folded]


@cache
def codes(char: str) -> tuple[str, ...]:
    """Folded codes of a character's readings."""
    return tuple(dict.fromkeys(code(s) for s in syllables(char)))


@cache
def sounds_alike(left: str, right: str) -> int:
    """0 where two characters share a toneless reading, 1 where only a folded one, 2 where none."""
    if set(syllables(left)) & set(syllables(right)):
        return 0
    return 1 if set(codes(left)) & set(codes(right)) else 2


@cache
def known_syllables() -> frozenset[str]:
    """Every toneless syllable of the commoner characters (U+4E00 to U+9FFF), in ASCII letters."""
    found = {s for point in range(0x4E00, 0xA000) for s in syllables(chr(point))}
    return frozenset(s for s in found if s.isascii() and s.isalpha())
