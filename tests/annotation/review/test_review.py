"""The review asks Table 5's questions, and its rates are those of the reviewers' answers."""

import csv
from pathlib import Path
from random import Random

import numpy as np
import pytest
from openpyxl import load_workbook
from simulate_annotators import fill_in, yes_or_no

from mouse.annotation.review import sheet as review
from mouse.annotation.review.results import results
from mouse.annotation.review.sheet import (
    QUESTIONS,
    Opinion,
    export_sheets,
    import_sheets,
    read_review,
)
from mouse.corpus.load import load
from mouse.corpus.resources import data_path
from mouse.errors import DataError, UserError

SAMPLE = load("sample")


def answer(folder: Path, handed, share: float, seed: int = 0) -> None:
    chance = Random(seed)
    for name in handed.reviewers:
        for section, ids in handed.ids.items():
            cells = {
                item: {q.aspect: yes_or_no(share, chance) for q in review.questions_of(section)}
                for item in ids
            }
            fill_in(folder / f"{name}_{section}.xlsx", review.columns_of(section), cells)


def test_the_aspects_are_the_published_table_s() -> None:
    with data_path("published/table5_quality.csv").open(encoding="utf-8") as file:
        assert [row["aspect"] for row in csv.DictReader(file)] == [q.aspect for q in QUESTIONS]


def test_sheets_go_out_and_come_back(tmp_path: Path) -> None:
    handed = export_sheets(SAMPLE, 4, 12, 0, tmp_path)
    assert read_review(tmp_path) == handed
    assert {section: len(ids) for section, ids in handed.ids.items()} == {
        "cxei": 12,
        "ms": 12,
        "cc": 12,
    }
    answer(tmp_path, handed, 1.0)
    opinions, missing = import_sheets(tmp_path, handed)
    assert missing == [] and len(opinions) == 4 * (12 * 4 + 12 + 12)
    for result in results(opinions, resamples=100):
        assert (result.rate, result.hi, result.items, result.answers) == (1.0, 1.0, 12, 48)
        assert result.lo == pytest.approx(0.025 ** (1 / 12))
        assert result.alpha.status == "undefined" and result.failed_items == ()
    book = load_workbook(tmp_path / "reviewer_1_cxei.xlsx")
    book["rows"]["G2"] = None
    book["rows"]["H3"] = "可能"
    book.save(tmp_path / "reviewer_1_cxei.xlsx")
    (tmp_path / "reviewer_2_ms.xlsx").unlink()
    with pytest.raises(DataError) as caught:
        import_sheets(tmp_path, handed)
    assert "reviewer_1_cxei.xlsx, row H3" in str(caught.value)
    assert "reviewer_2_ms.xlsx" in str(caught.value)


def test_an_empty_cell_is_an_address_and_no_answer(tmp_path: Path) -> None:
    handed = export_sheets(SAMPLE, 2, 3, 0, tmp_path)
    answer(tmp_path, handed, 1.0)
    book = load_workbook(tmp_path / "reviewer_2_cc.xlsx")
    header = [cell.value for cell in book["rows"][1]]
    book["rows"].cell(3, header.index("答案最佳") + 1).value = None
    book.save(tmp_path / "reviewer_2_cc.xlsx")
    opinions, missing = import_sheets(tmp_path, handed)
    assert missing == ["reviewer_2_cc.xlsx!F3"]
    assert {r.aspect: r.answers for r in results(opinions, 10)}["cloze_key"] == 5


def simulated(pass_rate: float, error: float, n: int, seed: int) -> list[Opinion]:
    """Four reviewers who see whether an item is good, each wrong with this error."""
    chance = np.random.default_rng(seed)
    good = chance.random(n) < pass_rate
    seen = good[None, :] ^ (chance.random((4, n)) < error)
    return [
        Opinion(f"r{who}", f"i{at}", "cloze_key", bool(seen[who, at]))
        for who in range(4)
        for at in range(n)
    ]


def test_intervals_cover_the_expected_rate_and_alpha_is_the_implied_one() -> None:
    share, error, n = 0.8, 0.05, 100
    expected = share * (1 - error) + (1 - share) * error
    covered = [
        result.lo <= expected <= result.hi
        for seed in range(200)
        for result in results(simulated(share, error, n, seed), resamples=400)
    ]
    assert 0.90 <= np.mean(covered) <= 0.985
    big = results(simulated(share, error, 5_000, 1), resamples=100)[0]
    implied = 1 - 2 * error * (1 - error) / (2 * expected * (1 - expected))
    assert big.alpha.value == pytest.approx(implied, abs=0.03)
    # Four answers about one item are nearly one answer: treating them as four is far too narrow.
    naive = 2 * 1.96 * np.sqrt(expected * (1 - expected) / (4 * 5_000))
    assert big.hi - big.lo > 1.5 * naive


def test_what_cannot_be_reviewed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="at least two reviewers"):
        export_sheets(SAMPLE, 1, 5, 0, tmp_path)
    export_sheets(SAMPLE, 2, 5, 0, tmp_path)
    with pytest.raises(UserError, match="may be in use"):
        export_sheets(SAMPLE, 2, 5, 0, tmp_path)
    with pytest.raises(UserError, match="review-out"):
        read_review(tmp_path / "elsewhere")
