"""Figures 2 and 3 of the paper: the judge's agreement with people, and the rated sample's gap."""

from __future__ import annotations

from collections.abc import Sequence

from mouse.reporting import fonts
from mouse.reporting.canvas import FIRST, GREY, SECOND, axes, model_ticks
from mouse.reporting.part import Figure, Part
from mouse.reporting.parts.judge import JudgeEvidence, judge_evidence

BANDS = (
    (0.0, 0.2, "slight"),
    (0.2, 0.4, "fair"),
    (0.4, 0.6, "moderate"),
    (0.6, 0.8, "substantial"),
    (0.8, 1.0, "almost perfect"),
)
"""Landis and Koch (1977); below 0 is poor."""

REFERENCE_GAP = 0.05
"""Drawn to be read against the grey: a gap of this size may be much or nothing."""


def kappas(found: Sequence[JudgeEvidence]) -> Figure | None:
    """Figure 2: QWK of judge and people, a bar a model with interval; None where nobody rated."""
    bars = [one.kappa for one in found if one.kappa is not None]
    if not bars:
        return None
    drawing, axis = axes(max(4.8, 2.2 + 0.8 * len(bars)), 3.6)
    defined = [bar for bar in bars if bar.value == bar.value]
    lowest = min([0.0, *(min(bar.value, bar.lo) for bar in defined if bar.lo == bar.lo)])
    for index, (low, high, word) in enumerate(BANDS):
        axis.axhspan(low, high, color=GREY, alpha=0.05 + 0.05 * (index % 2), lw=0, zorder=0)
        axis.annotate(
            word,
            (1.005, (low + high) / 2),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=7,
            color="#555",
        )
    for index, bar in enumerate(bars):
        if bar.value != bar.value:
            axis.annotate("undefined", (index, 0.02), ha="center", fontsize=7, rotation=90)
            continue
        colour = FIRST if bar.validated is False else SECOND
        axis.bar(index, bar.value, 0.55, color=colour, zorder=2)
        axis.plot([index, index], [bar.lo, bar.hi], color="#333", lw=1, zorder=3)
        axis.annotate(
            f"{bar.value:.2f}",
            (index, max(bar.hi if bar.hi == bar.hi else bar.value, bar.value)),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            fontsize=7,
            family=fonts.FAMILIES[0],
        )
    axis.set_ylim(lowest - (0.05 if lowest < 0 else 0), 1.08)
    room = max(0.0, (3 - len(bars)) / 2)  # one bar alone would be as wide as the figure
    axis.set_xlim(-0.6 - room, len(bars) - 0.4 + room)
    model_ticks(axis, [bar.model for bar in bars])
    axis.set_ylabel("quadratic weighted κ")
    sizes = sorted({bar.n for bar in bars})
    n = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    unrated = [one.model for one in found if one.kappa is None and one.gap is not None]
    caption = f"Judge against the consensus of people, {n} translations a model; 95% bootstrap "
    caption += "intervals; bands of Landis and Koch. "
    if any(bar.validated is False for bar in bars):
        caption += "Red: under judge.min_qwk. "
    if unrated:
        caption += f"Not rated by people: {', '.join(unrated)}."
    title = "Figure 2 · agreement of the judge with people"
    return Figure("figure2", title, caption.strip(), drawing, ("tr",))


def sampling_gaps(found: Sequence[JudgeEvidence]) -> Figure | None:
    """Figure 3: |Sem.Acc on the sample - on all| a model, with what sampling alone does."""
    gaps = [one.gap for one in found if one.gap is not None]
    if not gaps:
        return None
    drawing, axis = axes(max(4.8, 2.0 + 0.8 * len(gaps)), 3.4)
    for index, gap in enumerate(gaps):
        if gap.status == "by_design":
            axis.annotate("0 by design", (index, 0), rotation=90, ha="center", fontsize=7)
            continue
        first = index == next(i for i, g in enumerate(gaps) if g.status == "ok")
        axis.bar(
            index,
            gap.expected_hi,
            0.7,
            color=GREY,
            alpha=0.25,
            label="95% of samples" if first else None,
        )
        axis.plot(
            [index - 0.35, index + 0.35],
            [gap.expected] * 2,
            color=GREY,
            lw=1.2,
            label="expected" if first else None,
        )
        axis.plot(index, gap.gap, "D", color=FIRST, ms=5, label="this sample" if first else None)
    axis.axhline(REFERENCE_GAP, color=SECOND, lw=0.9, ls="--", label="0.05")
    top = max([REFERENCE_GAP, *(max(g.gap, g.expected_hi) for g in gaps if g.status == "ok")])
    axis.set_ylim(0, top * 1.35)
    axis.set_xlim(-0.6, len(gaps) - 0.4)
    model_ticks(axis, [gap.model for gap in gaps])
    axis.set_ylabel("|Sem.Acc of sample − of all|")
    axis.legend(fontsize=7, frameon=False, ncols=4, loc="upper center")
    drawn = ", ".join(sorted({f"{gap.n} of {gap.population}" for gap in gaps}))
    unrated = sum(one.kappa is None for one in found if one.gap is not None)
    caption = (
        f"The judge's own scores on a sample ({drawn}) against all. Grey: what 95% of samples of "
        "that size do not exceed, exactly; a gap inside says nothing about the sample but its size."
    )
    if unrated:
        caption += (
            " Of runs that nobody has rated: the sample that mouse.annotate export would draw."
        )
    title = "Figure 3 · translation score of the sample and of all"
    return Figure("figure3", title, caption, drawing, ("tr",))


PARTS = [
    Part("judge", 10, lambda report: kappas(judge_evidence(report))),
    Part("judge", 20, lambda report: sampling_gaps(judge_evidence(report))),
]
