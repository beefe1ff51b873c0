"""No byte of a key is left anywhere: state, outputs, Ray's session, what is printed.

The key has no shape by which it could be recognised, and the server repeats it whenever it can.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

SECRET = "Zq7mPx3vKd9LwRt5HyNc8BfJ"
COUNT = 60


@pytest.fixture
def echoing(runs: Any, server: Any, faulty: Any, help: Any) -> None:
    """A server that repeats the key it was given in errors of every kind."""
    runs.items(COUNT)
    server.key = SECRET

    def answer(body: dict[str, Any]) -> Any:
        sent = server.calls[-1].headers["authorization"]
        number = help.number_of(body["messages"][-1]["content"])
        if number % 10 == 2:
            return faulty.error(400, f"You sent {sent}.", sent)
        if number % 10 == 4:
            return faulty.error(503, f"Too busy for {sent}.")
        if number % 10 == 6:
            return faulty.web.Response(text=f"<html>{sent}</html>", status=502)
        if number % 10 == 8:
            return faulty.web.json_response({"error": {"message": f"Upstream of {sent}"}})
        if number % 10 == 0:
            # An answer may repeat it as well, as that of a gateway which logs for debugging.
            return faulty.web.json_response(faulty.completion(f"0（{sent}）", reasoning=sent))
        return faulty.web.json_response(faulty.completion(str(number % 2)))

    server.on_body, server.latency_s = answer, 0.02


def session_folder(process: Any) -> Path:
    for child in psutil.Process(process.pid).children(recursive=True):
        for part in child.cmdline():
            if part.startswith("--session_dir="):
                return Path(part.partition("=")[2])
    raise AssertionError("no Ray among the processes")


def contents(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Every file as bytes, what is compressed or paged as its plain content as well."""
    import pandas

    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name == ".env":
            continue
        yield path, path.read_bytes()
        if path.suffix == ".parquet":
            yield path, pandas.read_parquet(path).to_csv().encode()
        if path.suffix in (".db", ".sqlite"):
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
                # A value may be torn over two pages of the file; a dump has it whole.
                yield path, "\n".join(database.iterdump()).encode("utf-8", "replace")


def leaks(folder: Path, canary: str = "", secret: str = SECRET) -> list[Path]:
    found, seen = [], False
    for path, content in contents(folder):
        seen = seen or not canary or canary.encode() in content
        if secret.encode() in content:
            found.append(path)
    assert seen, "the search itself does not work"
    return found


@pytest.mark.ray
@pytest.mark.usefixtures("state")
def test_a_key_in_the_environment_with_traces_and_a_server_that_repeats_it(
    echoing: None, runs: Any, server: Any
) -> None:
    process = runs.start(
        "tracking=mlflow",
        "tracking.trace=true",
        "tracking.figures=false",
        "model.api_key_env=VENDOR_ACCESS",
        "model.retries.max_attempts=2",
        "model.retries.max_wait_s=0.1",
        VENDOR_ACCESS=SECRET,
        OPENAI_API_KEY="",
    )
    runs.await_answers(3, process)
    session = session_folder(process)
    token = psutil.Process(process.pid).environ().get("RAY_AUTH_TOKEN", "")
    ended = runs.end(process)
    assert ended.code == 3, ended.out + ended.err
    assert ended.ledger == [36, 0, 0, 0, 0, 0, 24, 60]
    assert SECRET not in ended.out + ended.err
    assert leaks(runs.folder, canary="You sent Bearer [key]") == []
    assert leaks(session, canary="raylet") == []
    assert not token or leaks(session, secret=token) == []
    with sqlite3.connect(runs.home / "mlflow.db") as database:
        traces = database.execute("SELECT count(*) FROM trace_info").fetchone()[0]
    assert traces == COUNT


@pytest.mark.ray
@pytest.mark.usefixtures("ray_session", "state")
def test_a_key_in_a_dotenv_file_and_a_server_that_refuses_it(
    echoing: None, runs: Any, server: Any
) -> None:
    (runs.folder / ".env").write_text(f"VENDOR_ACCESS={SECRET}\n")
    command = ("model.api_key_env=VENDOR_ACCESS", "tracking=mlflow", "tracking.figures=false")
    ended = runs.run(*command, "data.path=few.jsonl", "limit=20", OPENAI_API_KEY="")
    assert ended.code == 2 and "few.jsonl" in ended.err
    # Only items that are answered: this run is complete.
    lines = (runs.folder / "items.jsonl").read_text("utf-8").splitlines()
    (runs.folder / "few.jsonl").write_text("\n".join(lines[1::2]), "utf-8")
    ended = runs.run(*command, "data.path=few.jsonl", OPENAI_API_KEY="")
    assert ended.code == 0, ended.out + ended.err
    assert SECRET not in ended.out + ended.err
    server.key = "another"
    refused = runs.run(*command, "data.path=few.jsonl", "store=refresh", OPENAI_API_KEY="")
    assert refused.code == 2, refused.out + refused.err
    assert "[" in refused.err and SECRET not in refused.out + refused.err
    assert leaks(runs.folder, canary="VENDOR_ACCESS") == []


@pytest.mark.parametrize(
    "argument",
    [
        f"model.api_key={SECRET}",
        f"+model.api_key={SECRET}",
        f"model.extra_headers.Authorization={SECRET}",
        "model.id=sk-0123456789abcdefghijklmn",
    ],
)
def test_a_key_on_the_command_line_is_refused_before_anything_is_written(
    argument: str, runs: Any, server: Any
) -> None:
    ended = runs.run(argument)
    assert ended.code == 2
    assert "secret on the command line" in ended.err
    value = argument.partition("=")[2]
    assert value not in ended.out + ended.err
    assert not runs.home.exists() or leaks(runs.home) == []
    assert server.calls == []
