"""Wall time of the default run beside the bare start of its dependencies, in one session.

The alternative is the least that any program on Ray and MLflow must do: import both, create the
database, start Ray. Alternates the two `--repeats` times in fresh folders and reports medians and
their ratio (aim: at most 1.3).

    python scripts/bench/startup.py --repeats 5
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

BARE = """
import mlflow, ray, os
mlflow.set_tracking_uri(f"sqlite:///{os.environ['MOUSE_HOME']}/mlflow.db")
mlflow.tracking.MlflowClient().search_experiments()
ray.init(include_dashboard=False, log_to_driver=False, num_cpus=os.cpu_count())
ray.shutdown()
"""


def wall(command: list[str]) -> float:
    """Seconds of one run of `command` in a fresh state folder."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "MOUSE_HOME": folder,
            "MLFLOW_DISABLE_TELEMETRY": "true",
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        started = time.perf_counter()
        subprocess.run(
            command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        return time.perf_counter() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    mouse: list[float] = []
    bare: list[float] = []
    for _ in range(repeats):
        bare.append(wall([sys.executable, "-c", BARE]))
        mouse.append(wall([sys.executable, "-m", "mouse.run"]))
    print(f"bare imports, database and Ray   median {statistics.median(bare):6.2f} s  {bare}")
    print(f"python -m mouse.run              median {statistics.median(mouse):6.2f} s  {mouse}")
    print(
        f"ratio of medians                 {statistics.median(mouse) / statistics.median(bare):6.2f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
