"""A Ctrl-C that a library swallowed still ends the run as interrupted."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from mouse.evaluation import interrupts


@pytest.fixture(autouse=True)
def python_s_own_handler() -> Iterator[None]:
    """A shell's background job starts with Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_swallowed_ctrl_c_is_raised_at_the_next_check():
    with interrupts.remembered():
        interrupts.check()
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
    interrupts.check()  # the next command starts afresh


def test_an_error_that_a_ctrl_c_turned_into_is_the_ctrl_c():
    with interrupts.remembered(), pytest.raises(KeyboardInterrupt), interrupts.unswallowed():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ImportError("initialization failed") from None


def test_other_errors_stay_what_they_are():
    with interrupts.remembered(), pytest.raises(ValueError, match="no"), interrupts.unswallowed():
        raise ValueError("no")


def test_a_handler_of_the_caller_is_left_alone():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts.remembered():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    with interrupts.remembered():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_threads_other_than_the_main_one_do_nothing():
    errors: list[BaseException] = []

    def run() -> None:
        try:
            with interrupts.remembered():
                interrupts.check()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert errors == []
