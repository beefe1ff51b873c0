"""The addresses into MLflow's UI name exactly the report's runs."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

from mouse.reporting.mlflow_view import views
from mouse.reporting.report import make_report
from mouse.tracking import reader
from mouse.tracking.writer import Tracker


def test_addresses_name_the_runs_their_experiment_and_the_order(tracked) -> None:  # type: ignore[no-untyped-def]
    study = make_report("s", [reader.open_run(run) for run in reader.runs(experiment="study")])
    (_, compared), (title, ranked) = views(study)
    query = parse_qs(urlsplit(compared.removeprefix("/#")).query)
    assert set(json.loads(query["runs"][0])) == {
        run.run_id for one in study.contestants for run in one.runs.values()
    }
    experiment = Tracker().client.get_experiment_by_name("study").experiment_id
    assert json.loads(query["experiments"][0]) == [experiment]
    assert ranked.startswith(f"/#/experiments/{experiment}/runs?") and "tr/sem_acc" in title
    order = parse_qs(urlsplit(ranked.removeprefix("/#")).query)["orderByKey"]
    assert order == ["metrics.`tr/sem_acc`"]
