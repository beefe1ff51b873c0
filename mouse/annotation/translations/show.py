"""Prints an assessment: the numbers with intervals, the confusion matrix, what is missing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from mouse.annotation.translations.assessment import Assessment
from mouse.metrics.agreement import Agreement
from mouse.metrics.judge_agreement import SCORES

if TYPE_CHECKING:
    from rich.console import Console

_LISTED = 40
"""Missing cells and rows to adjudicate that are named one by one; `agreement.json` has all."""


def print_assessment(found: Assessment, out: Console) -> None:
    from rich.markup import escape

    out.print(_numbers(found))
    out.print(_confusion(found))
    for sheet, cells in _by_sheet(found).items():
        out.print(escape(f"missing in {sheet}: {_listed(cells)}"), soft_wrap=True)
    if found.adjudicate:
        rows = [one.entry.row for one in found.adjudicate]
        out.print(f"to be adjudicated ({len(rows)}): {_listed(rows)}", soft_wrap=True)
    for note in found.notes:
        out.print(escape(f"note: {note}"), soft_wrap=True)
    style = "bold red" if found.validated is False else "bold"
    sentence = found.sentence[:1].upper() + found.sentence[1:]
    out.print(escape(sentence), style=style, soft_wrap=True)


def _numbers(found: Assessment) -> Any:
    who = f"{len(found.raters)} rater{'s' if len(found.raters) > 1 else ''}"
    table = _table(f"judge against {who} ({found.merge}), {len(found.rated)} translations")
    for header in ("", "value", "interval"):
        table.add_column(header, justify="right" if header else "left", no_wrap=True)
    table.add_column("n", justify="right")
    table.add_column("", justify="left")
    whole = found.consensus
    _coefficient(table, "[bold]QWK judge – consensus[/]", whole.qwk)
    for rater, against in found.raters.items():
        _coefficient(table, f"  QWK judge – rater {rater}", against.qwk)
    _row(table, "equal ratings judge – consensus", whole.raw, whole.qwk.n)
    if found.alpha is not None:
        _coefficient(table, "α among raters (ordinal)", found.alpha)
        equal = f"{found.alpha.raw_agreement:.3f}" if found.alpha.n else "–"
        table.add_row("  equal pairs of ratings", equal, "", str(found.alpha.n), "")
    table.add_section()
    for score in SCORES:
        _row(table, f"people: share of {score}", whole.human_shares[score], whole.qwk.n)
        _row(table, f"judge: share of {score}", whole.judge_shares[score], whole.qwk.n)
    table.add_section()
    corrected = found.corrected
    _row(table, "[bold]Sem.Acc corrected[/]", corrected, corrected.n_human, corrected.note)
    raw = _interval(corrected.raw_lo, corrected.raw_hi)
    table.add_row("  as the judge has it", _number(corrected.raw), raw, str(corrected.n_scored), "")
    human = _number(corrected.human_only)
    table.add_row("  from people alone", human, "", str(corrected.n_human), "")
    table.add_row("  judge minus people", f"{corrected.judge_bias:+.3f}", "", "", "")
    return table


def _confusion(found: Assessment) -> Any:
    table = _table("judge (down) × consensus (across)")
    table.add_column("judge")
    for score in SCORES:
        table.add_column(f"people {score}", justify="right")
    for score in SCORES:
        table.add_row(str(score), *map(str, found.consensus.confusion[score]))
    return table


def _table(title: str) -> Any:
    from rich import box
    from rich.table import Table

    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)


def _row(table: Any, name: str, estimate: Any, n: int, remark: str = "") -> None:
    bounds = _interval(estimate.lo, estimate.hi)
    table.add_row(name, _number(estimate.value), bounds, str(n), remark)


def _coefficient(table: Any, name: str, found: Agreement) -> None:
    _row(table, name, found, found.n, found.note if found.status == "undefined" else found.band)


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def _interval(low: float, high: float) -> str:
    return "–" if math.isnan(low) or math.isnan(high) else f"[{low:.3f}, {high:.3f}]"


def _by_sheet(found: Assessment) -> dict[str, list[str]]:
    sheets: dict[str, list[str]] = {}
    for cell in found.missing:
        sheet, _, address = cell.partition("!")
        sheets.setdefault(sheet, []).append(address)
    return sheets


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_LISTED])
    return shown if len(names) <= _LISTED else f"{shown}, … ({len(names)} in all)"
