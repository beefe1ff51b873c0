"""How fast requests to an API go: mouse beside the bare client and other harnesses.

    python scripts/bench/api.py --setting a --runs 3 --only mouse,bare
    python scripts/bench/api.py --inspect-python P --lm-eval-python P

Settings: (a) 200 ms latency, 64 in flight, 2,000 requests (ideal 6.25 s between the first request
and the last answer); (b) 50 ms, 256, 5,000. The server is a process of its own; all ask the same
prompts. Runs alternate, so that a busy minute of the machine meets all; medians are shown, with
CPU seconds of the whole process tree (sampled), the server's left out.

A peer's Python is that of an environment in which it is installed (`pip install inspect_ai openai`,
`pip install 'lm_eval[api]'`); without one it is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Setting:
    latency_s: float
    in_flight: int
    requests: int

    @property
    def ideal_s(self) -> float:
        return self.requests / self.in_flight * self.latency_s


SETTINGS = {"a": Setting(0.2, 64, 2_000), "b": Setting(0.05, 256, 5_000)}


@dataclass
class Timing:
    """Seconds of one run: first request to last answer, whole, of all CPUs."""

    span_s: float
    wall_s: float
    cpu_s: float
    most: int


@dataclass
class Client:
    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    timings: list[Timing] = field(default_factory=list)


def write_data(folder: Path, count: int) -> tuple[Path, Path]:
    """The items for mouse, and the same questions as messages for the others."""
    from mouse.contracts import Sampling
    from mouse.corpus.load import load
    from mouse.tasks.prompts import PromptSet
    from mouse.tasks.registry import get_task

    items, prompts = folder / f"items-{count}.jsonl", folder / f"prompts-{count}.jsonl"
    with items.open("w", encoding="utf-8") as file:
        for number in range(count):
            text = f"第{number}次看这种操作真是🐂🍺，你细品{number * 7919 % 10007}"
            row = {"id": f"x{number}", "original_text": text, "toxicity": number % 2}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    dataset = load("files", path=str(items))
    task = get_task("td")
    chosen, _ = task.items(dataset)
    gold = {item.id: str(item.toxicity) for item in chosen}
    with prompts.open("w", encoding="utf-8") as file:
        for request in task.requests(chosen, PromptSet.load("zh"), sampling=Sampling()):
            messages = [{"role": m.role, "content": m.content} for m in request.messages]
            file.write(json.dumps({"messages": messages, "gold": gold[request.item_id]}) + "\n")
    return items, prompts


@contextmanager
def server(latency_s: float) -> Iterator[str]:
    command = [sys.executable, str(HERE / "api_server.py"), str(latency_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()


def get(url: str) -> dict[str, float]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=10) as response:
        return dict(json.loads(response.read()))


class TreeCPU(threading.Thread):
    """Adds up the CPU seconds of a process and all below it, looking five times a second."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._root = psutil.Process(pid)
        self._seen: dict[tuple[int, float], float] = {}
        self._over = threading.Event()

    def run(self) -> None:
        while not self._over.wait(0.2):
            try:
                tree = [self._root, *self._root.children(recursive=True)]
            except psutil.Error:
                return
            for process in tree:
                try:
                    used = process.cpu_times()
                    self._seen[process.pid, process.create_time()] = used.user + used.system
                except psutil.Error:
                    continue

    def stop(self) -> float:
        self._over.set()
        self.join()
        return sum(self._seen.values())


def run_once(client: Client, url: str, setting: Setting, folder: Path) -> Timing:
    get(f"{url}/reset")
    environment = {**os.environ, "no_proxy": "127.0.0.1", **client.environment}
    command = [
        part.format(url=f"{url}/v1", fresh=tempfile.mkdtemp(dir=folder)) for part in client.command
    ]
    if client.name.startswith("mouse"):
        environment["MOUSE_HOME"] = tempfile.mkdtemp(dir=folder)
    begun = time.monotonic()
    process = subprocess.Popen(
        command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    cpu = TreeCPU(process.pid)
    cpu.start()
    out, _ = process.communicate()
    wall = time.monotonic() - begun
    used = cpu.stop()
    if process.returncode:
        raise SystemExit(f"{client.name} failed:\n{out.decode(errors='replace')[-3000:]}")
    counts = get(f"{url}/stats")
    # mouse probes with one request before it starts its actors: its first real one is the second.
    probes = int(client.name.startswith("mouse"))
    if counts["answered"] != setting.requests + probes:
        raise SystemExit(f"{client.name}: {counts['answered']} answers to {setting.requests}")
    span = counts["last"] - counts["second" if probes else "first"]
    return Timing(span, wall, used, int(counts["most"]))


def clients(
    setting: Setting, items: Path, prompts: Path, options: argparse.Namespace
) -> list[Client]:
    limit = str(setting.in_flight)
    mouse = [
        *(sys.executable, "-m", "mouse.run", "model=openai", "model.id=bench"),
        *("model.base_url={url}", "model.api_key_env=null", "task=td", "data=files"),
        *(f"data.path={items}", f"model.limits.max_in_flight={limit}", "tracking=off"),
        f"model.actors={options.actors}",
    ]
    bare = [sys.executable, str(HERE / "api_peers/bare_openai.py"), str(prompts), "{url}", limit]
    all_of_them = [
        Client("mouse", mouse),
        Client("mouse-sdk", [*mouse, "model.transport=openai"]),
        Client("bare", bare),
        Client("bare-aiohttp", [*bare, "aiohttp"]),
    ]
    for name, python, script in (
        ("lm-eval", options.lm_eval_python, "run_lm_eval.py"),
        ("inspect_ai", options.inspect_python, "run_inspect.py"),
    ):
        if python:
            command = [
                python,
                str(HERE / "api_peers" / script),
                str(prompts),
                "{url}",
                limit,
                "{fresh}",
            ]
            offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "OPENAI_API_KEY": "none"}
            all_of_them.append(Client(name, command, offline))
    wanted = set(options.only.split(",")) if options.only else None
    return [client for client in all_of_them if wanted is None or client.name in wanted]


def show(name: str, setting: Setting, clients: list[Client]) -> None:
    print(
        f"\n({name}) {setting.latency_s * 1000:.0f} ms, {setting.in_flight} in flight, "
        f"{setting.requests:,} requests, ideal {setting.ideal_s:.2f} s; medians of "
        f"{len(clients[0].timings)}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    print(
        "| client | first to last, s | of ideal | requests/s | whole run, s | CPU s | CPU s / 1,000 |"
    )
    print("|---|---|---|---|---|---|---|")
    for client in clients:
        if not client.timings:
            continue
        span = statistics.median(one.span_s for one in client.timings)
        wall = statistics.median(one.wall_s for one in client.timings)
        cpu = statistics.median(one.cpu_s for one in client.timings)
        print(
            f"| {client.name} | {span:.2f} | {setting.ideal_s / span:.0%} "
            f"| {setting.requests / span:,.0f} | {wall:.1f} | {cpu:.1f} "
            f"| {cpu / setting.requests * 1000:.2f} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--setting", choices=[*SETTINGS, "both"], default="both")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--actors", type=int, default=2)
    parser.add_argument("--requests", type=int, help="instead of the setting's number")
    parser.add_argument("--only", help="clients, with commas between")
    parser.add_argument("--inspect-python")
    parser.add_argument("--lm-eval-python")
    options = parser.parse_args()
    for name in SETTINGS if options.setting == "both" else (options.setting,):
        setting = SETTINGS[name]
        if options.requests:
            setting = Setting(setting.latency_s, setting.in_flight, options.requests)
        with tempfile.TemporaryDirectory() as place, server(setting.latency_s) as url:
            folder = Path(place)
            items, prompts = write_data(folder, setting.requests)
            asked = clients(setting, items, prompts, options)
            for _ in range(options.runs):
                for client in asked:
                    client.timings.append(run_once(client, url, setting, folder))
            show(name, setting, asked)


if __name__ == "__main__":
    main()
