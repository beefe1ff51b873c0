"""`synthesize` writes what it says, from each kind of source."""

from mouse.corpus.load import load
from mouse.dataset import main


def test_from_shipped_sample_text_and_data(tmp_path, capsys) -> None:
    (tmp_path / "plain.txt").write_text("今天下雨，我不想上班\n", encoding="utf-8")
    (tmp_path / "plain.csv").write_text(
        "id,原文,译文,意图,是否有毒\n1,x,我想偷懒,评论,否\n", encoding="utf-8"
    )
    out = tmp_path / "items.jsonl"
    labels = []
    for source in ([], ["--sample"], ["--in", "plain.txt"], ["--in", "plain.csv"]):
        arguments = [a if "plain" not in a else str(tmp_path / a) for a in source]
        assert main(["synthesize", *arguments, "--n", "5", "--out", str(out)]) == 0
        items = load("files", path=out).cxeis
        assert len(items) == 5
        labels.append({(item.intent, item.toxicity) for item in items})
    assert labels[0] == labels[2] == {(None, None)} and labels[3] == {("Comment", 0)}
    assert "5 CXEIs with" in capsys.readouterr().out


def test_the_source_is_not_overwritten(tmp_path, capsys) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"original_text": "x", "reference": "我想偷懒"}\n', encoding="utf-8")
    before = path.read_bytes()
    assert main(["synthesize", "--in", str(path), "--out", str(path)]) == 2
    assert path.read_bytes() == before
