"""Populations of judged translations made in memory, and the script that plays the raters."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from mouse.judging.annotation.units import Population, Unit


@pytest.fixture(scope="session")
def simulate_raters() -> ModuleType:
    path = Path(__file__).parents[3] / "scripts" / "simulate_raters.py"
    found = importlib.util.spec_from_file_location("simulate_raters", path)
    assert found and found.loader
    module = importlib.util.module_from_spec(found)
    sys.modules["simulate_raters"] = module  # dataclasses look their module up
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def make_population() -> Callable[..., Population]:
    def make(scores: list[int], zeros: int = 0) -> Population:
        units = tuple(
            Unit(f"item{i:04d}", 0, f"原文🌶️{i}", f"参考{i}", f"=1+{i}", score, f"item{i:04d}")
            for i, score in enumerate(scores)
        )
        return Population(units, len(units) + zeros, "0" * 64)

    return make
