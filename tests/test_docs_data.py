"""Every command line of docs/data.md works as it is typed there."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from mouse.run import main

PAGE = (Path(__file__).parents[1] / "docs" / "data.md").read_text(encoding="utf-8")
LINES = re.findall(r"^    (python -m mouse\.run .*)$", PAGE, re.MULTILINE)
SETTINGS = ("model=uniform", "limit=2", "engine=inline", "tracking=off", "store=off")


def comments(path: Path) -> None:
    """A file that each line about comments.csv can read, whichever labels it maps."""
    rows = "".join(
        f"第{n}句🌶️,第{n}句啦,{label},{split},2025\n"
        for n, (label, split) in enumerate(
            [("hate", "test"), ("冒犯", "dev"), ("none", "test"), ("hate", "train")]
        )
    )
    path.write_text("text,reference,toxicity,split,年份\n" + rows, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOUSE_HOME", str(tmp_path / "state"))
    comments(tmp_path / "comments.csv")
    chats = [
        {"messages": [{"content": "问"}, {"content": f"第{n}句🌶️"}], "meta": {"label": n % 2}}
        for n in range(4)
    ]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in chats)
    (tmp_path / "chats.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "parts").mkdir()
    for name in ("parts/a.csv", "parts/b.csv", "train.csv", "insults.txt.csv"):
        text = f"text,reference\n{name}🌶️,{name}啦\n"
        (tmp_path / name).write_text(text, encoding="utf-8")
    row = json.dumps({"text": "再来⑧", "reference": "再来吧"})
    (tmp_path / "extra.jsonl").write_text(row, encoding="utf-8")
    (tmp_path / "ToxiCloakCN").mkdir()
    for name, text in (("base_data", "那好"), ("homo_full", "哪好"), ("emoji_full", "🌶️好")):
        file = tmp_path / "ToxiCloakCN" / f"{name}.tsv"
        file.write_text(f"content\ttoxic\n{text}\t0\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("line", LINES)
def test_the_line_works_as_typed(folder: Path, line: str) -> None:
    given = shlex.split(line)[3:]
    if "data.labels" not in line and "comments.csv" in line:
        text = (folder / "comments.csv").read_text(encoding="utf-8")
        for word, flag in (("hate", "1"), ("冒犯", "1"), ("none", "0")):
            text = text.replace(f",{word},", f",{flag},")
        if "句子" in line:
            text = text.replace("text,", "句子,", 1).replace("toxicity", "标注（人工）", 1)
        (folder / "comments.csv").write_text(text, encoding="utf-8")
    task = "td" if "toxicity" in line or "split" in line or "ToxiCloak" in line else "tr"
    assert main([*given, f"task={task}", *SETTINGS]) == 0


def test_there_are_lines_to_try() -> None:
    assert len(LINES) >= 9


def test_the_yaml_of_the_page_describes_a_data_set(folder: Path) -> None:
    yaml = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert yaml is not None
    (folder / "own" / "data").mkdir(parents=True)
    (folder / "own" / "data" / "reviews.yaml").write_text(yaml[1], encoding="utf-8")
    rows = "评论内容,stars,类别,成分\n难吃🤮,1,吐槽帖,形\n好吃,5,评论,音、义\n求推荐,4,求助,\n"
    (folder / "reviews.csv").write_text(rows, encoding="utf-8")
    given = ["--config-dir", str(folder / "own"), "data=reviews", "task=td,ir,rc"]
    assert main([*given, "model=uniform", "engine=inline", "tracking=off", "store=off"]) == 0
