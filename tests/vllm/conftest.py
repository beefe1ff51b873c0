"""Fixtures of the tests on a real vLLM, which leave themselves out where it is not installed."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import get_smollm2
import make_tiny_model
import pytest
from support_models import spec_of

from mouse.contracts import Completion, Message, Request, Sampling
from mouse.models.vllm.config import VLLMConfig
from mouse.models.vllm.engine import vllm_version

HERE = Path(__file__).parent
SCRIPTS = HERE.parent.parent / "scripts"
MISSING = "vLLM is not installed (scripts/setup_vllm_cpu.sh makes an environment that has it)"

# Small, so that two engines fit on a small machine; taken over by Ray's workers.
os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
# Ray's workers run at a low priority, at which an engine on a busy machine starts for ever.
os.environ.setdefault("RAY_worker_niceness", "0")
# vLLM imports Ray, and Ray reads this once, when it is imported: `ensure_ray` would come too late.
os.environ.setdefault("RAY_AUTH_MODE", "disabled")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.vllm)
            item.add_marker(pytest.mark.timeout(900))  # an engine's start is slow on two cores
            if vllm_version() is None:
                item.add_marker(pytest.mark.skip(reason=MISSING))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if vllm_version() is None:
        terminalreporter.write_line(f"tests/vllm left out: {MISSING}")


@pytest.fixture(scope="session", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOUSE_HOME", str(tmp_path_factory.mktemp("home")))
        yield
    if "ray" in sys.modules:
        from mouse.engine.ray_runtime import shutdown

        shutdown()


@pytest.fixture(scope="session")
def random_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny Qwen3 with random weights; 512 bytes of context."""
    folder = tmp_path_factory.mktemp("models") / "random"
    make_tiny_model.make(folder)
    return folder


@pytest.fixture(scope="session")
def thinking_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny Qwen3 that thinks `hm, ok` where it may, and answers A."""
    folder = tmp_path_factory.mktemp("models") / "thinking"
    make_tiny_model.make(folder, says="A")
    return folder


@pytest.fixture(scope="session")
def smollm2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """SmolLM2-135M-Instruct: $MOUSE_TEST_SMOLLM2, or converted now."""
    given = os.environ.get("MOUSE_TEST_SMOLLM2")
    if given:
        return Path(given)
    missing = [name for name in get_smollm2.NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    folder = tmp_path_factory.mktemp("models") / get_smollm2.NAME
    assert get_smollm2.main([str(folder)]) == 0
    return folder


@pytest.fixture(scope="session")
def make_spec() -> Callable[..., Any]:
    """The spec of a model folder; keywords are keys of ModelConfig."""

    def make(folder: Path, **keys: Any) -> Any:
        # Eager: compiling takes longer than these tests do.
        model = {"name": folder.name, "id": str(folder), "enforce_eager": True}
        return spec_of(VLLMConfig, **(model | keys))

    return make


class Running:
    """A backend in this process, asked from outside its event loop."""

    def __init__(self, spec: Any) -> None:
        self._runner = asyncio.Runner()
        self.backend = self._runner.run(self._build(spec))

    async def _build(self, spec: Any) -> Any:
        return spec.build()

    def ask(self, requests: Sequence[Request]) -> list[Completion]:
        completions: list[Completion] = self._runner.run(self.backend.complete(requests))
        return completions

    def close(self) -> None:
        self.backend.close()
        self._runner.close()


@pytest.fixture(scope="session")
def running() -> type[Running]:
    return Running


@pytest.fixture(scope="session")
def question() -> Callable[..., Request]:
    """A request with one user message; keywords are those of Sampling or of Request."""

    def make(text: str, key: str = "", **keys: Any) -> Request:
        names = set(Sampling.__dataclass_fields__)
        sampling = {name: keys.pop(name) for name in list(keys) if name in names}
        return Request(
            key or text,
            "i",
            "ms",
            "",
            0,
            (Message("user", text),),
            sampling=Sampling(**{"max_tokens": 16, **sampling}),
            **keys,
        )

    return make


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Starts vLLM's own server for a folder and returns its base URL; ended with the session.

    As a module: the command `vllm serve` of the package vllm-cpu 0.32 looks for the metadata of a
    package named vllm and fails.
    """
    servers: list[subprocess.Popen[bytes]] = []

    def start(folder: Path, *arguments: str) -> str:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        log = tmp_path_factory.mktemp("serve") / "log"
        command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server"]
        command += [
            "--model",
            str(folder),
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--enforce-eager",
            *arguments,
        ]
        with log.open("wb") as output:
            server = subprocess.Popen(
                command,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "VLLM_NO_USAGE_STATS": "1"},
            )
        servers.append(server)
        deadline = time.monotonic() + 800
        while time.monotonic() < deadline:
            assert server.poll() is None, log.read_text("utf-8", "replace")[-4000:]
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
                return f"http://127.0.0.1:{port}/v1"
            except OSError:
                time.sleep(1)
        raise AssertionError(log.read_text("utf-8", "replace")[-4000:])

    yield start
    for server in servers:
        server.terminate()
    for server in servers:
        try:
            server.wait(60)
        except subprocess.TimeoutExpired:
            server.kill()
