"""Seals over a folder: every change is found, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mouse.tracking import checksums

CONTENTS = st.dictionaries(
    st.from_regex(r"[a-z]{1,4}(/[a-z]{1,4})?\.txt", fullmatch=True),
    st.binary(max_size=40),
    min_size=1,
    max_size=4,
)


def write(folder: Path, contents: dict[str, bytes]) -> None:
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@given(before=CONTENTS, after=CONTENTS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_changed_missing_and_added_files_are_told_apart(
    tmp_path_factory: pytest.TempPathFactory, before: dict[str, bytes], after: dict[str, bytes]
) -> None:
    sealed, now = tmp_path_factory.mktemp("sealed"), tmp_path_factory.mktemp("now")
    write(sealed, before)
    seal = checksums.write(sealed)
    assert seal == checksums.sha256(sealed / checksums.NAME) == checksums.write(sealed)
    listed = checksums.read(sealed)
    write(now, after)
    found = checksums.damage(now, listed)
    assert set(found.missing) == before.keys() - after.keys()
    assert set(found.added) == after.keys() - before.keys()
    assert set(found.changed) == {k for k in before.keys() & after if before[k] != after[k]}


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b'{"a": 1}'])
def test_a_list_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / checksums.NAME).write_bytes(content)
    with pytest.raises(ValueError, match=r"checksums\.json"):
        checksums.read(tmp_path)
