"""Starting, joining and leaving Ray, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.ray


def run(program: str, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
        env={**kept, "HOME": str(home), **environment},
    )


def test_ray_starts_and_ends_and_says_nothing(tmp_path: Path) -> None:
    result = run(
        """
import psutil
from mouse.engine.ray_runtime import ensure_ray, node_failure, shutdown
ensure_ray(num_cpus=1)
ensure_ray()
import ray
assert ray.cluster_resources()["CPU"] == 1
assert node_failure() == "", node_failure()
names = {child.name() for child in psutil.Process().children(recursive=True)}
assert {"raylet", "gcs_server"} <= names, names
assert ray.get(ray.remote(lambda: 1).remote()) == 1
shutdown()
assert not ray.is_initialized()
shutdown()
assert node_failure()
""",
        tmp_path,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout + result.stderr == ""
    assert list(tmp_path.iterdir()) == [], "no token is left in the user's home"


def test_no_cluster_at_an_address_is_one_sentence(tmp_path: Path) -> None:
    result = run(
        """
from mouse.engine.ray_runtime import ensure_ray
from mouse.errors import UserError
try:
    ensure_ray("127.0.0.1:1")
except UserError as error:
    print(error)
""",
        tmp_path,
    )
    assert "No Ray cluster answers at engine.address=127.0.0.1:1" in result.stdout, result.stderr


def test_a_run_joins_a_cluster_and_leaves_it_running(tmp_path: Path) -> None:
    result = run(
        """
import os, subprocess, sys
from mouse.engine.ray_runtime import ensure_ray, node_failure, shutdown
ensure_ray(num_cpus=2)
import ray
JOINED = '''
import sys
from engine_backends import Scripted
from mouse.contracts import Message, Request
from mouse.engine.ray_engine import RayEngine
from mouse.engine.ray_runtime import node_failure, shutdown
from mouse.models.base import BackendSpec
with RayEngine(address=sys.argv[1]) as engine:
    engine.open("m", BackendSpec("engine_backends:Scripted", {}, {}, num_cpus=1))
    engine.submit("m", [Request("", "i", "tr", "", 0, (Message("user", "joined"),))])
    [(_, _, completion)] = engine.results()
    assert node_failure() == ""
print(completion.text, flush=True)
shutdown()
'''
address = ray.get_runtime_context().gcs_address
subprocess.run([sys.executable, "-c", JOINED, address], check=True)
assert node_failure() == ""
shutdown()
""",
        tmp_path,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == "joined\n"


def test_cpus_cannot_be_set_for_a_running_ray(tmp_path: Path) -> None:
    result = run(
        """
from mouse.engine.ray_runtime import ensure_ray
from mouse.errors import UserError
try:
    ensure_ray("auto", num_cpus=2)
except UserError as error:
    print(error)
""",
        tmp_path,
    )
    assert "engine.num_cpus=2 cannot be set" in result.stdout, result.stderr


def test_importing_the_engine_imports_no_ray(tmp_path: Path) -> None:
    result = run(
        "import sys, mouse.engine.ray_engine, mouse.engine.inline\nassert 'ray' not in sys.modules",
        tmp_path,
    )
    assert result.returncode == 0, result.stderr
