"""`--from-manifest`: a tracked run is repeated exactly, and not on something else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from mouse.config import conf
from mouse.config.schema import RunConfig
from mouse.errors import UserError
from mouse.evaluation import from_manifest
from mouse.models.api.config import OpenAIChatConfig
from mouse.models.lexicon import LexiconConfig
from mouse.run import main
from mouse.tracking import reader
from mouse.tracking.plain import plain
from mouse.tracking.stored import StoredRun

ORIGINAL = ("model=uniform", "task=td,ms", "limit=12", "seed=7", "prompt=en")


@pytest.fixture
def original(evaluated: Callable[..., str], in_home: Path) -> StoredRun:
    return reader.load_run(evaluated(*ORIGINAL))


def test_the_same_run_comes_out(original: StoredRun) -> None:
    path = original.folder / "manifest.json"
    assert main(["--from-manifest", str(path)]) == 0
    again = reader.open_run(reader.runs()[0])
    assert again.run_id != original.run_id
    assert again.manifest["config"] == original.manifest["config"]
    measured = ("usage/", "judge/")
    kept = {k: v for k, v in original.summary.metrics.items() if not k.startswith(measured)}
    assert kept == {k: v for k, v in again.summary.metrics.items() if not k.startswith(measured)}
    for task in original.tasks:
        assert again.predictions[task].equals(original.predictions[task])


def test_maps_and_filters_of_the_data_are_recorded_and_repeated(
    evaluated: Callable[..., str], in_home: Path, tmp_path: Path
) -> None:
    rows = "".join(f"第{n}句🌶️,{'骂' if n % 2 else '好'},{2020 + n},{n % 2}\n" for n in range(8))
    path = tmp_path / "数 据.csv"
    path.write_text("句子,标注（人工）,年份,split\n" + rows, encoding="utf-8")
    run = reader.load_run(
        evaluated(
            *("model=uniform", "task=td", "data=files", f"data.path={path}"),
            *("data.columns.toxicity=标注（人工）", "data.labels.toxicity={骂:1, 好: 0}"),
            *("data.where.年份=[2021,2022,2023]", "data.where.split=[0,1]"),
            "data.constants.intent=评价",
        )
    )
    data = run.manifest["config"]["data"]
    assert data["columns"] == {"toxicity": "标注（人工）"}
    assert data["labels"] == {"toxicity": {"骂": 1, "好": 0}}
    assert data["where"] == {"split": [0, 1], "年份": [2021, 2022, 2023]}
    assert data["constants"] == {"intent": "评价"}
    assert len(run.predictions["td"]) == 3
    assert main(["--from-manifest", str(run.folder / "manifest.json")]) == 0
    again = reader.open_run(reader.runs()[0])
    assert again.run_id != run.run_id and again.manifest["config"] == run.manifest["config"]
    assert again.manifest["dataset"] == run.manifest["dataset"]


def test_overrides_work_on_top_of_it_whole_groups_too(
    original: StoredRun, capsys: pytest.CaptureFixture
) -> None:
    command = ["--from-manifest", str(original.folder), "model=majority", "task=ms", "limit=4"]
    assert main([*command, "tracking=off"]) == 0
    printed = capsys.readouterr().out
    assert "majority on sample" in printed and "ms/acc" in printed and "td/acc" not in printed


@pytest.mark.parametrize(
    ("override", "reason"),
    [("prompt=zh", "the prompts (fingerprint"), ("data.path=OTHER", "the data (fingerprint")],
)
def test_other_data_or_prompts_are_refused_unless_allowed(
    original: StoredRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture,
    override: str,
    reason: str,
) -> None:
    sample = Path(__file__).parents[2] / "data" / "sample"
    other = tmp_path / "other"
    other.mkdir()
    for file in ("cxei.jsonl", "ms.jsonl", "cc.jsonl"):
        found = sample / file
        if found.is_file():
            lines = found.read_text(encoding="utf-8").splitlines()
            (other / file).write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    command = ["--from-manifest", str(original.folder), "task=td", "tracking=off"]
    command.append(override.replace("OTHER", str(other)))
    before = len(reader.runs())
    assert main(command) == 2
    assert reason in capsys.readouterr().err and len(reader.runs()) == before
    assert main([*command, "--allow-different"]) == 0


def test_another_models_identity_is_refused_unless_the_command_names_a_model(
    original: StoredRun, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    manifest = json.loads((original.folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["model"]["revision"] = "other"
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(manifest), encoding="utf-8")
    assert main(["--from-manifest", str(path), "tracking=off"]) == 2
    assert "the model (" in capsys.readouterr().err
    assert main(["--from-manifest", str(path), "tracking=off", "model=uniform"]) == 0


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("not json", "cannot be read as a manifest"),
        ("{}", "is no manifest of a run"),
        ('{"config": {"model": {"base_url": "https://***@host"}}}', "model.base_url was masked"),
    ],
)
def test_what_is_no_manifest_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture, content: str, sentence: str
) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(content, encoding="utf-8")
    assert main(["--from-manifest", str(path)]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["--from-manifest"], ["--allow-different"], ["--from-manifest", "nowhere.json"]]
)
def test_a_flag_without_its_value_or_partner_is_refused(arguments: list[str]) -> None:
    assert main(arguments) == 2


WORDS = st.text().filter(lambda text: text != "???")
"""Without OmegaConf's own sign of a missing value, which it refuses by name."""


@given(
    st.dictionaries(
        st.from_regex(r"[a-z_]{1,8}", fullmatch=True),
        st.recursive(
            st.none() | st.booleans() | st.integers() | WORDS | st.just("${oc.env:HOME}"),
            lambda inner: st.lists(inner, max_size=3),
            max_leaves=4,
        ),
        max_size=4,
    )
)
def test_the_typed_configuration_is_the_one_that_was_written(extra: dict[str, object]) -> None:
    config = RunConfig(model=OpenAIChatConfig(name="x", extra_body=extra))
    config.data.name = config.judge.name = "y"
    assert plain(from_manifest.config_of({"config": plain(config)})) == plain(config)


def test_a_manifest_of_another_schema_is_a_sentence() -> None:
    with pytest.raises(UserError, match="does not fit this version"):
        from_manifest.config_of({"config": {"model": {"no_such_key": 1}}})


def test_a_manifest_of_a_version_with_one_schema_for_all_backends_is_read_and_repeated(
    tmp_path: Path,
) -> None:
    every = {"strategy": None, "dtype": "auto", "limits": {"max_in_flight": 64}, "extra_body": {}}
    lexicon = {"name": "lexicon", "backend": "lexicon", "id": "mouse-lexicon", **every}
    served = {"name": "s", "backend": "openai_chat", "base_url": "http://h/v1", **every}
    config = {"model": lexicon, "judge": {"name": "j", "kind": "panel", "members": {"a": served}}}
    found = from_manifest.config_of({"config": config | {"data": {"name": "sample"}}})
    assert found.model == LexiconConfig(name="lexicon", id="mouse-lexicon")
    assert found.judge.members == {"a": OpenAIChatConfig(name="s", base_url="http://h/v1")}

    overrides = from_manifest.write_options({"config": config}, tmp_path)
    conf.register()
    with initialize_config_dir(str(conf.conf_dir()), version_base="1.3"):
        whole = compose(
            "config", overrides=[*overrides, f"hydra.searchpath=[{tmp_path}]", "data=sample"]
        )
    assert OmegaConf.to_object(whole).judge.members == found.judge.members
    assert OmegaConf.to_object(whole).model == found.model
