"""`python -m mouse.dataset` says what is in a data set and what is wrong with it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mouse.dataset import main
from mouse.errors import EXIT_COMPLETE, EXIT_USAGE

GOOD = (
    "编号,原文,译文,意图,是否有毒\n1,我🌶️么菜,我那么菜,评论,无毒\n2,[bold]快更[/bold],快更,催促,否\n"
)


@pytest.fixture
def good(tmp_path: Path) -> Path:
    (tmp_path / "good.csv").write_text(GOOD, encoding="utf-8")
    return tmp_path / "good.csv"


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    (tmp_path / "bad.csv").write_text("编号,原文,意图\n1,,评论\n2,快更,愤怒\n", encoding="utf-8")
    return tmp_path / "bad.csv"


def test_validate_counts_a_valid_data_set(good: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", str(good)]) == 0
    shown = capsys.readouterr().out
    assert "good is valid: 2 cxei, 0 ms, 0 cc." in shown
    assert main(["validate", str(good), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["valid"] and report["counts"]["cxei"] == 2
    assert f"Fingerprint {report['fingerprint']}" in shown


@pytest.mark.parametrize("command", ["validate", "describe"])
def test_invalid_data_print_every_fault_and_exit_2(
    command: str, bad: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, str(bad)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "row 2, original_text («原文»): missing" in shown.err
    assert "row 3, intent («意图»): unknown intent" in shown.err


def test_faults_as_json(bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", str(bad), "--json"]) == 2
    report = json.loads(capsys.readouterr().out)
    assert not report["valid"]
    assert [fault["row"] for fault in report["faults"]] == [2, 3]


def test_a_derivation_that_contradicts_the_labels_is_a_fault_and_a_doubtful_step_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    step = {"surface": "狗", "chain": [], "target": "牛", "mechanism": "homophone"}
    row = {"id": "1", "original_text": "狗", "reference": "牛", "derivation": [step]}
    path = tmp_path / "cxei.jsonl"
    path.write_text(json.dumps({**row, "components": ["谐音"], "open_case": False}), "utf-8")
    assert main(["validate", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "Doubtful derivation: 1: 狗 → 牛 as homophone: no link" in shown
    assert "not used" not in shown
    assert main(["validate", str(path), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["doubtful_steps"]) == 1
    for change in ({"components": ["谐音", "视觉"]}, {"components": ["谐音"], "open_case": True}):
        path.write_text(json.dumps({**row, **change}), "utf-8")
        assert main(["validate", str(path)]) == 2
        assert "derivation" in capsys.readouterr().err


def test_describe_shows_tables(good: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", str(good)]) == 0
    shown = capsys.readouterr().out
    assert "CXEIs: 2" in shown and "Urging" in shown and "Length in characters" in shown
    assert "[bold]" not in shown


def test_describe_as_json(good: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", str(good), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["cxeis"]["intent"]["Urging"] == 1


def test_the_sample_is_valid_and_described(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate"]) == 0
    capsys.readouterr()
    assert main(["describe", "--kind", "sample"]) == 0
    shown = capsys.readouterr().out
    assert "ms: the right option is the longest in" in shown
    assert "open case" in shown and "image_chain" in shown
    assert "right answer A" in shown


def test_columns_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,快更\n")
    assert main(["validate", str(tmp_path)]) == 2
    assert main(["validate", str(tmp_path), "--columns", "id=a", "original_text=b"]) == 0
    assert main(["validate", str(tmp_path), "--columns", "id"]) == 2
    assert "FIELD=HEADER" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["valdate"], ["validate", "--kind", "x"]])
def test_wrong_usage_exits_2(arguments: list[str]) -> None:
    assert main(arguments) == 2


def test_a_missing_file_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "no/such/file.csv"]) == 2
    assert capsys.readouterr().err == "no/such/file.csv: no such file or folder\n"


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from mouse.dataset import main; assert main(['--help']) == 0;"
        "heavy = {'ray', 'mlflow', 'hydra', 'pandas', 'scipy', 'sklearn', 'pyarrow'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_the_arguments_of_a_run_are_understood_beside_several_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, words in (("a", ("hate", "无")), ("b", ("冒犯", "无"))):
        rows = "".join(f"{name}{n},{word},{2024 + n}\n" for n, word in enumerate(words))
        (tmp_path / f"{name}.csv").write_text(f"句子,标注,年份\n{rows}", encoding="utf-8")
    files = [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    given = ["data.columns.toxicity=标注", "data.labels.toxicity={hate:1,冒犯:1}"]
    assert main(["validate", *files, *given, "data.where.年份=[2024]", "--json"]) == EXIT_COMPLETE
    as_typed = json.loads(capsys.readouterr().out)
    flags = ["--columns", "toxicity=标注", "--labels", "toxicity.hate=1", "toxicity.冒犯=1"]
    wild = str(tmp_path / "*.csv")
    assert main(["validate", wild, *flags, "--where", "年份=2024", "--json"]) == EXIT_COMPLETE
    assert json.loads(capsys.readouterr().out)["fingerprint"] == as_typed["fingerprint"]
    assert as_typed["counts"]["cxei"] == 2
    assert any("leaves out 2 of 4 rows" in note for note in as_typed["notes"])
    whole = ["data.columns={toxicity: 标注}", "data.labels={toxicity: {hate: 1, 冒犯: 1}}"]
    assert main(["describe", *files, *whole]) == EXIT_COMPLETE


@pytest.mark.parametrize(
    "given", [["--where", "split"], ["data.where=split"], ["data.columns=x"], ["--labels", "a"]]
)
def test_what_is_no_entry_is_refused(good: Path, given: list[str]) -> None:
    assert main(["validate", str(good), *given]) == EXIT_USAGE


def test_the_keyword_files_can_be_chosen(tmp_path: Path) -> None:
    (tmp_path / "base_data.tsv").write_text("content\ttoxic\n那好\t0\n", encoding="utf-8")
    (tmp_path / "homo_keyword.csv").write_text("text,label\n哪好,0\n", encoding="utf-8")
    given = ["validate", str(tmp_path), "--kind", "toxicloakcn"]
    assert main([*given, "--perturbations", "homophone_keyword"]) == EXIT_COMPLETE
    assert main(given) == EXIT_USAGE
