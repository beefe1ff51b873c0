"""`engine.mode=batch` as a command: killed while it waits, found again, paid once and at half price."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import batch_server
import pytest

COUNT = 30


@pytest.fixture
def server(help: Any) -> Iterator[Any]:
    server = batch_server.BatchServer(key=help.KEY)

    def answer(body: dict[str, Any], number: int) -> Any:
        # The first answer to every tenth item is an error of the vendor.
        item = help.number_of(body["messages"][-1]["content"])
        if number == 1 and item % 10 == 5:
            return 500, {"error": {"message": "Overloaded."}}
        return 200, batch_server.said(help.label(body))

    server.answer = answer
    yield server
    server.stop()


def test_a_batch_outlives_its_driver(
    runs: Any, server: Any, caplog: pytest.LogCaptureFixture
) -> None:
    runs.items(COUNT)
    server.looks = 10**9
    command = (
        "engine.mode=batch",
        "engine.poll_s=0.1",
        "model.price.input=1",
        "model.price.output=2",
    )
    process = runs.start(*command)
    deadline = time.monotonic() + 90
    while server.times("GET /batches/") < 3:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.kill()
    process.communicate()
    server.looks = 0
    ended = runs.run(*command)
    assert ended.code == 0, ended.out + ended.err
    assert ended.ledger == [COUNT, 0, 0, 0, 0, 0, 0, COUNT]
    assert " 1.000 " in ended.metrics[0]
    assert [one["request_counts"]["total"] for one in server.batches.values()] == [COUNT, 3]
    assert set(server.answered.values()) == {1} and len(server.answered) == COUNT
    assert "is found again" in caplog.text
    # 30 × (1,000 × $1 + 10 × $2) a million, halved.
    assert "$0.0153" in ended.out
    again = runs.run(*command)
    assert (again.count("asked"), again.count("from the store")) == (0, COUNT)
    assert len(server.batches) == 2
    # What the batch answered answers an online run as well.
    online = runs.run("engine=inline")
    assert online.count("from the store") == COUNT
