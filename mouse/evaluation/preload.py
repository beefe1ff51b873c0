"""Imports what the end of a run needs while its driver waits for answers.

Measured on two cores, the default run: scoring and drawing import scikit-learn, pyarrow and matplotlib
for about a second, which a user would otherwise wait for after the last answer.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from contextlib import suppress

SCORING = (
    "opencc",
    "numpy",
    "sklearn.metrics",
    "mouse.scoring.score",
    "mouse.metrics.agreement",
    "mouse.judging.quality",
)
TRACKING = ("pyarrow.parquet",)
FIGURES = ("matplotlib.figure", "matplotlib.backends.backend_agg")


def preload(modules: Sequence[str]) -> threading.Thread:
    """Import `modules` in a thread, in this order; one that fails is left to its user to report."""

    def run() -> None:
        for module in modules:
            with suppress(Exception):
                importlib.import_module(module)

    thread = threading.Thread(target=run, name="mouse-preload", daemon=True)
    thread.start()
    return thread
