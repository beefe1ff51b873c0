"""The lexicon tables are well-formed data."""

from __future__ import annotations

from mouse.corpus.chinese.lexicon import lexicon_hash
from mouse.corpus.items import INTENTS
from mouse.corpus.labels import MECHANISMS
from mouse.corpus.resources import read_table


def test_surfaces_are_not_listed_twice() -> None:
    for name in ("emoji", "digits", "letters", "turned", "memes", "words", "rude"):
        surfaces = [row[0] for row in read_table(f"lexicon/{name}.tsv")]
        doubled = sorted({s for s in surfaces if surfaces.count(s) > 1})
        assert not doubled, (name, doubled)


def test_every_row_is_complete() -> None:
    for row in read_table("lexicon/memes.tsv"):
        assert len(row) in (3, 4), row
        assert row[2] in MECHANISMS, row
        assert row[3:] in ((), ("alone",)), row
    assert all(row[0] and any(row[1:]) and len(row) <= 4 for row in read_table("lexicon/emoji.tsv"))
    for name in ("digits", "letters", "turned", "lookalikes"):
        assert all(len(row) == 2 and all(row) for row in read_table(f"lexicon/{name}.tsv")), name
    assert all(0 < float(row[1]) < 0.01 for row in read_table("lexicon/words.tsv"))
    assert all(0 < float(row[1]) <= 1 for row in read_table("lexicon/rude.tsv"))


def test_every_intent_has_keywords_and_no_other_is_named() -> None:
    assert {row[0] for row in read_table("lexicon/intents.tsv")} == set(INTENTS)


def test_the_hash_is_that_of_the_tables() -> None:
    assert len(lexicon_hash()) == 64
