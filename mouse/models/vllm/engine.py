"""Models that vLLM runs on this cluster's GPUs (or, for small ones, a CPU): their configuration.

Checked in the driver, where vLLM is looked for but not imported. The backend itself, which runs in
a worker, is `mouse.models.vllm.backend`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mouse.errors import UserError
from mouse.models.base import BackendContext, BackendSpec, thinking_and_body
from mouse.models.vllm.backend import VLLMBackend
from mouse.models.vllm.hardware import is_cpu_build, vllm_version
from mouse.models.vllm.source import find_source
from mouse.models.vllm.translate import EXTRA_SAMPLING

__all__ = ["VLLMBackend", "spec"]

CHUNK = 4
"""Requests an actor call: a chunk holds its places until its longest answer is done."""
CHUNKS_IN_FLIGHT = 384
"""1,536 requests: half as many again as the largest batch that vLLM forms by default (1,024), for
the places of answers that are done and wait for their chunk. More would let the replica that is
loaded first take the others' share."""

_DTYPES = ("auto", "half", "float16", "bfloat16", "float", "float32")
_REASONING_PARSERS = {"qwen": "qwen3"}
"""Makers' lines whose reasoning vLLM has to see end before it holds the answer to labels."""


def spec(model: Mapping[str, Any], context: BackendContext) -> BackendSpec:
    """Check a model's configuration.

    Keys (those of `ModelConfig`): id, revision, dtype, tensor_parallel, replicas, max_model_len,
    gpu_memory_utilization, enforce_eager, trust_remote_code, tokenizer_mode, chat_template (file or
    text), thinking, and in extra_body vLLM's further sampling parameters and
    `chat_template_kwargs`. `replicas` None: as many as the GPUs of the cluster allow.

    Raises:
        UserError: vLLM is not installed, the model is not to be had, or a value is out of range.
    """
    name = str(model.get("name") or model.get("id") or "this model")
    if not model.get("id"):
        raise UserError(
            f"model {name} has no id: set model.id to a model folder or to a name on the Hugging "
            "Face hub."
        )
    tensor_parallel = _integer(model, "tensor_parallel", 1)
    replicas = _integer(model, "replicas", None)
    max_model_len = _integer(model, "max_model_len", None)
    memory = float(model.get("gpu_memory_utilization") or 0.9)
    if not 0 < memory <= 1:
        raise UserError(f"model.gpu_memory_utilization={memory:g}: a share above 0, at most 1.")
    dtype = str(model.get("dtype") or "auto")
    if dtype not in _DTYPES:
        raise UserError(f"model.dtype={dtype} is not known: {', '.join(_DTYPES)}.")
    thinking, extra = thinking_and_body(model)
    template = _template(model.get("chat_template"))
    tokenizer_mode = str(model.get("tokenizer_mode") or "auto")
    template_arguments = _template_arguments(extra, thinking, tokenizer_mode)
    unknown = sorted(set(extra) - EXTRA_SAMPLING)
    if unknown:
        raise UserError(
            f"model.extra_body has {', '.join(unknown)}, which vLLM is not asked for: known are "
            f"chat_template_kwargs, {', '.join(sorted(EXTRA_SAMPLING))}."
        )
    if vllm_version() is None:
        raise UserError(
            f"model {name} runs in vLLM, which is not installed: pip install 'mouse[vllm]' on a "
            "machine with a GPU, or scripts/setup_vllm_cpu.sh for small models on a CPU."
        )
    on_cpu = is_cpu_build()
    source = find_source(str(model["id"]), model.get("revision"), hint=_hint(name))
    parser = _REASONING_PARSERS.get(str(model.get("family"))) if thinking != "off" else None
    engine: dict[str, Any] = {
        "model": source.path,
        "revision": source.revision,
        "tokenizer_revision": source.revision,
        "dtype": dtype,
        "tensor_parallel_size": tensor_parallel,
        "max_model_len": max_model_len,
        "gpu_memory_utilization": memory,
        "enforce_eager": bool(model.get("enforce_eager", False)),
        "trust_remote_code": bool(model.get("trust_remote_code", False)),
        "tokenizer_mode": tokenizer_mode,
        "enable_prefix_caching": True,
        "max_logprobs": 20,
        "disable_log_stats": True,
        "seed": 0,
        # Blanks in JSON are free otherwise, and weak models write nothing else till the end. vLLM
        # takes the switch only for a named grammar engine, and only for all requests.
        "structured_outputs_config": {"backend": "xgrammar", "disable_any_whitespace": True},
    }
    if parser:
        engine["reasoning_parser"] = parser
    if tokenizer_mode == "mistral" and _has_mistral_files(source.path):
        # As the models' cards say: the three go together.
        engine |= {"config_format": "mistral", "load_format": "mistral"}
    identity = {
        "backend": "vllm_engine",
        **source.identity,
        "dtype": dtype,
        # It decides which prompts do not fit, and answers are stored for those as well.
        "max_model_len": max_model_len,
        "tokenizer_mode": tokenizer_mode,
        "thinking": thinking,
        "template_arguments": template_arguments,
        "sampling": extra,
    }
    if template is not None:
        identity["chat_template"] = hashlib.sha256(template.encode()).hexdigest()
    return BackendSpec(
        target="mouse.models.vllm.engine:VLLMBackend",
        options={
            "name": name,
            "label": source.label,
            "engine": engine,
            "sampling": extra,
            "chat_template": template,
            "template_arguments": template_arguments,
            "thinking": thinking,
            "can_hold": thinking == "off" or parser is not None,
            "on_cpu": on_cpu,
        },
        identity=identity,
        num_cpus=1,
        num_gpus=0 if on_cpu else tensor_parallel,
        replicas=replicas or (1 if on_cpu else AS_MANY_AS_FIT),
        max_concurrency=CHUNKS_IN_FLIGHT,
        chunk_size=CHUNK,
    )


AS_MANY_AS_FIT = 0


def _integer(model: Mapping[str, Any], key: str, default: int | None) -> Any:
    value = model.get(key)
    if value is None:
        return default
    if int(value) < 1:
        raise UserError(f"model.{key}={value}: at least 1.")
    return int(value)


def _template(given: object) -> str | None:
    """The text of a chat template, given as a file or as itself (it then has a `{`)."""
    if not given:
        return None
    text = str(given)
    if "{" in text:
        return text
    try:
        return Path(text).expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"model.chat_template={text} cannot be read ({error}): give a Jinja file or the "
            "template itself."
        ) from error


def _template_arguments(extra: dict[str, Any], thinking: str, mode: str) -> dict[str, Any]:
    """Variables for the chat template; takes `chat_template_kwargs` out of `extra`.

    Both names that cards give the switch are set: vLLM leaves out what a template does not know.
    Mistral's own tokenizer knows neither and refuses what it does not know. With
    `thinking=default` neither is set, and the template does what it does by itself.
    """
    given = dict(extra.pop("chat_template_kwargs", None) or {})
    if mode == "mistral" or thinking == "default":
        return given
    return {"enable_thinking": thinking == "on", "thinking": thinking == "on"} | given


def _has_mistral_files(path: str) -> bool:
    return not Path(path).is_dir() or (Path(path) / "params.json").is_file()


def _hint(name: str) -> str:
    if name == "smollm2":
        return "Make it once with `python scripts/get_smollm2.py`."
    return "Give an existing folder, or a name on the Hugging Face hub."
