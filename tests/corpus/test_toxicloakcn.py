"""The three aligned ToxiCloakCN files become pairs with the labels that are known."""

from pathlib import Path

import pytest

from mouse.corpus.items import Components
from mouse.corpus.load import load
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
    emoji = Components(homophonic=None, visual=True, semantic=None)
    assert [item.components for item in dataset.cxeis] == [
        Components(homophonic=True, visual=False, semantic=False),
        UNKNOWN,  # nothing was replaced
        Components(homophonic=True, visual=None, semantic=False),  # the base has an emoji
        emoji,
        emoji,
        emoji,
    ]
    assert "1 of 6 rows are as in the base file" in " ".join(dataset.notes)


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
