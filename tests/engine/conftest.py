"""Fixtures for the engine's tests: scripted backends and requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mouse.contracts import Message, Request
from mouse.models.base import BackendSpec


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
