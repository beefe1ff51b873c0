"""A run as its own process, to be killed: STORE LOG ENGINE N DELAY_S [CHUNK] → counts as JSON."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from mouse.contracts import Message, Request
from mouse.engine.dispatch import Engine
from mouse.engine.inline import InlineEngine
from mouse.engine.ray_engine import RayEngine
from mouse.engine.ray_runtime import shutdown
from mouse.engine.store import CompletionStore
from mouse.models.base import BackendSpec


def main() -> int:
    store_path, log, kind, n, delay_s, *rest = sys.argv[1:]
    spec = BackendSpec(
        target="engine_backends:Scripted",
        options={"log": log, "delay_s": float(delay_s), "api_key_env": "ENGINE_TEST_KEY"},
        identity={"backend": "scripted"},
        num_cpus=0.5,
        chunk_size=int(rest[0]) if rest else 4,
    )
    requests = (
        Request("", f"i{i}", "tr", "", 0, (Message("user", f"第{i}句"),)) for i in range(int(n))
    )
    ends: Counter[str] = Counter()
    code = 0
    with CompletionStore(Path(store_path)) as store:
        engine: Engine = (
            InlineEngine(store=store) if kind == "inline" else RayEngine(store=store, num_cpus=2)
        )
        try:
            with engine:
                engine.open("model", spec)
                engine.submit("model", requests)
                for _, _, completion in engine.results():
                    ends[completion.error.kind if completion.error else "answered"] += 1
                    if sum(ends.values()) == 1:
                        print("first", flush=True)
        except KeyboardInterrupt:
            code = 130
        stats = engine.stats
        print(
            json.dumps(
                {
                    **ends,
                    "hits": stats.cache_hits,
                    "asked": stats.asked,
                    "stored": len(store),
                    "why": str(engine.stopped("model") or ""),
                }
            ),
            flush=True,
        )
    shutdown()
    return code


if __name__ == "__main__":
    sys.exit(main())
