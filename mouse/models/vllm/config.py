"""The options of a model that vLLM runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from mouse.models.config import ChatModelConfig, at_least


class DType(StrEnum):
    """Number formats that vLLM computes in."""

    auto = "auto"
    half = "half"
    float16 = "float16"
    bfloat16 = "bfloat16"
    float = "float"
    float32 = "float32"


@dataclass
class VLLMConfig(ChatModelConfig):
    """A model that vLLM runs on this cluster's GPUs (or, for small ones, a CPU)."""

    backend: str = "vllm_engine"
    dtype: DType = DType.auto
    """Number format of weights and activations; `auto`: the model's own."""
    tensor_parallel: int = 1
    """GPUs that share one copy of the model."""
    replicas: int | None = None
    """Copies of the model; None: as many as the GPUs of the cluster allow."""
    max_model_len: int | None = None
    """Longest prompt and answer together, in tokens; None: the model's own limit."""
    gpu_memory_utilization: float = 0.9
    """Share of a GPU's memory that vLLM may take."""
    enforce_eager: bool = False
    """Runs without CUDA graphs: starts sooner, answers more slowly."""
    trust_remote_code: bool = False
    """Whether Python code that comes with the model may run."""
    tokenizer_mode: str = "auto"
    """vLLM's `tokenizer_mode`; `mistral` for models in Mistral's own format."""
    chat_template: str | None = None
    """A Jinja file, or the template itself, instead of the model's own chat template."""

    implementation = "mouse.models.vllm.engine"

    def problems(self) -> Iterator[str]:
        yield from at_least(
            1,
            ("model.tensor_parallel", self.tensor_parallel),
            ("model.replicas", self.replicas),
            ("model.max_model_len", self.max_model_len),
        )
        memory = self.gpu_memory_utilization
        if not 0 < memory <= 1:
            yield f"model.gpu_memory_utilization={memory:g}: a share above 0, at most 1"
