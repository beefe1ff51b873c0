"""Traces of calls in a real MLflow: what was asked, what came back, whose run it was."""

from __future__ import annotations

import logging

import mlflow
import pytest
from mlflow.tracking import MlflowClient

from mouse.contracts import Completion, CompletionError, Message, Request, Usage
from mouse.engine.dispatch import Arrival
from mouse.engine.pool import Chunk
from mouse.tracking import home
from mouse.tracking.tracing import CallTracer


def arrival() -> Arrival:
    texts = ("这波🐂🍺", "半个字\ud83d", "坏了")
    requests = [
        Request(f"k{n}", f"i{n}", "td", "", 0, (Message("user", text),))
        for n, text in enumerate(texts)
    ]
    said = "Refused: api_key=Zq7mPx3vKd9LwRt5HyNc8BfJ"
    completions = [
        Completion("k0", "1", None, "stop", usage=Usage(30, 2), latency_s=0.25, attempts=3),
        Completion("k1", "\udc00", None, "stop"),
        Completion("k2", error=CompletionError("server", said)),
    ]
    return Arrival("model", Chunk(requests), completions)


def test_a_trace_a_call_linked_to_its_run(own_home) -> None:
    before = mlflow.get_tracking_uri()
    uri = home.prepare()
    client = MlflowClient(uri)
    experiment = client.create_experiment("traced")
    run = client.create_run(experiment).info.run_id
    try:
        tracer = CallTracer(uri, experiment, run)
        tracer(arrival())
        tracer(Arrival("model", Chunk([]), lost="its actor died"))
        tracer.close()
        found = mlflow.search_traces(locations=[experiment], return_type="list")
    finally:
        mlflow.set_tracking_uri(before)
    spans = {trace.data.spans[0].attributes["item_id"]: trace.data.spans[0] for trace in found}
    assert sorted(spans) == ["i0", "i1", "i2"]
    assert {trace.info.trace_metadata["mlflow.sourceRun"] for trace in found} == {run}
    first = spans["i0"]
    assert first.inputs["messages"] == [{"role": "user", "content": "这波🐂🍺"}]
    assert first.outputs["content"] == "1" and first.attributes["attempts"] == 3
    assert (first.end_time_ns - first.start_time_ns) / 1e9 == pytest.approx(0.25)
    assert spans["i2"].outputs == {"error": "server: Refused: api_key=***"}


def test_a_tracer_that_fails_says_so_once_and_harms_nobody(tmp_path, caplog) -> None:
    before = mlflow.get_tracking_uri()
    stray = Arrival("model", Chunk([]), [Completion("unknown", "1", None, "stop")])
    try:
        tracer = CallTracer(f"sqlite:///{tmp_path / 'none.db'}", "0", "r")
        with caplog.at_level(logging.WARNING, logger="mouse.tracking.tracing"):
            tracer(stray)
            tracer(stray)
            tracer.close()
    finally:
        mlflow.set_tracking_uri(before)
    said = [one for one in caplog.records if one.name == "mouse.tracking.tracing"]
    assert len(said) == 1 and "unknown" in said[0].getMessage()
