"""Makes a tiny Qwen3 with tokenizer and chat template, to try vLLM's code paths on a CPU.

    python scripts/make_tiny_model.py FOLDER                # random weights: any text, always the same
    python scripts/make_tiny_model.py FOLDER --says 'A'     # thinks `hm, ok`, then answers A

Both are real Qwen3 models (attention, RoPE, grouped queries, head_dim 64) of about 1.5 M
parameters. One that `says` something has its attention and feed-forward outputs set to zero and
orthonormal embeddings, so that each token decides the next: `<think>hm, ok</think>` and the answer
where the template lets it think, the answer alone where `enable_thinking` is false.
Needs `torch transformers tokenizers`, which vLLM brings.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TAGS = ("<think>", "</think>", "\n\n")
"""Tokens of their own, as in Qwen3; not special, so that they appear in the text."""

TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}"
    "{% if enable_thinking is defined and not enable_thinking %}"
    "{{ '<think>\n\n</think>\n\n' }}"
    "{% endif %}{% endif %}"
)

THOUGHT = "hm, ok"


def make(folder: Path, says: str | None = None, seed: int = 0, max_len: int = 512) -> None:
    """Write the model to `folder`; raises ValueError where `says` repeats a character."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    tokenizer = _tokenizer()
    torch.manual_seed(seed)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=320,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=64,
        max_position_embeddings=max_len,
        tie_word_embeddings=False,
        # Larger than usual: with the usual 0.02 a random model says one token for ever.
        initializer_range=0.3,
        bos_token_id=None,
        eos_token_id=tokenizer.convert_tokens_to_ids("<|im_end|>"),
        pad_token_id=tokenizer.convert_tokens_to_ids("<|endoftext|>"),
    )
    model = Qwen3ForCausalLM(config)
    if says is not None:
        _teach(model, _chain(tokenizer, says), torch)
    model.to(torch.float32).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _tokenizer() -> Any:
    """One token a byte, so that any text can be encoded and cut anywhere, Chinese included."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(alphabet)}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    inner.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL])
    inner.add_tokens([AddedToken(token, normalized=False) for token in TAGS])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def _chain(tokenizer: Any, says: str) -> list[tuple[int, int]]:
    """(token, the token after it): from the end of either prompt to the end of the answer."""
    thinking = "\n<think>" + THOUGHT + "</think>"
    answer = "\n\n" + says + "<|im_end|>"
    ids = tokenizer.encode(thinking + answer, add_special_tokens=False)
    if len(set(ids)) != len(ids):
        raise ValueError(f"each byte may occur once in {thinking + answer!r}")
    return list(itertools.pairwise(ids))


def _teach(model: Any, chain: Sequence[tuple[int, int]], torch: Any) -> None:
    """Make the model a table from token to next token."""
    with torch.no_grad():
        for layer in model.model.layers:
            layer.self_attn.o_proj.weight.zero_()
            layer.mlp.down_proj.weight.zero_()
        size, width = model.model.embed_tokens.weight.shape
        basis = torch.linalg.qr(torch.randn(width, width))[0][:size]
        model.model.embed_tokens.weight.copy_(basis)
        head = torch.zeros(size, width)
        for token, following in chain:
            head[following] += basis[token]
        model.lm_head.weight.copy_(head)


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--says", help="the answer it gives to everything (no byte twice)")
    parser.add_argument("--seed", type=int, default=0, help="of the random weights")
    parser.add_argument("--max-len", type=int, default=512, help="its context, in bytes")
    given = parser.parse_args(arguments)
    make(given.folder, given.says, given.seed, given.max_len)
    print(given.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
