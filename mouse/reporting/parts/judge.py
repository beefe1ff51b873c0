"""What is known of each run's judge: agreement with people, the rated sample, the corrected score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from mouse.annotation.translations.figures_data import (
    KappaBar,
    kappa_bar,
    read_agreement,
    run_gap,
)
from mouse.comparison.contestants import Contestant
from mouse.errors import UserError
from mouse.metrics.sampling_gap import SamplingGap
from mouse.reporting.judge_validation import mark_of, marked
from mouse.reporting.part import Part
from mouse.reporting.report import Report
from mouse.reporting.table import Block, Cell, Table, TableColumn
from mouse.text.json_text import finite


@dataclass(frozen=True)
class JudgeEvidence:
    """One model's judge. `kappa` None: nobody has rated this run. `gap` None: nothing was judged."""

    contestant: Contestant
    kappa: KappaBar | None
    gap: SamplingGap | None

    @property
    def model(self) -> str:
        return self.contestant.name


@lru_cache(maxsize=4)
def judge_evidence(report: Report) -> tuple[JudgeEvidence, ...]:
    """The evidence for every model that translated, in the report's order."""
    return tuple(map(_evidence, report.with_task("tr")))


def _evidence(one: Contestant) -> JudgeEvidence:
    run = one.runs["tr"]
    agreement = read_agreement(run.folder)
    kappa = None if agreement is None else kappa_bar(one.name, agreement)
    try:
        gap = replace(run_gap(run), model=one.name)
    except UserError:  # every translation was 0 by rule, so no judge was asked
        gap = None
    return JudgeEvidence(one, kappa, gap)


def corrected_cell(one: Contestant) -> Cell:
    """Sem.Acc corrected for the judge's errors, with its interval; empty where nobody rated."""
    value, lo, hi = (_logged(one, f"tr/sem_acc_corrected{end}") for end in ("", "_lo", "_hi"))
    if value is None:
        return Cell()
    return Cell(value, lo, hi, note="prediction-powered: the judge's scores, corrected by people's")


def _logged(one: Contestant, metric: str) -> float | None:
    """A number of the run of translations; None where it is absent or was taken back (NaN)."""
    if "tr" not in one.runs:
        return None
    return finite(one.runs["tr"].summary.metrics.get(metric))


def judge_table(report: Report) -> Table | None:
    """Figures 2 and 3 as numbers, with the raw and the corrected translation score."""
    found = judge_evidence(report)
    if not found:
        return None
    return Table(
        "judge_agreement",
        "Figures 2 and 3 as numbers: the judge and people",
        [
            TableColumn("judge", align="c"),
            TableColumn("QWK, people of this run"),
            TableColumn("band (Landis–Koch)", align="c"),
            TableColumn("rated", digits=0),
            TableColumn("raters", digits=0),
            TableColumn("QWK, the data's ratings"),
            TableColumn("Sem.Acc, raw"),
            TableColumn("corrected"),
            TableColumn("rated ones by people"),
            TableColumn("gap, sample − all"),
            TableColumn("expected gap"),
            TableColumn("95% of gaps below"),
            TableColumn("p", is_p_value=True),
        ],
        [Block("", [(one.model, _row(one)) for one in found])],
        "Gap: |Sem.Acc of the judge's scores on the rated sample − on all|; expected: what drawing "
        "that many translations by chance does (where nobody rated: a sample of 150 that export "
        "would draw). The data's ratings are of outputs that come with the data set, not of this "
        "run's. Corrected: people's ratings correct the judge's scores on all translations.",
        tasks=("tr",),
    )


def _row(evidence: JudgeEvidence) -> list[Cell]:
    one, kappa, gap = evidence.contestant, evidence.kappa, evidence.gap
    value, lo, hi = (_logged(one, f"judge/qwk{end}") for end in ("", "_lo", "_hi"))
    rated: list[Cell] = [Cell(text="not rated"), Cell(), Cell(), Cell()]
    if kappa is not None:
        qwk = Cell(kappa.value, kappa.lo, kappa.hi, note=kappa.note)
        if kappa.value != kappa.value:
            qwk = Cell(text="undefined", note=kappa.note)
        rated = [qwk, Cell(text=kappa.band or "–"), Cell(float(kappa.n)), Cell(float(kappa.raters))]
    gaps = [Cell()] * 4
    if gap is not None:
        numbers = (gap.gap, gap.expected, gap.expected_hi, gap.p_value)
        note = gap.note or f"{gap.n} of {gap.population}"
        gaps = [Cell(finite(number), note=note) for number in numbers]
    record = one.metrics.get("tr/sem_acc")
    raw = Cell() if record is None else Cell(record["value"], record["lo"], record["hi"])
    return [
        Cell(text=one.runs["tr"].summary.tags.get("judge", "–")),
        *rated,
        Cell(value, lo, hi, note="ratings that come with the data set"),
        *marked([raw], mark_of(one)),
        corrected_cell(one),
        Cell(_logged(one, "tr/sem_acc_human")),
        *gaps,
    ]


def judge_notes(report: Report) -> list[str]:
    """What figure 2 cannot show, in sentences: whom nobody has rated and how to have it done."""
    return notes_on(judge_evidence(report))


def notes_on(found: Sequence[JudgeEvidence]) -> list[str]:
    # What no judge scored, nobody can rate either.
    judged = [one for one in found if one.gap is not None]
    unrated = [one for one in judged if one.kappa is None]
    notes = []
    if len(judged) < len(found):
        never = _list([one for one in found if one.gap is None])
        notes.append(
            f"No judge was asked about {never}: all of it is 0 by rule (copied, refused, unreadable "
            "or cut off), so there is nothing to validate."
        )
    if not unrated:
        return notes
    run = unrated[0].contestant.runs["tr"].run_id[:8]
    whom = "any of these runs" if len(unrated) == len(judged) else _list(unrated)
    return [
        *notes,
        f"Figure 2 needs people's ratings, and nobody has rated {whom}: python -m mouse.annotate "
        f"export {run} writes the sheets, and import reads them back. Until then the judge's "
        "agreement with people on these answers is unknown.",
    ]


def _list(found: Sequence[JudgeEvidence]) -> str:
    shown = ", ".join(one.model for one in found[:6])
    return shown + (f" and {len(found) - 6} more" if len(found) > 6 else "")


PARTS = [Part("judge", 10, judge_table), Part("judge", 10, judge_notes)]
