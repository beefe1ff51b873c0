"""Figures 4, 5 and 6 of the paper for one's own runs, and those beside them, as PNG and SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mouse.corpus.items import COMPONENTS
from mouse.corpus.labels import COMPONENT_ZH
from mouse.reporting import fonts
from mouse.reporting.contrast import Contrast
from mouse.reporting.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIRST, SECOND, GREY = "#c0504d", "#4f81bd", "#888888"


@dataclass(frozen=True)
class Drawn:
    """A saved figure: `name` without suffix, `title`, and what one must know to read it."""

    name: str
    title: str
    caption: str
    png: Path
    svg: Path


def draw_all(
    study: Study, contrasts: Mapping[str, Mapping[str, Contrast]], folder: Path
) -> list[Drawn]:
    """Draw every figure that these runs give data for, as PNG and SVG under `folder`."""
    fonts.register()
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    makers: list[Callable[[], tuple[str, str, str, Figure] | None]] = [
        lambda: toxicity(contrasts),
        lambda: components(contrasts),
        lambda: scale(study),
        lambda: pareto(study),
        lambda: agreement(study),
        lambda: calibration(study),
    ]
    for make in makers:
        made = make()
        if made is None:
            continue
        name, title, caption, figure = made
        png, svg = folder / f"{name}.png", folder / f"{name}.svg"
        figure.savefig(png, dpi=140)
        # Without a date, the same runs give the same file.
        figure.savefig(svg, metadata={"Date": None})
        drawn.append(Drawn(name, title, caption, png, svg))
    return drawn


def toxicity(
    contrasts: Mapping[str, Mapping[str, Contrast]],
) -> tuple[str, str, str, Figure] | None:
    """Figure 4: translation score on toxic and on safe items."""
    chosen = {m: by["toxicity"] for m, by in contrasts.items() if _usable(by.get("toxicity"))}
    if not chosen:
        return None
    figure, axis = _axes(max(4.6, 1.5 + 0.95 * len(chosen)), 3.6)
    _pairs(axis, chosen, ("有毒 toxic", "无毒 safe"))
    return (
        "figure4",
        "Figure 4 · translation score on toxic and safe items",
        "Bars: Sem.Acc with 95% bootstrap intervals; above them the difference and its p value.",
        figure,
    )


def components(
    contrasts: Mapping[str, Mapping[str, Contrast]],
) -> tuple[str, str, str, Figure] | None:
    """Figure 5: translation score where the model recognised a component and where it did not."""
    by_kind = {
        kind: {m: by[kind] for m, by in contrasts.items() if _usable(by.get(kind))}
        for kind in COMPONENTS
    }
    by_kind = {kind: chosen for kind, chosen in by_kind.items() if chosen}
    if not by_kind:
        return None
    widest = max(len(chosen) for chosen in by_kind.values())
    figure = _figure(max(4.2, 1.2 + 0.9 * widest) * len(by_kind), 3.6)
    axes = np.atleast_1d(figure.subplots(1, len(by_kind), sharey=True))
    for axis, (kind, chosen) in zip(axes, by_kind.items(), strict=True):
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
    _model_ticks(axis, list(chosen))
    axis.set_ylabel("Sem.Acc")
    axis.legend(fontsize=8, frameon=False, loc="upper right", ncols=2)
    axis.spines[["top", "right"]].set_visible(False)


def scale(study: Study) -> tuple[str, str, str, Figure] | None:
    """Figure 6: translation score against the logarithm of parameters, with a fitted line."""
    own = [
        (float(billions), record["value"], record["lo"], record["hi"], entry.model)
        for entry in study.with_task("tr")
        if (billions := entry.param("model.parameters_b"))
        and (record := entry.metrics.get("tr/sem_acc"))
        and record["value"] is not None
    ]
    theirs = _published_sizes()
    if not own and not theirs:
        return None
    figure, axis = _axes(5.6, 3.9)
    for size, value, lo, hi, model in own:
        if lo is not None and hi is not None:
            axis.plot([size, size], [lo, hi], color=FIRST, lw=1)
        axis.plot([size], [value], "o", color=FIRST, ms=5)
        axis.annotate(
            fonts.drawable(model),
            (size, value),
            xytext=(4, 4),
            textcoords="offset points",
            fontsize=7,
        )
    axis.plot(
        [s for s, _, _ in theirs], [v for _, v, _ in theirs], "s", color=GREY, ms=4, mfc="none"
    )
    for size, value, model in theirs:
        axis.annotate(
            model, (size, value), xytext=(4, -8), textcoords="offset points", fontsize=6, color=GREY
        )
    notes = []
    for points, colour, name in (
        ([(s, v) for s, v, *_ in own], FIRST, "these runs"),
        ([(s, v) for s, v, _ in theirs], GREY, "published"),
    ):
        fit = _fit(points)
        if fit is not None:
            grid, line, lo, hi, slope, slope_lo, slope_hi = fit
            axis.plot(grid, line, color=colour, lw=1.2)
            axis.fill_between(grid, lo, hi, color=colour, alpha=0.12, lw=0)
            notes.append(
                f"{name}: {slope:+.3f} [{slope_lo:+.3f}, {slope_hi:+.3f}] a tenfold of parameters"
            )
    axis.set_xscale("log")
    axis.set_xlabel("parameters, billions (log scale)")
    axis.set_ylabel("Sem.Acc")
    axis.spines[["top", "right"]].set_visible(False)
    handles = [
        axis.plot([], [], "o", color=FIRST, label="these runs")[0],
        axis.plot([], [], "s", color=GREY, mfc="none", label="published")[0],
    ]
    axis.legend(handles=handles, fontsize=8, frameon=False, loc="upper left")
    return (
        "figure6",
        "Figure 6 · translation score and model size",
        "Least squares on log10 parameters, 95% bands (Student's t, models as the sample). "
        + "; ".join(notes),
        figure,
    )


def _published_sizes() -> list[tuple[float, float, str]]:
    """(billions, Sem.Acc, name) of the paper's models whose size the model configs know."""
    import yaml

    from mouse.config import conf_dir
    from mouse.reporting.published import published_row

    found = []
    for path in sorted((conf_dir() / "model").glob("*.yaml")):
        model = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        value = published_row(str(model.get("published") or "")).get("tr/sem_acc")
        if value is not None and model.get("parameters_b"):
            found.append((float(model["parameters_b"]), value, str(model["published"])))
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


def pareto(study: Study) -> tuple[str, str, str, Figure] | None:
    """Mean score against cost; models that none beats in both are joined."""
    from mouse.reporting.more_tables import mean_headline

    priced = [
        (entry.logged("usage/cost_usd"), mean_headline(entry), entry.model)
        for entry in study.entries
    ]
    points = [(c, s, m) for c, s, m in priced if c is not None and c > 0 and s is not None]
    unit = "US$"
    if len(points) < 2:
        counted = [
            (_tokens(study, entry.model), mean_headline(entry), entry.model)
            for entry in study.entries
        ]
        points = [(t, s, m) for t, s, m in counted if t is not None and t > 0 and s is not None]
        unit = "tokens"
    if len(points) < 2:
        return None
    figure, axis = _axes(5.2, 3.6)
    best, front = -math.inf, []
    for cost, score, _ in sorted(points, key=lambda p: (p[0], -p[1])):
        if score > best:
            best = score
            front.append((cost, score))
    axis.plot(*zip(*front, strict=True), color=SECOND, lw=1, zorder=1)
    for cost, score, model in points:
        on = (cost, score) in front
        axis.plot(cost, score, "o", color=SECOND if on else GREY, ms=5)
        axis.annotate(
            fonts.drawable(model),
            (cost, score),
            xytext=(4, 3),
            textcoords="offset points",
            fontsize=7,
        )
    axis.set_xscale("log")
    axis.set_xlabel(f"{unit} (log scale)")
    axis.set_ylabel("mean headline score")
    axis.spines[["top", "right"]].set_visible(False)
    caption = "Joined: models that no other beats in both. Models without cost are not shown."
    return "pareto", "Score and cost", caption, figure


def _tokens(study: Study, model: str) -> float | None:
    (entry,) = [e for e in study.entries if e.model == model]
    values = [entry.logged(f"usage/{kind}_tokens") for kind in ("prompt", "completion")]
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def agreement(study: Study) -> tuple[str, str, str, Figure] | None:
    """Share of questions on which two models give the same answer."""
    tasks = [task for task in study.tasks if task != "tr"]
    entries = [entry for entry in study.entries if any(task in entry.runs for task in tasks)]
    if len(entries) < 2:
        return None
    answers = []
    for entry in entries:
        given: dict[Any, str] = {}
        for task in tasks:
            if task in entry.runs:
                frame = entry.runs[task].predictions[task]
                frame = frame[frame["repeat"] == 0]
                shown = frame["predicted"].where(frame["outcome"] == "valid", frame["outcome"])
                keys = zip(frame["item_id"], frame["variant"], strict=True)
                given.update({(task, *k): v for k, v in zip(keys, shown, strict=True)})
        answers.append(given)
    size = len(entries)
    matrix = np.full((size, size), np.nan)
    for i in range(size):
        for j in range(i, size):
            common = answers[i].keys() & answers[j].keys()
            if common:
                same = sum(answers[i][k] == answers[j][k] for k in common)
                matrix[i, j] = matrix[j, i] = same / len(common)
    figure, axis = _axes(2.2 + 0.62 * size, 1.8 + 0.5 * size)
    axis.imshow(matrix, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (i, j), value in np.ndenumerate(matrix):
        if not math.isnan(value):
            colour = "white" if value > 0.6 else "#222"
            axis.text(
                j,
                i,
                f"{value:.2f}",
                ha="center",
                va="center",
                fontsize=7,
                color=colour,
                family=fonts.FAMILIES[0],
            )
    _model_ticks(axis, [entry.model for entry in entries])
    axis.set_yticks(range(size), [fonts.drawable(e.model) for e in entries], fontsize=8)
    axis.tick_params(length=0)
    caption = "Share of questions (all tasks but translation) with the same answer, right or wrong."
    return "agreement", "Agreement between models", caption, figure


def calibration(study: Study) -> tuple[str, str, str, Figure] | None:
    """Share right against the probability that the model gave its answer, in ten bins."""
    curves = {}
    for entry in study.entries:
        pairs = []
        for task, run in entry.runs.items():
            frame = run.predictions[task]
            frame = frame[frame["confidence"].notna() & frame["correct"].notna()]
            pairs += list(zip(frame["confidence"], frame["correct"].astype(float), strict=True))
        if len(pairs) >= 20:
            curves[entry.model] = np.array(pairs, dtype=float)
    if not curves:
        return None
    figure, axis = _axes(4.4, 4.0)
    axis.plot([0, 1], [0, 1], color=GREY, lw=0.8, ls="--")
    for model, curve in curves.items():
        bins = np.clip((curve[:, 0] * 10).astype(int), 0, 9)
        points = [
            (curve[bins == b, 0].mean(), curve[bins == b, 1].mean(), (bins == b).sum())
            for b in range(10)
            if (bins == b).sum() >= 5
        ]
        error = sum(n * abs(c - a) for c, a, n in points) / max(sum(n for *_, n in points), 1)
        axis.plot(
            [c for c, _, _ in points],
            [a for _, a, _ in points],
            "o-",
            ms=4,
            lw=1,
            label=fonts.drawable(f"{model} (ECE {error:.3f})"),
        )
    axis.set_xlabel("probability of the answer given")
    axis.set_ylabel("share right")
    axis.legend(fontsize=8, frameon=False)
    caption = (
        "Only runs with log-probabilities; ten bins, those with fewer than five answers left out."
    )
    return "calibration", "Calibration", caption, figure


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _axes(width: float, height: float) -> tuple[Figure, Axes]:
    figure = _figure(width, height)
    return figure, figure.subplots()


def _model_ticks(axis: Axes, models: Sequence[str]) -> None:
    turned = len(models) > 4
    axis.set_xticks(
        range(len(models)),
        [fonts.drawable(model) for model in models],
        fontsize=8,
        family=fonts.families("".join(fonts.drawable(model) for model in models)),
        rotation=35 if turned else 0,
        ha="right" if turned else "center",
    )
