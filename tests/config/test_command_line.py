"""What users write on the command line, and what Hydra gets to see."""

from __future__ import annotations

import json
from itertools import product

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf

from mouse.config.command_line import refuse_secrets, rewrite
from mouse.config.conf import conf_dir, register
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
    "null",
    "true",
    "1e3",
    "007",
    "[x]",
    "{甲: 乙}",
    "a,b",
    "x: y",
    "-m",
    "全角，逗号；",
    "a\\,b",
]


def values_of(override):
    """The override once for each of its values, as Hydra's basic sweeper hands them to the jobs."""
    key = override.get_key_element()
    if override.is_sweep_override():
        return [f"{key}={value}" for value in override.sweep_string_iterator()]
    return [f"{key}={override.get_value_element_as_str()}"]


def composed(*arguments):
    """The data's configuration, as a run gets it, for each job of the command line."""
    given = [argument for argument in rewrite(arguments) if argument != "-m"]
    parsed = OverridesParser.create().parse_overrides(given)
    register()
    with initialize_config_dir(version_base="1.3", config_dir=str(conf_dir())):
        return [
            OmegaConf.to_object(compose("config", ["data=files", *overrides]).data)
            for overrides in product(*map(values_of, parsed))
        ]


@pytest.mark.parametrize("value", [*ODD, "${x}", "costs ${x} 元"])
def test_a_header_reaches_the_run_as_it_was_typed(value):
    (data,) = composed(f"data.columns.reference={value}")
    assert data.columns == {"reference": value}


@pytest.mark.parametrize(
    "value", [v for v in ODD if v not in ("null", "true", "1e3", "007", "[x]", "a,b", "a\\,b")]
)
@pytest.mark.parametrize("key", ["data.path", "tracking.experiment"])
def test_any_value_reaches_hydra_as_it_was_typed(key, value):
    (given,) = rewrite([f"{key}={value}"])
    override = OverridesParser.create().parse_override(given)
    assert override.key_or_group == key
    assert str(override.value()) == value


@pytest.mark.parametrize("word", [*ODD, "${x}", "off", "~", "a.b", "★（5/5）!", "🌶️"])
def test_a_filter_and_a_label_map_have_any_key(word):
    if "=" not in word:
        (data,) = composed(f"data.where.{word}=test", f"data.labels.toxicity.{word}=1")
        assert data.where == {word: "test"}
        assert data.labels == {"toxicity": {word: 1}}
    (data,) = composed(
        f"data.labels.toxicity={{{json.dumps(word, ensure_ascii=False)}: 1, 冒犯: 0}}"
    )
    assert data.labels == {"toxicity": {word: 1, "冒犯": 0}}


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("[2024,2025]", [2024, 2025]),
        ("false", False),
        ("否", "否"),
        ("[测试, dev]", ["测试", "dev"]),
        ("null", None),
        ("007", "007"),
        ("x: y", "x: y"),
        ("[坏", "[坏"),
    ],
)
@pytest.mark.parametrize("header", ["split", "年份", "Toxicity (0/1)", "meta.lang", "__typed"])
def test_a_filter_has_the_same_values_under_every_header(header, typed, value):
    (data,) = composed(f"data.where.{header}={typed}")
    assert data.where == {header: value}


def test_entries_of_one_mapping_are_put_together_however_they_are_typed():
    (data,) = composed(
        "data.labels.toxicity={hate: 1, none: 0}",
        "data.labels.toxicity.冒犯=1",
        "+data.labels.intent={吐槽:Comment}",
        "data.labels.toxicity.hate=0",
        "data.columns={original_text: 句子}",
        "++data.columns.toxicity='标注'",
    )
    assert data.labels == {
        "toxicity": {"hate": 0, "none": 0, "冒犯": 1},
        "intent": {"吐槽": "Comment"},
    }
    assert data.columns == {"original_text": "句子", "toxicity": "标注"}


def test_whole_mappings_may_be_nested():
    (data,) = composed("data.labels={toxicity: {hate: 1}}", "data.labels={intent: {吐槽: Comment}}")
    assert data.labels == {"toxicity": {"hate": 1}, "intent": {"吐槽": "Comment"}}


def test_a_sweep_goes_over_any_key():
    jobs = composed("-m", "data.where.年份=2024,2025", "data.where.语言=中,英", "data.where.a=1,2")
    assert [job.where for job in jobs] == [
        {"a": a, "年份": year, "语言": language}
        for a in (1, 2)
        for year in (2024, 2025)
        for language in ("中", "英")
    ]
    (job,) = composed("-m", "data.columns.toxicity=Toxicity (0/1)", "data.where.年份=[2024,2025]")
    assert (job.columns, job.where) == ({"toxicity": "Toxicity (0/1)"}, {"年份": [2024, 2025]})


def test_what_is_no_mapping_is_refused():
    with pytest.raises(UserError, match=r"data\.where=年份: expected a mapping"):
        rewrite(["data.where=年份"])


def test_a_list_of_files_may_have_any_names():
    (data,) = composed("data.path=[数据.csv, 抽象 话（1）.csv, a.csv]")
    assert data.path == ["数据.csv", "抽象 话（1）.csv", "a.csv"]


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
