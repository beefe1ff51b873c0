"""The models of one evaluation, opened in one engine: the one under test and the judge's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from mouse.config.schema import RunConfig
from mouse.corpus.resources import home
from mouse.engine.dispatch import Engine
from mouse.engine.opening import open_engine
from mouse.evaluation.budget import Budget
from mouse.evaluation.usage import UsageMeter, priced
from mouse.judging.base import Judge
from mouse.models.base import BackendContext, BackendSpec
from mouse.models.config import ModelConfig
from mouse.models.registry import Prober, make_spec

MODEL_POOL = "model"


@dataclass
class AskedModels:
    """`configs`: pool → model, at the prices that apply; `meter`: of the model under test."""

    engine: Engine
    configs: Mapping[str, ModelConfig]
    meter: UsageMeter
    prober: Prober

    def usage(self) -> dict[str, float]:
        """What the model under test used, and what the judges were asked and cost."""
        used = self.meter.summary(self.engine.stats_of(MODEL_POOL))
        judges = {pool: self.engine.stats_of(pool) for pool in self.configs if pool != MODEL_POOL}
        if judges:
            costs = (UsageMeter(self.configs[pool].price).paid(judges[pool]) for pool in judges)
            used["judge_requests"] = sum(stats.requests for stats in judges.values())
            used["judge_cache_hits"] = sum(stats.cache_hits for stats in judges.values())
            used["judge_cost_usd"] = sum(costs)
        return used

    def describe(self) -> dict[str, dict[str, Any]]:
        """Pool → what its backend says of itself, and what its probe found."""
        return {
            pool: {**self.engine.describe(pool), "probe": self.prober.reports.get(pool)}
            for pool in self.configs
        }


@contextmanager
def open_models(config: RunConfig, spec: BackendSpec, judge: Judge) -> Iterator[AskedModels]:
    """Open the engine within its budget, and a pool for each model."""
    configs = {
        pool: priced(model, config.engine)
        for pool, model in {MODEL_POOL: config.model, **judge.pools}.items()
    }
    budget, prober = Budget(config.budget, configs), Prober()
    with open_engine(
        config.engine, config.store, home(), admit=budget.admit, prepare=prober.prepare
    ) as engine:
        budget.watch(engine)
        engine.open(MODEL_POOL, spec)
        for pool, model in judge.pools.items():
            engine.open(pool, make_spec(model, BackendContext()))
        yield AskedModels(engine, configs, UsageMeter(configs[MODEL_POOL].price), prober)
