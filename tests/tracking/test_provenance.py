"""The code's fingerprint follows its content."""

from __future__ import annotations

from pathlib import Path

from mouse.tracking import provenance


def test_the_fingerprint_follows_names_and_contents_of_python_files(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    first = provenance.fingerprint(tmp_path)
    (tmp_path / "notes.txt").write_text("no code", encoding="utf-8")
    assert provenance.fingerprint(tmp_path) == first
    (tmp_path / "a.py").write_bytes(b"x = 1\r\n")
    assert provenance.fingerprint(tmp_path) == first  # line ends of another system
    (tmp_path / "a.py").write_text("x = 2\n", encoding="utf-8")
    assert provenance.fingerprint(tmp_path) != first
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    (tmp_path / "b.py").write_text("x = 1\n", encoding="utf-8")
    assert provenance.fingerprint(tmp_path) != first


def test_the_fingerprint_is_of_this_package_and_not_of_an_empty_folder(tmp_path: Path) -> None:
    found = provenance.code().fingerprint
    assert len(found) == 64 and found != provenance.fingerprint(tmp_path)
