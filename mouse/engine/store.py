"""The completion store: answers already paid for, in one SQLite file, safe against kill -9.

Journal in WAL mode with `synchronous=NORMAL`: what `put_many` has committed survives the death
of the process at any instant (the pages are the kernel's by then); a power cut may lose the last
commits but leaves the file sound. Several processes may use one store at once on a local disk;
WAL needs shared memory, so a network file system is no place for it.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from mouse.contracts import Completion
from mouse.engine.codec import decode_completion, encode_completion
from mouse.engine.config import StoreMode
from mouse.errors import UserError

SCHEMA_VERSION = 1
_APPLICATION_ID = 0x4D4F5553  # «MOUS» in the file's header, by which `file` and we know it
_BUSY_TIMEOUT_S = 30.0
_KEYS_A_QUERY = 512
_T = TypeVar("_T")


class CompletionStore:
    """Answers by request key.

    `mode`: `reuse` answers from the store and adds to it; the answer stored first stays, so that
    a repeated run sees what the first one saw. `refresh` never answers from it and overwrites,
    so an interrupted refresh starts over. (`off` is an engine without a store.)

    Only answers are stored, that is, completions without an `error`: a failure of transport is
    asked again by the next run. A completion that was filtered or cut off is an answer.

    Raises:
        UserError: the file is not a store, is damaged, comes from a newer mouse, or cannot be
            read or written.
    """

    def __init__(self, path: Path, mode: StoreMode = StoreMode.reuse) -> None:
        self.path = path
        self.mode = mode
        self._lock = threading.Lock()
        self._db = self._guarded(self._open)

    def get_many(self, keys: Sequence[str]) -> dict[str, Completion]:
        """The stored completions among `keys`; those that are not stored are absent."""
        if self.mode is not StoreMode.reuse:
            return {}
        found: dict[str, Completion] = {}
        with self._lock:
            for start in range(0, len(keys), _KEYS_A_QUERY):
                batch = keys[start : start + _KEYS_A_QUERY]
                marks = ",".join("?" * len(batch))
                query = f"SELECT key, body FROM completion WHERE key IN ({marks})"
                try:
                    for key, body in self._guarded(self._fetch, query, batch):
                        found[key] = decode_completion(key, body)
                except (ValueError, TypeError) as error:
                    raise UserError(
                        f"{self.path} is damaged (the answer {key[:12]}… cannot be read); move it "
                        "away and run again, or use store=refresh."
                    ) from error
        return found

    def put_many(self, completions: Iterable[Completion]) -> int:
        """Store the answers among `completions` in one commit; returns how many were answers."""
        now = time.time()
        rows = [
            (completion.request_key, encode_completion(completion), now)
            for completion in completions
            if completion.error is None
        ]
        if rows:
            with self._lock:
                self._guarded(self._write, rows)
        return len(rows)

    def __len__(self) -> int:
        with self._lock:
            return int(self._guarded(self._fetch, "SELECT count(*) FROM completion")[0][0])

    def close(self) -> None:
        """Close the file; further calls raise. Closing twice does nothing."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(
            self.path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        try:
            # Refuse a stranger's database before anything, even the journal mode, is changed.
            self._check_owner(db)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute("BEGIN IMMEDIATE")
            self._check_owner(db)
            db.execute(f"PRAGMA application_id={_APPLICATION_ID}")
            db.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
            row = db.execute("SELECT version FROM schema_version").fetchone()
            if row is None:
                db.execute("INSERT INTO schema_version VALUES (?)", (SCHEMA_VERSION,))
            elif row[0] != SCHEMA_VERSION:
                raise UserError(
                    f"{self.path} has store version {row[0]}, and this mouse reads version "
                    f"{SCHEMA_VERSION}; update mouse, or name another folder with MOUSE_HOME."
                )
            db.execute(
                "CREATE TABLE IF NOT EXISTS completion "
                "(key TEXT PRIMARY KEY, body BLOB NOT NULL, created REAL NOT NULL)"
            )
            db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        return db

    def _check_owner(self, db: sqlite3.Connection) -> None:
        owner = db.execute("PRAGMA application_id").fetchone()[0]
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if owner != _APPLICATION_ID and (owner != 0 or tables):
            raise UserError(
                f"{self.path} is a database of another program, not a completion store; "
                "move it away, or name another folder with MOUSE_HOME."
            )

    def _fetch(self, query: str, values: Sequence[str] = ()) -> list[tuple]:
        return self._db.execute(query, values).fetchall()

    def _write(self, rows: list[tuple[str, bytes, float]]) -> None:
        verb = "REPLACE" if self.mode is StoreMode.refresh else "IGNORE"
        with self._db:  # commits, or rolls back where it is left by an exception
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(f"INSERT OR {verb} INTO completion VALUES (?, ?, ?)", rows)

    def _guarded(self, action: Callable[..., _T], *given: Any) -> _T:
        """Call `action`, waiting out other writers, and say in words what SQLite says in codes."""
        deadline = time.monotonic() + _BUSY_TIMEOUT_S
        while True:
            try:
                return action(*given)
            except sqlite3.OperationalError as error:
                # Changing the journal mode does not wait for busy_timeout: it fails at once.
                if "locked" in str(error) or "busy" in str(error):
                    if time.monotonic() < deadline:
                        time.sleep(0.02)
                        continue
                    raise UserError(
                        f"{self.path} has been locked by another process for "
                        f"{_BUSY_TIMEOUT_S:.0f} s; end that process or use store=off."
                    ) from error
                raise UserError(
                    f"{self.path} cannot be read or written ({error}); check the folder's "
                    "permissions and free space, or use store=off."
                ) from error
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.ProgrammingError):
                    raise
                raise UserError(
                    f"{self.path} is not a completion store or is damaged ({error}); move it "
                    "away and run again."
                ) from error
            except OSError as error:
                raise UserError(
                    f"The folder of {self.path} cannot be made ({error.strerror}); name "
                    "another with MOUSE_HOME, or use store=off."
                ) from error
