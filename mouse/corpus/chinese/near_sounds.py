"""Whether one text sounds more or less like another: every reading, no tones, generous.

A check of labels asks this, not a decoder: it must not refuse what a reader of the genre hears, so
accents (n/l/r, f/h, zh/z, -n/-ng), aspiration (b/p) and slack vowels (e/o, i/u after s) all pass.
"""

from __future__ import annotations

from mouse.corpus.chinese.readings import all_readings


def _groups(text: str) -> tuple[frozenset[str], ...]:
    """Sets of sounds that pass for each other; `-` is the empty initial."""
    return tuple(
        frozenset(sound.replace("-", "") for sound in group.split("=")) for group in text.split()
    )


_INITIALS = _groups("b=p d=t g=k f=h l=n=r z=zh=j c=ch=q s=sh=x r=- k=h")
_FINALS = _groups(
    "e=o=uo=ou ao=o=ou i=e=u i=v ie=ve u=ou ei=uei=i=ai e=ei iou=ou en=in=uen=ong vn=in "
    "ian=an=ien uan=an=van ao=iao iong=ong a=ia=ua a=e a=an in=i ong=u"
)
_KNOWN = frozenset({("八", "不"), ("甭", "不用"), ("票", "朋友"), ("酱", "这样"), ("造", "知道")})
"""What the genre hears though the rules do not: ⑧ for 不 (the paper's Table 2), fused words."""


def sounds_like(heard: str, meant: str) -> bool:
    """True where every character of `meant` is heard, in order, in `heard`, and nothing else.

    One character may be heard for two that are run together (表 for 不要) and two for one (吃藕
    for 丑). Characters without a Chinese reading count as heard where they stand in both.
    """
    left, right = ("".join(char for char in text if char.isalnum()) for text in (heard, meant))
    if not left or not right:
        return False
    reached = {(0, 0)}
    for i in range(len(left) + 1):
        for j in range(len(right) + 1):
            if (i, j) not in reached:
                continue
            for a, b in ((1, 1), (1, 2), (2, 1)):
                one, other = left[i : i + a], right[j : j + b]
                if len(one) == a and len(other) == b and _alike(one, other):
                    reached.add((i + a, j + b))
    return (len(left), len(right)) in reached


def same_sound(one: str, other: str) -> bool:
    """True for texts of one length whose characters share a toneless reading each."""
    return len(one) == len(other) and all(
        all_readings(a) & all_readings(b) for a, b in zip(one, other, strict=True)
    )


def _alike(one: str, other: str) -> bool:
    if len(one) == len(other):
        return (
            one == other
            or (one, other) in _KNOWN
            or any(_near(a, b) for a in all_readings(one) for b in all_readings(other))
        )
    single, pair = (one, other) if len(one) == 1 else (other, one)
    if (single, pair) in _KNOWN:
        return True
    fused = {(a[0], b[1]) for a in all_readings(pair[0]) for b in all_readings(pair[1])}
    return any(_near(a, b) for a in all_readings(single) for b in fused)


def _near(one: tuple[str, str], other: tuple[str, str]) -> bool:
    return _same(one[0], other[0], _INITIALS) and _same(_open(one[1]), _open(other[1]), _FINALS)


def _same(one: str, other: str, groups: tuple[frozenset[str], ...]) -> bool:
    return one == other or any(one in group and other in group for group in groups)


def _open(final: str) -> str:
    """A final whose -ng is heard as -n, as half of China says it; -ong stays."""
    return final if final.endswith("ong") else final.removesuffix("g")
