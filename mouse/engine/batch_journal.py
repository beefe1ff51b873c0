"""Which requests are in which batch at which server: what outlives a driver that ends too soon.

One SQLite file under the folder of all state. A batch is written down before its file is sent,
with the file's id before it is started, and with its own id at once after: whatever instant the
driver dies at, the next one finds either the batch or the file that the batch was made of.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mouse.errors import UserError

JOURNAL_FILE = "batches.sqlite"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS batch (
    number INTEGER PRIMARY KEY, server TEXT NOT NULL, input_file TEXT, id TEXT,
    attempt INTEGER NOT NULL, created REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS line (
    server TEXT NOT NULL, key TEXT NOT NULL, number INTEGER NOT NULL,
    PRIMARY KEY (server, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS line_number ON line (number);
"""
_KEYS_A_QUERY = 500


@dataclass(frozen=True, slots=True)
class Entry:
    """A batch that was begun. `id` is empty until the server has named it."""

    number: int
    input_file: str
    id: str
    attempt: int


class BatchJournal:
    """`server`: who holds the batches (base URL); several runs may use one file.

    A request is in at most one batch of a server: the one that asked for it last.
    """

    def __init__(self, path: Path, server: str) -> None:
        self._server = server
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=30, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise UserError(
                f"{path}, which remembers the batches under way, cannot be used ({error}): move it "
                "away if it is damaged, or set MOUSE_HOME to a folder that can be written."
            ) from error

    def holding(self, keys: Sequence[str]) -> dict[str, int]:
        """Key → number of the batch it is in, for those that are in one."""
        found: dict[str, int] = {}
        for start in range(0, len(keys), _KEYS_A_QUERY):
            some = keys[start : start + _KEYS_A_QUERY]
            marks = ",".join("?" * len(some))
            rows = self._db.execute(
                f"SELECT key, number FROM line WHERE server = ? AND key IN ({marks})",
                (self._server, *some),
            )
            found.update(rows.fetchall())
        return found

    def entry(self, number: int) -> Entry | None:
        """The batch of that number, unless it was struck out meanwhile."""
        row = self._db.execute(
            "SELECT number, coalesce(input_file, ''), coalesce(id, ''), attempt "
            "FROM batch WHERE number = ?",
            (number,),
        ).fetchone()
        return Entry(*row) if row else None

    def begin(self, keys: Iterable[str], attempt: int) -> Entry:
        """Write down a batch that is about to be sent; its requests leave any earlier one."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            number = self._db.execute(
                "INSERT INTO batch (server, attempt, created) VALUES (?, ?, ?)",
                (self._server, attempt, time.time()),
            ).lastrowid
            assert number is not None
            self._db.executemany(
                "INSERT OR REPLACE INTO line VALUES (?, ?, ?)",
                ((self._server, key, number) for key in keys),
            )
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        return Entry(number, "", "", attempt)

    def uploaded(self, number: int, input_file: str) -> None:
        """The server has the file."""
        self._db.execute("UPDATE batch SET input_file = ? WHERE number = ?", (input_file, number))

    def started(self, number: int, batch_id: str) -> None:
        """The server has named the batch."""
        self._db.execute("UPDATE batch SET id = ? WHERE number = ?", (batch_id, number))

    def strike(self, number: int) -> None:
        """The batch is done with: its answers are stored, or it will never give any."""
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute("DELETE FROM line WHERE number = ?", (number,))
        self._db.execute("DELETE FROM batch WHERE number = ?", (number,))
        self._db.execute("COMMIT")

    def close(self) -> None:
        self._db.close()
