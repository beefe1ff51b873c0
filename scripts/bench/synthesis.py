"""How long synthesis takes, and that its memory does not grow with the number of items.

    python scripts/bench/synthesis.py [--n 10000 100000 1000000] [--rate 0.3]

Each size runs in a process of its own, so that one's peak is not another's. Printed: seconds,
processor seconds (loading the word lists takes about 3 of them), items a second, peak resident
memory in MiB, and the size of the file, which is removed.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def measure(n: int, rate: float) -> str:
    """One line for one size; runs in the child process."""
    from mouse.corpus.items import COMPONENTS
    from mouse.corpus.synthesis.plain import from_text_file, shipped
    from mouse.corpus.synthesis.stream import write_stream

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.jsonl"
        started = time.perf_counter()
        write_stream(path, from_text_file(shipped()), n, 0, rate, COMPONENTS)
        seconds = time.perf_counter() - started
        size = path.stat().st_size / 2**20
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu = used.ru_utime + used.ru_stime
    peak = used.ru_maxrss / 2**10
    return f"{n:>9,} {seconds:>8.1f} {cpu:>8.1f} {n / seconds:>9,.0f} {peak:>9.0f} {size:>9.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--rate", type=float, default=0.3)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(measure(arguments.n[0], arguments.rate))
        return
    print(
        f"{'items':>9} {'seconds':>8} {'CPU s':>8} {'items/s':>9} {'peak MiB':>9} {'file MiB':>9}",
        flush=True,
    )
    for n in arguments.n:
        command = [sys.executable, __file__, "--one", "--n", str(n), "--rate", str(arguments.rate)]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
