"""A run keeps its prompts: as files, as MLflow prompt versions, and for its repetition."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from mlflow.exceptions import MlflowException
from mlflow.tracking.client import MlflowClient

from mouse.evaluation.from_manifest import with_prompts
from mouse.prompts import main as prompts
from mouse.run import main as run
from mouse.tasks.prompts import BUILT_IN, PromptSet
from mouse.tracking import home, reader
from mouse.tracking.prompt_record import register, write
from mouse.tracking.writer import Tracker

ASKED = ("model=uniform", "task=td,ir", "limit=8", "engine=inline", "metrics.resamples=100")


@pytest.fixture
def folder(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(BUILT_IN / "zh", tmp_path / "mine")
    (tmp_path / "mine" / "td.txt").write_text("[user]\n有毒吗？{text}", encoding="utf-8")
    return tmp_path / "mine"


def test_templates_and_what_was_sent_are_kept_and_registered_once(folder: Path) -> None:
    for _ in range(2):
        assert run([*ASKED, f"prompt.path={folder}"]) == 0
    client = MlflowClient(home.tracking_uri())
    names = {prompt.name for prompt in client.search_prompts()}
    assert names == {"mouse-zh-td", "mouse-zh-ir"}
    for name in names:
        assert [v.version for v in client.search_prompt_versions(name)] == [1]
    (folder / "td.txt").write_text("[user]\n毒不毒？{text}", encoding="utf-8")
    assert run([*ASKED, f"prompt.path={folder}"]) == 0
    assert len(list(client.search_prompt_versions("mouse-zh-td"))) == 2
    assert len(list(client.search_prompt_versions("mouse-zh-ir"))) == 1
    newest, _, oldest = reader.runs()
    kept = reader.load_run(newest.run_id).folder / "prompts"
    assert (kept / "td.txt").read_text(encoding="utf-8") == "[user]\n毒不毒？{text}\n"
    rendered = (kept / "rendered.md").read_text(encoding="utf-8")
    assert "## td" in rendered and "## ir" in rendered and "毒不毒？" in rendered
    assert "{text}" not in rendered
    linked = json.loads(newest.tags["mlflow.linkedPrompts"])
    assert {"name": "mouse-zh-td", "version": "2"} in linked
    assert {"name": "mouse-zh-td", "version": "1"} in json.loads(
        oldest.tags["mlflow.linkedPrompts"]
    )


def test_a_lost_folder_comes_back_for_a_repetition_and_by_hand(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*ASKED, f"prompt.path={folder}"]) == 0
    was = PromptSet.load(path=folder).fingerprint
    shutil.rmtree(folder)
    (first,) = reader.runs()
    manifest = reader.load_run(first.run_id).folder / "manifest.json"
    assert run(["--from-manifest", str(manifest)]) == 0
    again = reader.runs()[0]
    assert again.tags["prompt_fingerprint"] == was
    out = tmp_path / "back"
    assert prompts(["restore", first.run_id[:8], "--out", str(out)]) == 0
    assert PromptSet.load(path=out).fingerprint == was
    assert prompts(["restore", first.run_id[:8], "--out", str(out)]) == 2
    assert prompts(["restore", "nosuchrun", "--out", str(tmp_path / "x")]) == 2
    assert "is there already" in capsys.readouterr().err


def test_prompts_that_are_not_the_sealed_ones_are_not_given_back(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*ASKED, f"prompt.path={folder}"]) == 0
    (stored,) = reader.runs()
    manifest = json.loads((reader.load_run(stored.run_id).folder / "manifest.json").read_text())
    shutil.rmtree(folder)
    manifest["prompts"]["templates"]["td"] += "而且总答 1"
    changed = tmp_path / "manifest.json"
    changed.write_text(json.dumps(manifest), encoding="utf-8")
    assert run(["--from-manifest", str(changed)]) == 2
    assert "are not those that its run asked with" in capsys.readouterr().err
    from mouse.errors import UserError

    with pytest.raises(UserError, match="holds no prompt templates"):
        write({"fingerprint": "x"}, tmp_path / "y")


def test_runs_that_start_together_make_one_version(folder: Path) -> None:
    def begin(number: int) -> str:
        tracker = Tracker(home.prepare())
        tracker.start(f"run {number}", {}, {}, "e")
        return register(
            tracker.client, tracker.run_id, PromptSet.load("zh"), ("td", "rc"), "[system]\n评分"
        )

    home.prepare()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(begin, range(4))) == [""] * 4
    client = MlflowClient(home.tracking_uri())
    names = {prompt.name for prompt in client.search_prompts()}
    assert names == {
        *("mouse-zh-td", "mouse-zh-rc_homophonic", "mouse-zh-rc_visual", "mouse-zh-rc_semantic"),
        "mouse-judge",
    }
    assert all(len(list(client.search_prompt_versions(name))) == 1 for name in names)


def test_a_server_without_a_registry_is_a_note() -> None:
    class Old:
        def load_prompt(self, *_: object, **__: object) -> None:
            raise MlflowException("404: no such endpoint\nwith a page of HTML")

    assert register(Old(), "run", PromptSet.load("zh"), ("td",), "") == "404: no such endpoint"  # type: ignore[arg-type]


def test_a_judges_prompt_that_changed_comes_back_as_well(folder: Path) -> None:
    prompts_here = PromptSet.load("zh")
    record = {
        "name": "zh",
        "fingerprint": prompts_here.fingerprint,
        "templates": dict(prompts_here.texts),
        "judge": "[system]\n旧的评分说明\n[number]\n只写数字\n",
    }
    config = {"prompt": {"name": "zh"}, "judge": {"kind": "llm", "prompt": "zh"}}
    made = with_prompts({"config": config, "prompts": record}, [])["config"]
    assert "path" not in made["prompt"]
    back = Path(made["judge"]["prompt_path"])
    assert back.read_text(encoding="utf-8") == record["judge"] and home.home() in back.parents
    other = {**record, "judge": "[system]\n又一份\n[number]\n只写数字\n"}
    again = with_prompts({"config": config, "prompts": other}, [])["config"]["judge"]
    assert again["prompt_path"] != str(back)
    chosen = with_prompts({"config": config, "prompts": record}, ["judge=rule"])["config"]
    assert "prompt_path" not in chosen["judge"]
    same = {**record, "judge": (BUILT_IN / "zh" / "judge.txt").read_text(encoding="utf-8")}
    assert with_prompts({"config": config, "prompts": same}, [])["config"] == config
