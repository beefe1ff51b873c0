"""Tables 3 to 7 of the paper for one's own runs, the published rows beside them."""

from __future__ import annotations

import csv
import math
import statistics
from collections.abc import Sequence
from itertools import chain
from typing import Any

from mouse.annotation.review.results import AspectResult
from mouse.annotation.review.sheet import QUESTIONS
from mouse.corpus.resources import data_path
from mouse.reporting.judge_evidence import corrected_cell
from mouse.reporting.judge_validation import label_of, mark_of
from mouse.reporting.published import (
    HUMAN_GROUPS,
    published_interval,
    published_row,
    published_rows,
)
from mouse.reporting.study import Entry, Study
from mouse.reporting.table import Block, Cell, Column, Table

TABLE3 = {
    "tr/sem_acc": "TR Sem.Acc",
    "tr/perfect_rate": "TR Perfect",
    "rc/bal_acc": "RC Bal.Acc",
    "rc/macro_f1": "RC Macro-F1",
    "ir/bal_acc": "IR Bal.Acc",
    "ir/macro_f1": "IR Macro-F1",
    "td/acc": "TD Acc",
    "td/f1": "TD F1",
    "ms/acc": "MS Acc",
    "cc/acc": "CC Acc",
}
TABLE4 = {
    "rc/mcc_homophonic": "RC homophonic",
    "rc/mcc_semantic": "RC semantic",
    "rc/mcc_visual": "RC visual",
    "ir/mcc": "IR",
    "td/mcc": "TD",
    "ms/mcc": "MS",
    "cc/mcc": "CC",
}
_PUBLISHED = "published (the paper's own data)"


def metric_cell(entry: Entry, metric: str) -> Cell:
    """A metric of an entry with its interval, and the paper's value where the paper has the model.

    The note says n, method and what is undefined.
    """
    record = entry.metrics.get(metric)
    if record is None:
        return Cell()
    notes = [f"n = {record['n']}", record["method"], record["note"]]
    if record["worst"] != record["best"]:
        notes.append(f"requests failed: between {record['worst']:.3f} and {record['best']:.3f}")
    if record["valid_only"] is not None and record["valid_only"] != record["value"]:
        notes.append(f"over valid answers alone {record['valid_only']:.3f}")
    return Cell(
        record["value"],
        record["lo"],
        record["hi"],
        note="; ".join(filter(None, notes)),
        mark=mark_of(entry, metric),
        paper=published_row(entry.param("model.published") or "").get(metric),
    )


def published_cell(model: str, metric: str) -> Cell:
    """A published number; where it determines the counts behind it, with their interval."""
    value = published_row(model).get(metric)
    if value is None:
        return Cell()
    found = published_interval(model, metric)
    if found is None:
        return Cell(value, note="the printed numbers do not determine the counts behind this one")
    count = f"{round(value * found.n)} of {found.n}" if metric in ("ms/acc", "cc/acc") else ""
    notes = (count, f"{found.method}, 95%", "every set of counts that prints alike is spanned")
    return Cell(value, found.lo, found.hi, note="; ".join(filter(None, notes)))


def table3(study: Study) -> Table:
    """All tasks' headline metrics."""
    return _main(
        study, "table3", "Table 3 · main results", TABLE3, "95% intervals in brackets, of published rows where the printed numbers determine counts; "
        "refused, "
        "unreadable and cut-off answers count as wrong. Best bold, second underlined, each block "
        "by itself: the published rows are on other data."
    )  # fmt: skip


def table4(study: Study) -> Table:
    """Matthews correlation, which no constant answer can raise above 0."""
    return _main(
        study, "table4", "Table 4 · Matthews correlation coefficient", TABLE4,
        "An unusable answer counts as one more predicted class."
    )  # fmt: skip


def _main(study: Study, name: str, title: str, metrics: dict[str, str], caption: str) -> Table:
    used = {m: t for m, t in metrics.items() if m.split("/")[0] in study.tasks} or metrics
    models: list[tuple[str, list[Cell]]] = []
    people: list[tuple[str, list[Cell]]] = []
    corrected = {entry.model: corrected_cell(entry) for entry in study.entries}
    shown = "tr/sem_acc" in used and any(c.value is not None for c in corrected.values())
    for entry in study.entries:
        cells = [metric_cell(entry, metric) for metric in used]
        if shown:
            cells.insert(1, corrected[entry.model])
        (people if entry.group else models).append((entry.model, cells))
    theirs = []
    for model, row in published_rows().items():
        if model not in HUMAN_GROUPS and any(metric in row for metric in used):
            cells = [published_cell(model, metric) for metric in used]
            theirs.append((model, [cells[0], Cell(), *cells[1:]] if shown else cells))
    columns = [Column(label, True) for label in used.values()]
    if shown:
        columns.insert(1, Column("TR corrected", True))
        caption += (
            " TR corrected: the judge's scores on all translations, corrected by people's ratings "
            "of a sample."
        )
    blocks = [Block("these runs", models), Block("participants replayed here", people)]
    return Table(
        name,
        title,
        columns,
        [*(block for block in blocks if block.rows), Block(_PUBLISHED, theirs)],
        caption,
    )


def table5(reviewed: Sequence[AspectResult] = ()) -> Table:
    """Data quality: six questions, the paper's share of yes and that of one's own review.

    `reviewed`: what the reviewers of one's own data set answered (`mouse.dataset build review-in`).
    """
    own = {result.aspect: result for result in reviewed}
    with data_path("published/table5_quality.csv").open(encoding="utf-8", newline="") as file:
        published = {row["aspect"]: float(row["yes_percent"]) for row in csv.DictReader(file)}
    rows = []
    for question in QUESTIONS:
        cells = [Cell(published[question.aspect])]
        if reviewed:
            cells += _reviewed(own.get(question.aspect))
        rows.append((question.english, cells))
    columns = [Column("yes, % (published)", digits=0)]
    if reviewed:
        columns += [Column("yes, % (this data set)", digits=1), Column("answers", digits=0)]
        columns.append(Column("alpha"))
    said = (
        "This data set's reviewers answered the same questions; intervals resample items, alpha is "
        "Krippendorff's."
        if reviewed
        else "A data set of one's own is reviewed with mouse.dataset build review-out and stands "
        "beside it with --review FOLDER."
    )
    return Table(
        "table5",
        "Table 5 · data quality",
        columns,
        [Block("", rows)],
        "Share of yes among the answers of the paper's four reviewers to six questions about its "
        f"data set, in this project's words. {said}",
        row_title="question",
    )


def _reviewed(result: AspectResult | None) -> list[Cell]:
    if result is None:
        return [Cell(), Cell(), Cell()]
    alpha = result.alpha
    return [
        Cell(100 * result.rate, 100 * result.lo, 100 * result.hi, note=result.method),
        Cell(float(result.answers)),
        Cell(alpha.value, alpha.lo, alpha.hi)
        if alpha.status == "ok"
        else Cell(text="undefined", note=alpha.note),
    ]


def table6(study: Study) -> Table | None:
    """People and models on cloze, as in the paper, and on meaning where people answered it.

    Replayed participants are averaged by group, with their spread. None where nobody was asked.
    """
    answered = {task for entry in study.entries if entry.group for task in entry.runs}
    answered |= {name.partition("/")[0] for who in HUMAN_GROUPS for name in published_row(who)}
    tasks = [task for task in ("cc", "ms") if task in answered and study.with_task(task)]
    if not tasks:
        return None
    groups: dict[str, list[Entry]] = {}
    models = []
    for entry in study.entries:
        if entry.group:
            groups.setdefault(entry.group, []).append(entry)
        elif not entry.runs.keys().isdisjoint(tasks):
            of_tasks = ((metric_cell(entry, f"{task}/acc"), *_NO_SPREAD) for task in tasks)
            models.append((entry.model, [*chain.from_iterable(of_tasks)]))
    people = []
    for group, members in sorted(groups.items()):
        values = [
            [v for v in (m.value(f"{task}/acc") for m in members) if v is not None]
            for task in tasks
        ]
        if any(values):
            cells = [*chain.from_iterable(map(_spread, values))]
            people.append((f"{group} (n = {max(map(len, values))})", cells))
    published = [
        (HUMAN_GROUPS.get(who, who), [published_cell(who, "cc/acc"), *_NO_SPREAD])
        for who, row in published_rows().items()
        if "cc/acc" in row and "cc" in tasks
    ]
    for _, cells in published:
        cells += [Cell()] * (len(tasks) - 1) * 4
    blocks = [
        Block("participants replayed here", people),
        Block("models, these runs", models),
        Block(_PUBLISHED, published),
    ]
    return Table(
        "table6",
        "Table 6 · people and models on cloze" + (" and meaning" if "ms" in tasks else ""),
        [
            column
            for task in tasks
            for column in (
                Column(f"{task.upper()} Acc", True),
                *(Column(f"{task.upper()} {name}") for name in ("SD", "lowest", "highest")),
            )
        ],
        [block for block in blocks if block.rows],
        "Participants are replayed with model=replay model.rater=NAME model.group=GROUP (sheets for "
        "them: python -m mouse.annotate questionnaire); the value is the mean of a group, its "
        "interval Student's t over participants. A published group's value is a mean over so many "
        "people, whose spread is not printed; the paper asked people cloze alone.",
        row_title="who",
    )


_NO_SPREAD = (Cell(), Cell(), Cell())


def _spread(values: Sequence[float]) -> list[Cell]:
    if not values:
        return [Cell(), *_NO_SPREAD]
    mean = statistics.fmean(values)
    if len(values) < 2:
        return [Cell(mean, note="one participant: no spread"), Cell(), Cell(mean), Cell(mean)]
    from scipy.stats import t

    sd = statistics.stdev(values)
    if sd == 0:  # an interval of no width would claim that all people are alike
        return [Cell(mean, note="all alike: no interval"), Cell(sd), Cell(mean), Cell(mean)]
    half = float(t.ppf(0.975, len(values) - 1)) * sd / math.sqrt(len(values))
    cell = Cell(mean, max(mean - half, 0.0), min(mean + half, 1.0))
    return [cell, Cell(sd), Cell(min(values)), Cell(max(values))]


def table7(
    study: Study, models: Sequence[str] = (), items: Sequence[str] = (), limit: int = 12
) -> Table | None:
    """Two models' translations side by side, by default where their scores differ most.

    `models`: two names; by default the two best translators. `items`: ids, else chosen. None
    where fewer than two models translated.
    """
    entries = study.with_task("tr")
    if models:
        entries = [entry for name in models for entry in entries if entry.model == name]
    else:
        entries = sorted(entries, key=lambda e: -(e.value("tr/sem_acc") or 0.0))
    if len(entries) < 2:
        return None
    one, other = entries[:2]
    first, second = (_by_item(entry) for entry in (one, other))
    common = [item for item in first if item in second]
    if items:
        chosen = [item for item in items if item in common]
    else:
        gap = {item: (first[item]["score"] or 0) - (second[item]["score"] or 0) for item in common}
        # Both directions, by turns: a table of one model's failures alone would be advertising.
        up = sorted((i for i in common if gap[i] > 0), key=lambda i: (-gap[i], i))
        down = sorted((i for i in common if gap[i] < 0), key=lambda i: (gap[i], i))
        turns = [i for pair in zip(up, down, strict=False) for i in pair]
        longer = up if len(up) > len(down) else down
        chosen = (turns + longer[min(len(up), len(down)) :])[:limit]
    rows = []
    for item in chosen:
        a, b = first[item], second[item]
        cells = [Cell(text=_short(a["text"])), Cell(text=_short(a["gold"]))]
        for row in (a, b):
            score = "–" if row["score"] is None else str(row["score"])
            cells.append(Cell(text=f"({score}) {_short(row['raw_text'] or row['outcome'])}"))
        rows.append((item, cells))
    columns = ["original 原文", "reference 参考", label_of(one), label_of(other)]
    return Table(
        "table7",
        f"Table 7 · {one.model} and {other.model} side by side",
        [Column(title, align="l") for title in columns],
        [Block("", rows)],
        "The judge's score in brackets. "
        + ("Items as asked for." if items else "Items whose scores differ most, by turns."),
        row_title="item",
    )


def _by_item(entry: Entry) -> dict[str, dict[str, Any]]:
    frame = entry.runs["tr"].predictions["tr"]
    rows = frame[frame["repeat"] == 0].to_dict("records")
    for row in rows:
        row["score"] = None if row["score"] != row["score"] else row["score"]
        row["score"] = None if row["score"] is None else int(row["score"])
        row["raw_text"] = row["raw_text"] if isinstance(row["raw_text"], str) else ""
    return {row["item_id"]: row for row in rows}


def _short(text: str, limit: int = 120) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
