"""Which requests are in which batch at which server, kept on disk across runs.

One SQLite file under the folder of all state. A batch is written down before its file is sent,
with the file's id before it is started, and with its own id at once after: whenever the driver
dies, the next one finds either the batch or the file that the batch was made of.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable
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


@dataclass(frozen=True, slots=True)
class BatchRecord:
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

    def batches_of(self, keys: Iterable[str]) -> dict[str, int]:
        """Key → number of the batch it is in, for those that are in one."""
        rows = self._db.execute(
            "SELECT key, number FROM line"
            " WHERE server = ? AND key IN (SELECT value FROM json_each(?))",
            (self._server, json.dumps(list(keys))),
        )
        return dict(rows.fetchall())

    def find(self, number: int) -> BatchRecord | None:
        """The batch of that number, unless it was deleted meanwhile."""
        row = self._db.execute(
            "SELECT number, coalesce(input_file, ''), coalesce(id, ''), attempt "
            "FROM batch WHERE number = ?",
            (number,),
        ).fetchone()
        return BatchRecord(*row) if row else None

    def begin(self, keys: Iterable[str], attempt: int) -> BatchRecord:
        """Write down a batch that is about to be sent; its requests leave any earlier one."""
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            number = self._db.execute(
                "INSERT INTO batch (server, attempt, created) VALUES (?, ?, ?)",
                (self._server, attempt, time.time()),
            ).lastrowid
            assert number is not None
            self._db.executemany(
                "INSERT OR REPLACE INTO line VALUES (?, ?, ?)",
                ((self._server, key, number) for key in keys),
            )
        return BatchRecord(number, "", "", attempt)

    def uploaded(self, number: int, input_file: str) -> None:
        """The server has the file."""
        self._db.execute("UPDATE batch SET input_file = ? WHERE number = ?", (input_file, number))

    def started(self, number: int, batch_id: str) -> None:
        """The server has named the batch."""
        self._db.execute("UPDATE batch SET id = ? WHERE number = ?", (batch_id, number))

    def delete(self, number: int) -> None:
        """Forget a batch: its answers are stored, or it will never give any."""
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute("DELETE FROM line WHERE number = ?", (number,))
            self._db.execute("DELETE FROM batch WHERE number = ?", (number,))

    def close(self) -> None:
        self._db.close()
