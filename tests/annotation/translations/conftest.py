"""Populations of judged translations made in memory, and the script that plays the raters."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
import simulate_raters as simulate_raters_script

from mouse.annotation.translations.population import Population, Unit


@pytest.fixture(scope="session")
def simulate_raters() -> ModuleType:
    return simulate_raters_script


@pytest.fixture(scope="session")
def make_population() -> Callable[..., Population]:
    def make(scores: list[int], zeros: int = 0) -> Population:
        units = tuple(
            Unit(f"item{i:04d}", 0, f"原文🌶️{i}", f"参考{i}", f"=1+{i}", score, f"item{i:04d}")
            for i, score in enumerate(scores)
        )
        return Population(units, len(units) + zeros, "0" * 64)

    return make
