"""`python -m mouse.compare`: paired statistics of real runs, and what is refused."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mouse.compare import main
from mouse.tracking import reader

TD = ("task=td", "limit=40")


@pytest.fixture
def compare(
    in_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> Callable[..., tuple[int, str, str, dict[str, Any]]]:
    """Runs the command with few resamples; exit code, output, errors, and what `--out` holds."""

    def call(*arguments: str) -> tuple[int, str, str, dict[str, Any]]:
        out = tmp_path / "out.json"
        capsys.readouterr()  # what the evaluations printed
        code = main([*arguments, "--resamples", "500", "--out", str(out)])
        printed = capsys.readouterr()
        written = json.loads(out.read_text(encoding="utf-8")) if code == 0 else {}
        return code, printed.out, printed.err, written

    return call


@pytest.fixture
def lexicon(evaluated: Callable[..., str]) -> str:
    return evaluated("model=lexicon", *TD)


@pytest.fixture
def majority(evaluated: Callable[..., str]) -> str:
    return evaluated("model=majority", *TD)


def by_metric(task: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {c["metric"]: c for c in task["comparisons"]}


def flat(printed: str) -> str:
    """Printed text without its line breaks."""
    return " ".join(printed.split())


def right(run_id: str) -> list[bool]:
    frame = reader.load_run(run_id).predictions["td"].sort_values("item_id")
    return [bool(value) for value in frame["correct"]]


def test_two_runs_by_short_id(compare, lexicon: str, majority: str) -> None:
    code, printed, _, written = compare(lexicon[:8], majority[:8])
    assert code == 0
    (task,) = written["tasks"]
    found = by_metric(task)
    assert found.keys() == {"td/acc", "td/f1", "td/mcc"}
    pairs = list(zip(right(lexicon), right(majority), strict=True))
    only_a, only_b = sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)
    acc = found["td/acc"]
    from scipy.stats import binomtest

    assert acc["difference"] == pytest.approx((only_a - only_b) / 40)
    assert acc["p_value"] == pytest.approx(binomtest(only_a, only_a + only_b).pvalue)
    assert acc["exact_lo"] < acc["difference"] < acc["exact_hi"]
    assert acc["detectable"] > 0 and acc["test"].startswith("McNemar")
    assert found["td/f1"]["test"].startswith("paired permutation")
    assert acc["family"] == "td/acc, all 1 pairs of 2 models"
    assert "all 1 pairs of 2 models, in each of td/acc, td/f1, td/mcc apart" in flat(printed)
    assert "lexicon − majority" in printed


def test_values_are_those_that_the_runs_logged(compare, lexicon: str, majority: str) -> None:
    _, _, _, written = compare(lexicon, majority)
    values = written["tasks"][0]["values"]
    for label, run_id in (("lexicon", lexicon), ("majority", majority)):
        logged = reader.load_run(run_id).summary.metrics
        for metric, by_label in values.items():
            assert by_label[label]["value"] == pytest.approx(logged[metric])


def test_items_are_those_where_one_is_right_and_the_other_wrong_first(
    compare, lexicon: str, majority: str
) -> None:
    _, printed, _, written = compare(lexicon, majority, "--items", "3")
    items = written["tasks"][0]["items"]
    expected = sum(a != b for a, b in zip(right(lexicon), right(majority), strict=True))
    assert sum(len(set(item["right"].values())) == 2 for item in items) == expected > 0
    assert items[0]["item_id"] in printed and items[0]["text"]
    _, none, _, _ = compare(lexicon, majority, "--items", "0")
    assert "rows on which the models differ" not in none


def test_by_query_takes_the_newest_run_of_each_model_and_says_what_it_left(
    compare, lexicon: str, majority: str, evaluated: Callable[..., str]
) -> None:
    alone = evaluated("model=uniform", "task=ms", "limit=8")
    where = f"run_id in ({lexicon}, {majority}, {alone})"
    code, printed, _, written = compare("--where", where)
    assert code == 0
    assert [task["task"] for task in written["tasks"]] == ["td"]
    assert "note: ms: uniform has no partner" in printed
    again = evaluated("model=lexicon", *TD, "seed=0")  # the same questions, a later run
    where = f"run_id in ({lexicon}, {majority}, {again})"
    _, printed, _, written = compare("--where", where)
    assert f"lexicon ({lexicon[:6]}) is older than another run of its model: left out" in printed
    _, _, _, written = compare("--where", where, "--all-runs")
    labels = written["tasks"][0]["labels"]
    assert set(labels) == {f"lexicon@{lexicon[:6]}", f"lexicon@{again[:6]}", "majority"}


def test_runs_of_one_model_are_told_apart_by_their_ids(
    compare, lexicon: str, evaluated: Callable[..., str]
) -> None:
    again = evaluated("model=lexicon", *TD, "seed=0")
    _, _, _, written = compare(lexicon, again)
    for comparison in written["tasks"][0]["comparisons"]:
        assert comparison["difference"] == 0 and comparison["p_value"] == 1
    assert set(written["tasks"][0]["rankings"][0]["letters"].values()) == {"a"}


def test_another_prompt_is_refused_or_said(
    compare, majority: str, evaluated: Callable[..., str]
) -> None:
    english = evaluated("model=lexicon", *TD, "prompt=en")
    code, printed, err, _ = compare(english, majority)
    assert code == 2 and printed == ""
    assert "td: the runs differ in prompt (lexicon: en" in err
    assert "--allow-different prompt" in err
    code, printed, _, _ = compare(english, majority, "--allow-different", "prompt")
    assert code == 0 and "compared all the same, as --allow-different says" in printed


def test_another_number_of_examples_is_another_prompt(
    compare, majority: str, evaluated: Callable[..., str]
) -> None:
    shots = evaluated("model=lexicon", *TD, "prompt.shots=2")
    code, _, err, _ = compare(shots, majority)
    assert code == 2 and "2 examples of seed 0" in err


def test_another_judge_is_refused_for_translation_only(
    compare, evaluated: Callable[..., str]
) -> None:
    one = evaluated("model=lexicon", "task=tr,td", "limit=8")
    other = evaluated("model=majority", "task=tr,td", "limit=8", "judge.copy_threshold=0.5")
    code, _, err, _ = compare(one, other)
    assert code == 2 and "tr: the runs differ in judge" in err and "td:" not in err
    assert compare(one, other, "--allow-different", "judge")[0] == 0
    code, _, _, written = compare(one, other, "--task", "td")
    assert code == 0 and [task["task"] for task in written["tasks"]] == ["td"]


def test_unequal_items_are_refused_or_intersected_and_said(
    compare, majority: str, evaluated: Callable[..., str]
) -> None:
    fewer = evaluated("model=lexicon", "task=td", "limit=24")
    code, _, err, _ = compare(fewer, majority)
    assert code == 2
    assert "lexicon 24, majority 40 rows, 24 in common" in err and "--intersect" in err
    code, printed, _, written = compare(fewer, majority, "--intersect")
    assert code == 0 and "compared on those in common" in printed
    assert written["tasks"][0]["rows_in_common"] == 24
    assert by_metric(written["tasks"][0])["td/acc"]["n_paired"] == 24


def test_other_data_are_refused_and_changed_items_are_never_paired(
    compare, majority: str, evaluated: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    sample = Path(__file__).parents[1] / "data" / "sample" / "cxei.jsonl"
    rows = [json.loads(line) for line in sample.read_text(encoding="utf-8").splitlines()]
    asked = set(reader.load_run(majority).predictions["td"]["item_id"])
    changed = next(row for row in rows if row["id"] in asked)
    changed["original_text"] += "！"
    other = tmp_path_factory.mktemp("data") / "other.jsonl"
    other.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    run_id = evaluated("model=lexicon", *TD, "data=files", f"data.path={other}")
    code, _, err, _ = compare(run_id, majority)
    assert code == 2 and "td: the runs differ in data" in err
    code, printed, _, written = compare(run_id, majority, "--allow-different", "data")
    assert code == 0
    assert f"1 items have the same id and another content: left out ({changed['id']})" in printed
    assert written["tasks"][0]["rows_in_common"] == 39


def test_an_unfinished_run_is_compared_with_bounds_and_said(
    compare, unfinished: str, evaluated: Callable[..., str]
) -> None:
    complete = evaluated("model=majority", "task=td")
    code, printed, _, written = compare(unfinished, complete)
    assert code == 0
    assert "replay is incomplete, 10 of its answers failed" in printed
    (task,) = written["tasks"]
    n = task["rows_in_common"]
    assert task["rows_answered_by_all"] == n - 10
    acc = by_metric(task)["td/acc"]
    right_of_majority = reader.load_run(complete).predictions["td"]["correct"].mean()
    # The replay is right wherever it answered: worst case, all ten are wrong.
    assert acc["bounds"] == pytest.approx([(n - 10) / n - right_of_majority, 1 - right_of_majority])
    assert acc["value_a"] == 1.0
    value = task["values"]["td/acc"]["replay"]
    assert (value["worst"], value["best"]) == pytest.approx(((n - 10) / n, 1.0))
    assert f"{value['worst']:.3f} … 1.000" in printed


def test_a_wider_family_corrects_over_all_its_tests(compare, evaluated: Callable[..., str]) -> None:
    runs = [evaluated(f"model={model}", "task=tr,td", "limit=8") for model in MODELS]
    _, _, _, narrow = compare(*runs)
    _, printed, _, wide = compare(*runs, "--family", "all")
    tests = sum(len(task["comparisons"]) for task in wide["tasks"])
    assert f"all of this comparison, {tests} tests" in printed
    p = sorted(c["p_value"] for task in wide["tasks"] for c in task["comparisons"])
    smallest = min(c["p_holm"] for task in wide["tasks"] for c in task["comparisons"])
    assert smallest == pytest.approx(min(1.0, tests * p[0]))
    for one, other in zip(narrow["tasks"], wide["tasks"], strict=True):
        for a, b in zip(one["comparisons"], other["comparisons"], strict=True):
            assert b["p_holm"] >= a["p_holm"] and b["p_value"] == a["p_value"]


MODELS = ("lexicon", "majority")


def test_published_models_stand_beside_with_intervals_and_a_warning(
    compare, lexicon: str, majority: str
) -> None:
    code, printed, _, written = compare(lexicon, majority, "--published", "GPT5.2")
    assert code == 0 and "paper: GPT5.2" in printed and "not comparable" in printed
    published = {p["metric"]: p for p in written["published"]["GPT5.2"]}
    assert published["td/acc"]["lo"] < published["td/acc"]["value"] < published["td/acc"]["hi"]
    code, _, err, _ = compare(lexicon, majority, "--published", "GPT9")
    assert code == 2 and "GPT9" in err


def test_csv_and_markdown_have_a_table_each(
    in_home: Path, tmp_path: Path, lexicon: str, majority: str
) -> None:
    out = tmp_path / "folder" / "c.csv"
    assert main([lexicon, majority, "--resamples", "200", "--out", str(out)]) == 0
    names = {path.name for path in out.parent.iterdir()}
    assert names == {"c_td_values.csv", "c_td_pairs.csv", "c_td_items.csv"}
    with (out.parent / "c_td_pairs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["pair"] for row in rows] == ["lexicon − majority"] * 3
    assert all(math.isfinite(float(row["difference_lo"])) for row in rows)
    assert main([lexicon, majority, "--resamples", "200", "--out", str(tmp_path / "c.md")]) == 0
    text = (tmp_path / "c.md").read_text(encoding="utf-8")
    assert text.count("### ") == 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "name at least two runs"),
        (("nosuch", "other"), "no run has an id that begins with 'nosuch'"),
        (("--where", "model = nosuch"), "there is nothing to compare: 0 runs found"),
        (("--where", "model in (lexicon"), "was expected"),
        (("RUN", "RUN"), "is named twice"),
        (("RUN",), "there is nothing to compare: 1 run found"),
        (("RUN", "OTHER", "--task", "cc"), "no task that two of them did among cc"),
        (("RUN", "OTHER", "--task", "xx"), "There is no task 'xx'"),
        (("RUN", "OTHER", "--metrics", "acc,auc"), "--metrics auc: no task has it"),
        (("RUN", "OTHER", "--allow-different", "model"), "it takes prompt, judge, data"),
        (("RUN", "OTHER", "--out", "x.xls"), "must end in"),
        (("RUN", "OTHER", "--resamples", "5"), "at least 100"),
        (("RUN", "OTHER", "--where", "model = lexicon"), "not both"),
    ],
)
def test_a_mistake_gets_a_sentence_and_exit_code_2(
    in_home: Path,
    lexicon: str,
    majority: str,
    capsys: pytest.CaptureFixture,
    arguments: tuple[str, ...],
    sentence: str,
) -> None:
    capsys.readouterr()
    names = {"RUN": lexicon, "OTHER": majority}
    assert main([names.get(argument, argument) for argument in arguments]) == 2
    printed = capsys.readouterr()
    assert sentence in printed.err and printed.out == ""


def test_what_models_wrote_is_shown_as_text(
    in_home: Path,
    evaluated: Callable[..., str],
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture,
) -> None:
    reference = evaluated("model=majority", "task=tr", "limit=8")
    frame = reader.load_run(reference).predictions["tr"]
    hostile = "\x1b[31m[bold]好[/]\u202e</script>\ud83d"
    folder = tmp_path_factory.mktemp("hostile")
    answers = folder / "answers.jsonl"
    with answers.open("w", encoding="utf-8") as file:
        for item_id, gold in zip(frame["item_id"], frame["gold"], strict=True):
            row = {"item_id": item_id, "task": "tr", "text": gold + hostile}
            file.write(json.dumps(row) + "\n")
    run_id = evaluated("model=replay", f"model.predictions={answers}", "task=tr", "limit=8")
    capsys.readouterr()
    assert main([run_id, reference, "--resamples", "200", "--out", str(folder / "c.md")]) == 0
    printed, written = capsys.readouterr().out, (folder / "c.md").read_text(encoding="utf-8")
    for text in (printed, written):
        shown = text.replace("⟨U+001B⟩", "").replace("⟨U+202E⟩", "")
        assert len(shown) < len(text)  # they are shown, by name
        assert not {"\x1b", "\u202e"} & set(shown)
    assert "</script>" not in written and "&lt;/script&gt;" in written
