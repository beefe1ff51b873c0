"""Figures 4 and 5 of the paper for one's own runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from mouse.corpus.items import COMPONENTS
from mouse.corpus.labels import COMPONENT_ZH
from mouse.reporting import fonts
from mouse.reporting.canvas import FIRST, SECOND, Made, axes, blank, model_ticks
from mouse.reporting.contrast import Contrast

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def toxicity(
    contrasts: Mapping[str, Mapping[str, Contrast]],
) -> Made | None:
    """Figure 4: translation score on toxic and on safe items."""
    chosen = {m: by["toxicity"] for m, by in contrasts.items() if _usable(by.get("toxicity"))}
    if not chosen:
        return None
    figure, axis = axes(max(4.6, 1.5 + 0.95 * len(chosen)), 3.6)
    _pairs(axis, chosen, ("有毒 toxic", "无毒 safe"))
    return (
        "figure4",
        "Figure 4 · translation score on toxic and safe items",
        "Bars: Sem.Acc with 95% bootstrap intervals; above them the difference and its p value.",
        figure,
    )


def components(
    contrasts: Mapping[str, Mapping[str, Contrast]],
) -> Made | None:
    """Figure 5: translation score where the model recognised a component and where it did not."""
    by_kind = {
        kind: {m: by[kind] for m, by in contrasts.items() if _usable(by.get(kind))}
        for kind in COMPONENTS
    }
    by_kind = {kind: chosen for kind, chosen in by_kind.items() if chosen}
    if not by_kind:
        return None
    widest = max(len(chosen) for chosen in by_kind.values())
    figure = blank(max(4.2, 1.2 + 0.9 * widest) * len(by_kind), 3.6)
    panels = np.atleast_1d(figure.subplots(1, len(by_kind), sharey=True))
    for axis, (kind, chosen) in zip(panels, by_kind.items(), strict=True):
        _pairs(axis, chosen, ("识别 recognised", "未识别 not"))
        axis.set_title(f"{COMPONENT_ZH[kind]} {kind}", fontsize=10)
    return (
        "figure5",
        "Figure 5 · translation score by recognition of the component",
        "Only items that have the component; the paper draws the homophonic one. The relation may "
        "run through the item's difficulty: it is no proof that recognising helps.",
        figure,
    )


def _usable(value: Contrast | None) -> bool:
    return value is not None and math.isfinite(value.difference)


def _pairs(axis: Axes, chosen: Mapping[str, Contrast], names: tuple[str, str]) -> None:
    for index, c in enumerate(chosen.values()):
        sides = (
            (-0.2, c.mean_first, c.first_lo, c.first_hi, FIRST, names[0]),
            (0.2, c.mean_second, c.second_lo, c.second_hi, SECOND, names[1]),
        )
        for shift, mean, lo, hi, colour, name in sides:
            axis.bar(index + shift, mean, 0.36, color=colour, label=name if index == 0 else None)
            axis.plot([index + shift] * 2, [lo, hi], color="#333", lw=1)
        top = max(c.first_hi, c.second_hi)
        p = "p<.001" if c.p_value < 0.001 else f"p={c.p_value:.3f}".replace("0.", ".", 1)
        axis.annotate(
            f"{c.difference:+.2f}\n{p}",
            (index, top + 0.015),
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
    axis.spines[["top", "right"]].set_visible(False)
