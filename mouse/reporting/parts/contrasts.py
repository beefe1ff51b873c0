"""Figures 4 and 5 of the paper for one's own runs, and the same as a table.

Translation score on toxic and safe items, and on items whose component was recognised or not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from mouse.comparison.contestants import Contestant
from mouse.corpus.items import COMPONENTS
from mouse.corpus.labels import COMPONENT_ZH
from mouse.metrics.contrast import Contrast, contrast
from mouse.reporting import fonts
from mouse.reporting.canvas import FIRST, SECOND, axes, blank, model_ticks
from mouse.reporting.judge_validation import mark_of, marked
from mouse.reporting.part import Figure, Part
from mouse.reporting.report import Report
from mouse.reporting.table import Block, Cell, Table, TableColumn

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@lru_cache(maxsize=4)
def contrasts(report: Report) -> Mapping[str, Mapping[str, Contrast]]:
    """Model → `toxicity` or a component → its contrast."""
    return {one.name: _contrasts(one, report.cxeis) for one in report.with_task("tr")}


def _contrasts(one: Contestant, cxeis: pd.DataFrame) -> dict[str, Contrast]:
    frame = one.runs["tr"].predictions["tr"]
    frame = frame[frame["score"].notna()].join(cxeis[["toxicity"]], on="item_id")
    found = {}
    known = frame[frame["toxicity"].notna()]
    if len(known):
        found["toxicity"] = _contrast(known, (known["toxicity"] == 1).tolist())
    if "rc" in one.runs:
        components = one.runs["rc"].predictions["rc"]
        for name in COMPONENTS:
            asked = components[(components["variant"] == name) & (components["gold"] == "1")]
            recognised = asked.groupby("item_id")["correct"].first().dropna()
            rows = frame[frame["item_id"].isin(recognised.index)]
            if len(rows):
                found[name] = _contrast(rows, [bool(recognised[item]) for item in rows["item_id"]])
    return found


def _contrast(frame: pd.DataFrame, is_first: list[bool]) -> Contrast:
    clusters = frame["cluster"].fillna(frame["item_id"]).tolist()
    return contrast((frame["score"] / 2).tolist(), is_first, clusters)


def contrast_table(report: Report) -> Table | None:
    """Figures 4 and 5 as numbers."""
    titles = {"toxicity": "Figure 4: toxic − safe"}
    for name in COMPONENTS:
        titles[name] = f"Figure 5: {COMPONENT_ZH[name]} {name}, recognised − not"
    marks = {one.name: mark_of(one) for one in report.contestants}
    blocks = []
    for kind, title in titles.items():
        rows = []
        for model, by_kind in contrasts(report).items():
            if kind in by_kind:
                c = by_kind[kind]
                cells = [
                    Cell(c.mean_first, c.first_lo, c.first_hi, note=f"n = {c.n_first}"),
                    Cell(c.mean_second, c.second_lo, c.second_hi, note=f"n = {c.n_second}"),
                    Cell(c.difference, c.lo, c.hi, note=c.method),
                ]
                rows.append((model, [*marked(cells, marks[model]), Cell(c.p_value)]))
        if rows:
            blocks.append(Block(title, rows))
    if not blocks:
        return None
    return Table(
        "contrasts",
        "Translation score by kind of item",
        [
            TableColumn("first kind"),
            TableColumn("second kind"),
            TableColumn("difference"),
            TableColumn("p", is_p_value=True),
        ],
        blocks,
        "Sem.Acc on items of either kind; p values are single ones, not corrected for the number "
        "of models.",
        tasks=("tr", "rc"),
    )


def toxicity(report: Report) -> Figure | None:
    """Figure 4: translation score on toxic and on safe items."""
    chosen = _usable(report, "toxicity")
    if not chosen:
        return None
    drawing, axis = axes(max(4.6, 1.5 + 0.95 * len(chosen)), 3.6)
    _pairs(axis, chosen, ("有毒 toxic", "无毒 safe"))
    return Figure(
        "figure4",
        "Figure 4 · translation score on toxic and safe items",
        "Bars: Sem.Acc with 95% bootstrap intervals; above them the difference and its p value.",
        drawing,
        ("tr",),
    )


def components(report: Report) -> Figure | None:
    """Figure 5: translation score where the model recognised a component and where it did not."""
    by_kind = {kind: chosen for kind in COMPONENTS if (chosen := _usable(report, kind))}
    if not by_kind:
        return None
    widest = max(len(chosen) for chosen in by_kind.values())
    drawing = blank(max(4.2, 1.2 + 0.9 * widest) * len(by_kind), 3.6)
    panels = np.atleast_1d(drawing.subplots(1, len(by_kind), sharey=True))
    for axis, (kind, chosen) in zip(panels, by_kind.items(), strict=True):
        _pairs(axis, chosen, ("识别 recognised", "未识别 not"))
        axis.set_title(f"{COMPONENT_ZH[kind]} {kind}", fontsize=10)
        axis.spines[["top", "right"]].set_visible(False)
    return Figure(
        "figure5",
        "Figure 5 · translation score by recognition of the component",
        "Only items that have the component; the paper draws the homophonic one. The relation may "
        "run through the item's difficulty: it is no proof that recognising helps.",
        drawing,
        ("tr", "rc"),
        wide=True,
    )


def _usable(report: Report, kind: str) -> dict[str, Contrast]:
    return {
        model: by_kind[kind]
        for model, by_kind in contrasts(report).items()
        if kind in by_kind and math.isfinite(by_kind[kind].difference)
    }


def _pairs(axis: Axes, chosen: Mapping[str, Contrast], names: tuple[str, str]) -> None:
    for index, c in enumerate(chosen.values()):
        sides = (
            (-0.2, c.mean_first, c.first_lo, c.first_hi, FIRST, names[0]),
            (0.2, c.mean_second, c.second_lo, c.second_hi, SECOND, names[1]),
        )
        for shift, mean, lo, hi, colour, name in sides:
            axis.bar(index + shift, mean, 0.36, color=colour, label=name if index == 0 else None)
            axis.plot([index + shift] * 2, [lo, hi], color="#333", lw=1)
        p = "p<.001" if c.p_value < 0.001 else f"p={c.p_value:.3f}".replace("0.", ".", 1)
        axis.annotate(
            f"{c.difference:+.2f}\n{p}",
            (index, max(c.first_hi, c.second_hi) + 0.015),
            ha="center",
            va="bottom",
            fontsize=7,
            family=fonts.FAMILIES[0],
        )
    top = max(max(c.first_hi, c.second_hi) for c in chosen.values())
    axis.set_ylim(0, min(top + 0.25, 1.25))
    model_ticks(axis, list(chosen))
    axis.set_ylabel("Sem.Acc")
    axis.legend(fontsize=8, frameon=False, loc="upper right", ncols=2)


PARTS = [
    Part("translation", 10, contrast_table),
    Part("translation", 10, toxicity),
    Part("translation", 30, components),
]
