"""One figure a task that shows which answers were given to which gold labels.

A confusion matrix for tasks with labels (three beside each other for the components), and for
translation the share of each score. Refused, unreadable, truncated and failed answers have
columns of their own, so that the counts of a row add up to the row's items.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mouse.contracts import Outcome, Prediction, RunResult, TaskResult
from mouse.metrics.confusion import confusion_counts
from mouse.reporting import fonts
from mouse.tasks.registry import get_task

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

MANY_LABELS = 4
"""From more labels on their titles are set smaller and wider."""

OUTCOME_TITLE = {
    Outcome.REFUSAL: "拒答\nrefusal",
    Outcome.UNPARSEABLE: "无法解析\nunparseable",
    Outcome.TRUNCATED: "截断\ntruncated",
    Outcome.CONTENT_FILTERED: "被过滤\nfiltered",
    Outcome.FAILED: "失败\nfailed",
}


def label_title(task: str, label: str) -> str:
    """A label as figures show it: the Chinese name over the English one."""
    return get_task(task).label_titles.get(label, label)


def class_labels(task: str, predictions: Sequence[Prediction]) -> list[str]:
    """The task's labels in their fixed order, then any others that were given."""
    seen = {prediction.gold for prediction in predictions}
    seen |= {prediction.predicted for prediction in predictions if prediction.predicted is not None}
    known = get_task(task).table_labels(seen)
    return [*known, *sorted(seen - set(known))]


def counts(task: str, predictions: Sequence[Prediction]) -> tuple[np.ndarray, list[str], list[str]]:
    """Confusion counts (gold × answer), the rows' labels and the columns' titles.

    Columns are the labels, then one for each kind of unusable answer that occurred.
    """
    labels = class_labels(task, predictions)
    unusable = [
        outcome
        for outcome in OUTCOME_TITLE
        if any(prediction.outcome is outcome for prediction in predictions)
    ]
    pairs = ((p.gold, p.outcome if p.outcome in unusable else p.predicted) for p in predictions)
    matrix = confusion_counts(pairs, labels, [*labels, *unusable])
    # Columns are narrow: a name of two words goes on two lines.
    titles = [label_title(task, label).replace(" ", "\n") for label in labels]
    titles = [title.replace("\n&\n", " &\n") for title in titles]
    return matrix, labels, [*titles, *(OUTCOME_TITLE[outcome] for outcome in unusable)]


def figure(task: TaskResult, model: str = "") -> Figure:
    """The task's figure. Needs no display; the caller saves and forgets it."""
    fonts.register()
    known = get_task(task.task)
    if known.judged:
        made = _scores(task)
    elif len(known.variants) > 1:
        made = _variants(task)
    else:
        made = _one(task)
    title = f"{known.title.capitalize()} {known.title_zh}"
    made.suptitle(
        fonts.drawable(f"{title} · {model}" if model else title),
        x=0.01,
        y=0.985,
        ha="left",
        va="top",
        fontsize=12,
    )
    return made


def task_figures(result: RunResult) -> dict[str, bytes]:
    """Path under a run's artifacts → its figure as PNG, one a task that has predictions."""
    drawn = {}
    for task in result.tasks:
        if task.predictions:
            png = io.BytesIO()
            figure(task, result.model).savefig(png, format="png", dpi=130)
            drawn[f"figures/{task.task}.png"] = png.getvalue()
    return drawn


def _new(width: float, height: float) -> Figure:
    # Not pyplot: it keeps every figure alive and wants a backend.
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height))


def _with_margins(width: float, height: float, left: float) -> tuple[Figure, Axes]:
    """A figure around axes of the given size in inches.

    Margins are known here, so matplotlib need not lay the figure out by drawing it twice.
    """
    right, top, bottom = 0.15, 0.5, 0.95
    whole_width, whole_height = left + width + right, top + height + bottom
    made = _new(whole_width, whole_height)
    box = (left / whole_width, bottom / whole_height, width / whole_width, height / whole_height)
    return made, made.add_axes(box)


def _one(task: TaskResult) -> Figure:
    matrix, labels, titles = counts(task.task, task.predictions)
    wide = len(labels) > MANY_LABELS
    width, height = (1.02 if wide else 1.15) * len(titles), 0.62 * max(len(labels), 2)
    made, axis = _with_margins(width, height, left=2.35 if wide else 1.55)
    _draw(axis, task.task, matrix, labels, titles)
    return made


def _variants(task: TaskResult) -> Figure:
    known = get_task(task.task)
    made = _new(12.5, 3.4)
    axes = made.subplots(
        1,
        len(known.variants),
        gridspec_kw={"left": 0.1, "right": 0.99, "top": 0.78, "bottom": 0.2, "wspace": 0.42},
    )
    for axis, variant in zip(axes, known.variants, strict=True):
        chosen = [p for p in task.predictions if p.variant == variant]
        matrix, labels, titles = counts(task.task, chosen)
        _draw(axis, task.task, matrix, labels, titles)
        axis.set_title(known.variant_titles.get(variant, variant), fontsize=11)
    return made


def _draw(
    axis: Axes, task: str, matrix: np.ndarray, labels: Sequence[str], titles: Sequence[str]
) -> None:
    totals = matrix.sum(axis=1, keepdims=True)
    shares = np.divide(matrix, totals, out=np.zeros(matrix.shape), where=totals > 0)
    axis.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (row, column), count in np.ndenumerate(matrix):
        share = f"{shares[row, column]:.0%}" if totals[row, 0] else ""
        right = column == row
        axis.text(
            column,
            row,
            f"{count}\n{share}" if count else "0",
            ha="center",
            va="center",
            fontsize=9,
            family=fonts.FAMILIES[0],  # digits need no fallback, and looking for one costs
            color="white" if shares[row, column] > 0.55 else ("#222" if count else "#aaa"),
        )
        if right:
            axis.add_patch(_outline(row, column))
    if len(titles) > len(labels):
        axis.axvline(len(labels) - 0.5, color="#444", linewidth=1)
    rows = [f"{label_title(task, label)}" for label in labels]
    rows = [f"{title}  (n={total})" for title, total in zip(rows, totals[:, 0], strict=True)]
    small = 8 if len(labels) > MANY_LABELS else 9
    for setter, texts in ((axis.set_xticks, titles), (axis.set_yticks, rows)):
        shown = [fonts.drawable(text) for text in texts]
        setter(range(len(texts)), shown, fontsize=small, family=fonts.families("".join(shown)))
    axis.set_xlabel("答案 answer", fontsize=10)
    axis.set_ylabel("标准 gold", fontsize=10)
    axis.tick_params(length=0)
    for spine in axis.spines.values():
        spine.set_visible(False)


def _outline(row: int, column: int) -> Rectangle:
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.48, row - 0.47), 0.96, 0.94, fill=False, edgecolor="#c60", lw=1.2)


def _scores(task: TaskResult) -> Figure:
    names = ["2 意思正确\nright", "1 小有偏差\nminor deviations", "0 错误\nwrong", "未评\nno score"]
    scores = [verdict.score for verdict in task.verdicts]
    copied = sum(1 for verdict in task.verdicts if verdict.status == "copied")
    unjudged = max(len(task.predictions) - len(scores), 0)
    heights = [*(scores.count(score) for score in (2, 1, 0)), scores.count(None) + unjudged]
    total = max(sum(heights), 1)
    made, axis = _with_margins(5.4, 2.6, left=0.8)
    bars = axis.bar(
        range(4), heights, color=["#2b6cb0", "#90cdf4", "#cbd5e0", "#f6ad55"], width=0.7
    )
    if copied:
        axis.bar([2], [copied], color="none", edgecolor="#4a5568", hatch="///", width=0.7)
    for bar, height in zip(bars, heights, strict=True):
        text = f"{height} ({height / total:.1%})"
        if bar is bars[2] and copied:
            text += f"\n照抄 copied: {copied}"
        axis.annotate(
            text,
            (bar.get_x() + bar.get_width() / 2, height),
            ha="center",
            va="bottom",
            fontsize=9,
        )
    axis.set_xticks(range(4), names, fontsize=9)
    axis.set_ylim(0, max(heights) * 1.22 + 1)
    axis.set_ylabel("items", fontsize=10)
    axis.spines[["top", "right"]].set_visible(False)
    return made
