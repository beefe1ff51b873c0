from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.models.vllm.weights import weights_hash


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "sub" / "x.json").write_text("[]")
    return folder


def test_a_copy_elsewhere_is_the_same_model(model: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere"
    shutil.copytree(model, copy)
    os.utime(copy / "config.json", (1, 1))
    assert weights_hash(copy) == weights_hash(model)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "sub/x.json"])
def test_any_changed_file_is_another_model(model: Path, name: str) -> None:
    before = weights_hash(model)
    (model / name).write_bytes((model / name).read_bytes() + b" ")
    assert weights_hash(model) != before


def test_a_renamed_or_new_file_is_another_model(model: Path) -> None:
    before = weights_hash(model)
    (model / "config.json").rename(model / "configuration.json")
    renamed = weights_hash(model)
    (model / "chat_template.jinja").write_text("{{ x }}")
    assert len({before, renamed, weights_hash(model)}) == 3


def test_what_decides_no_answer_does_not_count(model: Path) -> None:
    before = weights_hash(model)
    (model / "README.md").write_text("new")
    (model / ".cache").mkdir()
    (model / ".cache" / "x.json").write_text("{}")
    assert weights_hash(model) == before


def test_files_are_read_once(model: Path, tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    first = weights_hash(model, memory)
    (sidecar,) = memory.glob("*.json")
    rows = json.loads(sidecar.read_text())
    # Falsify what is remembered: it is believed as long as size and time stay the same, …
    rows["model.safetensors"][2] = "0" * 64
    sidecar.write_text(json.dumps(rows))
    assert weights_hash(model, memory) != first
    # … and not where the time has changed.
    os.utime(model / "model.safetensors", ns=(1, 1))
    assert weights_hash(model, memory) == first == weights_hash(model)


@pytest.mark.parametrize("rubbish", [b"", b"[1]", b'{"config.json": 3}', b"\xff", b'{"a": [1]}'])
def test_a_broken_memory_is_done_without(model: Path, tmp_path: Path, rubbish: bytes) -> None:
    memory = tmp_path / "memory"
    first = weights_hash(model, memory)
    (sidecar,) = memory.glob("*.json")
    sidecar.write_bytes(rubbish)
    assert weights_hash(model, memory) == first


def test_a_memory_that_cannot_be_written_is_done_without(model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert weights_hash(model, tmp_path / "file" / "memory") == weights_hash(model)


@given(st.dictionaries(st.from_regex(r"[a-z]{1,5}\.json", fullmatch=True), st.binary(max_size=5)))
def test_different_folders_have_different_hashes(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    folder = tmp_path_factory.mktemp("m")
    for name, content in files.items():
        (folder / name).write_bytes(content)
    before = weights_hash(folder)
    (folder / "zzzzzz.json").write_bytes(b"")
    assert weights_hash(folder) != before
