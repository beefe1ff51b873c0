"""Where a run's state lies, and the MLflow database in it, created once however many start it.

All state is under one folder: `MOUSE_HOME`, or `mlruns/` of the working directory. Nothing here
imports mlflow until `prepare` runs, so a command that fails early never pays for it.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from filelock import FileLock

from mouse.corpus.resources import home
from mouse.errors import UserError

_LOCK_TIMEOUT_S = 120.0


def artifacts() -> Path:
    """The folder under which runs keep their files."""
    return home() / "artifacts"


def tracking_uri() -> str:
    """Where MLflow writes: `$MLFLOW_TRACKING_URI` where set, else `mlflow.db` under `home()`.

    Raises:
        UserError: the variable names MLflow's file store, which MLflow 3.17 no longer writes.
    """
    given = os.environ.get("MLFLOW_TRACKING_URI")
    if not given:
        return f"sqlite:///{home() / 'mlflow.db'}"
    if urlsplit(given).scheme in ("", "file"):
        raise UserError(
            f"MLFLOW_TRACKING_URI={given} is a folder, which MLflow no longer writes to: unset it, "
            "or give sqlite:////absolute/path/mlflow.db or the http(s) address of a server"
        )
    return given


def is_local() -> bool:
    """Whether runs go to a SQLite file, so that this process chooses where artifacts lie."""
    return tracking_uri().startswith("sqlite:")


def prepare() -> str:
    """Make the folder and, where it is missing, the database; return the tracking URI.

    Safe from any number of processes at once. The database is built beside its place and renamed
    into it, so a process killed half-way leaves none rather than half of one.

    Raises:
        UserError: the folder cannot be written.
    """
    uri = tracking_uri()
    if not uri.startswith("sqlite:///"):
        return uri
    database = Path(uri.removeprefix("sqlite:///"))
    try:
        database.parent.mkdir(parents=True, exist_ok=True)
        artifacts().mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"{database.parent} cannot be written ({error.strerror}): "
            "set MOUSE_HOME to a folder that can"
        ) from error
    if not database.exists():
        _create_once(database)
    return uri


def _create_once(database: Path) -> None:
    try:
        with FileLock(f"{database}.lock", timeout=_LOCK_TIMEOUT_S):
            if not database.exists():
                _build(database)
    except PermissionError as error:
        raise UserError(
            f"{database} cannot be created ({error.strerror}): set MOUSE_HOME to a folder that can "
            "be written"
        ) from error


def _build(database: Path) -> None:
    """Run MLflow's migrations on a file beside `database`, then rename it into place.

    Durability is off while building (0.9 s instead of 1.15 s on an idle machine): the one write
    that must survive is the rename, after a sync of the whole file.
    """
    building = database.with_name(f".{database.name}.{os.getpid()}.building")
    _discard(building)
    try:
        _migrate(building)
        with closing(sqlite3.connect(building)) as connection:
            # WAL lets the UI read while a run writes; the mode is kept in the file.
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with building.open("rb+") as file:
            os.fsync(file.fileno())
        building.rename(database)
    finally:
        _discard(building)


def _migrate(path: Path) -> None:
    """MLflow's store makes the tables, and the default experiment, whose place is fixed for ever."""
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore
    from sqlalchemy import Engine, event

    def fast(connection: Any, _record: Any) -> None:
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("PRAGMA journal_mode=MEMORY")

    event.listen(Engine, "connect", fast)
    for noisy in ("mlflow.store.db.utils", "alembic"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    try:
        SqlAlchemyStore(f"sqlite:///{path}", artifacts().as_uri()).engine.dispose()
    finally:
        event.remove(Engine, "connect", fast)


def _discard(path: Path) -> None:
    for suffix in ("", "-journal", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
