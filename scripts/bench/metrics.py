"""Time of all metrics with intervals, beside the naive scikit-learn loop and scipy.stats.bootstrap.

    python scripts/bench/metrics.py [--repeats 5] [--naive-resamples 200] [--pairs] [--clock cpu]

The task set is the published one's size: 1,099 items for tr, rc (three questions), ir and td, and
100 for ms and cc; 10,000 resamples. The naive ways are timed on fewer resamples and scaled up,
since one full run of them takes minutes; their cost is linear in resamples. All run in this
process, in turn, and medians and ratios are printed.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np

from mouse.comparison.compare import Settings, compare_models
from mouse.contracts import Outcome, Prediction, Verdict
from mouse.corpus.items import COMPONENTS, INTENTS
from mouse.scoring.result import Answers
from mouse.scoring.score import score_task
from mouse.tasks.registry import task_codes

SIZES = {"tr": 1099, "rc": 1099, "ir": 1099, "td": 1099, "ms": 100, "cc": 100}
RESAMPLES = 10_000


def run(task: str, seed: int) -> Answers:
    """Answers right half the time by knowledge, with one invalid in twenty."""
    gold_rng, rng = np.random.default_rng(0), np.random.default_rng(seed)
    labels: tuple[str, ...] = {"ir": INTENTS, "ms": tuple("ABCD"), "cc": tuple("ABCD")}.get(
        task, ("0", "1")
    )
    rows, verdicts = [], []
    for i in range(SIZES[task]):
        for variant in COMPONENTS if task == "rc" else ("",):
            gold = labels[gold_rng.integers(len(labels))]
            guess = gold if rng.random() < 0.5 else labels[rng.integers(len(labels))]
            valid = rng.random() >= 0.05
            rows.append(
                Prediction(
                    f"i{i}",
                    variant,
                    gold,
                    guess if valid else None,
                    Outcome.VALID if valid else Outcome.REFUSAL,
                    guess,
                    task,
                )
            )
        if task == "tr" and valid:
            verdicts.append(Verdict(f"i{i}", int(rng.integers(3)), "judge", "judged"))
    return Answers(rows, verdicts)


def arrays(task: str, answers: Answers) -> tuple[np.ndarray, np.ndarray]:
    """(gold, predicted) codes, shape (n, variants); for tr (scores, scores)."""
    if task == "tr":
        by_item = {v.item_id: v.score for v in answers.verdicts}
        scores = np.array([[by_item.get(p.item_id, 0)] for p in answers.predictions])
        return scores, scores
    codes = {
        label: code for code, label in enumerate(sorted({p.gold for p in answers.predictions}))
    }
    width = len(COMPONENTS) if task == "rc" else 1
    gold = np.array([codes[p.gold] for p in answers.predictions]).reshape(-1, width)
    predicted = np.array([codes.get(p.predicted or "", -1) for p in answers.predictions])
    return gold, predicted.reshape(-1, width)


def sklearn_metrics(task: str, gold: np.ndarray, predicted: np.ndarray) -> list[float]:
    """The task's numbers as one would write them with scikit-learn."""
    from sklearn import metrics as sk

    if task == "tr":
        return [gold.mean() / 2, *((gold == s).mean() for s in (0, 1, 2))]
    out = []
    for g, p in zip(gold.T, predicted.T, strict=True):
        labels = np.unique(g)
        if task in ("rc", "ir"):
            out.append(sk.recall_score(g, p, labels=labels, average="macro", zero_division=0))
            out.append(sk.f1_score(g, p, labels=labels, average="macro", zero_division=0))
        if task in ("td",):
            for name in (sk.f1_score, sk.precision_score, sk.recall_score):
                out.append(name(g, p, labels=[1], average="macro", zero_division=0))
        if task != "rc":
            out.append(sk.accuracy_score(g, p))
        out.append(sk.matthews_corrcoef(g, p))
    return out


def naive_loop(task: str, gold: np.ndarray, predicted: np.ndarray, resamples: int) -> None:
    """Resample the rows, call scikit-learn, take quantiles."""
    rng = np.random.default_rng(0)
    values = []
    for _ in range(resamples):
        rows = rng.integers(0, len(gold), len(gold))
        values.append(sklearn_metrics(task, gold[rows], predicted[rows]))
    np.quantile(np.array(values), [0.025, 0.975], axis=0)


def scipy_bootstrap(task: str, gold: np.ndarray, predicted: np.ndarray, resamples: int) -> None:
    """`scipy.stats.bootstrap` over row indices, once a metric.

    Each call computes all of the task's metrics for one of them, so the resamples are shared out:
    in sum every metric is computed as often as in the loop.
    """
    from scipy.stats import bootstrap

    count = len(sklearn_metrics(task, gold, predicted))
    for metric in range(count):

        def statistic(rows: np.ndarray, metric: int = metric) -> float:
            return sklearn_metrics(task, gold[rows], predicted[rows])[metric]

        bootstrap(
            (np.arange(len(gold)),),
            statistic,
            n_resamples=max(2, resamples // count),
            vectorized=False,
            method="percentile",
            rng=np.random.default_rng(0),
        )


def seconds(action: Callable[[], object], repeats: int, clock: Callable[[], float]) -> list[float]:
    times = []
    for _ in range(repeats):
        start = clock()
        action()
        times.append(clock() - start)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--naive-resamples", type=int, default=200)
    parser.add_argument("--pairs", action="store_true", help="also 14 models, all 91 pairs")
    parser.add_argument(
        "--clock", choices=("wall", "cpu"), default="wall", help="cpu: where others use the machine"
    )
    options = parser.parse_args()
    clock = time.perf_counter if options.clock == "wall" else time.process_time
    warnings.simplefilter("ignore")
    print(f"{options.clock} seconds")
    scale = RESAMPLES / options.naive_resamples
    totals = dict.fromkeys(("mouse", "sklearn loop", "scipy"), 0.0)
    print(f"{'task':5}{'mouse s':>10}{'sklearn loop s':>16}{'scipy s':>10}{'ratio':>8}{'ratio':>8}")
    for task in task_codes():
        answers = run(task, 1)
        gold, predicted = arrays(task, answers)
        sklearn_metrics(task, gold, predicted)  # imports are not timed

        def ours(task: str = task, answers: Answers = answers) -> object:
            return score_task(
                task,
                answers.predictions,
                verdicts=answers.verdicts,
                clusters={},
                resamples=RESAMPLES,
            )

        mine = statistics.median(seconds(ours, options.repeats, clock))
        sample = (task, gold, predicted, options.naive_resamples)
        loop, theirs = (
            scale * statistics.median(seconds(partial(way, *sample), 3, clock))
            for way in (naive_loop, scipy_bootstrap)
        )
        for name, value in zip(totals, (mine, loop, theirs), strict=True):
            totals[name] += value
        print(
            f"{task:5}{mine:10.3f}{loop:16.1f}{theirs:10.1f}{loop / mine:8.0f}{theirs / mine:8.0f}"
        )
    mine, loop, theirs = totals.values()
    print(f"{'all':5}{mine:10.3f}{loop:16.1f}{theirs:10.1f}{loop / mine:8.0f}{theirs / mine:8.0f}")
    if options.pairs:
        for task in task_codes():
            runs = {f"m{m}": run(task, m) for m in range(14)}
            took = seconds(partial(compare_models, task, runs, {}, Settings()), 1, clock)
            print(f"{task}: 14 models, 91 pairs, every metric: {took[0]:.2f} s")


if __name__ == "__main__":
    main()
