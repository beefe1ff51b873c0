"""What users write on the command line, and what Hydra gets to see."""

from __future__ import annotations

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser

from mouse.command_line import refuse_secrets, rewrite, scrub
from mouse.errors import UserError


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["task=td"], ["task=td"]),
        (["task=tr,td"], ["task=all", "task.names=[tr,td]"]),
        (["task=[tr,td]"], ["task=all", "task.names=[tr,td]"]),
        (["-m", "task=td,cc"], ["-m", "task=td,cc"]),
        (["--multirun", "task=td,cc"], ["--multirun", "task=td,cc"]),
        (["-m", "task=[td,cc]"], ["-m", "task=all", "task.names=[td,cc]"]),
        (["path=somewhere"], ["data.path=somewhere"]),
        (["--help"], ["--help"]),
        (["model=gpt5.2", "limit=3"], ["model=gpt5.2", "limit=3"]),
    ],
)
def test_rewriting(given, expected):
    assert rewrite(given) == expected


@pytest.mark.parametrize(
    "argument",
    [
        "model.api_key=abc",
        "+api_key=abc",
        "+model.extra_headers.X-Api-Key=shapeless",
        "+model.extra_headers.X-Auth-Token=shapeless",
        "model.extra_headers.Authorization=Bearer x",
        "model.id=sk-abcdefghijklmnopqrstuvwx",
        "token=abc",
    ],
)
def test_a_secret_is_refused_without_repeating_it(argument):
    with pytest.raises(UserError, match="secret on the command line") as caught:
        refuse_secrets([argument])
    assert argument.partition("=")[2] not in str(caught.value)


@pytest.mark.parametrize(
    "argument", ["model.api_key_env=OPENAI_API_KEY", "model.token_param=max_tokens", "api_key="]
)
def test_the_name_of_a_variable_is_not_a_secret(argument):
    refuse_secrets([argument])


def test_scrubbed_for_the_record():
    line = scrub(["model=openai", "model.api_key=hunter2", "x=sk-abcdefghijklmnopqrstuv"])
    assert line == "model=openai model.api_key=*** x=***"


ODD = [
    "标准译文",
    "毒性（0/1）",
    "Toxicity (0/1)",
    "Standard Chinese",
    "a'b",
    'say "yes"',
    "back\\slash\\",
    "end\\'",
    "标注：人工",
    "100%",
    "a=b",
    "a:b",
    "#1",
    "🌶️列",
    "a(b",
    "a}b",
    "messages.1.content",
    "列, 二",
    "~/数据/抽象 话.csv",
    "http://[::1]:8000/v1",
    "null值",
]


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("key", ["data.columns.reference", "data.path", "tracking.experiment"])
def test_any_value_reaches_hydra_as_it_was_typed(key, value):
    (given,) = rewrite([f"{key}={value}"])
    override = OverridesParser.create().parse_override(given)
    assert override.key_or_group == key
    assert str(override.value()) == value


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("data.labels.toxicity={hate: 1, none: 0}", {"hate": 1, "none": 0}),
        ("data.where={split: [dev, test]}", {"split": ["dev", "test"]}),
        ("data.path=[a.csv,b.csv]", ["a.csv", "b.csv"]),
        ("limit=3", 3),
        ("data.where.open_case=false", False),
        ("data.constants.toxicity=1", 1),
    ],
)
def test_what_hydra_reads_keeps_its_meaning(given, value):
    (rewritten,) = rewrite([given])
    assert OverridesParser.create().parse_override(rewritten).value() == value


def test_commas_still_sweep_and_keys_of_open_mappings_need_no_plus():
    (swept,) = rewrite(["-m", "data.path=甲.csv,乙.csv"])[1:]
    assert OverridesParser.create().parse_override(swept).is_sweep_override()
    assert rewrite(["data.columns.reference=译文"])[0].startswith("++data.columns.reference=")
    (filtered,) = rewrite(["data.where.年份=2025"])
    assert filtered == '++data.where.json=\'{"年份": "2025"}\''
