"""Cut the fonts that figures are drawn with out of Noto Sans CJK and Noto Emoji.

Run once by a maintainer, not at install time; why these fonts and this cut is in
docs/decisions/fonts.md. Sources: NotoSansCJK-Regular.ttc (Debian package fonts-noto-cjk) and
NotoEmoji[wght].ttf (PyPI package manimgx-fonts), both under the SIL Open Font License 1.1.

    python scripts/build_fonts.py NotoSansCJK-Regular.ttc 'NotoEmoji[wght].ttf' mouse/fonts
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTCollection, TTFont
from fontTools.varLib import instancer

BEYOND_GB2312 = 2200
"""Characters outside GB2312 kept in the second file, the most frequent first."""

NET_SLANG = "囧槑烎兲嘦巭嫑嘂氼忈砳囍孖靐龘叕焱淼犇猋骉羴鱻毳贔赑垚壵雥玊呮尛巼乄丩亊亼仌"
"""Rare characters that the genre plays with and frequency lists lack."""

SYMBOLS = [
    (0x20, 0x7F),
    (0xA0, 0x180),
    (0x2010, 0x2028),
    (0x2030, 0x205F),
    (0x2190, 0x2200),
    (0x2200, 0x2300),
    (0x2460, 0x2600),
    (0x2E80, 0x2FE0),
    (0x3000, 0x3130),
    (0xFF00, 0xFFF0),
]


def gb2312(first_row: int, last_row: int) -> set[int]:
    found = set()
    for high in range(0xA0 + first_row, 0xA0 + last_row + 1):
        for low in range(0xA1, 0xFF):
            try:
                found.add(ord(bytes([high, low]).decode("gb2312")))
            except UnicodeDecodeError:
                continue
    return found


def frequent_beyond(known: set[int]) -> set[int]:
    """Chinese characters of the frequency dictionary that GB2312 lacks, commonest first."""
    from wordfreq import get_frequency_dict

    weight: dict[int, float] = {}
    for word, frequency in get_frequency_dict("zh", wordlist="large").items():
        for character in word:
            code = ord(character)
            if 0x3400 <= code <= 0x9FFF and code not in known:
                weight[code] = weight.get(code, 0.0) + frequency
    ranked = sorted(weight, key=lambda code: (-weight[code], code))
    return set(ranked[:BEYOND_GB2312])


def cut(font: TTFont, codes: set[int], family: str, features: list[str], path: Path) -> None:
    options = subset.Options()
    options.layout_features = features
    options.hinting = False
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.drop_tables += ["vhea", "vmtx", "VORG", "BASE", "DSIG"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=codes)
    cutter.subset(font)
    postscript = family.replace(" ", "") + "-Regular"
    names = {1: family, 2: "Regular", 3: postscript, 4: family, 6: postscript}
    for record in list(font["name"].names):
        if record.nameID in names:
            font["name"].removeNames(nameID=record.nameID)
    for identifier, text in names.items():
        font["name"].setName(text, identifier, 3, 1, 0x409)
    font.save(path)
    print(f"{path.name}: {len(font.getBestCmap())} characters, {path.stat().st_size:,} bytes")


def main() -> None:
    collection, emoji, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])

    def chinese() -> TTFont:
        for font in TTCollection(collection).fonts:
            if font["name"].getDebugName(4) == "Noto Sans CJK SC":
                return font
        raise SystemExit(f"{collection} holds no «Noto Sans CJK SC»")

    first = gb2312(1, 55)
    for low, high in SYMBOLS:
        first |= set(range(low, high))
    second = gb2312(56, 87) - first
    second |= frequent_beyond(first | second) | {ord(character) for character in NET_SLANG}
    second -= first
    cut(chinese(), first, "Mouse Sans SC", [], folder / "MouseSansSC-1.otf")
    cut(chinese(), second, "Mouse Sans SC Ext", [], folder / "MouseSansSC-2.otf")
    static = instancer.instantiateVariableFont(TTFont(emoji), {"wght": 400})
    cut(static, set(static.getBestCmap()), "Mouse Emoji", ["ccmp"], folder / "MouseEmoji.ttf")


if __name__ == "__main__":
    main()
