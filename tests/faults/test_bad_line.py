"""A bad line in every way at once: the run ends by itself, with every answer, paid for once."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_session")]

FAULTS = (
    "status:503",
    "status:500,status:502",
    "reset",
    "cut",
    "halfjson",
    "nochoices",
    "html:200",
    "hang:30",
    "drip:0.05",
    "wait:0.2",
    "waitdate:1",
    "wrapped:502",
    "reset,cut,status:503",
)


def test_every_fault_at_once_and_a_third_refused(runs: Any, server: Any, help: Any) -> None:
    count = 3 * len(FAULTS)
    runs.items(count, lambda n: f"{FAULTS[n % len(FAULTS)]},ok:{n % 2}")
    server.share_503 = 0.3
    quick = ("model.limits.timeout_s=1",)
    first = runs.run(*quick)
    assert first.code == 0, first.out + first.err
    assert first.ledger == [count, 0, 0, 0, 0, 0, 0, count]
    assert "td/acc" in first.metrics[0] and " 1.000 " in first.metrics[0]
    asked = len(help.asked(server))
    assert help.answered(server) == dict.fromkeys(range(count), 1)
    second = runs.run(*quick)
    assert second.code == 0
    assert (second.count("asked"), second.count("from the store")) == (0, count)
    assert len(help.asked(server)) == asked
    assert second.metrics == first.metrics
    print(f"{asked} calls for {count} answers, each given once; again: 0 calls")


def test_a_server_that_restarts_in_the_middle(
    runs: Any, server: Any, faulty: Any, help: Any
) -> None:
    count = 150
    runs.items(count)
    server.on_body, server.latency_s = help.right(faulty), 0.05
    before = 0

    def restart() -> None:
        nonlocal before
        server.stop()
        before = sum(help.answered(server).values())
        time.sleep(1.0)
        server.start()

    with runs.after_answers(40, restart):
        ended = runs.run()
    assert ended.code == 0, ended.out + ended.err
    assert ended.ledger == [count, 0, 0, 0, 0, 0, 0, count]
    twice = sum(help.answered(server).values()) - count
    # An answer that was in the socket when the server died never arrived.
    assert 40 <= before < count and twice <= help.IN_FLIGHT
    print(f"server away for 1 s after {before} answers; {twice} of {count} answered twice")


def test_a_server_that_stays_away_ends_the_run_and_the_next_command_finishes(
    runs: Any, server: Any, faulty: Any, help: Any
) -> None:
    count = 400
    runs.items(count)
    server.on_body, server.latency_s = help.right(faulty), 0.02
    impatient = ("model.retries.max_attempts=2", "model.retries.max_wait_s=0.2")
    begun = 0.0

    def stop() -> None:
        nonlocal begun
        server.stop()
        begun = time.monotonic()

    with runs.after_answers(40, stop):
        first = runs.run(*impatient)
    took = time.monotonic() - begun
    assert first.code == 3, first.out + first.err
    valid, *_, failed, total = first.ledger
    assert valid + failed == total == count and 40 - help.IN_FLIGHT <= valid < count
    server.start()
    second = runs.run(*impatient)
    assert second.code == 0
    assert second.count("from the store") == valid
    assert second.ledger == [count, 0, 0, 0, 0, 0, 0, count]
    assert sum(help.answered(server).values()) - count <= help.IN_FLIGHT
    print(f"ended {took:.1f} s after the server went, {valid} kept, {failed} failed; then all")


def test_a_key_that_is_revoked_stops_at_once_and_the_next_command_finishes(
    runs: Any, server: Any, faulty: Any, help: Any
) -> None:
    count = 300
    runs.items(count)
    server.latency_s = 0.02
    lock = threading.Lock()
    left = [60]

    def until_revoked(body: dict[str, Any]) -> Any:
        if "第" not in body["messages"][-1]["content"]:
            return None
        with lock:
            left[0] -= 1
        if left[0] < 0:
            server.key = "another"
            return faulty.error(401, "The key was revoked.")
        return help.right(faulty)(body)

    server.on_body = until_revoked
    first = runs.run()
    assert first.code == 3, first.out + first.err
    valid, *_, failed, total = first.ledger
    assert valid == 60 and valid + failed == total == count
    refused = sum(call.status == 401 for call in server.calls)
    assert refused <= help.IN_FLIGHT
    assert "revoked" in first.out + first.err or "401" in first.out + first.err
    server.key, server.on_body = help.KEY, help.right(faulty)
    second = runs.run()
    assert second.code == 0
    assert (second.count("from the store"), second.count("asked")) == (60, count - 60)
    assert help.answered(server) == dict.fromkeys(range(count), 1)
    print(f"{refused} calls met 401 of {total - valid} that were left; then {count} answered once")
