"""Speed of a finished run repeated from the store: `python scripts/bench/store.py [N] [ROUNDS]`.

Makes a store of N answers (20,000) once, then asks all of them again through an engine, ROUNDS
times (5), and prints the median rate of the repeat beside its parts: rendering the keys, and
reading and decoding the rows. The engine never starts a worker, so the rates hold for Ray too.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from mouse.contracts import Completion, Message, Request, Usage
from mouse.engine.inline import InlineEngine
from mouse.engine.keys import key_function
from mouse.engine.store import CompletionStore
from mouse.models.base import BackendSpec

SYSTEM = "你将看到一句中文抽象话，请把它翻译成标准中文，只输出译文。" * 6
TEXT = "我真的会🐸，家人们谁懂啊，这个⑧🐔绝绝子！"


class Answering:
    """A backend that answers at once, with texts and counts of ordinary size."""

    async def complete(self, requests: Sequence[Request]) -> list[Completion]:
        return [
            Completion(
                request.key,
                text=request.messages[-1].content,
                finish_reason="stop",
                usage=Usage(310, 25),
                latency_s=0.4,
                model_reported="bench-1",
            )
            for request in requests
        ]

    def close(self) -> None:
        """Holds nothing."""


SPEC = BackendSpec(f"{__name__}:Answering", {}, {"backend": "bench", "id": "bench-1"})


def requests(count: int) -> Iterator[Request]:
    system = Message("system", SYSTEM)
    for i in range(count):
        yield Request("", f"i{i}", "tr", "", 0, (system, Message("user", f"{TEXT}{i}")))


def run(path: Path, count: int, *, hits: int) -> None:
    with CompletionStore(path) as store, InlineEngine(store=store) as engine:
        engine.open("m", SPEC)
        engine.submit("m", requests(count))
        answered = sum(completion.error is None for _, _, completion in engine.results())
        assert (answered, engine.stats_of("m").cache_hits) == (count, hits)


def rate(count: int, rounds: int, action: Callable[[], object]) -> str:
    seconds, cpu = [], []
    for _ in range(rounds):
        begun, begun_cpu = time.perf_counter(), time.process_time()
        action()
        seconds.append(time.perf_counter() - begun)
        cpu.append(time.process_time() - begun_cpu)
    return (
        f"{count / statistics.median(seconds):>10,.0f}/s"
        f"   ({count / max(seconds):,.0f} to {count / min(seconds):,.0f})"
        f"   {count / statistics.median(cpu):>10,.0f} a CPU second"
    )


def main() -> None:
    count, rounds = ([*map(int, sys.argv[1:]), *(20_000, 5)[len(sys.argv) - 1 :]])[:2]
    key = key_function(SPEC.identity)
    keys = [key(request) for request in requests(count)]

    def read(path: Path) -> None:
        with CompletionStore(path) as store:
            found = sum(len(store.get_many(keys[i : i + 512])) for i in range(0, count, 512))
        assert found == count

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite"
        print(f"{count:,} requests, median of {rounds} rounds (slowest to fastest)")
        print("first run, answered   ", rate(count, 1, lambda: run(path, count, hits=0)))
        print("repeat from the store ", rate(count, rounds, lambda: run(path, count, hits=count)))
        print("  keys                ", rate(count, rounds, lambda: [*map(key, requests(count))]))
        print("  reading and decoding", rate(count, rounds, lambda: read(path)))
        print(f"store: {path.stat().st_size / count:,.0f} bytes an answer")


if __name__ == "__main__":
    main()
