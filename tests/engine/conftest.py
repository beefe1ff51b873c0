"""Fixtures for the engine's tests: one Ray for all of them, test backends that workers can import."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mouse.contracts import Message, Request
from mouse.models.base import BackendSpec

SUPPORT = Path(__file__).parents[1] / "support"
# At import, before anything starts Ray: its workers import the test backends as well.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(SUPPORT), *filter(None, [os.environ.get("PYTHONPATH")])]
)


@pytest.fixture
def ray_session() -> None:
    """A running Ray with two CPUs, started by the first test that wants one."""
    from mouse.engine.ray_runtime import ensure_ray

    ensure_ray(num_cpus=2)


@pytest.fixture(scope="session", autouse=True)
def _ray_ends() -> Iterator[None]:
    yield
    if "ray" in sys.modules:
        from mouse.engine.ray_runtime import shutdown

        shutdown()


@pytest.fixture
def scripted() -> Callable[..., BackendSpec]:
    """Makes the spec of the `Scripted` backend; keywords of the spec or of the backend."""

    def make(**changes: Any) -> BackendSpec:
        names = set(BackendSpec.__dataclass_fields__)
        options = {name: changes.pop(name) for name in list(changes) if name not in names}
        defaults: dict[str, Any] = {
            "target": "engine_backends:Scripted",
            "options": options,
            "identity": {"backend": "scripted"},
            "num_cpus": 0.5,
            "chunk_size": 4,
        }
        return BackendSpec(**{**defaults, **changes})

    return make


@pytest.fixture
def ask() -> Callable[..., Request]:
    """Makes a request; keywords are its payload (what the backend does with it)."""

    def make(number: int, **payload: Any) -> Request:
        return Request(
            "", f"i{number}", "tr", "", 0, (Message("user", f"第{number}句"),), payload=payload
        )

    return make


@pytest.fixture
def driver() -> Callable[..., subprocess.Popen[str]]:
    """Starts engine_driver.py as a process of its own session; arguments as it says."""

    def start(*arguments: object, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(SUPPORT / "engine_driver.py"), *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
            start_new_session=True,
        )

    return start
