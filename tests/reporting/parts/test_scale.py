"""Figure 6: the Qwen family by itself, as in the paper; other families apart; no name over a point."""

from __future__ import annotations

import numpy as np
import pytest

from mouse.metrics.correlation import fit_log_line
from mouse.reporting import fonts
from mouse.reporting.parts.scale import Point, place_labels, published_points, scale
from mouse.reporting.report import Report


def test_the_published_qwen_line_has_the_six_sizes_and_neither_max_nor_a_mistral() -> None:
    by_family: dict[str, list[str]] = {}
    for point in published_points():
        by_family.setdefault(point.family, []).append(point.model)
    sizes = ("0.6B", "1.7B", "4B", "8B", "14B", "32B")
    assert sorted(by_family["qwen"]) == sorted(f"Qwen3-{size}" for size in sizes)
    assert sorted(by_family["mistral"]) == [
        "Ministral-3-14B", "Ministral-3-3B", "Ministral-3-8B", "Mistral-Large-3",
    ]  # fmt: skip
    assert not any(p.model in ("Qwen3-Max", "GPT5.2") for p in published_points())


def test_the_line_is_scipys() -> None:
    from scipy.stats import linregress, pearsonr

    points = [(p.billions, p.score) for p in published_points() if p.family == "qwen"]
    fit = fit_log_line(points)
    assert fit is not None and fit.n == 6
    sizes, scores = map(np.array, zip(*points, strict=True))
    expected = linregress(np.log10(sizes), scores)
    assert fit.slope == pytest.approx(expected.slope)
    assert fit.r == pytest.approx(expected.rvalue)
    assert fit.hi - fit.slope == pytest.approx(2.7764451 * expected.stderr)
    assert fit.r_linear == pytest.approx(pearsonr(sizes, scores).statistic)
    assert (fit.r, fit.r_linear) == pytest.approx((0.97, 0.75), abs=0.005)
    # What the paper's caption says of the family: more parameters, better translations.
    assert fit.lo > 0 and fit.r > 0.9


def test_two_sizes_or_one_have_no_line() -> None:
    assert fit_log_line([(1.0, 0.1), (8.0, 0.3)]) is None
    assert fit_log_line([(1.0, 0.1), (1.0, 0.2), (1.0, 0.4)]) is None


class FakeContestant:
    def __init__(self, model: str, size: str | None, family: str | None, score: float) -> None:
        self.name = model
        self.params = {"model.parameters_b": size, "model.family": family}
        self.runs = {"tr": None}
        self.metrics = {"tr/sem_acc": {"value": score, "lo": score - 0.02, "hi": score + 0.02}}

    def param(self, name: str) -> str | None:
        return self.params[name]


OWN = [
    ("qwen3-0.6b", "0.6", "qwen", 0.05),
    ("qwen3-4b", "4", "qwen", 0.16),
    ("qwen3-32b", "32.8", "qwen", 0.25),
    ("qwen3-max", None, "qwen", 0.42),
    ("ministral-3-3b", "3.8", "mistral", 0.06),
    ("我的模型 🌶️", "7", None, 0.30),
]


def drawn():  # type: ignore[no-untyped-def]
    fonts.register()
    made = scale(Report("s", tuple(FakeContestant(*row) for row in OWN), {}))  # type: ignore[arg-type]
    assert made is not None
    return made


def test_own_families_are_labelled_and_never_joined() -> None:
    figure = drawn()
    (axis,) = figure.drawing.axes
    lines = {line.get_label(): line for line in axis.lines if not line.get_label().startswith("_")}
    assert set(lines) == {
        "Qwen family, published", "Qwen family, these runs", "Mistral family, published",
        "Mistral family, these runs", "other models, these runs", "Deepseek family, published",
    }  # fmt: skip
    assert sorted(lines["Qwen family, these runs"].get_xdata()) == [0.6, 4.0, 32.8]
    fits = [line for line in axis.lines if len(line.get_xdata()) == 60]
    assert len(fits) == 3  # Qwen's two and the published Mistrals'; one or two models have none
    assert max(fits[0].get_xdata()) == pytest.approx(32.8)
    for name in ("Qwen family, these runs (n = 3)", "Mistral family, published (n = 4)"):
        assert name in figure.caption
    assert "qwen3-max" not in {text.get_text() for text in axis.texts}


def test_no_name_covers_a_point_or_another_name(tmp_path) -> None:  # type: ignore[no-untyped-def]
    figure = drawn().drawing
    figure.savefig(tmp_path / "figure6.png", dpi=140)
    (axis,) = figure.axes
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in axis.texts]
    data = [xy for line in axis.lines if len(line.get_xdata()) not in (2, 60)
            for xy in zip(line.get_xdata(), line.get_ydata(), strict=True)]  # fmt: skip
    for x, y in axis.transData.transform(data):
        assert not any(box.contains(x, y) for box in boxes)
    for place, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[place + 1 :])


def test_where_everything_is_taken_a_name_is_written_all_the_same() -> None:
    from mouse.reporting.canvas import axes

    figure, axis = axes(1.2, 1.2)
    crowd = [Point(1.0 + i / 1000, 0.5, f"model-with-a-long-name-{i}", "", True) for i in range(40)]
    place_labels(figure, axis, crowd)
    assert len(axis.texts) == 40
