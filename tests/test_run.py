"""The command `python -m mouse.run` as its users meet it: what it prints and how it exits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_runner import Ended, call

from mouse.run import main

OFFLINE = ("engine=inline", "tracking=off")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """Calls the command in a folder of its own, with its state there."""
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    environment = {"MOUSE_HOME": str(tmp_path / "state"), "MLFLOW_DISABLE_TELEMETRY": "true"}

    def called(*arguments: str) -> Ended:
        return call(main, arguments, folder=tmp_path, environment=environment)

    return called


def test_an_offline_run_is_complete_and_prints_every_task(run):
    done = run("model=majority", "limit=40", *OFFLINE)
    assert done.code == 0, done.err
    for name in ("tr/sem_acc", "rc/bal_acc", "ir/macro_f1", "td/acc", "ms/acc", "cc/acc"):
        assert name in done.out
    assert "judge=rule is a deterministic stand-in" in done.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("model=nosuch",), "model=nosuch: there is no such model"),
        (("model.idd=3",), "model.idd: there is no such key"),
        (("limit=many",), "limit=many: Integer is expected"),
        (("judge.kind=x",), "judge.kind=x: expected one of"),
        (("task=td,xx", *OFFLINE), "xx"),
        (("limit=0", *OFFLINE), "limit=0"),
        (("model=lexicon,majority",), "add -m to run them all"),
        (("model.api_key=abc",), "a secret on the command line"),
        (("data=files", "data.path=nowhere.csv", *OFFLINE), "nowhere.csv"),
        (("prompt.path=nowhere", *OFFLINE), "nowhere"),
        (("model=replay", *OFFLINE), "model.predictions=FILE"),
        (("model.params={temperature: 0, top_k: 3}", *OFFLINE), "top_k"),
        (("data=toxicloakcn", *OFFLINE), "data.path"),
    ],
)
def test_a_mistake_gets_one_sentence_and_exit_code_2(run, arguments, sentence):
    done = run(*arguments)
    assert done.code == 2, done.out + done.err
    assert sentence in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_nothing_heavy_is_imported_for_help_or_a_mistake(tmp_path):
    code = (
        "import sys\n"
        "from mouse.run import main\n"
        "heavy = {'ray', 'mlflow', 'sklearn', 'scipy', 'pandas', 'matplotlib', 'openai'}\n"
        "for line in sys.argv[1:]:\n"
        "    try:\n"
        "        main(line.split())\n"
        "    except SystemExit:\n"
        "        pass\n"
        "    print('HEAVY', sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--help", "--cfg job", "model.idd=1"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.stdout.count("HEAVY []") == 3, (done.stdout[-500:], done.stderr[-500:])


def test_help_lists_groups_and_three_examples(run):
    done = run("--help")
    assert done.code == 0
    for group in ("model:", "task:", "prompt:", "judge:", "data:", "engine:", "tracking:"):
        assert group in done.out
    assert done.out.count("python -m mouse.run") >= 3


def test_answers_that_are_missing_make_the_run_incomplete_with_bounds(run, tmp_path):
    sample = Path(__file__).parents[1] / "data" / "sample" / "cxei.jsonl"
    rows = [json.loads(line) for line in sample.read_text(encoding="utf-8").splitlines()]
    answers = tmp_path / "answers.jsonl"
    with answers.open("w", encoding="utf-8") as file:
        for row in rows[:-10]:
            answer = {"item_id": row["id"], "task": "td", "text": str(row["toxicity"])}
            file.write(json.dumps(answer) + "\n")
    done = run("model=replay", f"model.predictions={answers}", "task=td", *OFFLINE)
    assert done.code == 3, done.err
    assert "INCOMPLETE: 10 requests failed" in done.out
    share = (len(rows) - 10) / len(rows)
    assert f"{share:.3f} … 1.000" in done.out


def test_a_sweep_prints_one_leaderboard_even_when_a_job_failed(run):
    done = run("-m", "model=majority,replay,uniform", "task=td,cc", "limit=20", *OFFLINE)
    assert done.code == 2
    board = done.out[done.out.index("leaderboard") :]
    assert "majority" in board and "uniform" in board
    assert board.count("FAILED (exit 2)") == 2
    assert "repeat it with: python -m mouse.run model=replay task=td limit=20" in board
    assert "job 6 of 6" in done.err


def test_an_experiment_sweeps_without_m(run):
    done = run("experiment=smoke", "model=majority,uniform", "task=cc", *OFFLINE)
    assert done.code == 0, done.err
    assert "job 2 of 2" in done.err
    assert "leaderboard" in done.out


@pytest.mark.parametrize(("least", "marked"), [("0.99", True), ("0.1", False)])
def test_a_judge_under_the_least_kappa_is_marked(run, least, marked):
    done = run("model=majority", "task=tr,td", "limit=20", f"judge.min_qwk={least}", *OFFLINE)
    assert done.code == 0, done.err
    assert ("judge not validated" in done.out) is marked


def test_an_optuna_sweep_over_prompts(run):
    done = run(
        "experiment=optuna",
        "model=uniform",
        "task=td",
        "limit=20",
        "hydra.sweeper.n_trials=3",
        "hydra.sweeper.sampler.seed=1",
        *OFFLINE,
    )
    assert done.code == 0, done.err
    board = done.out[done.out.index("leaderboard") :]
    assert "uniform" in board
    assert "job 3: prompt=" in done.err and "prompt.shots=" in done.err
    assert "limit=20" not in board  # what all jobs share distinguishes none of them


def test_a_dry_run_shows_prompts_and_cost_and_sends_nothing(run, tmp_path):
    done = run("dry_run=true", "model=gpt5.2", "judge=deepseek-v3.2", "limit=10")
    assert done.code == 0, done.err
    assert "抽象话：" in done.out
    assert "nothing was sent" in done.out
    assert "at most $" in done.out
    assert not (tmp_path / "state" / "mlflow.db").exists()


def test_a_dry_run_of_a_sweep_has_no_leaderboard_and_no_failure(run):
    done = run("-m", "dry_run=true", "model=gpt5.2,qwen3-max", "task=td", "limit=2")
    assert done.code == 0, done.err
    assert done.out.count("nothing was sent") == 2
    assert "leaderboard" not in done.out and "FAILED" not in done.out


def test_limits_are_nested_and_repeatable(run):
    small = run("model=majority", "task=ir", "limit=16", "dry_run=true").out
    again = run("model=majority", "task=ir", "limit=16", "dry_run=true").out
    assert small == again


@pytest.mark.ray
def test_the_default_engine_and_tracking_and_the_store(run, tmp_path):
    command = ("model=lexicon", "limit=12", "task=tr,td")
    first = subprocess.run(
        [sys.executable, "-m", "mouse.run", *command],
        env={**os.environ, "MOUSE_HOME": str(tmp_path / "state")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert first.returncode == 0, first.stderr
    assert "24 requests: 24 asked, 0 from the store" in first.stdout
    second = run(*command, "engine=inline")
    assert "24 requests: 0 asked, 24 from the store" in second.out
    table = [line for line in first.stdout.splitlines() if "/" in line and "[" in line]
    assert table and all(line in second.out for line in table)
    kept = {path.name for path in (tmp_path / "state").iterdir()}
    assert {"mlflow.db", "artifacts", "completions.sqlite"} <= kept
    assert {path.name for path in tmp_path.iterdir()} == {"state"}


def test_a_column_named_otherwise_is_met_with_the_line_to_add(run, tmp_path):
    rows = "句子内容,标注,类别\n你好呀朋友,1,评价\n滚开吧你🌶️,0,催促\n"
    (tmp_path / "x.csv").write_text(rows, encoding="utf-8")
    given = ("data=files", "data.path=x.csv", "task=td", "model=uniform", *OFFLINE)
    refused = run(*given)
    assert refused.code == 2 and "Traceback" not in refused.err
    assert "标注 (such as 1, 0)" in refused.err
    added = refused.err.split("add ")[1].split(" (found")[0].split()
    assert added == [
        "data.columns.toxicity=标注",
        "data.columns.intent=类别",
        "data.columns.original_text=句子内容",
    ]
    assert run(*given, *added).code == 0


def test_a_filter_of_what_is_scored_leaves_the_examples_alone(run, tmp_path):
    rows = "".join(f"第{n}句,{n % 2},test\n" for n in range(4))
    (tmp_path / "x.csv").write_text("text,标注,split\n" + rows, encoding="utf-8")
    (tmp_path / "shots.csv").write_text("text,标注\n例一,骂\n例二,无\n例三,骂\n例四,无\n", "utf-8")
    done = run(
        *("data=files", "data.path=x.csv", "data.columns.toxicity=标注", "data.where.split=test"),
        *("data.labels.toxicity={骂:1}", "prompt.shots=2", "prompt.shots_from=shots.csv"),
        *("task=td", "model=uniform", *OFFLINE),
    )
    assert done.code == 0, done.err
