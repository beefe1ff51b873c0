"""What is known of each run's judge: agreement with people, the rated sample, the corrected score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mouse.annotation.translations.figures_data import (
    KappaBar,
    kappa_bar,
    read_agreement,
    run_gap,
)
from mouse.errors import UserError
from mouse.metrics.sampling_gap import SamplingGap
from mouse.reporting.judge_validation import mark_of, marked
from mouse.reporting.study import Entry, Study
from mouse.reporting.table import Block, Cell, Column, Table
from mouse.text.json_text import finite


@dataclass(frozen=True)
class JudgeEvidence:
    """One model's judge. `kappa` None: nobody has rated this run. `gap` None: nothing was judged."""

    entry: Entry
    kappa: KappaBar | None
    gap: SamplingGap | None
    corrected: Cell
    human_only: Cell

    @property
    def model(self) -> str:
        return self.entry.model


def judge_evidence(study: Study) -> list[JudgeEvidence]:
    """The evidence for every model that translated, in the study's order."""
    return [_evidence(entry) for entry in study.with_task("tr")]


def _evidence(entry: Entry) -> JudgeEvidence:
    run = entry.runs["tr"]
    agreement = read_agreement(run.folder)
    kappa = None if agreement is None else kappa_bar(entry.model, agreement)
    try:
        gap = replace(run_gap(run), model=entry.model)
    except UserError:  # every translation was 0 by rule, so no judge was asked
        gap = None
    human = _logged(entry, "tr/sem_acc_human")
    return JudgeEvidence(entry, kappa, gap, corrected_cell(entry), Cell(human))


def corrected_cell(entry: Entry) -> Cell:
    """Sem.Acc corrected for the judge's errors, with its interval; empty where nobody rated."""
    value = _logged(entry, "tr/sem_acc_corrected")
    if value is None:
        return Cell()
    lo, hi = (_logged(entry, f"tr/sem_acc_corrected_{end}") for end in ("lo", "hi"))
    return Cell(value, lo, hi, note="prediction-powered: the judge's scores, corrected by people's")


def _logged(entry: Entry, metric: str) -> float | None:
    """A number of the run of translations; None where it is absent or was taken back (NaN)."""
    if "tr" not in entry.runs:
        return None
    value = entry.runs["tr"].summary.metrics.get(metric)
    return finite(value)


def judge_table(study: Study, found: Sequence[JudgeEvidence]) -> Table | None:
    """Figures 2 and 3 as numbers, with the raw and the corrected translation score."""
    if not found:
        return None
    return Table(
        "judge_agreement",
        "Figures 2 and 3 as numbers: the judge and people",
        [
            Column("judge", align="c"),
            Column("QWK, people of this run"),
            Column("band (Landis–Koch)", align="c"),
            Column("rated", digits=0),
            Column("raters", digits=0),
            Column("QWK, the data's ratings"),
            Column("Sem.Acc, raw"),
            Column("corrected"),
            Column("rated ones by people"),
            Column("gap, sample − all"),
            Column("expected gap"),
            Column("95% of gaps below"),
            Column("p", is_p_value=True),
        ],
        [Block("", [(one.model, _row(one)) for one in found])],
        "Gap: |Sem.Acc of the judge's scores on the rated sample − on all|; expected: what drawing "
        "that many translations by chance does (where nobody rated: a sample of 150 that export "
        "would draw). The data's ratings are of outputs that come with the data set, not of this "
        "run's. Corrected: people's ratings correct the judge's scores on all translations.",
    )


def _row(one: JudgeEvidence) -> list[Cell]:
    entry, kappa, gap = one.entry, one.kappa, one.gap
    tags = entry.runs["tr"].summary.tags
    value, lo, hi = (_logged(entry, f"judge/qwk{end}") for end in ("", "_lo", "_hi"))
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
        gaps = [Cell(None if v != v else v, note=note) for v in numbers]
    raw = _metric(entry, "tr/sem_acc")
    (raw,) = marked([raw], mark_of(entry))
    return [
        Cell(text=tags.get("judge", "–")),
        *rated,
        Cell(value, lo, hi, note="ratings that come with the data set"),
        raw,
        one.corrected,
        one.human_only,
        *gaps,
    ]


def _metric(entry: Entry, metric: str) -> Cell:
    record: dict[str, Any] | None = entry.metrics.get(metric)
    return Cell() if record is None else Cell(record["value"], record["lo"], record["hi"])


def judge_notes(found: Sequence[JudgeEvidence]) -> list[str]:
    """What figure 2 cannot show, in sentences: whom nobody has rated and how to have it done."""
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
    run = unrated[0].entry.runs["tr"].run_id[:8]
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
