"""Does a task's MCC rise with the score on it? The link that the paper's §5.1 states in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mouse.reporting.published import published_rows
from mouse.reporting.study import Study
from mouse.reporting.table import Block, Cell, Column, Table

PAIRS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "RC": ("rc/bal_acc", ("rc/mcc_homophonic", "rc/mcc_semantic", "rc/mcc_visual")),
    "IR": ("ir/bal_acc", ("ir/mcc",)),
    "TD": ("td/acc", ("td/mcc",)),
    "MS": ("ms/acc", ("ms/mcc",)),
    "CC": ("cc/acc", ("cc/mcc",)),
}
"""Task → its headline score in Table 3 and its MCC in Table 4 (rc's is the mean of three)."""
_LEAST = 4
"""Models below which a correlation's interval says nothing."""


def mcc_link(study: Study) -> Table:
    """Correlations between score and MCC over models: the published ones, and these runs."""
    published = [row for name, row in published_rows().items() if "td/mcc" in row]
    own = [
        {name: value for name in _names() if (value := entry.value(name)) is not None}
        for entry in study.entries
        if not entry.group  # people are no models
    ]
    blocks = [Block("these runs", _rows(own)), Block("published", _rows(published))]
    return Table(
        "mcc_link",
        "Performance and MCC over models (§5.1)",
        [
            Column("models", digits=0),
            Column("Pearson r"),
            Column("p", is_p_value=True),
            Column("Spearman ρ"),
            Column("p", is_p_value=True),
        ],
        [block for block in blocks if block.rows],
        "Over models: the task's headline score against its MCC; «all» takes each model's mean over "
        "the five tasks. Interval of r by Fisher's z; p values are not corrected for the six rows. "
        "Score and MCC come from the same answers, so that some correlation is built in.",
        row_title="task",
    )


def _names() -> list[str]:
    return [name for score, mccs in PAIRS.values() for name in (score, *mccs)]


def _rows(models: Sequence[Mapping[str, float]]) -> list[tuple[str, list[Cell]]]:
    found = []
    by_task = {task: _points(models, score, mccs) for task, (score, mccs) in PAIRS.items()}
    whole = [
        tuple(
            sum(side) / len(PAIRS)
            for side in zip(*(_pair(m, *pair) for pair in PAIRS.values()), strict=True)
        )
        for m in models
        if set(_names()) <= set(m)
    ]
    for task, points in {**by_task, "all": whole}.items():
        if len(points) >= _LEAST:
            found.append((task, correlation([p[0] for p in points], [p[1] for p in points])))
    return found


def _points(
    models: Sequence[Mapping[str, float]], score: str, mccs: Sequence[str]
) -> list[tuple[float, ...]]:
    return [_pair(m, score, mccs) for m in models if {score, *mccs} <= set(m)]


def _pair(model: Mapping[str, float], score: str, mccs: Sequence[str]) -> tuple[float, float]:
    return model[score], sum(model[name] for name in mccs) / len(mccs)


def correlation(x: Sequence[float], y: Sequence[float]) -> list[Cell]:
    """Cells: number of models, Pearson's r with its 95% interval, its p, Spearman's rho, its p.

    A constant side has no correlation; the cells then say so. Needs at least four pairs.
    """
    from scipy.stats import pearsonr, spearmanr

    if len(set(x)) < 2 or len(set(y)) < 2:
        undefined = Cell(text="–", note="one side is the same for all models")
        return [Cell(float(len(x))), undefined, Cell(), undefined, Cell()]
    r, rho = pearsonr(x, y), spearmanr(x, y)
    low, high = r.confidence_interval(0.95)
    return [
        Cell(float(len(x))),
        Cell(float(r.statistic), float(low), float(high)),
        Cell(float(r.pvalue)),
        Cell(float(rho.statistic)),
        Cell(float(rho.pvalue)),
    ]
