"""One Ray for the process: start it or join one.

A sweep runs many evaluations in one process, so Ray is started once and ended by whoever ends
the process, never by an engine.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import sys
import threading
from typing import Any

from mouse.errors import UserError

NAMESPACE = "mouse"
_OBJECT_STORE_BYTES = 200 * 2**20
"""Chunks are kilobytes; Ray's default of 30% of the memory would be reserved for nothing."""
_CONNECT_TIMEOUT_S = 10.0
_VITAL = frozenset({"raylet", "gcs_server"})
"""Ray's own processes without which it cannot go on."""

_lock = threading.Lock()
_connected_here = False
_own_processes: list[tuple[str, Any]] = []
"""Name and `psutil.Process` of the vital processes of a Ray that this process started."""


def ensure_ray(address: str | None = None, num_cpus: float | None = None) -> None:
    """Have this process connected to Ray when it returns; does nothing where it is already.

    `address`: None starts a Ray of our own on this machine, `auto` or `host:port` or
    `ray://…` joins one. `num_cpus`: how many CPUs our own Ray may hand out (None: all).

    Raises:
        UserError: no Ray answers at `address`, or `num_cpus` is given for one that is running.
    """
    global _connected_here
    with _lock:
        if _initialised():
            return
        if address in (None, "", "local"):
            _start(num_cpus)
        elif num_cpus is not None:
            raise UserError(
                f"engine.num_cpus={num_cpus:g} cannot be set for a running Ray (engine.address="
                f"{address}); leave one of the two out."
            )
        else:
            _join(str(address))
        _connected_here = True


def shutdown() -> None:
    """Leave Ray where this module joined it, end it where this module started it, else nothing."""
    global _connected_here
    with _lock:
        if _connected_here and _initialised():
            import ray

            ray.shutdown()
        _connected_here = False
        _own_processes.clear()


def node_failure() -> str:
    """Why Ray cannot go on, in one sentence; empty while it can.

    Ray itself notices the death of its own node only after a minute, and then ends the driver
    without a word to it. So for a Ray of our own we look at its processes.
    """
    import psutil
    import ray

    if not _initialised():
        return "Ray was shut down."
    if _own_processes:
        ended = [
            name
            for name, process in _own_processes
            if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
        ]
        return f"The Ray node died (its {' and '.join(ended)} ended)." if ended else ""
    try:
        alive = any(node["Alive"] for node in ray.nodes())
    except Exception as error:  # whatever a client without its server raises
        return f"The Ray cluster does not answer ({type(error).__name__})."
    return "" if alive else "No node of the Ray cluster is alive."


def _initialised() -> bool:
    ray = sys.modules.get("ray")  # not imported, not initialised; and importing costs 0.5 s
    return ray is not None and hasattr(ray, "is_initialized") and ray.is_initialized()


def _start(num_cpus: float | None) -> None:
    """Start a Ray of our own. Not at the default address: that would join any that runs here."""
    # Ray puts its workers at niceness 15, where a busy machine starves a model's engine.
    os.environ.setdefault("RAY_worker_niceness", "0")
    if "RAY_AUTH_MODE" not in os.environ and "ray" not in sys.modules:
        # (Ray reads the mode when it is imported; after that it is too late to change it.)
        # A token for this process's own Ray: without one Ray writes ~/.ray/auth_token.
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    import psutil

    _init(
        address="local",
        include_dashboard=False,
        num_cpus=num_cpus,
        object_store_memory=_OBJECT_STORE_BYTES,
    )
    children = [(child.name(), child) for child in psutil.Process().children(recursive=True)]
    _own_processes[:] = [(name, child) for name, child in children if name in _VITAL]


def _join(address: str) -> None:
    try:
        _check_reachable(address)
        _init(address=address)
    except (OSError, ValueError, RuntimeError) as error:
        raise UserError(
            f"No Ray cluster answers at engine.address={address} ({error}); start one with "
            "`ray start --head`, or leave engine.address out."
        ) from error


def _init(**options: Any) -> None:
    # `uv run` makes Ray rebuild the environment for every worker; ours is the driver's.
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    # No report to the vendor, and not the second that asking for it takes at exit.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Ray's coming default, which it otherwise announces once a worker.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray

    logging.getLogger("ray").setLevel(logging.ERROR)
    ray.init(namespace=NAMESPACE, log_to_driver=False, configure_logging=False, **options)


def _check_reachable(address: str) -> None:
    """Raise OSError for an address where nobody listens; Ray itself would try for minutes."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if colon and port.isdigit():  # `auto` and the like: Ray looks for itself, and quickly
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_TIMEOUT_S).close()
