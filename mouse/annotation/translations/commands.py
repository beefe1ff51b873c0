"""`mouse.annotate export` and `import`: translations of a run out to raters, their ratings back."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from mouse.annotation.guidelines import LANGS
from mouse.annotation.translations.adjudication import read_decisions, write_adjudication
from mouse.annotation.translations.assessment import assess
from mouse.annotation.translations.population import population
from mouse.annotation.translations.record import record
from mouse.annotation.translations.sheet import (
    FOR_RATERS,
    KEY_FILE,
    export_sheets,
    import_sheets,
    load_key,
)
from mouse.annotation.translations.show import print_assessment
from mouse.errors import UserError
from mouse.tracking import home
from mouse.tracking.reader import load_run

_PLAIN_WIDTH = 110


def add_export(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    out = commands.add_parser("export", help="write one sheet a rater, and the key")
    out.add_argument("run_id", metavar="RUN", help="run id (may be cut short)")
    out.add_argument("--n", type=int, default=150, help="translations to rate (150)")
    out.add_argument("--seed", type=int, default=0, help="of the sample and of the order (0)")
    out.add_argument("--raters", type=int, default=3, help="number of raters (3)")
    out.add_argument("--out", type=Path, help="folder to write (mlruns/annotations/RUN)")
    out.add_argument(
        "--stratify",
        choices=("none", "score"),
        default="none",
        help="simple random sample (none), or equally many of each judge's score",
    )
    out.add_argument("--lang", choices=LANGS, default="zh", help="of the guidelines (zh)")
    out.set_defaults(run=_export)


def _export(given: argparse.Namespace) -> None:
    run = load_run(given.run_id)
    # Under the one folder of all state, which git ignores: the texts may be under a licence.
    folder: Path = given.out or home.home() / "annotations" / run.run_id[:8]
    key = export_sheets(
        population(run),
        folder,
        run_id=run.run_id,
        n=given.n,
        seed=given.seed,
        raters=given.raters,
        stratify=given.stratify,
        lang=given.lang,
    )
    drawn = "a simple random sample" if given.stratify == "none" else "stratified by judge's score"
    judged = sum(key.strata.values())
    print(f"{len(key.rows)} of {judged} judged translations ({drawn}), {key.raters} raters:")
    print(f"  hand out   {folder / FOR_RATERS}: one file a rater, XLSX or CSV")
    print(f"  keep back  {folder / KEY_FILE}: it says which row is which translation")
    print(f"  afterwards python -m mouse.annotate import {run.run_id[:8]} {folder}")


def add_import(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    back = commands.add_parser("import", help="read the filled sheets and log what they say")
    back.add_argument("run_id", metavar="RUN", help="the run that was exported")
    back.add_argument("folder", metavar="FOLDER", type=Path, help="the folder that export wrote")
    back.add_argument(
        "--merge",
        choices=("majority", "median"),
        default="majority",
        help="raters to consensus (majority; the median where there is none)",
    )
    back.add_argument(
        "--min-qwk", type=float, help="judge validated from here on (the run's judge.min_qwk)"
    )
    back.add_argument("--strict", action="store_true", help="refuse sheets with missing cells")
    back.set_defaults(run=_import)


def _import(given: argparse.Namespace) -> None:
    from rich.console import Console

    key = load_key(given.folder)
    run = load_run(given.run_id)
    people = population(run)
    if key.run_id != run.run_id:
        raise UserError(
            f"{given.folder} was exported from run {key.run_id[:8]}, not from {run.run_id[:8]}."
        )
    if key.predictions_sha256 != people.predictions_sha256:
        raise UserError(
            f"the translations of run {run.run_id[:8]} are not those that {given.folder} was "
            "exported from: its predictions/tr.parquet has changed since."
        )
    decisions = read_decisions(given.folder, key)
    returned = import_sheets(given.folder, key)
    if given.strict and (returned.missing or returned.absent):
        gaps = [*returned.missing, *(f"all of rater {rater}" for rater in returned.absent)]
        raise UserError(f"--strict: {len(gaps)} missing: {', '.join(gaps)}.")
    params = run.summary.params
    found = assess(
        people,
        key,
        returned,
        decisions=decisions,
        merge=given.merge,
        min_qwk=_min_qwk(given, params),
        resamples=int(params.get("metrics.resamples", 10_000)),
        confidence=float(params.get("metrics.confidence", 0.95)),
    )
    record(run, key, found)
    out = Console(width=None if sys.stdout.isatty() else _PLAIN_WIDTH, highlight=False)
    print_assessment(found, out)
    sheet = write_adjudication(given.folder, key, found, decisions)
    if found.adjudicate and sheet:
        out.print(f"decide them in {sheet} and import again", markup=False, soft_wrap=True)
    out.print(f"logged to run {run.run_id[:8]} ({run.model})", markup=False)


def _min_qwk(given: argparse.Namespace, params: Mapping[str, str]) -> float | None:
    min_qwk: float | None = given.min_qwk
    if min_qwk is None and "judge.min_qwk" in params:
        min_qwk = float(params["judge.min_qwk"])
    if min_qwk is not None and not -1 <= min_qwk <= 1:
        raise UserError(f"--min-qwk {min_qwk}: a kappa lies between -1 and 1.")
    return min_qwk
