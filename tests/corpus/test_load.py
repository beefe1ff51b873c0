"""Data sets load by kind, and a wrong call is answered with what to do."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.corpus.load import SAMPLE_NOTE, load
from mouse.corpus.reading.readers import READERS
from mouse.corpus.resources import data_path
from mouse.errors import UserError


def test_the_sample_loads_and_says_what_it_is_not() -> None:
    dataset = load("sample")
    assert dataset.name == "sample"
    assert len(dataset.cxeis) > 100
    assert dataset.notes == (SAMPLE_NOTE,)
    assert data_path("sample").parts[-2:] == ("data", "sample")


def test_a_file_and_a_folder_load_alike(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("编号,原文,意图\n1,我🌶️么菜,评论\n", encoding="utf-8")
    one, all_ = load("files", path=file), load("files", path=str(tmp_path))
    assert one.cxeis == all_.cxeis and one.fingerprint == all_.fingerprint
    assert (one.name, all_.name) == ("mine", tmp_path.name)
    assert load("files", path=file, name="other").name == "other"


def test_the_benchmark_loads_from_files_the_user_has(tmp_path: Path) -> None:
    file = tmp_path / "mouse.tsv"
    file.write_text("序号\t抽象话\t标准中文\t成分\n1\t我🌶️么菜\t我那么菜\t谐音、视觉\n")
    dataset = load("mouse", path=file)
    assert dataset.name == "mouse"
    assert dataset.cxeis[0].components.visual is True


@pytest.mark.parametrize("kind", ["files", "mouse", "toxicloakcn"])
def test_a_kind_that_needs_a_path_says_so(kind: str) -> None:
    with pytest.raises(UserError, match=rf"data={kind} needs data\.path"):
        load(kind)


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UserError, match="sample, files, toxicloakcn, mouse"):
        load("mose")


def test_a_misspelt_column_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,text\n1,a\n")
    with pytest.raises(UserError, match="no such field"):
        load("files", path=tmp_path, columns={"txt": "text"})
    with pytest.raises(UserError, match="no such column"):
        load("files", path=tmp_path, columns={"original_text": "原文"})


@given(st.binary() | st.text().map(str.encode), st.sampled_from(sorted(READERS)))
def test_no_file_makes_loading_fail_otherwise_than_by_refusing(content: bytes, ending: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"x{ending}"
        file.write_bytes(content)
        try:
            dataset = load("files", path=file)
        except UserError as error:
            assert str(file) in str(error) or "no items" in str(error)
        else:
            assert dataset.cxeis or dataset.choices
