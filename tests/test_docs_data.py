"""What docs/data.md says is so: its command lines, its YAML, its headers and its label words."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from mouse.corpus.reading import values
from mouse.corpus.reading.columns import CHOICE_HEADERS, CXEI_HEADERS, ColumnMap
from mouse.dataset import main as dataset_main
from mouse.run import main

PAGE = (Path(__file__).parents[1] / "docs" / "data.md").read_text(encoding="utf-8")
LINES = re.findall(r"^    (python -m mouse\.run .*)$", PAGE, re.MULTILINE)
LOOKS = re.findall(r"^    (python -m mouse\.dataset .*)$", PAGE, re.MULTILINE)
HEADERS = re.findall(r"^\| (`[a-z].*) \| (.*) \|$", PAGE, re.MULTILINE)
FLAGS = (("hate", "1"), ("冒犯", "1"), ("none", "0"))
SETTINGS = ("model=uniform", "limit=2", "engine=inline", "tracking=off", "store=off")


def comments(path: Path) -> None:
    """A file that each line about comments.csv can read, whichever labels it maps."""
    rows = "".join(
        f"第{n}句🌶️,第{n}句啦,{label},{split},2025,{label}\n"
        for n, (label, split) in enumerate(
            [("hate", "test"), ("冒犯", "dev"), ("none", "test"), ("hate", "train")]
        )
    )
    header = "text,reference,toxicity,split,年份,标注（人工）\n"
    path.write_text(header + rows, encoding="utf-8")


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
    (tmp_path / "数据" / "深").mkdir(parents=True)
    inside = ("parts/a.csv", "parts/b.csv", "数据/甲.csv", "数据/乙.csv", "数据/深/丙.csv")
    for name in (*inside, "train.csv", "insults.txt.csv"):
        text = f"text,reference\n{name}🌶️,{name}啦\n"
        (tmp_path / name).write_text(text, encoding="utf-8")
    row = json.dumps({"text": "再来⑧", "reference": "再来吧"})
    (tmp_path / "extra.jsonl").write_text(row, encoding="utf-8")
    cloned = tmp_path / "ToxiCloakCN" / "Datasets"
    for name, text in (
        ("base_data", "那好"),
        ("Full_Perturbation/homo_full", "哪好"),
        ("Full_Perturbation/emoji_full", "🌶️好"),
    ):
        (cloned / name).parent.mkdir(parents=True, exist_ok=True)
        (cloned / f"{name}.tsv").write_text(f"content\ttoxic\n{text}\t0\n", encoding="utf-8")
    (cloned / "Only_Keywords").mkdir()
    for name in ("homo_keyword", "emoji_keyword"):
        (cloned / "Only_Keywords" / f"{name}.csv").write_text("text,label\n哪好,0\n", "utf-8")
    return tmp_path


def labelled(folder: Path, line: str) -> None:
    """Labels that are understood as they are, for a line that has no map of its own for them."""
    text = (folder / "comments.csv").read_text(encoding="utf-8")
    for word, flag in FLAGS:
        text = text.replace(f",{word},", f",{flag},")
    if "data.columns.original_text=句子" in line:
        text = text.replace("text,", "句子,", 1).replace("toxicity", "毒", 1)
        for word, flag in FLAGS:
            text = text.replace(f",{word}\n", f",{flag}\n")
    if "data.columns.toxicity=标注 " in line:
        text = text.replace("toxicity", "标注", 1)
    (folder / "comments.csv").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("line", LINES)
def test_the_line_works_as_typed(folder: Path, line: str) -> None:
    given = shlex.split(line)[3:]
    if "data.labels" not in line and "comments.csv" in line:
        labelled(folder, line)
    toxic = ("toxicity", "split", "ToxiCloak", "标注")
    task = "td" if any(word in line for word in toxic) else "tr"
    assert main([*given, f"task={task}", *SETTINGS]) == 0


@pytest.mark.parametrize("line", LOOKS)
def test_a_look_at_the_data_takes_the_same_arguments(folder: Path, line: str) -> None:
    labelled(folder, line)
    assert dataset_main(shlex.split(line)[3:]) == 0


def test_there_are_lines_to_try() -> None:
    assert len(LINES) >= 14 and len(LOOKS) >= 2 and len(HEADERS) >= 7


@pytest.mark.parametrize(("fields", "shown"), HEADERS)
def test_the_headers_of_the_page_are_those_of_the_tables(fields: str, shown: str) -> None:
    names = re.findall("`(.*?)`", fields)
    for header in shown.split(", "):
        for kind, known in (("cxei", CXEI_HEADERS), ("choice", CHOICE_HEADERS)):
            found = ColumnMap({}).resolve(kind, [header]).headers
            if set(names) & set(known) and set(names) & set(found):
                break
        else:
            pytest.fail(f"{header} is not understood as any of {names}")


@pytest.mark.parametrize(
    ("shown", "flag"),
    [
        (pair, side)
        for pair in ("是/否", "true/false", "toxic/non-toxic", "有毒/无毒")
        for side in (0, 1)
    ],
)
def test_the_label_words_of_the_page_are_understood(shown: str, flag: int) -> None:
    assert shown in PAGE
    assert values.flag(shown.split("/")[1 - flag]) is bool(flag)


def test_the_names_of_labels_on_the_page_are_understood() -> None:
    words = PAGE[PAGE.index("## Label words") : PAGE.index("Other words are translated")]
    intents, components = re.split("components 谐音", words)
    for name in re.findall("`(.*?)`", intents, re.DOTALL):
        assert values.intent(name)
    for cell in re.findall("`(.*?)`", components, re.DOTALL):
        assert values.components(cell).homophonic


def test_the_yaml_of_the_page_describes_a_data_set(folder: Path) -> None:
    yaml = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert yaml is not None
    (folder / "own" / "data").mkdir(parents=True)
    (folder / "own" / "data" / "reviews.yaml").write_text(yaml[1], encoding="utf-8")
    rows = "评论内容,stars,类别,成分\n难吃🤮,1,吐槽帖,形\n好吃,5,评论,音、义\n求推荐,4,求助,\n"
    (folder / "reviews.csv").write_text(rows, encoding="utf-8")
    given = ["--config-dir", str(folder / "own"), "data=reviews", "task=td,ir,rc"]
    assert main([*given, "model=uniform", "engine=inline", "tracking=off", "store=off"]) == 0
