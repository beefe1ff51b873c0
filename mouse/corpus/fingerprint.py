"""Names the content of a data set by a hash, whatever its row order and file format."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict

from mouse.corpus.items import CXEI, ChoiceItem


def item_fingerprint(item: CXEI | ChoiceItem) -> str:
    """SHA-256 (64 hex digits) of all fields of one item, as canonical JSON.

    Text enters code point by code point: 1️⃣ with and without its variation selector, or a
    character composed and decomposed, are different items, since models see different tokens.
    """
    content = {"kind": "cxei" if isinstance(item, CXEI) else "choice", **asdict(item)}
    # ASCII escapes give every code point, even a lone surrogate, one spelling in bytes.
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def fingerprint(cxeis: Iterable[CXEI], choices: Iterable[ChoiceItem]) -> str:
    """SHA-256 (64 hex digits) over the items as a multiset: order does not count, repeats do."""
    digests = sorted(item_fingerprint(item) for group in (cxeis, choices) for item in group)
    return hashlib.sha256("\n".join(digests).encode("ascii")).hexdigest()
