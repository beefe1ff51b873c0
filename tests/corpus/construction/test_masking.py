"""Personal data are masked by their form, counted by kind, and numbers that are no data stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.corpus.construction.masking import KINDS, is_resident_id, mask


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("打我13812345678啊", "打我[电话]啊"),
        ("+86 138-1234-5678", "[电话]"),
        ("１３８１２３４５６７８", "[电话]"),
        ("座机 010-62345678", "座机 [电话]"),
        ("400-123-4567", "[电话]"),
        ("身份证11010519491231002X。", "身份证[身份证号]。"),
        ("身份证１１０１０５１９４９１２３１００２Ｘ", "身份证[身份证号]"),
        ("邮箱a.b-c@mail.example.com，快", "邮箱[邮箱]，快"),
        ("看https://a.example/x?y=1，真的", "看[网址]，真的"),
        ("看https://a.example/x,y；真的", "看[网址]；真的"),
        ("上b23.tv/abc看", "上[网址]看"),
        ("www.example.com好", "[网址]好"),
        ("@张三 你好", "@[用户] 你好"),
        ("@张三：你好@lisi_1!", "@[用户]：你好@[用户]!"),
        ("加QQ：123456789", "加QQ：[QQ号]"),
        ("扣扣号是12345", "扣扣号是[QQ号]"),
        ("微信号 abc_defg", "微信号 [微信号]"),
        ("vx:abc-1234聊", "vx:[微信号]聊"),
    ],
)
def test_personal_data_are_masked(text: str, masked: str) -> None:
    assert mask(text).text == masked


@pytest.mark.parametrize(
    "text",
    [
        "7456 9494 5201314 666",
        "110105194912310021",  # the check character is wrong
        "订单1381234567890号",  # thirteen digits
        "12812345678",  # no mobile prefix
        "nmsl yyds u1s1",
        "3.14 和 v1.2",
        "QQ真好用",
        "微信聊",
        "@ 你",
        "11点@",
    ],
)
def test_what_only_looks_like_data_stays(text: str) -> None:
    assert mask(text).text == text
    assert set(mask(text).counts.values()) == {0}


def test_counts_name_every_kind() -> None:
    counts = mask("13812345678 13912345678 a@b.cn").counts
    assert tuple(counts) == KINDS
    assert counts["phone"] == 2 and counts["email"] == 1 and counts["url"] == 0


_FIRST = st.text("0123456789", min_size=16, max_size=16)


@given(_FIRST, st.dates())
def test_exactly_one_check_character_fits(digits: str, born: object) -> None:
    stem = "1" + digits[:5] + f"{born:%Y%m%d}".rjust(8, "0") + digits[5:8]  # type: ignore[str-bytes-safe]
    good = [check for check in "0123456789X" if is_resident_id(stem + check)]
    assert len(good) == (1 if 1850 <= int(stem[6:10]) <= 2100 else 0)


_PIECES = st.lists(
    st.sampled_from(
        [
            "13812345678",
            "11010519491231002X",
            "a@b.cn",
            "https://x.cn/a",
            "@小明",
            "QQ:123456",
            "微信号abcdef",
            "好",
            " ",
            "，",
            "1",
            "@",
            "a",
            "[电话]",
            "vx",
            "：",
            ".",
        ]
    )
    | st.text(max_size=3)
).map("".join)


@given(_PIECES)
def test_masking_twice_is_masking_once(text: str) -> None:
    once = mask(text)
    assert mask(once.text).text == once.text


@given(st.text("甲乙丙，。"), st.text("甲乙丙，。"))
def test_a_mobile_number_never_survives(before: str, after: str) -> None:
    assert mask(f"{before}13812345678{after}").text == f"{before}[电话]{after}"
