"""Figure 6 of the paper: translation score and model size, for the Qwen family and for others apart.

The paper draws the Qwen family alone. Models of other families have lines of their own, and a model
whose size its maker does not publish (Qwen3-Max) has no point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mouse.config.conf import conf_dir
from mouse.metrics.correlation import fit_log_line
from mouse.reporting import fonts
from mouse.reporting.canvas import FIRST, GREY, SECOND, axes
from mouse.reporting.part import Figure, Part
from mouse.reporting.published import published_row
from mouse.reporting.report import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

THE_PAPERS = "qwen"
"""The family that the paper's figure is about."""
_MARKERS = ("s", "D", "v", "P", "X", "^")
"""Of the other families, in alphabetical order; the paper's has a circle."""
_LABEL = 7
"""Points; size of a model's name."""


@dataclass(frozen=True)
class Point:
    """One model: parameters in billions (in total, for a mixture of experts), Sem.Acc, interval."""

    billions: float
    score: float
    model: str
    family: str
    """Maker's line as in the model's configuration; empty where it says none."""
    own: bool
    lo: float | None = None
    hi: float | None = None


def scale(report: Report) -> Figure | None:
    """Translation score against the logarithm of parameters, a fitted line for each family.

    None where the size of none of these models is known.
    """
    mine = _own(report)
    if not mine:
        return None
    points = [*mine, *published_points()]
    others = sorted({p.family for p in points if p.family not in (THE_PAPERS, "")})
    markers = {THE_PAPERS: "o", "": "."} | {
        family: _MARKERS[place % len(_MARKERS)] for place, family in enumerate(others)
    }
    drawing, axis = axes(7.2, 4.6)
    handles = []
    notes = []
    for own in (False, True):
        for family in (THE_PAPERS, *others, ""):
            members = [p for p in points if p.own is own and p.family == family]
            if not members:
                continue
            colour = (FIRST if family == THE_PAPERS else SECOND) if own else GREY
            name = f"{family_name(family)}, {'these runs' if own else 'published'}"
            handles += _draw_points(axis, members, markers[family], colour, name)
            fit = fit_log_line([(p.billions, p.score) for p in members]) if family else None
            if fit is not None:
                dashes = "-" if family == THE_PAPERS else "--"
                axis.plot(fit.grid, fit.line, dashes, color=colour, lw=1.2, zorder=1)
                if family == THE_PAPERS:
                    axis.fill_between(fit.grid, fit.band_lo, fit.band_hi, color=colour, alpha=0.12,
                                      lw=0)  # fmt: skip
                notes.append(
                    f"{name} (n = {fit.n}): {fit.slope:+.3f} [{fit.lo:+.3f}, {fit.hi:+.3f}] a "
                    f"tenfold, r = {fit.r:.2f} ({fit.r_linear:.2f} with the size itself)"
                )
    axis.set_xscale("log")
    axis.set_xlabel("参数量 parameters, billions (log scale)")
    axis.set_ylabel("Sem.Acc")
    low, high = min(p.billions for p in points), max(p.billions for p in points)
    axis.set_xlim(low / 1.6, high * 2.2)
    axis.set_ylim(bottom=min(0.0, *(p.score for p in points)))
    axis.legend(handles=handles, fontsize=7, frameon=False, loc="upper left")
    place_labels(drawing, axis, points)
    return Figure(
        "figure6",
        "Figure 6 · translation score and model size",
        "The paper's figure is about the Qwen family; other families have lines of their own and "
        "never share its. Least squares on log10 parameters, each family by itself, the band of "
        "the Qwen family 95% (Student's t, models as the sample). Mixtures of experts stand at "
        "their total size; a model of unpublished size (Qwen3-Max) has no point. "
        + "; ".join(notes),
        drawing,
        ("tr",),
    )


def family_name(family: str) -> str:
    return f"{family.capitalize()} family" if family else "other models"


def _own(report: Report) -> list[Point]:
    found = []
    for one in report.with_task("tr"):
        record = one.metrics.get("tr/sem_acc")
        billions = one.param("model.parameters_b")
        if billions and record and record["value"] is not None:
            family = one.param("model.family") or ""
            lo, hi = record["lo"], record["hi"]
            value = record["value"]
            found.append(Point(float(billions), value, one.name, family, True, lo, hi))
    return found


def published_points() -> list[Point]:
    """The paper's models whose size and family the model configs know."""
    import yaml

    found = []
    for path in sorted((conf_dir() / "model").glob("*.yaml")):
        model = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        value = published_row(str(model.get("published") or "")).get("tr/sem_acc")
        size = model.get("parameters_b")
        if value is not None and size:
            family = str(model.get("family") or "")
            found.append(Point(float(size), value, str(model["published"]), family, False))
    return found


def _draw_points(
    axis: Axes, members: Sequence[Point], marker: str, colour: str, name: str
) -> list[Any]:
    own = members[0].own
    for p in members:
        if p.lo is not None and p.hi is not None:
            axis.plot([p.billions] * 2, [p.lo, p.hi], color=colour, lw=1)
    return axis.plot(
        [p.billions for p in members],
        [p.score for p in members],
        marker,
        color=colour,
        ms=5 if own else 4.5,
        mfc=colour if own else "white",
        label=name,
        zorder=3,
    )


def place_labels(drawing: Drawing, axis: Axes, points: Sequence[Point]) -> None:
    """Write each model's name beside its point, where it covers no point and no other name."""
    drawing.draw_without_rendering()
    pixels = drawing.dpi / 72
    spots = axis.transData.transform([(p.billions, p.score) for p in points])
    taken: list[tuple[float, ...]] = [(x - 4, y - 4, x + 4, y + 4) for x, y in spots]
    legend = axis.get_legend()
    if legend is not None:
        taken.append(tuple(legend.get_window_extent().extents))
    height = _LABEL * 1.25 * pixels
    for point, (x, y) in zip(points, spots, strict=True):
        name = fonts.drawable(point.model)
        wide = sum(1.0 if ord(sign) > 0x2E80 else 0.56 for sign in name) * _LABEL * pixels
        near = [
            (dx, dy)
            for step in (5, 13, 22, 31, 40)
            for dx, dy in (
                (5, step - 2), (5, -step - 6), (-5, step - 2), (-5, -step - 6), (step + 3, -3),
            )
        ]  # fmt: skip

        def box(dx: float, dy: float, x: float = x, y: float = y, wide: float = wide) -> Any:
            left = x + dx * pixels - (wide if dx < 0 else 0)
            bottom = y + dy * pixels
            return left, bottom, left + wide, bottom + height

        free = [way for way in near if not any(_overlap(box(*way), other) for other in taken)]
        dx, dy = free[0] if free else near[0]
        taken.append(box(dx, dy))
        axis.annotate(
            name,
            (point.billions, point.score),
            xytext=(dx, dy),
            textcoords="offset points",
            ha="right" if dx < 0 else "left",
            va="bottom",
            fontsize=_LABEL,
            family=fonts.families(name),
            color="#333" if point.own else "#666",
        )


def _overlap(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


PARTS = [Part("translation", 20, scale)]
