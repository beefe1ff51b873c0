from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from mouse.contracts import Completion, CompletionError, Usage
from mouse.engine.config import StoreMode
from mouse.engine.store import CompletionStore
from mouse.errors import UserError

ANSWER = Completion(
    "k1",
    text="了",
    reasoning="想",
    finish_reason="stop",
    logprobs=({"token": "了", "logprob": -0.1, "top": {"了": -0.1}},),
    usage=Usage(10, 2, 1, 0, True),
    latency_s=0.25,
    model_reported="m-1",
    attempts=2,
)


def test_what_was_put_comes_back_in_a_later_process_equal_in_every_field(tmp_path: Path) -> None:
    with CompletionStore(tmp_path / "deep" / "store.db") as store:
        assert store.put_many([ANSWER, replace(ANSWER, request_key="k2", logprobs=None)]) == 2
    with CompletionStore(tmp_path / "deep" / "store.db") as store:
        assert store.get_many(["k1", "k3"]) == {"k1": ANSWER}
        assert len(store) == 2


def test_errors_are_not_answers_but_filtered_and_truncated_ones_are(tmp_path: Path) -> None:
    failed = Completion("k1", error=CompletionError("timeout", "60 s"))
    filtered = Completion("k2", finish_reason="content_filter")
    cut = Completion("k3", text="", finish_reason="length")
    with CompletionStore(tmp_path / "s.db") as store:
        assert store.put_many([failed, filtered, cut]) == 2
        assert store.get_many(["k1", "k2", "k3"]) == {"k2": filtered, "k3": cut}


def test_reuse_keeps_the_first_answer_and_refresh_replaces_it(tmp_path: Path) -> None:
    other = replace(ANSWER, text="辣")
    with CompletionStore(tmp_path / "s.db") as store:
        store.put_many([ANSWER])
        store.put_many([other])
        assert store.get_many(["k1"])["k1"].text == "了"
    with CompletionStore(tmp_path / "s.db", StoreMode.refresh) as store:
        assert store.get_many(["k1"]) == {}
        store.put_many([other])
    with CompletionStore(tmp_path / "s.db") as store:
        assert store.get_many(["k1"])["k1"].text == "辣"


def test_more_keys_than_one_query_holds(tmp_path: Path) -> None:
    answers = [replace(ANSWER, request_key=f"k{i}") for i in range(1_234)]
    with CompletionStore(tmp_path / "s.db") as store:
        store.put_many(answers)
        assert store.get_many([f"k{i}" for i in range(2_000)]) == {
            answer.request_key: answer for answer in answers
        }


def test_a_file_that_is_no_database_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.write_bytes(b"not a database, but long enough to be read as the header of one " * 40)
    before = path.read_bytes()
    with pytest.raises(UserError, match="not a completion store or is damaged"):
        CompletionStore(path)
    assert path.read_bytes() == before


def test_another_programs_database_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "mlflow.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE runs (id TEXT)")
    db.close()
    before = path.read_bytes()
    with pytest.raises(UserError, match="another program"):
        CompletionStore(path)
    assert path.read_bytes() == before


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    CompletionStore(path).close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE schema_version SET version = 99")
    db.close()
    with pytest.raises(UserError, match="version 99"):
        CompletionStore(path)


def test_a_damaged_page_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    keys = [f"k{i}" for i in range(2_000)]
    with CompletionStore(path) as store:
        store.put_many([replace(ANSWER, request_key=key) for key in keys])
    data = bytearray(path.read_bytes())
    data[8_192:-4_096] = os.urandom(len(data) - 12_288)
    path.write_bytes(data)
    with pytest.raises(UserError, match="damaged"), CompletionStore(path) as store:
        store.get_many(keys)


def test_a_damaged_row_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with CompletionStore(path) as store:
        store.put_many([ANSWER])
    with sqlite3.connect(path) as db:
        db.execute("UPDATE completion SET body = x'5B31'")
    db.close()
    with pytest.raises(UserError, match="damaged"), CompletionStore(path) as store:
        store.get_many(["k1"])


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="MOUSE_HOME"):
        CompletionStore(tmp_path / "file" / "s.db")


_WRITER = """
import sys
from pathlib import Path
from mouse.contracts import Completion
from mouse.engine.store import CompletionStore
with CompletionStore(Path(sys.argv[1])) as store:
    for i in range(200):
        store.put_many([Completion(f"{sys.argv[2]}{i}", text="了", finish_reason="stop")])
"""


def test_processes_that_create_and_write_one_store_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, str(path), name]) for name in "abc"]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    with CompletionStore(path) as store:
        assert len(store) == 600


def test_what_was_committed_survives_kill_9(tmp_path: Path) -> None:
    program = (
        "import sys; from mouse.engine.store import CompletionStore; "
        "from mouse.contracts import Completion; from pathlib import Path\n"
        "store = CompletionStore(Path(sys.argv[1]))\n"
        "for i in range(10**6):\n"
        "    store.put_many([Completion(f'k{i}', text='了', finish_reason='stop')])\n"
        "    print(i, flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "s.db")], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.2)
        process.send_signal(signal.SIGKILL)
        said = [line for line in process.stdout.read().split("\n") if line]
    committed = int(said[-1]) if said else 0
    assert committed > 10
    with CompletionStore(tmp_path / "s.db") as store:
        assert len(store.get_many([f"k{i}" for i in range(committed + 1)])) == committed + 1
