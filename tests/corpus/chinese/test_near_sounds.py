"""Near-homophones as the genre writes them are heard; what merely resembles them is not."""

import pytest

from mouse.corpus.chinese.near_sounds import same_sound, sounds_like
from mouse.corpus.chinese.readings import all_readings

HEARD = [
    *(("主包", "主播"), ("汁", "子"), ("火", "伙"), ("八", "不"), ("辣", "了"), ("牌", "排")),
    *(("泥萌", "你们"), ("康康", "看看"), ("集美", "姐妹"), ("尼玛", "你妈"), ("宁", "你")),
    *(("耗子尾汁", "好自为之"), ("蚌埠住了", "绷不住了"), ("尊嘟假嘟", "真的假的")),
    *(("鸭梨", "压力"), ("内牛满面", "泪流满面"), ("惹", "了"), ("鸭", "呀"), ("鼠", "死")),
    *(("啤", "逼"), ("浪", "让"), ("鹅", "我"), ("灰", "飞"), ("木有", "没有"), ("蓝", "难")),
]
RUN_TOGETHER = [
    *(("表", "不要"), ("造", "知道"), ("酱", "这样"), ("吃藕", "丑"), ("甭", "不用")),
    *(("宣", "喜欢"), ("表酱", "不要这样"), ("不造", "不知道"), ("只因", "鸡")),
]
NOT_HEARD = [
    *(("狗", "牛"), ("马", "鬼"), ("酸", "羡慕"), ("摸鱼", "偷懒"), ("典", "老套"), ("草", "花")),
    *(("苹果", "苹"), ("我们", "我"), ("表", "要"), ("天", "地"), ("书", "本")),
]


@pytest.mark.parametrize(("heard", "meant"), HEARD + RUN_TOGETHER)
def test_near_homophones_are_heard(heard: str, meant: str) -> None:
    assert sounds_like(heard, meant)


@pytest.mark.parametrize(("heard", "meant"), NOT_HEARD)
def test_other_words_are_not_heard(heard: str, meant: str) -> None:
    assert not sounds_like(heard, meant) and not sounds_like(meant, heard)


@pytest.mark.parametrize("text", ["", "🌶️", "，。", "🐶🐶"])
def test_what_has_no_sound_sounds_like_nothing(text: str) -> None:
    assert not sounds_like(text, "了") and not sounds_like("了", text)
    assert not sounds_like(text, text)


def test_punctuation_and_latin_letters_count_only_as_themselves() -> None:
    assert sounds_like("主包，", "主播") and sounds_like("a股", "a鼓")
    assert not sounds_like("b", "逼")


def test_all_readings_of_a_character_count_and_tones_do_not() -> None:
    assert all_readings("行") >= {("x", "ing"), ("h", "ang")}
    assert same_sound("银行", "淫杭") and same_sound("妈马", "骂吗")
    assert not same_sound("蹲", "等") and not same_sound("妈", "妈妈")
