"""Imports what the end of a run needs while its driver waits for answers.

Scikit-learn, pyarrow and matplotlib take about a second on two cores, which a user would otherwise
wait for after the last answer.
"""

from __future__ import annotations

import importlib
import threading
from contextlib import suppress

from mouse.config.schema import RunConfig

SCORING = ("opencc", "sklearn.metrics")
TRACKING = ("pyarrow.parquet",)
FIGURES = ("matplotlib.figure", "matplotlib.backends.backend_agg")


def preload(config: RunConfig) -> threading.Thread:
    """Import in a thread what `config` will need; what fails is left to its user to report."""
    tracking = config.tracking
    modules = (
        *SCORING,
        *(TRACKING if tracking.enabled else ()),
        *(FIGURES if tracking.enabled and tracking.figures else ()),
    )

    def run() -> None:
        for module in modules:
            with suppress(Exception):
                importlib.import_module(module)

    thread = threading.Thread(target=run, name="mouse-preload", daemon=True)
    thread.start()
    return thread
