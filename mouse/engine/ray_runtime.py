"""One Ray for the process: start it or join one.

A sweep runs many evaluations in one process, so Ray is started once and ended by whoever ends
the process, never by an engine.
"""

from __future__ import annotations

import inspect
import logging
import os
import secrets
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from mouse.errors import UserError

NAMESPACE = "mouse"
_OBJECT_STORE_BYTES = 200 * 2**20
"""Chunks are kilobytes; Ray's default of 30% of the memory would be reserved for nothing."""
_KNOCK_S = 10.0
_NO_HELPERS = {"no_monitor": True, "include_log_monitor": False}

_lock = threading.Lock()
_connected_here = False
_own_node = False


def ensure_ray(address: str | None = None, num_cpus: float | None = None) -> None:
    """Have this process connected to Ray when it returns; does nothing where it is already.

    `address`: None starts a Ray of our own on this machine, `auto` or `host:port` or
    `ray://…` joins one. `num_cpus`: how many CPUs our own Ray may hand out (None: all).

    Raises:
        UserError: no Ray answers at `address`, or `num_cpus` is given for one that is running.
    """
    with _lock:
        if not _initialised():
            _start(address, num_cpus)


def shutdown() -> None:
    """Leave Ray where this module joined it, end it where this module started it, else nothing."""
    global _connected_here, _own_node
    with _lock:
        if _connected_here and _initialised():
            import ray

            ray.shutdown()
        _connected_here = _own_node = False


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
        with _without_idle_helpers() if local else nullcontext():
            ray.init(**options)
    except (ConnectionError, ValueError, RuntimeError) as error:
        if local:
            raise
        raise UserError(
            f"No Ray cluster answers at engine.address={address} ({error}); start one with "
            "`ray start --head`, or leave engine.address out."
        ) from error
    _connected_here, _own_node = True, local


@contextmanager
def _without_idle_helpers() -> Iterator[None]:
    """Within, a local Ray starts without its autoscaler's monitor and its log monitor.

    There is nothing to scale on one machine, and `log_to_driver` is off; yet they cost CPU at the
    start and 1.2 s at the end of every run (docs/decisions/engine.md). `ray start` has switches for
    both and `ray.init` has none, so the defaults of its parameters are changed; where a later Ray
    has other parameters, it starts as it would by itself.
    """
    from ray._private import parameter

    class Params(parameter.RayParams):  # type: ignore[misc]
        def __init__(self, *args: Any, **given: Any) -> None:
            super().__init__(*args, **{**_NO_HELPERS, **given})

    known = inspect.signature(parameter.RayParams.__init__).parameters
    if not known.keys() >= _NO_HELPERS.keys():
        yield
        return
    before = parameter.RayParams
    parameter.RayParams = Params  # type: ignore[misc]
    try:
        yield
    finally:
        parameter.RayParams = before  # type: ignore[misc]


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
