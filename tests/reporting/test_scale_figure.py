"""Figure 6 is the Qwen family's; other families have lines of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from mouse.reporting.paper_figures import published_sizes, scale
from mouse.reporting.study import make_study
from mouse.tracking import reader


def test_families_are_never_joined(tracked, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    runs = [reader.open_run(run) for run in reader.runs("model = good", experiment="study")]
    made = scale(make_study("s", runs))
    assert made is not None
    name, title, caption, figure = made
    assert name == "figure6" and "a line a family" in title
    (axis,) = figure.axes
    lines = [line for line in axis.get_lines() if len(line.get_xdata()) > 10]
    assert len(lines) >= 2
    spans = sorted((min(line.get_xdata()), max(line.get_xdata())) for line in lines)
    assert spans[0][0] == pytest.approx(0.6, abs=0.2)
    assert "Qwen, published: +" in caption and "Mistral, published: +" in caption
    labels = [text.get_text() for text in axis.get_legend().get_texts()]
    assert "Qwen, published" in labels and "Mistral, published" in labels
    figure.savefig(tmp_path / "figure6.png")


def test_a_model_without_a_published_size_has_no_place() -> None:
    names = {point.name for point in published_sizes()}
    assert "Qwen3-Max" not in names and "Qwen3-0.6B" in names
    assert {point.family for point in published_sizes()} == {"qwen", "mistral"}
