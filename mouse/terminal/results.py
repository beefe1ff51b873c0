"""The printed end of a run: metrics with intervals and the paper's row, ledger, cost, where to look."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from mouse.config.schema import RunConfig
from mouse.contracts import MetricValue, Outcome, RunResult, ended
from mouse.evaluation.evaluate import Evaluation
from mouse.reporting.published import published_row
from mouse.scoring.marks import note_of
from mouse.tasks.registry import get_task
from mouse.tracking.home import tracking_uri

if TYPE_CHECKING:
    from rich.console import Console


@cache
def console() -> Console:
    from rich.console import Console

    made = Console(highlight=False)
    # A pipe or a file has no width: 100 columns keep a table readable there.
    return made if made.is_terminal else Console(highlight=False, width=110)


def number(value: float, digits: int = 3) -> str:
    """A metric as people print it; a dash where it is undefined."""
    return "–" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def interval(metric: MetricValue) -> str:
    if math.isnan(metric.lo) or math.isnan(metric.hi):
        return "–"
    return f"[{metric.lo:.3f}, {metric.hi:.3f}]"


def bounds(metric: MetricValue) -> str:
    """Least and greatest value that the failed requests leave possible; empty where decided."""
    return f"{number(metric.worst)} … {number(metric.best)}" if is_open(metric) else ""


def print_evaluation(evaluation: Evaluation, config: RunConfig, *, brief: bool = False) -> None:
    """Print one run. `brief` (a job of a sweep) leaves out how to open it."""
    from rich.markup import escape

    out = console()
    result = evaluation.result
    if not evaluation.interrupted:
        table, footnotes = _metrics_table(result, config)
        out.print(table)
        for footnote in footnotes:
            out.print(f"  {footnote}", style="dim", soft_wrap=True)
        out.print()
    out.print(_ledger_table(result))
    for line in _footer(evaluation, config, brief):
        out.print(escape(line), soft_wrap=True)


def _metrics_table(result: RunResult, config: RunConfig) -> tuple[Any, list[str]]:
    """The table and its footnotes."""
    from rich.table import Table

    notes: dict[str, str] = {}
    paper = published_row(config.model.published or "")
    incomplete = not result.complete
    doubted = result.judge_validation.validated is False
    table = Table(
        title=f"{result.model} on {result.data} ({result.fingerprint[:12]})",
        title_justify="left",
        box=simple_box(),
    )
    shown: dict[str, Callable[[MetricValue], str]] = {
        "value": lambda m: "?" if incomplete and is_open(m) else number(m.value),
        f"{config.metrics.confidence:.0%} interval": interval,
    }
    if incomplete:
        shown["bounds"] = bounds
    if any(_valid_differs(metric) for task in result.tasks for metric in task.metrics):
        shown["valid only"] = lambda m: number(m.valid_only) if _valid_differs(m) else ""
    if paper:
        shown["paper"] = lambda m: number(paper[m.name]) if m.name in paper else ""
    shown["n"] = lambda m: str(m.n)
    table.add_column("metric", no_wrap=True)
    for title in shown:
        table.add_column(
            title, justify="right", no_wrap=title in list(shown)[:2] or title == "bounds"
        )
    for task in result.tasks:
        headline = get_task(task.task).headline_names
        for metric in task.metrics:
            first = metric.name in headline
            name = f"[bold]{metric.name}[/]" if first else f"  {metric.name}"
            name += _mark(metric.note, notes)
            if doubted and first and get_task(task.task).judged:
                name += _mark("judge not validated", notes)
            table.add_row(name, *(cell(metric) for cell in shown.values()))
        table.add_section()
    return table, [f"{mark} {note}" for note, mark in notes.items()]


def _mark(note: str, notes: dict[str, str]) -> str:
    """A footnote's sign: the same for the same note, new ones in order of appearance."""
    if not note:
        return ""
    return " " + notes.setdefault(note, "¹²³⁴⁵⁶⁷⁸⁹"[min(len(notes), 8)])


def _valid_differs(metric: MetricValue) -> bool:
    return not math.isnan(metric.value) and metric.valid_only != metric.value


def is_open(metric: MetricValue) -> bool:
    """True where failed requests leave the value undecided."""
    return metric.worst != metric.best and not math.isnan(metric.worst)


def _ledger_table(result: RunResult) -> Any:
    from rich.table import Table

    table = Table(title="outcomes of requests", title_justify="left", box=simple_box())
    table.add_column("task")
    for outcome in Outcome:
        table.add_column(outcome.value.replace("_", " "), justify="right")
    table.add_column("all", justify="right")
    for task in result.tasks:
        ledger = task.ledger
        table.add_row(
            task.task, *(str(ledger[o.value]) for o in Outcome), str(sum(ledger.values()))
        )
    return table


def simple_box() -> Any:
    from rich import box

    return box.SIMPLE_HEAD


def _footer(evaluation: Evaluation, config: RunConfig, brief: bool) -> list[str]:
    result, usage = evaluation.result, evaluation.result.usage
    lines = [f"note: {warning}" for warning in result.warnings]
    if "qwk" in result.judge:
        lines.append(
            f"judge {config.judge.name}: QWK against {result.judge['n']:.0f} ratings "
            f"{number(result.judge['qwk'])} [{number(result.judge['qwk_lo'])}, "
            f"{number(result.judge['qwk_hi'])}], coverage {number(result.judge.get('coverage', math.nan))}"
        )
    parts = ["{requests:.0f} requests: {asked:.0f} asked, {cache_hits:.0f} from the store"]
    if usage["answers_prompt_tokens"]:
        parts.append("{prompt_tokens:,.0f} prompt + {completion_tokens:,.0f} completion tokens")
        dollars = usage["cost_usd"]
        if not math.isnan(dollars):
            parts.append(f"cost ${dollars:.4f}")
        elif config.model.paid:
            parts.append("no price known")
    if usage.get("judge_requests"):
        dollars = usage["judge_cost_usd"]
        shown = "no price known" if math.isnan(dollars) else f"${dollars:.4f}"
        parts.append(f"judge asked {usage['judge_requests']:.0f} times ({shown})")
    lines.append(" · ".join([*parts, "{wall_s:.1f} s"]).format_map(usage))
    failed = sum(task.ledger["failed"] for task in result.tasks)
    if failed and not evaluation.interrupted:
        lines.append(
            f"INCOMPLETE: {failed} requests failed ({_why(result)}). The values above are open "
            "between the bounds; the same command asks only for what is missing."
        )
    if not brief and evaluation.run_id:
        lines.append(
            f"tracked as {evaluation.run_id}; open it with: make ui   "
            f"(or mlflow ui --backend-store-uri {tracking_uri()})"
        )
    return lines


def _why(result: RunResult) -> str:
    """The most frequent reason why something failed, and how many others there are."""
    notes = Counter(
        note_of(*row) for task in result.tasks for row in task.rows if ended(*row) is Outcome.FAILED
    )
    others = len(notes) - 1
    return notes.most_common(1)[0][0] + (f"; and {others} other reasons" if others else "")
