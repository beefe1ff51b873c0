"""The three aligned ToxiCloakCN files become pairs with the labels that are known."""

from pathlib import Path

import pytest

from mouse.corpus.items import Components
from mouse.corpus.load import load
from mouse.corpus.toxicloakcn import known_components
from mouse.errors import DataError, UserError

BASE = [("这也太离谱了", 1), ("今天天气好", 0), ("笑死我了😂真的", 0)]
HOMOPHONE = [("这耶太离谱了", 1), ("今天天气好", 0), ("笑死窝了😂真的", 0)]
EMOJI = [("这也太离谱🌶️了", 1), ("今🌞天气👌", 0), ("😆💀👴了😂真的", 0)]
UNKNOWN = Components(None, None, None)


def write(folder: Path, **files: list[tuple[str, int]]) -> Path:
    for name, rows in {
        "base_data": BASE,
        "homo_full": HOMOPHONE,
        "emoji_full": EMOJI,
        **files,
    }.items():
        lines = [f"{content}\t{toxic}\r\n" for content, toxic in [("content", "toxic"), *rows]]
        (folder / f"{name}.tsv").write_text("".join(lines), encoding="utf-8", newline="")
    return folder


def test_each_perturbed_row_is_a_pair_with_its_base_row(tmp_path: Path) -> None:
    dataset = load("toxicloakcn", path=write(tmp_path))
    assert [(item.original_text, item.reference, item.toxicity) for item in dataset.cxeis] == [
        (changed, plain, toxic)
        for rows in (HOMOPHONE, EMOJI)
        for (changed, toxic), (plain, _) in zip(rows, BASE, strict=True)
    ]
    assert [item.cluster for item in dataset.cxeis] == [
        "base-00001",
        "base-00002",
        "base-00003",
    ] * 2
    assert len({item.id for item in dataset.cxeis}) == 6
    assert {item.intent for item in dataset.cxeis} == {None}


def test_components_are_given_only_where_they_follow(tmp_path: Path) -> None:
    dataset = load("toxicloakcn", path=write(tmp_path))
    assert [item.components for item in dataset.cxeis] == [
        Components(homophonic=True, visual=False, semantic=False),
        UNKNOWN,  # nothing was replaced
        Components(homophonic=True, visual=False, semantic=False),
        UNKNOWN,  # 🌶️ stands for nothing of the base sentence
        Components(homophonic=None, visual=None, semantic=True),  # 👌 is 好, 🌞 for 天 is not clear
        Components(homophonic=False, visual=False, semantic=True),  # 😆 笑, 💀 死, 👴 我
    ]
    assert "1 of 6 rows are as in the base file" in " ".join(dataset.notes)


@pytest.mark.parametrize(
    ("changed", "plain", "expected"),
    [
        ("我的🐶很乖", "我的狗很乖", (False, False, True)),
        ("一条🐶命", "一条苟命", (True, False, False)),
        ("🌶️么菜", "那么菜", (True, False, False)),
        ("太好🌶️", "太好了", (True, False, False)),
        ("你说什么¿", "你说什么？", (False, True, False)),
        ("他是🐷", "他是猪", (False, False, True)),
        ("表子都步入", "婊子都不如", (True, False, False)),
        ("我的🐶和车", "我的狗和猫", (None, None, True)),
        ("一样", "一样", (None, None, None)),
        ("🐶 好", "狗好", (False, False, True)),
        ("那个👩", "那个女人", (False, False, True)),
        ("🆕的", "新的", (False, False, True)),
        ("⌚子", "婊子", (True, False, False)),
        ("👩🐶¿", "女人狗？", (False, True, True)),
        ("🐔巴🍺", "鸡巴逼", (True, False, True)),
        ("1️⃣个", "一个", (False, False, True)),
        ("5️⃣🐶", "武狗", (True, False, True)),
        ("👩" * 60 + "x", "女人女" * 40, (None, None, None)),
    ],
)
def test_components_follow_from_what_stands_for_what(
    changed: str, plain: str, expected: tuple[bool | None, ...]
) -> None:
    assert known_components(changed, plain) == Components(*expected)


@pytest.mark.parametrize("layout", ["flat", "clone", "datasets"])
def test_every_layout_is_found_with_the_keyword_files(tmp_path: Path, layout: str) -> None:
    root = tmp_path / "Datasets" if layout != "flat" else tmp_path
    full, keywords = root, root
    if layout != "flat":
        full, keywords = root / "Full_Perturbation", root / "Only_Keywords"
    for folder in (root, full, keywords):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".txt").touch()
    write(root)
    for name in ("homo_full.tsv", "emoji_full.tsv"):
        (root / name).rename(full / name)
    for name, changed in (("homo_keyword", "这也太梨谱了"), ("emoji_keyword", "这也太🍐谱了")):
        rows = [("text", "label"), (changed, 1), *BASE[1:]]
        text = "".join(f'"{content}",{label}\n' for content, label in rows)
        (keywords / f"{name}.csv").write_text(text.replace('"text"', "text"), encoding="utf-8")
    place = tmp_path if layout == "clone" else root
    assert len(load("toxicloakcn", path=place).cxeis) == 6
    both = ("homophone_keyword", "emoji_keyword")
    items = load("toxicloakcn", path=place, perturbations=both).cxeis
    assert [item.original_text for item in items[::3]] == ["这也太梨谱了", "这也太🍐谱了"]
    assert sum(item.original_text == item.reference for item in items) == 4
    assert items[0].components == items[3].components == Components(True, False, False)


def test_perturbations_can_be_chosen(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "homo_full.tsv").unlink()
    dataset = load("toxicloakcn", path=tmp_path, perturbations=("emoji",))
    assert [item.original_text for item in dataset.cxeis] == [content for content, _ in EMOJI]
    with pytest.raises(UserError, match="homophone, emoji"):
        load("toxicloakcn", path=tmp_path, perturbations=("emojis",))
    with pytest.raises(UserError, match="homophone, emoji"):
        load("toxicloakcn", path=tmp_path, perturbations=())


def test_files_that_are_not_aligned_are_refused(tmp_path: Path) -> None:
    write(tmp_path, homo_full=HOMOPHONE[:2], emoji_full=[*EMOJI[:2], (EMOJI[2][0], 1)])
    with pytest.raises(DataError) as caught:
        load("toxicloakcn", path=tmp_path)
    assert [(Path(fault.file).name, fault.row) for fault in caught.value.faults] == [
        ("homo_full.tsv", "all"),
        ("emoji_full.tsv", 4),
    ]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"base_data\.tsv"):
        load("toxicloakcn", path=tmp_path)


def test_other_headers_can_be_named(tmp_path: Path) -> None:
    write(tmp_path)
    for file in tmp_path.iterdir():
        file.write_text(file.read_text().replace("content\ttoxic", "post\tbad"))
    columns = {"original_text": "post", "toxicity": "bad"}
    assert len(load("toxicloakcn", path=tmp_path, columns=columns).cxeis) == 6
