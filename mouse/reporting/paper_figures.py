"""Figures 4, 5 and 6 of the paper for one's own runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from mouse.config import conf_dir
from mouse.corpus.items import COMPONENTS
from mouse.corpus.labels import COMPONENT_ZH
from mouse.reporting import fonts
from mouse.reporting.canvas import FIRST, GREY, SECOND, Made, axes, blank, model_ticks
from mouse.reporting.contrast import Contrast
from mouse.reporting.published import published_row
from mouse.reporting.study import Study

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
        "Only items that have the component. The relation may run through the item's difficulty: "
        "it is no proof that recognising helps.",
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


FAMILY_TITLES = {"qwen": "Qwen", "mistral": "Mistral"}
"""Families of models as the legend names them; the paper's figure 6 is the Qwen family's."""
_MARKERS = ("o", "^", "D", "v", "P", "X")


@dataclass(frozen=True)
class _Sized:
    """A model with a size: `family` groups what may be joined by a line."""

    family: str
    billions: float
    value: float
    name: str
    published: bool
    lo: float | None = None
    hi: float | None = None


def scale(study: Study) -> Made | None:
    """Figure 6: translation score against the logarithm of parameters, a line a family.

    Families are never joined: the paper's line is the Qwen family's alone, and a model without a
    published size (Qwen3-Max) has no place on it.
    """
    points = [*_own_sizes(study), *published_sizes()]
    if not points:
        return None
    figure, axis = axes(6.2, 4.2)
    families = sorted({point.family for point in points}, key=lambda f: (f != "qwen", f))
    notes, handles = [], []
    for number, family in enumerate(families):
        marker = _MARKERS[number % len(_MARKERS)]
        title = FAMILY_TITLES.get(family, family or "no family named")
        for published, colour in ((True, GREY), (False, FIRST)):
            chosen = [p for p in points if p.family == family and p.published is published]
            if not chosen:
                continue
            said = f"{title}, {'published' if published else 'these runs'}"
            fit = _fit([(p.billions, p.value) for p in chosen]) if family else None
            _sized_points(
                axis, chosen, colour, marker, hollow=published, line=fit[:2] if fit else None
            )
            (handle,) = axis.plot(
                [], [], marker, color=colour, mfc="none" if published else colour, label=said
            )
            handles.append(handle)
            if fit is not None:
                grid, line, lo, hi, slope, slope_lo, slope_hi = fit
                axis.plot(grid, line, color=colour, lw=1.2, ls=_LINES[number % len(_LINES)])
                axis.fill_between(grid, lo, hi, color=colour, alpha=0.1, lw=0)
                notes.append(
                    f"{said}: {slope:+.3f} [{slope_lo:+.3f}, {slope_hi:+.3f}] a tenfold of parameters"
                )
    axis.set_xscale("log")
    axis.margins(x=0.16, y=0.1)
    axis.set_xlabel("parameters, billions (log scale)")
    axis.set_ylabel("Sem.Acc")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(handles=handles, fontsize=8, frameon=False, loc="upper left")
    return (
        "figure6",
        "Figure 6 · translation score and model size, a line a family",
        "Least squares on log10 parameters within a family of at least three sizes, 95% bands "
        "(Student's t, models as the sample). " + "; ".join(notes),
        figure,
    )


_LINES = ("-", "--", "-.", ":")


def _sized_points(
    axis: Axes,
    points: Sequence[_Sized],
    colour: str,
    marker: str,
    *,
    hollow: bool,
    line: tuple[Any, Any] | None,
) -> None:
    """Points with intervals and names, which stand away from the family's line (grid, heights)."""
    for point in points:
        if point.lo is not None and point.hi is not None:
            axis.plot([point.billions] * 2, [point.lo, point.hi], color=colour, lw=1)
        axis.plot(
            [point.billions],
            [point.value],
            marker,
            color=colour,
            ms=5,
            mfc="none" if hollow else colour,
        )
        # Lines rise: a name above its line leans left of the point, one below it right.
        above = point.value >= (np.interp(point.billions, *line) if line else point.value)
        axis.annotate(
            fonts.drawable(point.name),
            (point.billions, point.value),
            xytext=(-6, 4) if above else (6, -4),
            textcoords="offset points",
            ha="right" if above else "left",
            va="bottom" if above else "top",
            fontsize=6.5,
            color=GREY if hollow else "#333",
        )


def _own_sizes(study: Study) -> list[_Sized]:
    return [
        _Sized(
            entry.param("model.family") or "",
            float(billions),
            record["value"],
            entry.model,
            False,
            record["lo"],
            record["hi"],
        )
        for entry in study.with_task("tr")
        if (billions := entry.param("model.parameters_b"))
        and (record := entry.metrics.get("tr/sem_acc"))
        and record["value"] is not None
    ]


def published_sizes() -> list[_Sized]:
    """The paper's models whose size the model configurations know, of families with a line.

    A vendor's single large model (DeepSeek) is no family and has no place in the figure.
    """
    found = []
    for path in sorted((conf_dir() / "model").glob("*.yaml")):
        model = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        value = published_row(str(model.get("published") or "")).get("tr/sem_acc")
        if value is not None and model.get("parameters_b") and model.get("family") in FAMILY_TITLES:
            name = str(model["published"])
            found.append(_Sized(model["family"], float(model["parameters_b"]), value, name, True))
    return found


def _fit(points: Sequence[tuple[float, float]]) -> tuple[Any, ...] | None:
    """Line through (billions, score) on log10 sizes: grid, line, band, slope and its interval."""
    if len({size for size, _ in points}) < 3:
        return None
    from scipy.stats import t

    x = np.log10([size for size, _ in points])
    y = np.array([value for _, value in points])
    n, centre = len(x), x.mean()
    spread = ((x - centre) ** 2).sum()
    slope = ((x - centre) * y).sum() / spread
    residual = y - y.mean() - slope * (x - centre)
    error = math.sqrt((residual**2).sum() / (n - 2))
    quantile = float(t.ppf(0.975, n - 2))
    grid = np.linspace(x.min(), x.max(), 60)
    line = y.mean() + slope * (grid - centre)
    half = quantile * error * np.sqrt(1 / n + (grid - centre) ** 2 / spread)
    slope_half = quantile * error / math.sqrt(spread)
    return 10**grid, line, line - half, line + half, slope, slope - slope_half, slope + slope_half
