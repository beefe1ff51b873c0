"""The link between score and MCC is scipy's correlation over the published rows."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from scipy.stats import pearsonr, spearmanr

from mouse.reporting.parts.mcc_link import correlation_cells, link_table, mcc_link
from mouse.reporting.published import HUMAN_GROUPS, published_rows
from mouse.reporting.report import make_report
from mouse.tracking import reader

PUBLISHED = Path(__file__).parents[3] / "data" / "published"


def column(name: str) -> list[float]:
    file = "table4_mcc.csv" if "mcc" in name else "table3_main.csv"
    with (PUBLISHED / file).open(encoding="utf-8", newline="") as handle:
        return [float(row[name]) for row in csv.DictReader(handle)]


def test_the_published_correlations_are_recomputed() -> None:
    models = [row for name, row in published_rows().items() if name not in HUMAN_GROUPS]
    (block,) = link_table(models).blocks
    rows = dict(block.rows)
    assert list(rows) == ["RC", "IR", "TD", "MS", "CC", "all"]
    for task, score, mcc in (("TD", "td/acc", "td/mcc"), ("MS", "ms/acc", "ms/mcc")):
        n, r, p, rho, _ = rows[task]
        expected = pearsonr(column(score), column(mcc))
        assert n.value == 14
        assert r.value == pytest.approx(expected.statistic) and p.value == pytest.approx(
            expected.pvalue
        )
        assert rho.value == pytest.approx(spearmanr(column(score), column(mcc)).statistic)
        assert r.lo is not None and r.hi is not None and r.lo < r.value < r.hi
    # The paper speaks of a strong positive correlation.
    assert rows["all"][1].value is not None and rows["all"][1].value > 0.9


def test_a_constant_side_has_no_correlation() -> None:
    cells = correlation_cells([0.5] * 5, [0.1, 0.2, 0.3, 0.4, 0.5])
    assert cells[1].value is None and "same for all" in cells[1].note


def test_the_interval_is_scipy_s() -> None:
    x, y = [1.0, 2, 3, 4, 5, 6], [1.0, 3, 2, 5, 4, 7]
    _, r, p, rho, _ = correlation_cells(x, y)
    assert (r.lo, r.hi) == pytest.approx(pearsonr(x, y).confidence_interval(0.95), abs=1e-6)
    assert (r.value, p.value) == pytest.approx(tuple(pearsonr(x, y)))
    assert rho.value == pytest.approx(spearmanr(x, y).statistic)


def test_people_are_no_models(tracked) -> None:  # type: ignore[no-untyped-def]
    """The study has three models and two people: three are too few, five would be enough."""
    study = make_report("s", [reader.open_run(run) for run in reader.runs(experiment="study")])
    assert sum(not one.group for one in study.contestants) == 3 < len(study.contestants)
    assert mcc_link(study) is None
