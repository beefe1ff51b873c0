"""Models that vLLM runs on this cluster's GPUs (or, for small ones, a CPU): their configuration.

Checked in the driver, where vLLM is looked for but not imported. The backend itself, which runs in
a worker, is `mouse.models.vllm.backend`.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

from mouse.errors import UserError
from mouse.models.base import BackendContext, BackendSpec
from mouse.models.config import Thinking
from mouse.models.vllm.config import VLLMConfig
from mouse.models.vllm.source import Source, find_source
from mouse.models.vllm.translate import EXTRA_SAMPLING

CHUNK = 4
"""Requests an actor call: a chunk holds its places until its longest answer is done."""
CHUNKS_IN_FLIGHT = 384
"""1,536 requests: half as many again as the largest batch that vLLM forms by default (1,024), for
the places of answers that are done and wait for their chunk. More would let the replica that is
loaded first take the others' share."""

AS_MANY_AS_FIT = 0

_REASONING_PARSERS = {"qwen": "qwen3"}
"""Makers' lines whose reasoning vLLM has to see end before it holds the answer to labels."""


def spec(config: VLLMConfig, context: BackendContext) -> BackendSpec:
    """Find the model, read the chat template, look for vLLM; raises `UserError` for a mistake."""
    if not config.id:
        raise UserError(
            f"model {config.name} has no id: set model.id to a model folder or to a name on the "
            "Hugging Face hub."
        )
    template = _template(config.chat_template)
    sampling = config.request_extras()
    template_arguments = _template_arguments(config, sampling.pop("chat_template_kwargs", None))
    if unknown := sorted(set(sampling) - EXTRA_SAMPLING):
        raise UserError(
            f"model.extra_body has {', '.join(unknown)}, which vLLM is not asked for: known are "
            f"chat_template_kwargs, {', '.join(sorted(EXTRA_SAMPLING))}."
        )
    if vllm_version() is None:
        raise UserError(
            f"model {config.name} runs in vLLM, which is not installed: pip install 'mouse[vllm]' "
            "on a machine with a GPU, or scripts/setup_vllm_cpu.sh for small models on a CPU."
        )
    on_cpu = is_cpu_build()
    hint = "Give an existing folder, or a name on the Hugging Face hub."
    if config.name == "smollm2":
        hint = "Make it once with `python scripts/get_smollm2.py`."
    source = find_source(config.id, config.revision, hint)
    config = replace(config, chat_template=template)
    engine = engine_arguments(config, source)
    identity = {
        "backend": "vllm_engine",
        **source.identity,
        "dtype": config.dtype.value,
        # It decides which prompts do not fit, and answers are stored for those as well.
        "max_model_len": config.max_model_len,
        "tokenizer_mode": config.tokenizer_mode,
        "thinking": config.thinking.value,
        "template_arguments": template_arguments,
        "sampling": sampling,
    }
    if template is not None:
        identity["chat_template"] = hashlib.sha256(template.encode()).hexdigest()
    return BackendSpec(
        target="mouse.models.vllm.backend:VLLMBackend",
        options={
            "config": config,
            "label": source.label,
            "engine": engine,
            "sampling": sampling,
            "template_arguments": template_arguments,
            "can_hold": config.thinking is Thinking.off or "reasoning_parser" in engine,
            "on_cpu": on_cpu,
        },
        identity=identity,
        num_cpus=1,
        num_gpus=0 if on_cpu else config.tensor_parallel,
        replicas=config.replicas or (1 if on_cpu else AS_MANY_AS_FIT),
        max_concurrency=CHUNKS_IN_FLIGHT,
        chunk_size=CHUNK,
    )


def engine_arguments(config: VLLMConfig, source: Source) -> dict[str, Any]:
    """Arguments of vLLM's `AsyncEngineArgs`."""
    engine: dict[str, Any] = {
        "model": source.path,
        "revision": source.revision,
        "tokenizer_revision": source.revision,
        "dtype": config.dtype.value,
        "tensor_parallel_size": config.tensor_parallel,
        "max_model_len": config.max_model_len,
        "gpu_memory_utilization": config.gpu_memory_utilization,
        "enforce_eager": config.enforce_eager,
        "trust_remote_code": config.trust_remote_code,
        "tokenizer_mode": config.tokenizer_mode,
        "enable_prefix_caching": True,
        "max_logprobs": 20,
        "disable_log_stats": True,
        "seed": 0,
        # Blanks in JSON are free otherwise, and weak models write nothing else till the end. vLLM
        # takes the switch only for a named grammar engine, and only for all requests.
        "structured_outputs_config": {"backend": "xgrammar", "disable_any_whitespace": True},
    }
    if config.thinking is not Thinking.off and config.family in _REASONING_PARSERS:
        engine["reasoning_parser"] = _REASONING_PARSERS[config.family]
    if config.tokenizer_mode == "mistral" and _has_mistral_files(source.path):
        # As the models' cards say: the three go together.
        engine |= {"config_format": "mistral", "load_format": "mistral"}
    return engine


def _template(given: str | None) -> str | None:
    """The text of a chat template, given as a file or as itself (it then has a `{`)."""
    if not given or "{" in given:
        return given or None
    try:
        return Path(given).expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"model.chat_template={given} cannot be read ({error}): give a Jinja file or the "
            "template itself."
        ) from error


def _template_arguments(config: VLLMConfig, given: dict[str, Any] | None) -> dict[str, Any]:
    """Variables for the chat template; `given`: `chat_template_kwargs` of `model.extra_body`.

    Both names that cards give the switch are set: vLLM leaves out what a template does not know.
    Mistral's own tokenizer knows neither and refuses what it does not know. With
    `thinking=default` neither is set, and the template does what it does by itself.
    """
    if config.tokenizer_mode == "mistral" or config.thinking is Thinking.default:
        return dict(given or {})
    on = config.thinking is Thinking.on
    return {"enable_thinking": on, "thinking": on, **(given or {})}


def _has_mistral_files(path: str) -> bool:
    return not Path(path).is_dir() or (Path(path) / "params.json").is_file()


def vllm_version() -> str | None:
    """The version of the installed vLLM, GPU or CPU, without importing it; None where none is."""
    return _version("vllm") or _version("vllm-cpu")


def is_cpu_build() -> bool:
    """Whether the installed vLLM computes on the CPU alone."""
    return (_version("vllm") or "+cpu").endswith("+cpu")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
