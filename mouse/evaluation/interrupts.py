"""Ctrl-C, remembered: it ends a run even where a library swallowed it.

In the import of a C extension a `KeyboardInterrupt` comes out as an `ImportError`, and in a callback
it is lost; the run would then end as a failure with a traceback, or go on to its end.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_seen = threading.Event()


@contextmanager
def remembered() -> Iterator[None]:
    """Remember each Ctrl-C of the block besides raising it.

    Does nothing outside the main thread, and where a caller has set a handler of its own.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    _seen.clear()
    signal.signal(signal.SIGINT, _on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _seen.clear()


def _on_interrupt(signum: int, frame: FrameType | None) -> None:
    _seen.set()
    raise KeyboardInterrupt


def check() -> None:
    """Raise `KeyboardInterrupt` where one was remembered."""
    if _seen.is_set():
        raise KeyboardInterrupt


@contextmanager
def unswallowed() -> Iterator[None]:
    """Raise what fails in the block after a Ctrl-C as the `KeyboardInterrupt` it began as."""
    try:
        yield
    except Exception as error:
        if _seen.is_set():
            raise KeyboardInterrupt from error
        raise
