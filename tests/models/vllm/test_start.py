from __future__ import annotations

import os
import subprocess
import sys

import pytest

from mouse.models.vllm.config import VLLMConfig
from mouse.models.vllm.start import EngineOutput, explain, last_error

GPU = VLLMConfig(name="qwen3-8b", max_model_len=8192, tensor_parallel=2)
CPU = VLLMConfig(name="smollm2", max_model_len=2048)
CORE = RuntimeError("Engine core initialization failed. See root cause above.")

CAUSES = [
    (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9 GiB.",
        GPU,
        ["GPU's memory is too small", "model.max_model_len (now 8192)", "model.tensor_parallel"],
    ),
    (
        "RuntimeError: DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes",
        CPU,
        ["machine's memory is too small", "VLLM_CPU_KVCACHE_SPACE"],
    ),
    (
        "ValueError: No available memory for the cache blocks. Try increasing …",
        GPU,
        ["model.gpu_memory_utilization (now 0.9", "model.tensor_parallel (now 2)"],
    ),
    (
        "ValueError: To serve at least one request with the model's max seq len (8192), (9 GiB KV "
        "cache is needed, which is larger than the available KV cache memory (1 GiB). Based on the "
        "available memory, the estimated maximum model length is 4096. Try",
        GPU,
        ["model.max_model_len=4096", "model.gpu_memory_utilization"],
    ),
    (
        "ValueError: Free memory on device cuda:0 (1.0/139.8 GiB) on startup is less than desired "
        "GPU memory utilization (0.9, 125.8 GiB).",
        GPU,
        ["Another process", "model.gpu_memory_utilization (now 0.9)"],
    ),
    (
        "ValueError: User-specified max_model_len (8192) is greater than the derived max_model_len "
        "(max_position_embeddings=2048 or model_max_length=None in model's config.json).",
        GPU,
        ["model.max_model_len=8192", "model.max_model_len=2048 or less"],
    ),
    ("RuntimeError: No CUDA GPUs are available", GPU, ["no GPU", "engine.address"]),
    ("RuntimeError: Failed to infer device type, please set", GPU, ["no GPU"]),
    (
        "ValueError: pass the argument `trust_remote_code=True` to allow custom code",
        GPU,
        ["model.trust_remote_code=true"],
    ),
    (
        "ValueError: Total number of attention heads (9) must be divisible by tensor parallel size (2).",
        GPU,
        ["model.tensor_parallel=2", "9"],
    ),
    (
        "ValueError: Model architectures ['NewForCausalLM'] are not supported for now.",
        GPU,
        ["NewForCausalLM", "newer vLLM"],
    ),
    (
        "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0.",
        GPU,
        ["model.dtype=float16"],
    ),
    ("OSError: [Errno 28] No space left on device", GPU, ["disk is full"]),
]


@pytest.mark.parametrize(("output", "settings", "parts"), CAUSES)
def test_a_known_cause_names_the_setting_to_change(
    output: str, settings: VLLMConfig, parts: list[str]
) -> None:
    sentence = explain(
        f"(EngineCore pid=3) ERROR 11-30 [core.py:9] {output}\n",
        CORE,
        settings,
        on_cpu=settings is CPU,
    )
    assert sentence is not None
    for part in parts:
        assert part in sentence
    assert settings.name in sentence or "this GPU" in sentence.replace("This", "this")
    assert "\n" not in sentence


def test_the_cause_may_stand_in_the_exception_itself() -> None:
    error = ValueError(
        "User-specified max_model_len (9) is greater than the derived max_model_len "
        "(max_position_embeddings=4 or …)"
    )
    assert "model.max_model_len=4 or less" in (explain("", error, CPU, on_cpu=True) or "")


def test_an_unknown_cause_is_not_explained_away() -> None:
    assert explain("KeyError: 'lm_head.weight'", CORE, GPU, on_cpu=False) is None


def test_the_last_error_is_the_engines_own() -> None:
    output = (
        "(EngineCore pid=1) ERROR 11-30 [core.py:1] Traceback (most recent call last):\n"
        "(EngineCore pid=1) ERROR 11-30 [core.py:1] KeyError: 'lm_head.weight'\n"
        "RuntimeError: Engine core initialization failed. See root cause above.\n"
    )
    assert last_error(output, CORE) == "KeyError: 'lm_head.weight'"
    assert last_error("", KeyError("x")) == "KeyError: 'x'"


def test_output_of_children_is_kept_and_kept_off_the_terminal(
    capfd: pytest.CaptureFixture[str],
) -> None:
    output = EngineOutput()
    os.write(2, b"before ")
    with output.captured():
        child = subprocess.Popen(
            [sys.executable, "-c", "import sys; print('born'); input(); print('late')"],
            stdin=subprocess.PIPE,
        )
        os.write(2, b"own ")
    os.write(2, b"after")
    assert child.stdin is not None
    child.communicate(b"\n")
    assert capfd.readouterr().err == "before after"
    assert "own" in output.tail() and "born" in output.tail() and "late" in output.tail()
    output.close()


def test_the_terminal_comes_back_after_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    output = EngineOutput()
    with pytest.raises(ValueError), output.captured():
        raise ValueError
    os.write(1, b"here")
    assert capfd.readouterr().out == "here"
    output.close()
