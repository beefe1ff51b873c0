"""Tasks and metrics from outside: how they come in, and what is said of a broken one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mouse.errors import UserError
from mouse.run import main
from mouse.scoring.task_tables import metric_named
from mouse.tasks.prompts import PromptSet
from mouse.tasks.registry import get_task, task_codes

TASK = """
from mouse.answers.types import LabelSet
from mouse.metrics.accuracy import ACCURACY
from mouse.tasks.base import Task

class Long(Task):
    code, title, kind, headline = "lo", "is long", "binary", (ACCURACY,)
    def label_set(self, item=None):
        return LabelSet.binary()
    def gold_or_none(self, item, variant):
        return str(int(len(item.original_text) > 9))
"""
METRIC = """
from mouse.metrics.metric import Metric

NAMED = Metric("named", lambda counts: counts[..., 1].sum(-1) / counts.sum((-2, -1)), tasks=("td",))
"""


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Writes a plug-in file and names it in the environment."""

    def write(text: str) -> Path:
        file = tmp_path / "plugged.py"
        file.write_text(text, encoding="utf-8")
        monkeypatch.setenv("MOUSE_PLUGINS", str(file))
        return file

    return write


def test_a_file_brings_a_task_and_a_metric(plug_in) -> None:
    plug_in(f"{TASK}\n{METRIC}\nTASKS = [Long]\nMETRICS = [NAMED]")
    assert task_codes()[-1] == "lo"
    assert [column.name for column in get_task("lo").columns] == ["lo/acc"]
    assert [column.name for column in get_task("td").columns][-1] == "td/named"
    counts = np.array([[1.0, 2, 0], [0, 1, 0]])
    assert metric_named("td/named").from_counts(counts) == 0.75


def test_without_it_nothing_of_it_is_left(plug_in, monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in(f"{TASK}\n{METRIC}\nTASKS = [Long]\nMETRICS = [NAMED]")
    fingerprint = PromptSet.load("zh").fingerprint
    monkeypatch.delenv("MOUSE_PLUGINS")
    assert len(task_codes()) == 6
    assert PromptSet.load("zh").fingerprint == fingerprint
    with pytest.raises(KeyError):
        metric_named("td/named")


def test_an_installed_package_brings_them_by_entry_points(
    plug_in, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "site"
    about = installed / "outside-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[mouse.tasks]\nlo = outside_tasks:Long\n[mouse.metrics]\nnamed = outside_tasks:NAMED\n"
    )
    (installed / "outside_tasks.py").write_text(f"{TASK}\n{METRIC}", encoding="utf-8")
    monkeypatch.syspath_prepend(installed)
    plug_in("")  # what is installed is looked up anew
    assert "lo" in task_codes()
    assert metric_named("td/named").name == "named"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nowhere", "cannot be loaded: ModuleNotFoundError: No module named 'nowhere'"),
        ("TASKS = 3", "TASKS must be a list"),
        ("TASKS = [3]", "3 is not a class derived from mouse.tasks.base.Task"),
        (f"{TASK}\nLong.code = 'td'\nTASKS = [Long]", "there is a task 'td' already"),
        (f"{TASK}\ndel Long.title\nTASKS = [Long]", "task Long does not say its title"),
        (
            f"{TASK}\nclass Half(Task):\n    code, title, kind, headline = 'ha', 'x', 'binary', ()\n"
            "TASKS = [Half]",
            "task Half is not complete: .*gold_or_none",
        ),
        (f"{TASK}\nLong.code = 'Long one'\nTASKS = [Long]", "task code 'Long one'"),
        (f"{TASK}\nLong.kind = 'scale'\nTASKS = [Long]", "kind 'scale', none of label, letter"),
        (f"{TASK}\nLong.kind = 'text'\nTASKS = [Long]", "needs judged=True"),
        (f"{TASK}\nTASKS = [Long]", r"templates.zh lacks lo\.txt"),
        ("METRICS = [3]", "3 is not a mouse.metrics.metric.Metric"),
        (f"{METRIC}\nMETRICS = [Metric('x', sum)]", "metric x names no task"),
        (f"{METRIC}\nMETRICS = [Metric('X Y', sum, tasks=('td',))]", "metric name 'X Y'"),
        (f"{METRIC}\nMETRICS = [NAMED, NAMED]", "task td has two metrics 'named'"),
    ],
)
def test_a_broken_plug_in_is_one_sentence(plug_in, text: str, message: str) -> None:
    plug_in(text)
    with pytest.raises(UserError, match=message):
        assert get_task("td").columns
        PromptSet.load("zh", tasks=task_codes())


def test_it_ends_the_command_with_the_code_of_wrong_usage(
    plug_in, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOUSE_HOME", str(tmp_path / "state"))
    file = plug_in("import nowhere")
    assert main(["task=td", "model=majority", "engine=inline", "tracking=off"]) == 2
    said = capsys.readouterr().err
    assert f"plug-in {file} cannot be loaded" in said and "Traceback" not in said
