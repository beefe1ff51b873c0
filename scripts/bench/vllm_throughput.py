"""Tokens a second through `mouse` (vLLM in a Ray actor) beside one call of `LLM.chat`.

    .venv-vllm/bin/python scripts/bench/vllm_throughput.py MODEL [--limit 20] [--rounds 3] [--max-tokens 128]

Both sides get the same requests (the six tasks on `--limit` items of the sample each; 0: all), the
same engine arguments and the same sampling parameters, each in a process of its own, in turn. The
clock starts when the model is loaded and has answered one question, and stops with the last answer;
on the side of `mouse` that includes Ray, the store and the streaming of results. Printed: tokens
read and written a second, per round and as medians, and the ratio (aim: at least 0.95).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mouse.contracts import Request
    from mouse.models.base import BackendSpec

SIDES = ("LLM.chat", "mouse")


def requests(limit: int, max_tokens: int) -> list[Request]:
    from mouse.config.schema import DataConfig, RunConfig
    from mouse.evaluation.data import load_data
    from mouse.evaluation.plan import make_plan
    from mouse.models.config import ModelConfig

    params = {"temperature": 0.0, "max_tokens": max_tokens}
    config = RunConfig(
        model=ModelConfig(name="bench", params=params),
        data=DataConfig(name="sample"),
        limit=limit or None,
    )
    plan = make_plan(config, load_data(config), ("tr", "rc", "ir", "td", "ms", "cc"))
    return list(plan.requests())


def spec_of(model: str, eager: bool) -> BackendSpec:
    from mouse.models.base import BackendContext
    from mouse.models.registry import make_spec
    from mouse.models.vllm.config import VLLMConfig

    config = VLLMConfig(name="bench", id=model, max_model_len=2048, enforce_eager=eager)
    return make_spec(config, BackendContext())


def through_mouse(asked: list[Request], spec: BackendSpec) -> dict[str, float]:
    from mouse.engine.ray_engine import RayEngine
    from mouse.engine.ray_runtime import shutdown
    from mouse.engine.store import CompletionStore

    # Ray lowers its workers' priority; on a busy machine that would be measured instead.
    os.environ.setdefault("RAY_worker_niceness", "0")
    with tempfile.TemporaryDirectory() as folder:
        store = CompletionStore(Path(folder) / "store.sqlite")
        with RayEngine(store=store) as engine:
            engine.open("model", spec)
            engine.submit("model", [_hello()])
            list(engine.results())
            before = engine.stats_of("model")
            started = time.perf_counter()
            engine.submit("model", asked)
            count = sum(1 for _ in engine.results())
            seconds = time.perf_counter() - started
            after = engine.stats_of("model")
    shutdown()
    assert count == len(asked) and after.failed == 0 and after.duplicates == before.duplicates
    return {
        "seconds": seconds,
        "read": after.prompt_tokens - before.prompt_tokens,
        "written": after.completion_tokens - before.completion_tokens,
    }


def through_chat(asked: list[Request], spec: BackendSpec) -> dict[str, float]:
    from vllm import LLM, SamplingParams

    from mouse.models.vllm.translate import sampling_arguments

    def chat(some: list[Request]) -> list[Any]:
        messages = [[{"role": m.role, "content": m.content} for m in r.messages] for r in some]
        parameters = [SamplingParams(**sampling_arguments(r, {})) for r in some]
        return list(llm.chat(messages, parameters, use_tqdm=False))  # type: ignore[arg-type]

    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "2")
    llm = LLM(**spec.options["engine"])
    chat([_hello()])
    started = time.perf_counter()
    outputs = chat(asked)
    return {
        "seconds": time.perf_counter() - started,
        "read": sum(len(output.prompt_token_ids) for output in outputs),
        "written": sum(len(output.outputs[0].token_ids) for output in outputs),
    }


def _hello() -> Request:
    from mouse.contracts import Message, Request, Sampling

    return Request("", "hello", "ms", "", 0, (Message("user", "Hello"),), Sampling(max_tokens=8))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("model", help="folder or hub id")
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--eager", action="store_true", help="do not compile the model")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.side:
        asked, spec = requests(given.limit, given.max_tokens), spec_of(given.model, given.eager)
        measure = through_mouse if given.side == "mouse" else through_chat
        print("RESULT " + json.dumps(measure(asked, spec)))
        return 0
    rates: dict[str, list[float]] = {side: [] for side in SIDES}
    for round_ in range(given.rounds):
        # In turn, first this one then that one, so that a busy machine favours neither.
        for side in SIDES if round_ % 2 == 0 else SIDES[::-1]:
            run = subprocess.run(
                [sys.executable, __file__, *sys.argv[1:], "--side", side],
                capture_output=True,
                text=True,
            )
            lines = [line for line in run.stdout.splitlines() if line.startswith("RESULT ")]
            if not lines:
                print(run.stdout[-2000:] + run.stderr[-4000:], file=sys.stderr)
                return 1
            found = json.loads(lines[-1].removeprefix("RESULT "))
            rate = (found["read"] + found["written"]) / found["seconds"]
            rates[side].append(rate)
            print(
                f"round {round_ + 1} {side:8} {found['seconds']:7.1f} s  {found['read']:.0f} read "
                f"{found['written']:.0f} written  {rate:8.0f} tokens/s  "
                f"{found['written'] / found['seconds']:6.0f} written/s",
                flush=True,
            )
    medians = {side: statistics.median(values) for side, values in rates.items()}
    for side, value in medians.items():
        print(f"median {side:8} {value:8.0f} tokens/s")
    print(f"ratio mouse / LLM.chat {medians['mouse'] / medians['LLM.chat']:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
