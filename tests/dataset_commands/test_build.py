"""The steps of `build` on the command line, from raw lines to adjudicated CXEIs and a review."""

import json
import sys
from pathlib import Path

import pytest
import simulate_annotators
from openpyxl import load_workbook

from mouse.corpus.load import load
from mouse.dataset import main

ROOT = Path(__file__).resolve().parents[2]


def simulate(*arguments: str) -> None:
    """Run scripts/simulate_annotators.py with these arguments."""
    before, sys.argv = sys.argv, ["simulate_annotators.py", *arguments]
    try:
        simulate_annotators.main()
    finally:
        sys.argv = before


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A folder in which the sample's expressions were cleaned, handed out and labelled."""
    folder = tmp_path_factory.mktemp("build")
    items = load("sample").cxeis[:120]
    rows = [json.dumps({"text": item.original_text}, ensure_ascii=False) for item in items]
    (folder / "manual.jsonl").write_text("\n".join(rows), encoding="utf-8")
    (folder / "raw.txt").write_text(f"{items[0].original_text}\n电话13812345678\n", "utf-8")
    steps = [
        f"clean {folder / 'raw.txt'} --manual {folder / 'manual.jsonl'} --out {folder / 'clean'}",
        f"assign {folder / 'clean'} --annotators 6 --out {folder / 'out'}",
    ]
    for step in steps:
        assert main(["build", *step.split()]) == 0
    simulate("annotate", str(folder / "out"), "--error", "0.1", "--spammers", "1")
    return folder


def test_the_whole_way_recovers_the_truth_and_names_the_spammer(built: Path, capsys) -> None:
    result = built / "result"
    assert main(["build", "import", str(built / "out"), "--out", str(result)]) == 0
    shown = capsys.readouterr().out
    flagged = [line for line in shown.splitlines() if line.rstrip().endswith("SPAMMER? │")]
    assert len(flagged) == 1 and "annotator_06" in flagged[0]
    report = json.loads((result / "provenance" / "reliability.json").read_text("utf-8"))
    assert set(report["aspects"]) == {"homophonic", "visual", "semantic", "intent", "toxicity"}
    # 0.1 of error gives an α of about 0.6 (0.7 for intents); the spammer has a part in a third of
    # the pairs, so two thirds of that are left, with a standard error of about 0.06.
    values = {name: aspect["value"] for name, aspect in report["aspects"].items()}
    assert all(0.2 < value < 0.62 for value in values.values()), values
    truth = {item.original_text: item for item in load("sample").cxeis}
    found = load("files", path=result).cxeis
    assert len(found) == 121
    compared = [
        (getattr(item.components, name), getattr(truth[item.original_text].components, name))
        for item in found
        if item.original_text in truth
        for name in ("homophonic", "visual", "semantic")
    ]
    # Three honest voters err in 2.8% of the votes; with the spammer among them in about 10%.
    assert 0.9 < sum(a == b for a, b in compared) / len(compared) < 1


def test_adjudication_round_trip_keeps_the_adjudicator_s_file(built: Path, capsys) -> None:
    result = built / "adjudicated"
    arguments = ["build", "import", str(built / "out"), "--out", str(result)]
    assert main(arguments) == 0
    assert main([*arguments, "--strict"]) == 2
    sheet = result / "provenance" / "adjudication.xlsx"
    book = load_workbook(sheet)
    rows = book["rows"]
    undecided = rows.max_row - 1
    assert undecided >= 1
    header = [cell.value for cell in rows[1]]
    for row in range(2, rows.max_row + 1):
        for name in rows.cell(row, 3).value.split("、"):
            value = {"意图": "其他", "标准中文译文": "裁决译文"}.get(name, "是")
            rows.cell(row, header.index(name) + 1).value = value
    book.save(sheet)
    kept = sheet.read_bytes()
    capsys.readouterr()
    assert main([*arguments, "--adjudicated", str(sheet)]) == 0
    assert "no majority" not in capsys.readouterr().out
    assert sheet.read_bytes() == kept
    assert all(item.intent and item.reference for item in load("files", path=result).cxeis)
    decisions = (result / "provenance" / "decisions.jsonl").read_text("utf-8").splitlines()
    assert sum(bool(json.loads(line)["adjudicated"]) for line in decisions) == undecided


def test_review_goes_out_and_comes_in(tmp_path: Path, capsys) -> None:
    folder = tmp_path / "review"
    assert main(["build", "review-out", "--n", "40", "--out", str(folder)]) == 0
    simulate("review", str(folder), "--yes", "0.9")
    capsys.readouterr()
    assert main(["build", "review-in", str(folder), "--json"]) == 0
    aspects = json.loads(capsys.readouterr().out)["aspects"]
    assert len(aspects) == 6
    assert all(0.8 < aspect["rate"] < 0.98 for aspect in aspects)
    assert sum(aspect["lo"] <= 0.9 <= aspect["hi"] for aspect in aspects) >= 4
    assert main(["build", "review-in", str(folder)]) == 0
    assert "Table 5" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("build clean --out x", "there are no lines"),
        ("build clean nothing.txt --out x", "no such file"),
        ("build clean a.txt --threshold 0.5 --out x", "--threshold 0.5"),
        ("build assign nowhere --out x", "build clean"),
        ("build import nowhere --out x", "build assign"),
        ("build review-in nowhere", "review-out"),
        ("synthesize --rate 2 --out x.jsonl", "rate 2"),
        ("synthesize --kinds sound --out x.jsonl", "kind sound"),
        ("synthesize --out x.csv", "JSONL"),
        ("check-choices nowhere.jsonl", "no such file"),
    ],
)
def test_a_user_s_mistake_is_one_sentence_and_exit_code_2(
    arguments: str, said: str, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments.split()) == 2
    error = capsys.readouterr().err
    assert said in error and "Traceback" not in error
