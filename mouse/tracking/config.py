"""How a run is tracked: `tracking=…` on the command line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class TrackingConfig:
    """What is written to MLflow."""

    enabled: bool = True
    """False writes no run; answers are stored all the same."""
    experiment: str = "mouse"
    """The MLflow experiment that the run is put into."""
    figures: bool = True
    """Whether confusion matrices are drawn as figures of the run."""
    trace: bool = False
    """Whether every call to a model becomes an MLflow trace (slower, larger)."""
