"""One Ray for the process: start it or join one, in the foreground or behind other imports.

A sweep runs many evaluations in one process, so Ray is started once and ended by whoever ends
the process, never by an engine. Measured on two cores: `ray.init` takes 2.6 to 5 s (most of it
Ray waiting for its own agents), a first actor 0.4 s, a further one 0.2 s.
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
_KNOCK_S = 10.0

_lock = threading.Lock()
_connected_here = False
_own_node = False
_background: _BackgroundStart | None = None


def start_ray_in_background(address: str | None = None, num_cpus: float | None = None) -> None:
    """Begin `ensure_ray` in a thread, so that Ray starts while the caller imports other things.

    Returns at once; the next `ensure_ray` waits for it and raises what it raised.
    """
    global _background
    with _lock:
        if _background is None and not _initialised():
            _background = _BackgroundStart(address, num_cpus)


def ensure_ray(address: str | None = None, num_cpus: float | None = None) -> None:
    """Have this process connected to Ray when it returns; does nothing where it is already.

    `address`: None starts a Ray of our own on this machine, `auto` or `host:port` or
    `ray://…` joins one. `num_cpus`: how many CPUs our own Ray may hand out (None: all).

    Raises:
        UserError: no Ray answers at `address`, or `num_cpus` is given for one that is running.
    """
    with _lock:
        if _background is not None:
            _background.wait()
        if not _initialised():
            _start(address, num_cpus)


def shutdown() -> None:
    """Leave Ray where this module joined it, end it where this module started it, else nothing."""
    global _background, _connected_here, _own_node
    with _lock:
        if _background is not None:
            _background.wait(quietly=True)
        if _connected_here and _initialised():
            import ray

            ray.shutdown()
        _connected_here = _own_node = False
        if _background is not None:
            _background.release()
            _background = None


def node_failure() -> str:
    """Why Ray cannot go on, in one sentence; empty while it can.

    Ray itself notices the death of its own node only after a minute, and then ends the driver
    without a word to it. So for a Ray of our own we look at its processes.
    """
    import ray

    if not _initialised():
        return "Ray was shut down."
    if not _own_node:
        try:
            alive = any(node["Alive"] for node in ray.nodes())
        except Exception as error:  # whatever a client without its server raises
            return f"The Ray cluster does not answer ({type(error).__name__})."
        return "" if alive else "No node of the Ray cluster is alive."
    node = getattr(ray._private.worker, "_global_node", None)
    dead = {name for name, _ in node.dead_processes()} if node is not None else set()
    vital = dead & {"raylet", "gcs_server"}
    return f"The Ray node died (its {' and '.join(sorted(vital))} ended)." if vital else ""


def _initialised() -> bool:
    ray = sys.modules.get("ray")  # not imported, not initialised; and importing costs 0.5 s
    return ray is not None and hasattr(ray, "is_initialized") and ray.is_initialized()


def _start(address: str | None, num_cpus: float | None) -> None:
    global _connected_here, _own_node
    local = address in (None, "", "local")
    # `uv run` makes Ray rebuild the environment for every worker; ours is the driver's.
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    # No report to the vendor, and not the second that asking for it takes at exit.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Ray's coming default, which it otherwise announces once a worker.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if local:
        # Ray puts its workers at niceness 15, where a busy machine starves a model's engine.
        os.environ.setdefault("RAY_worker_niceness", "0")
    if local and "RAY_AUTH_MODE" not in os.environ and "ray" not in sys.modules:
        # (Ray reads the mode when it is imported; after that it is too late to change it.)
        # A token for this process's own Ray: without one Ray writes ~/.ray/auth_token.
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    import ray

    logging.getLogger("ray").setLevel(logging.ERROR)
    options: dict[str, Any] = {
        "namespace": NAMESPACE,
        "log_to_driver": False,
        "configure_logging": False,
    }
    if local:
        # Not the default address: that would join any Ray which happens to run here.
        options |= {
            "address": "local",
            "include_dashboard": False,
            "num_cpus": num_cpus,
            "object_store_memory": _OBJECT_STORE_BYTES,
        }
    elif num_cpus is not None:
        raise UserError(
            f"engine.num_cpus={num_cpus:g} cannot be set for a running Ray (engine.address="
            f"{address}); leave one of the two out."
        )
    else:
        _knock(str(address))
        options["address"] = address
    try:
        ray.init(**options)
    except (ConnectionError, ValueError, RuntimeError) as error:
        if local:
            raise
        raise UserError(
            f"No Ray cluster answers at engine.address={address} ({error}); start one with "
            "`ray start --head`, or leave engine.address out."
        ) from error
    _connected_here, _own_node = True, local


def _knock(address: str) -> None:
    """Refuse an address where nobody listens; Ray itself would try for minutes."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if not colon or not port.isdigit():
        return  # `auto` and the like: Ray looks for itself, and quickly
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_KNOCK_S).close()
    except OSError as error:
        raise UserError(
            f"No Ray cluster answers at engine.address={address} ({error}); start one with "
            "`ray start --head`, or leave engine.address out."
        ) from error


class _BackgroundStart:
    """A thread that starts Ray and then lives on: Ray's processes end with their parent thread.

    (They ask the kernel for a signal on the parent's death, and to Linux the parent is the
    thread that forked.)
    """

    def __init__(self, address: str | None, num_cpus: float | None) -> None:
        self._done = threading.Event()
        self._released = threading.Event()
        self._error: BaseException | None = None
        self._arguments = (address, num_cpus)
        threading.Thread(target=self._run, name="ray-start", daemon=True).start()

    def wait(self, *, quietly: bool = False) -> None:
        self._done.wait()
        if self._error is not None and not quietly:
            raise self._error

    def release(self) -> None:
        self._released.set()

    def _run(self) -> None:
        try:
            _start(*self._arguments)
        except BaseException as error:
            self._error = error
        self._done.set()
        self._released.wait()
