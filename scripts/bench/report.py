"""Times a whole report on 14 models of full size, beside the naive scikit-learn loop.

    python scripts/bench/report.py [--models 14] [--items 1099]

Predictions are random: 1,099 expressions (tr, ir, td once, rc three times) and 200 choice items,
6,794 predictions a model. The naive way is one scikit-learn call a resample, model and metric
for the paired intervals of the same headline metrics; it is timed on a few resamples and scaled,
because all of it would take hours.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import tempfile
import time
from pathlib import Path

from mouse.contracts import Outcome, Prediction, RunResult, TaskResult, Verdict
from mouse.corpus.items import COMPONENTS, CXEI, INTENTS, ChoiceItem, Components, Dataset


def make_data(size: int, draw: random.Random) -> Dataset:
    def text(length: int) -> str:
        return "".join(chr(draw.randrange(0x4E00, 0x9000)) for _ in range(length))

    cxeis = tuple(
        CXEI(
            f"x{n}",
            text(14) + "🌶️",
            text(15),
            Components(*(draw.random() < 0.5 for _ in range(3))),
            draw.choice(INTENTS),
            draw.randrange(2),  # type: ignore[arg-type]
        )
        for n in range(size)
    )
    choices = tuple(
        ChoiceItem(
            f"{task}{n}", task, "", text(10), tuple(text(4) for _ in range(4)), "ABCD"[n % 4]
        )  # type: ignore[arg-type]
        for task in ("ms", "cc")
        for n in range(100)
    )
    return Dataset("bench", cxeis, choices)


def make_result(model: str, skill: float, data: Dataset, draw: random.Random) -> RunResult:
    def answer(
        task: str, item: str, gold: str, labels: tuple[str, ...], variant: str = ""
    ) -> Prediction:
        if draw.random() < 0.04:
            return Prediction(item, variant, gold, None, Outcome.REFUSAL, "抱歉，我不能回答", task)
        given = gold if draw.random() < skill else draw.choice(labels)
        return Prediction(item, variant, gold, given, Outcome.VALID, f"答案：{given}", task)

    def translate(item: CXEI) -> Prediction:
        given = "".join(draw.sample(item.reference or "", 12))
        return Prediction(item.id, "", item.reference or "", given, Outcome.VALID, given, "tr")

    binary = ("0", "1")
    verdicts = tuple(
        Verdict(
            c.id,
            2 if draw.random() < skill else draw.randrange(2),
            "bench",
            "judged",
            "依据：意思一致",
        )
        for c in data.cxeis
    )
    tasks = [
        TaskResult("tr", tuple(translate(c) for c in data.cxeis), (), verdicts),
        TaskResult(
            "rc",
            tuple(
                answer("rc", c.id, str(int(bool(getattr(c.components, v)))), binary, v)
                for c in data.cxeis
                for v in COMPONENTS
            ),
            (),
        ),
        TaskResult("ir", tuple(answer("ir", c.id, str(c.intent), INTENTS) for c in data.cxeis), ()),
        TaskResult(
            "td", tuple(answer("td", c.id, str(c.toxicity), binary) for c in data.cxeis), ()
        ),
    ]
    for task in ("ms", "cc"):
        chosen = [c for c in data.choices if c.task == task]
        tasks.append(
            TaskResult(task, tuple(answer(task, c.id, c.answer, tuple("ABCD")) for c in chosen), ())
        )
    return RunResult(model, data.name, data.fingerprint, tuple(tasks), {})


def track(result: RunResult, data: Dataset) -> int:
    from dataclasses import replace

    from mouse.scoring.score import score_task
    from mouse.tracking.writer import Tracker

    clusters = {item.id: item.cluster for item in (*data.cxeis, *data.choices)}
    tasks = tuple(
        replace(
            t,
            metrics=score_task(
                t.task, t.predictions, verdicts=t.verdicts, clusters=clusters, resamples=500
            ),
        )
        for t in result.tasks
    )
    tracker = Tracker()
    tracker.start(result.model, {}, {"model": result.model, "judge": "bench"}, "bench")
    tracker.log_result(replace(result, tasks=tasks), data, "", {})
    tracker.finish("complete")
    return sum(len(task.predictions) for task in tasks)


def naive_seconds(folder_runs: list[object], resamples: int, pairs: int, models: int) -> float:
    """Seconds for all models' replicates with scikit-learn, scaled from five resamples."""
    import numpy as np
    from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

    run = folder_runs[0]
    rng = np.random.default_rng(0)
    before = time.perf_counter()
    tried = 5
    for task, frame in run.predictions.items():  # type: ignore[attr-defined]
        gold = frame["gold"].to_numpy(str)
        given = frame["predicted"].fillna("invalid").to_numpy(str)
        for _ in range(tried):
            picked = rng.integers(0, len(gold), len(gold))
            if task in ("ms", "cc", "td"):
                accuracy_score(gold[picked], given[picked])
            if task in ("rc", "ir"):
                balanced_accuracy_score(gold[picked], given[picked])
                f1_score(gold[picked], given[picked], average="macro")
            if task == "td":
                f1_score(gold[picked], given[picked], labels=["1"], average="micro")
    # Each resample serves all models, and each permutation is needed for every pair.
    return (time.perf_counter() - before) / tried * (resamples * models + resamples * 2 * pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=14)
    parser.add_argument("--items", type=int, default=1099)
    parser.add_argument("--resamples", type=int, default=2000)
    given = parser.parse_args()
    draw = random.Random(0)
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["MOUSE_HOME"] = f"{temporary}/state"
        os.environ.pop("MLFLOW_TRACKING_URI", None)
        data = make_data(given.items, draw)
        total = 0
        for number in range(given.models):
            skill = 0.2 + 0.6 * number / given.models
            total += track(make_result(f"model-{number:02d}", skill, data, draw), data)
        from mouse import report
        from mouse.tracking import reader

        before, cpu = time.perf_counter(), time.process_time()
        code = report.main(
            ["bench", "--out", f"{temporary}/reports", "--resamples", str(given.resamples)]
        )
        wall, cpu = time.perf_counter() - before, time.process_time() - cpu
        size = Path(f"{temporary}/reports/bench/report.html").stat().st_size
        stored = [reader.open_run(run) for run in reader.runs()]
        pairs = given.models * (given.models - 1) // 2
        naive = naive_seconds(list(stored), given.resamples, pairs, given.models)
        print(f"{given.models} models, {total:,} predictions, exit code {code}")
        print(f"whole report: {wall:.1f} s wall, {cpu:.1f} s CPU; page {size / 1e6:.1f} MB")
        print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB")
        print(f"scikit-learn loop for the paired statistics alone: {naive:,.0f} s (scaled)")
        print(f"ratio {naive / wall:,.0f}")
        keep = os.environ.get("BENCH_KEEP")
        if keep:
            Path(keep).write_bytes(Path(f"{temporary}/reports/bench/report.html").read_bytes())


if __name__ == "__main__":
    main()
