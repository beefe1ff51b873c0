"""Runs that differ in anything that changes what is asked or scored are never ranked together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import support_runs

from mouse import compare, report
from mouse.tracking.writer import Tracker

DATA = support_runs.make_dataset(16)
TASKS = ("tr", "td")


def log(model: str, seed: int, data=DATA, **more) -> str:  # type: ignore[no-untyped-def]
    result = support_runs.scored(support_runs.make_result(DATA, model, seed), DATA)
    asked = {item.id for item in data.cxeis}
    tasks = tuple(
        replace(
            task,
            predictions=tuple(p for p in task.predictions if p.item_id in asked),
            verdicts=tuple(v for v in task.verdicts if v.item_id in asked),
        )
        for task in result.tasks
        if task.task in TASKS
    )
    return support_runs.log(replace(result, tasks=tasks), data, "rules", **more)


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MOUSE_HOME", str(tmp_path_factory.mktemp("rules") / "state"))
        patched.delenv("MLFLOW_TRACKING_URI", raising=False)
        patched.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
        yield


@pytest.fixture(scope="module")
def base() -> str:
    return log("one", 1)


def tag(**tags: str) -> Callable[[], str]:
    """A run of another model with these tags."""

    def make() -> str:
        run_id = log("other", 2)
        for name, value in tags.items():
            Tracker().client.set_tag(run_id, name, value)
        return run_id

    return make


def param(**params: str) -> Callable[[], str]:
    """A run of another model with these parameters (`__` stands for a dot)."""

    def make() -> str:
        run_id = log("other", 2)
        for name, value in params.items():
            Tracker().client.log_param(run_id, name.replace("__", "."), value)
        return run_id

    return make


def judge(**identity: object) -> Callable[[], str]:
    return lambda: log("other", 2, manifest={"judge": {"judge": "rule", **identity}})


def fewer_items() -> str:
    return log("other", 2, replace(DATA, cxeis=DATA.cxeis[:8]))


DIFFERENCES = [
    ("data", tag(dataset_fingerprint="a" * 64), "td: the runs differ in data"),
    ("prompt", tag(prompt_fingerprint="q"), "td: the runs differ in prompt"),
    ("shots", param(prompt__shots="2"), "2 examples of seed 0"),
    ("decoding", param(task__decoding="json"), "td: the runs differ in decoding (one: free"),
    ("judge", tag(judge="gpt5.2"), "tr: the runs differ in judge"),
    ("judge identity", tag(judge_identity="x"), "tr: the runs differ in judge"),
    ("judge prompt", judge(prompt="abc"), "tr: the runs differ in judge (one: rule"),
    ("judge decoding", judge(decoding="json"), "decoding json"),
    ("judge repeats", judge(repeats=3), "repeats 3"),
    ("judge aggregate", judge(aggregate="mean"), "aggregate mean"),
    ("copy threshold", param(judge__copy_threshold="0.5"), "other: rule copies from 0.5"),
    (
        "items",
        fewer_items,
        "td: the runs were not asked the same (one 16, other 8 rows, 8 in common)",
    ),
]


@pytest.mark.parametrize(
    ("make", "sentence"), [d[1:] for d in DIFFERENCES], ids=[d[0] for d in DIFFERENCES]
)
def test_both_commands_find_it_and_refuse(
    base: str,
    make: Callable[[], str],
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    runs = [base, make()]
    assert compare.main([*runs, "--resamples", "100"]) == 2
    assert sentence in capsys.readouterr().err
    assert report.main(["r", "--runs", *runs, "--out", str(tmp_path), "--no-log"]) == 2
    printed = capsys.readouterr().err
    assert sentence in printed and "--mixed" in printed
    assert not any(tmp_path.iterdir())


def test_the_seed_is_no_difference_where_it_chose_nothing(base: str) -> None:
    runs = [base, param(seed="7")()]
    assert compare.main([*runs, "--resamples", "100"]) == 0


def test_examples_of_another_seed_are_another_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    runs = [param(prompt__shots="2")(), param(prompt__shots="2", seed="7")()]
    assert compare.main([*runs, "--resamples", "100"]) == 2
    assert "2 examples of seed 0 / " in capsys.readouterr().err


def test_mixed_says_so_in_the_caption_of_every_table_concerned_and_in_no_other(
    base: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [base, judge(decoding="json")()]
    out = tmp_path / "c.md"
    assert compare.main([*runs, "--mixed", "--resamples", "100", "--out", str(out)]) == 0
    tables = out.read_text(encoding="utf-8").split("### ")[1:]
    said = "Mixed: tr: the runs differ in judge"
    assert [said in table for table in tables] == [t.startswith("tr") for t in tables]
    assert (
        report.main(
            [
                "r",
                "--runs",
                *runs,
                "--mixed",
                "--out",
                str(tmp_path),
                "--resamples",
                "100",
                "--no-log",
            ]
        )
        == 0
    )
    text = (tmp_path / "r" / "report.md").read_text(encoding="utf-8")
    by_title = {part.partition("\n")[0]: part for part in text.split("### ")[1:]}
    for title in ("Table 3 · main results", "Rank groups", "Translation score by label"):
        assert said in by_title[title]
    for title in ("Toxicity: share right by label", "Table 4 · Matthews correlation coefficient"):
        assert said not in by_title[title]
