"""How much of ToxiCloakCN the lexicon model restores, and how much it damages.

    python scripts/bench/lexicon.py PATH [--tuned 2000] [--limit N]

PATH holds base_data.tsv, homo_full.tsv and emoji_full.tsv, aligned by row. Characters are
compared without white space (the perturbed files drop it). A character of the base sentence is
*changed* where an alignment with the perturbed sentence does not match it; it is *restored* if an
alignment with the decoded sentence matches it. Unchanged characters that the decoded sentence
no longer has are *damaged*. The first rows were used for tuning, so they are reported apart.
"""

from __future__ import annotations

import argparse
import csv
import resource
import time
from collections.abc import Callable
from pathlib import Path

from rapidfuzz.distance import Levenshtein


def read_column(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as handle:
        rows = csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE)
        return ["".join((row["content"] or "").split()) for row in rows]


def matched(base: str, other: str) -> list[bool]:
    """For each character of `base`, whether an alignment finds it in `other`."""
    flags = [False] * len(base)
    for block in Levenshtein.opcodes(base, other):
        if block.tag == "equal":
            flags[block.src_start : block.src_end] = [True] * (block.src_end - block.src_start)
    return flags


def measure(base: list[str], noisy: list[str], decode: Callable[[str], str]) -> dict[str, float]:
    """Shares over all characters of the rows; the rate is per CPU second in `decode` alone."""
    started = time.process_time()
    decoded = ["".join(decode(text).split()) for text in noisy]
    seconds = time.process_time() - started
    changed = restored = unchanged = damaged = right = total = 0
    for clean, text, answer in zip(base, noisy, decoded, strict=True):
        kept, found = matched(clean, text), matched(clean, answer)
        for was_kept, is_found in zip(kept, found, strict=True):
            if was_kept:
                unchanged += 1
                damaged += not is_found
            else:
                changed += 1
                restored += is_found
            right += is_found
        total += len(clean)
    return {
        "rows": len(base),
        "changed": changed,
        "restored": restored / max(1, changed),
        "damaged": damaged / max(1, unchanged),
        "accuracy": right / max(1, total),
        "exact": sum(a == b for a, b in zip(base, decoded, strict=True)) / max(1, len(base)),
        "rate": len(base) / max(seconds, 1e-9),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--tuned", type=int, default=2000, help="rows used for tuning")
    parser.add_argument("--limit", type=int, default=None)
    arguments = parser.parse_args()

    started = time.perf_counter()
    from mouse.models.noisy_channel.decoder import Decoder

    decoder = Decoder()
    print(f"built in {time.perf_counter() - started:.1f} s")
    base = read_column(arguments.path / "base_data.tsv")[: arguments.limit]
    files = {
        "homophone": read_column(arguments.path / "homo_full.tsv"),
        "emoji": read_column(arguments.path / "emoji_full.tsv"),
        "plain": base,
    }
    models: dict[str, Callable[[str], str]] = {
        "copy": lambda text: text,
        "lexicon": lambda text: decoder.decode(text).text,
    }
    print(
        "| file | rows | model | restored | damaged | characters right | exact | sentences/CPU s |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, noisy in files.items():
        for part, chosen in (
            ("tuning", slice(0, arguments.tuned)),
            ("held out", slice(arguments.tuned, len(base))),
        ):
            for model, decode in models.items():
                result = measure(base[chosen], noisy[chosen], decode)
                if not result["rows"]:
                    continue
                print(
                    f"| {name} | {result['rows']} ({part}) | {model} | {result['restored']:.1%} | "
                    f"{result['damaged']:.2%} | {result['accuracy']:.1%} | {result['exact']:.1%} | "
                    f"{result['rate']:,.0f} |"
                )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MB")


if __name__ == "__main__":
    main()
