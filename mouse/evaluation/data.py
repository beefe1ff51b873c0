"""The data set and the few-shot examples that a configuration names."""

from __future__ import annotations

from dataclasses import replace

from mouse.config.schema import DataConfig, RunConfig
from mouse.corpus.items import Dataset
from mouse.corpus.load import load, sample_examples
from mouse.corpus.reading.shaping import Shape


def load_data(config: RunConfig) -> Dataset:
    """The data set that the configuration names."""
    data = config.data
    return load(
        data.kind.value,
        path=data.path,
        columns=data.columns,
        shape=shape_of(data),
        perturbations=tuple(data.perturbations),
        revision=data.revision,
    )


def shape_of(data: DataConfig) -> Shape:
    """What the configuration does to the tables."""
    return Shape(data.labels, data.where, data.constants)


def load_examples(config: RunConfig) -> Dataset | None:
    """The few-shot examples: `prompt.shots_from`, or those the sample has apart; else None."""
    data, prompt = config.data, config.prompt
    if not prompt.shots:
        return None
    if prompt.shots_from:
        return load(
            "files",
            path=prompt.shots_from,
            columns=data.columns,
            # The filter says what is scored; examples are not.
            shape=replace(shape_of(data), where={}),
        )
    return sample_examples() if data.kind.value == "sample" else None
