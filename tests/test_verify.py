"""`python -m mouse.verify`: a sound run verifies, and whatever was changed in it is found."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mouse.tracking import reader
from mouse.verification.sources import Check
from mouse.verification.verify import files, open_for_verification, verify_run
from mouse.verify import main

LEXICON = ("model=lexicon", "task=all", "limit=16")


@pytest.fixture
def run_id(evaluated: Callable[..., str], in_home: Path) -> str:
    return evaluated(*LEXICON)


@contextmanager
def changed(path: Path, content: bytes | None) -> Iterator[None]:
    """The file with other content (None: gone) for a while."""
    before = path.read_bytes()
    try:
        path.unlink() if content is None else path.write_bytes(content)
        yield
    finally:
        path.write_bytes(before)


@contextmanager
def reseal(run_id: str) -> Iterator[None]:
    """The run as a forger would leave it: files changed inside, list and tag made anew."""
    from mlflow.tracking.client import MlflowClient

    from mouse.tracking import checksums, home

    client, run = MlflowClient(home.tracking_uri()), reader.load_run(run_id)
    listing = run.folder / checksums.NAME
    seal, before = run.summary.tags[checksums.TAG], listing.read_bytes()
    try:
        client.set_tag(run.run_id, checksums.TAG, checksums.write(run.folder))
        yield
    finally:
        client.set_tag(run.run_id, checksums.TAG, seal)
        listing.write_bytes(before)


def verified(run_id: str) -> dict[str, Check]:
    return {check.name: check for check in verify_run(open_for_verification(run_id))}


def different(run_id: str) -> set[str]:
    return {name for name, check in verified(run_id).items() if check.status == "DIFFERENT"}


def with_values(path: Path, **columns: Callable[[int, object], object]) -> bytes:
    """A Parquet file's bytes with columns mapped: (row number, value) → value."""
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    for name, change in columns.items():
        values = [change(n, v) for n, v in enumerate(table[name].to_pylist())]
        place = table.schema.get_field_index(name)
        column = pa.array(values, table.schema.field(name).type)
        table = table.set_column(place, table.schema.field(name), column)
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd")
    return out.getvalue()


def test_a_sound_run_verifies_in_every_check(run_id: str, capsys: pytest.CaptureFixture) -> None:
    assert main([run_id[:8]]) == 0
    printed = capsys.readouterr().out
    assert printed.rstrip().endswith("verified") and "NOT" not in printed
    checks = verified(run_id)
    wanted = {"files", "configuration", "data as stored", "data here", "prompts", "requests"}
    wanted |= {f"{kind} {task}" for kind in ("rows", "answers", "metrics") for task in CODES}
    wanted |= {"verdicts", "metrics.json", "judge quality", "code", "versions"}
    assert checks.keys() == wanted
    assert {check.status for check in checks.values()} <= {"ok", "noted"}


CODES = ("tr", "rc", "ir", "td", "ms", "cc")


def test_a_changed_byte_is_found_in_whichever_file(run_id: str) -> None:
    folder = reader.load_run(run_id).folder
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    assert len(paths) > 15
    for number, path in enumerate(paths):
        content = bytearray(path.read_bytes())
        content[number * 7919 % len(content)] ^= 1
        with changed(path, bytes(content)):
            first = verify_files(run_id)
        assert first.status == "DIFFERENT", path
        name = path.relative_to(folder).as_posix()
        assert name in first.why or name == "checksums.json", first
    assert verify_files(run_id).status == "ok"


def verify_files(run_id: str) -> Check:
    return files(open_for_verification(run_id))


def test_damage_is_a_finding_and_never_a_traceback(
    run_id: str, capsys: pytest.CaptureFixture
) -> None:
    folder = reader.load_run(run_id).folder
    for name in ("predictions/td.parquet", "manifest.json", "metrics.json", "items/cxei.parquet"):
        for content in (None, b"", b"\xff\x00 not this"):
            with changed(folder / name, content):
                assert main([run_id]) == 3, (name, content)
    printed = capsys.readouterr()
    assert "manifest.json is missing" in printed.out and "Traceback" not in printed.err


def test_a_metric_changed_in_the_database_is_found(run_id: str) -> None:
    from mlflow.tracking.client import MlflowClient

    from mouse.tracking import home

    client = MlflowClient(home.tracking_uri())
    before = client.get_run(run_id).data.metrics["td/acc"]
    client.log_metric(run_id, "td/acc", before + 1e-6)
    try:
        assert different(run_id) == {"metrics td"}
        assert "td/acc" in verified(run_id)["metrics td"].why
    finally:
        client.log_metric(run_id, "td/acc", before)
    assert different(run_id) == set()


@pytest.mark.parametrize(
    ("file", "column", "change", "found"),
    [
        # An answer turned right, consistently with nothing else.
        ("predictions/td.parquet", "predicted", lambda n, v: "1" if v == "0" else "0", "answers"),
        ("predictions/td.parquet", "gold", lambda n, v: "1" if v == "0" else "0", "rows"),
        ("predictions/td.parquet", "raw_text", lambda n, v: "我不能回答", "answers"),
        ("predictions/ir.parquet", "outcome", lambda n, v: "truncated", "answers"),
        ("predictions/cc.parquet", "correct", lambda n, v: not v, "rows"),
        ("predictions/cc.parquet", "text", lambda n, v: "别的", "rows"),
        ("predictions/rc.parquet", "request_key", lambda n, v: "0" * 64, "requests"),
        ("verdicts/tr_verdicts.parquet", "score", lambda n, v: 2, "verdicts"),
        ("items/cxei.parquet", "toxicity", lambda n, v: 1 - v, "rows"),
        ("items/cxei.parquet", "original_text", lambda n, v: "别的", "data here"),
    ],
)
def test_a_forged_file_is_found_though_its_checksums_were_made_anew(
    run_id: str, file: str, column: str, change: Callable, found: str
) -> None:
    path = reader.load_run(run_id).folder / file
    with changed(path, with_values(path, **{column: change})), reseal(run_id):
        wrong = different(run_id)
    assert "files" not in wrong
    assert any(name.startswith(found) for name in wrong), wrong


def test_an_answer_that_vanished_is_found(run_id: str) -> None:
    import io

    import pyarrow.parquet as pq

    path = reader.load_run(run_id).folder / "predictions/ms.parquet"
    out = io.BytesIO()
    pq.write_table(pq.read_table(path).slice(1), out)
    with changed(path, out.getvalue()), reseal(run_id):
        assert {"requests", "metrics ms"} <= different(run_id)


def test_other_data_or_prompts_than_the_runs_differ(run_id: str) -> None:
    path = reader.load_run(run_id).folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["dataset"]["fingerprint"] = "0" * 64
    manifest["prompts"]["fingerprint"] = "1" * 64
    with changed(path, json.dumps(manifest).encode()), reseal(run_id):
        checks = verified(run_id)
    assert checks["data here"].status == checks["prompts"].status == "DIFFERENT"
    assert checks["data as stored"].status == "DIFFERENT"
    assert checks["answers td"].status == "not checked"


def test_other_code_is_noted_and_fails_only_when_strict(run_id: str) -> None:
    path = reader.load_run(run_id).folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["code"]["fingerprint"] = "0" * 64
    manifest["versions"]["numpy"] = "1.0"
    with changed(path, json.dumps(manifest).encode()), reseal(run_id):
        checks = verified(run_id)
        assert checks["code"].status == checks["versions"].status == "noted"
        assert "numpy 1.0 then" in checks["versions"].why
        assert main([run_id]) == 0
        assert main([run_id, "--strict"]) == 3


def test_a_file_added_beside_is_said_and_one_that_would_be_read_differs(run_id: str) -> None:
    folder = reader.load_run(run_id).folder
    note, verdicts = folder / "note.txt", folder / "verdicts" / "tr_members.parquet"
    try:
        note.write_text("mine", encoding="utf-8")
        assert verify_files(run_id).status == "ok" and "note.txt" in verify_files(run_id).why
        verdicts.write_bytes((folder / "verdicts" / "tr_verdicts.parquet").read_bytes())
        assert verify_files(run_id).status == "DIFFERENT"
    finally:
        note.unlink()
        verdicts.unlink(missing_ok=True)


def test_an_incomplete_run_verifies_with_its_bounds(unfinished: str, in_home: Path) -> None:
    checks = verified(unfinished)
    assert {c.status for c in checks.values()} <= {"ok", "noted"}, checks
    assert "td/acc_worst" in reader.load_run(unfinished).summary.metrics


def test_no_such_run_exits_2_with_one_sentence(run_id: str, capsys: pytest.CaptureFixture) -> None:
    assert main(["nosuch"]) == 2
    assert "no run has an id that begins with 'nosuch'" in capsys.readouterr().err
