"""Data and results as an evaluation makes them, for tests of what is done with results.

Loaded by the conftest files of the folders that need it; random by seed, no model involved.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mouse.contracts import MetricValue, Outcome, Prediction, RunResult, TaskResult, Verdict
from mouse.corpus.items import CXEI, INTENTS, ChoiceItem, Components, Dataset, Derivation
from mouse.scoring.score import score_task
from mouse.tracking.writer import Tracker


def make_dataset(size: int = 40) -> Dataset:
    draw = random.Random(1)
    cxeis = tuple(
        CXEI(
            id=f"x{number}",
            original_text=f"今天太🌶️{number}",
            reference=f"今天太辣了{number}",
            components=Components(True, draw.random() < 0.5, None),
            intent=INTENTS[number % 8],
            toxicity=1 if number % 2 else 0,
            derivation=(Derivation("🌶️", ("辣",), "辣", "symbol"),),
        )
        for number in range(size)
    )
    choices = tuple(
        ChoiceItem(
            id=f"{task}{number}",
            task=task,  # type: ignore[arg-type]
            context="甲：来吗\n乙：？" if task == "cc" else "",
            text="____" if task == "cc" else "🐔你太美",
            options=("鸡", "只因", "几", "急"),
            answer="ABCD"[number % 4],
        )
        for task in ("ms", "cc")
        for number in range(size // 4)
    )
    return Dataset(name="tests", cxeis=cxeis, choices=choices, source="tests", notes=("written",))


def make_result(
    data: Dataset, model: str = "lexicon", seed: int = 0, failed: int = 0, skill: float = 0.7
) -> RunResult:
    draw = random.Random(seed)

    def predict(task: str, item_id: str, gold: str, labels: tuple[str, ...], variant: str = ""):  # type: ignore[no-untyped-def]
        if draw.random() < 0.06:
            return Prediction(item_id, variant, gold, None, Outcome.REFUSAL, "我不能回答", task)
        given = gold if draw.random() < skill else draw.choice(labels)
        return Prediction(item_id, variant, gold, given, Outcome.VALID, f"答案：{given}", task)

    def metrics(task: str, names: tuple[str, ...], n: int) -> tuple[MetricValue, ...]:
        return tuple(
            MetricValue(f"{task}/{name}", 0.6, 0.5, 0.7, n, 0.6, 0.6, 0.65) for name in names
        )

    td = [predict("td", c.id, str(c.toxicity), ("0", "1")) for c in data.cxeis]
    for index in range(failed):
        td[index] = Prediction(
            td[index].item_id, "", td[index].gold, None, Outcome.FAILED, None, "td"
        )
    ir = [predict("ir", c.id, str(c.intent), INTENTS) for c in data.cxeis]
    rc = [
        predict("rc", c.id, str(int(getattr(c.components, v))), ("0", "1"), v)
        for c in data.cxeis
        for v in ("homophonic", "visual", "semantic")
        if getattr(c.components, v) is not None
    ]
    tr = [
        Prediction(c.id, "", c.reference or "", "今天\ud83d", Outcome.VALID, "今天\ud83d", "tr")
        for c in data.cxeis
    ]
    verdicts = tuple(
        Verdict(c.id, draw.choice((0, 1, 2)), "rule", "judged", "span kept") for c in data.cxeis
    )
    choice = {
        task: [
            predict(task, c.id, c.answer, ("A", "B", "C", "D"))
            for c in data.choices
            if c.task == task
        ]
        for task in ("ms", "cc")
    }
    tasks = (
        TaskResult("tr", tuple(tr), metrics("tr", ("sem_acc", "perfect_rate"), len(tr)), verdicts),
        TaskResult("rc", tuple(rc), metrics("rc", ("bal_acc", "macro_f1"), len(rc))),
        TaskResult("ir", tuple(ir), metrics("ir", ("bal_acc", "macro_f1"), len(ir))),
        TaskResult(
            "td",
            tuple(td),
            (
                MetricValue("td/acc", 0.6, 0.5, 0.7, len(td), 0.55, 0.65, 0.7),
                MetricValue(
                    "td/mcc",
                    float("nan"),
                    float("nan"),
                    float("nan"),
                    len(td),
                    float("nan"),
                    float("nan"),
                    float("nan"),
                    note="one class only",
                ),
            ),
        ),
        TaskResult("ms", tuple(choice["ms"]), metrics("ms", ("acc",), len(choice["ms"]))),
        TaskResult("cc", tuple(choice["cc"]), metrics("cc", ("acc",), len(choice["cc"]))),
    )
    return RunResult(
        model=model,
        data=data.name,
        fingerprint="f" * 64,
        tasks=tasks,
        usage={"prompt_tokens": 10.0, "cost_usd": float("nan"), "requests": 40.0},
        judge={"qwk": 0.5, "coverage": 1.0},
        warnings=("the rule judge is a stand-in",),
    )


def scored(result: RunResult, data: Dataset) -> RunResult:
    """The result with the metrics that its predictions have."""
    clusters = {item.id: item.cluster for item in (*data.cxeis, *data.choices)}
    tasks = tuple(
        replace(
            task,
            metrics=score_task(
                task.task,
                task.predictions,
                verdicts=task.verdicts,
                clusters=clusters,
                resamples=200,
            ),
        )
        for task in result.tasks
    )
    return replace(result, tasks=tasks)


def log(
    result: RunResult,
    data: Dataset,
    experiment: str,
    manifest: Mapping[str, Any] | None = None,
    **params: str,
) -> str:
    """Log a result as an evaluation does and return the run's id; `params` are the model's."""
    tracker = Tracker()
    tags = {"model": result.model, "dataset_fingerprint": "f" * 64, "prompt_fingerprint": "p"}
    tags |= {"judge": "rule"}
    tracker.start(result.model, {"model": {"name": result.model, **params}}, tags, experiment)
    said = {"warnings": list(result.warnings), **(manifest or {})}
    tracker.log_result(result, data, "", said)
    tracker.finish("complete")
    return tracker.run_id
