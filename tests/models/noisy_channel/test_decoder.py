"""What the noisy channel undoes, and what it leaves alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.models.noisy_channel.decoder import Decoder


@pytest.fixture(scope="module")
def decoder() -> Decoder:
    return Decoder()


@pytest.mark.parametrize(
    ("surface", "meant", "components"),
    [
        ("彳亍口巴", "行吧", {"visual"}),
        ("1️⃣个人都没🈶", "一个人都没有", {"semantic"}),
        ("你🚪都来看看", "你们都来看看", {"homophonic"}),
        ("我家的🐶很乖", "我家的狗很乖", {"semantic"}),
        ("太🐂🍺了", "太牛逼了", {"homophonic", "semantic"}),
        ("⑧行，今天没空", "不行，今天没空", {"homophonic"}),
        ("我⑧⑧行了", "我不不行了", {"homophonic"}),
        ("４不４有点难", "是不是有点难", {"homophonic"}),
        ("这歌真是yyds", "这歌真是永远的神", {"homophonic"}),
        ("这歌真是ＹＹＤＳ", "这歌真是永远的神", {"homophonic"}),
        ("spʎʎ", "永远的神", {"visual"}),
        ("什么laji东西", "什么垃圾东西", {"homophonic"}),
        ("你在gan ma呢", "你在干嘛呢", {"homophonic"}),
        ("我破防了", "我心态崩溃了", {"semantic"}),
        ("吥要说话", "不要说话", {"visual"}),
    ],
)
def test_substitutions_are_undone(
    decoder: Decoder, surface: str, meant: str, components: set[str]
) -> None:
    decoded = decoder.decode(surface)
    assert decoded.text == meant
    assert {name for name, used in decoded.components.items() if used} == components


@pytest.mark.parametrize(
    "text",
    [
        "今天天气很好，我去买菜了。",
        "他昨天在图书馆看了一下午的书",
        "2022年增长了70%，共3.5亿元",
        "這樣不敢舉例詳細說，怕被關起來",
        "女子排球队明天比赛",
        "Python 3.11 is out, see https://example.org/a?b=1",
        "he said you can use the game",
        "太好笑了😂😂",
        "",
        " \n\t",
    ],
)
def test_plain_text_stays_as_it_is(decoder: Decoder, text: str) -> None:
    decoded = decoder.decode(text)
    assert decoded.text == text
    assert not any(decoded.components.values())


def test_a_text_full_of_homophones_is_read_with_suspicion(decoder: Decoder) -> None:
    decoded = decoder.decode("拟们部要再这里说画，窝门实在听步懂")
    assert decoded.text.startswith("你们不要")
    assert "我们" in decoded.text


def test_every_spelling_of_an_emoji_is_the_same(decoder: Decoder) -> None:
    assert decoder.decode("别⬆️当").text == decoder.decode("别⬆当").text == "别上当"


@given(
    st.text(
        alphabet=st.one_of(
            st.characters(), st.sampled_from("我你的不是马吗彳亍口巴8⑧yds\u200d\ufe0f🌶👩👨1\u20e3")
        ),
        max_size=30,
    )
)
def test_any_text_is_decoded_the_same_again(decoder: Decoder, text: str) -> None:
    decoded = decoder.decode(text)
    assert decoded == decoder.decode(text)
    assert "\0" not in decoded.text or "\0" in text


def test_a_remembered_reading_is_the_one_a_fresh_decoder_gives(decoder: Decoder) -> None:
    texts = ["拟们部要说画", "我🚪部要说画", "拟们部要说8", "部要说画。拟们"]
    assert [Decoder().decode(text) for text in texts[:1]] == [decoder.decode(texts[0])]
    warm = [decoder.decode(text).text for text in texts]
    fresh = Decoder()
    assert [fresh.decode(text).text for text in reversed(texts)] == warm[::-1]
