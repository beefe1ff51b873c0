"""One table, four formats: the same marks, and no text of a model is ever markup."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.reporting.table import (
    Block,
    Cell,
    Table,
    TableColumn,
    csv_text,
    html_table,
    latex,
    markdown,
    visible,
)


def table_of(values: list[float | None], higher: bool = True, text: str = "") -> Table:
    rows = [(f"m{i}", [Cell(value), Cell(text=text)]) for i, value in enumerate(values)]
    return Table(
        "t", "T", [TableColumn("acc", higher), TableColumn("said", align="l")], [Block("", rows)]
    )


def test_best_is_bold_and_second_underlined() -> None:
    made = latex(table_of([0.1, 0.3, 0.2]))
    assert r"m1 & \textbf{0.300}" in made and r"m2 & \underline{0.200}" in made
    assert r"m0 & 0.100" in made and r"\toprule" in made and r"\bottomrule" in made
    assert "**0.300**" in markdown(table_of([0.1, 0.3, 0.2]))
    assert '<td class="best"><span>0.300' in html_table(table_of([0.1, 0.3, 0.2]))


def test_values_that_print_alike_share_a_mark() -> None:
    table = table_of([0.30004, 0.3, 0.2])
    assert [row[0] for row in table.marks(table.blocks[0])] == ["best", "best", "second"]


def test_lower_is_better_turns_the_order() -> None:
    table = table_of([0.1, 0.3, None], higher=False)
    assert [row[0] for row in table.marks(table.blocks[0])] == ["best", "second", ""]


def test_blocks_are_ranked_by_themselves() -> None:
    rows = [("a", [Cell(0.1)]), ("b", [Cell(0.2)])]
    others = [("c", [Cell(0.8)]), ("d", [Cell(0.9)])]
    table = Table("t", "T", [TableColumn("x", True)], [Block("one", rows), Block("two", others)])
    assert latex(table).count(r"\textbf") == 2


def test_csv_has_full_precision_and_interval_columns() -> None:
    table = Table("t", "T", [TableColumn("acc")], [Block("", [("m", [Cell(1 / 3, 0.25, 0.41)])])])
    (header, row) = csv.reader(io.StringIO(csv_text(table)))
    assert header == ["block", "model", "acc", "acc_lo", "acc_hi"]
    assert row == ["", "m", "0.333333", "0.25", "0.41"]


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "</td><img src=x onerror=alert(1)>",
        "a|b\n|c",
        "\x1b[31mred\u202e",
    ],
)
def test_hostile_text_stays_text(hostile: str) -> None:
    table = table_of([0.5], text=hostile)
    for made in (html_table(table), markdown(table)):
        assert "<script" not in made and "<img" not in made
        assert "\x1b" not in made and "\u202e" not in made
    (row,) = [line for line in markdown(table).splitlines() if line.startswith("| m0")]
    assert len(re.findall(r"(?<!\\)\|", row)) == 4


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@x"])
def test_a_spreadsheet_runs_no_cell(formula: str) -> None:
    (_, row) = csv.reader(io.StringIO(csv_text(table_of([0.5], text=formula))))
    assert row[-1] == f"'{formula}"


def test_latex_escapes_every_special_sign() -> None:
    made = latex(table_of([0.5], text="50% & $x_1$ #{a}~^\\"))
    assert r"50\% \& \$x\_1\$ \#\{a\}\textasciitilde{}\textasciicircum{}\textbackslash{}" in made


@given(st.text())
def test_nothing_invisible_or_turning_is_left(text: str) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", visible(text))


@given(st.text(max_size=40))
def test_any_text_makes_a_table_of_the_right_shape(text: str) -> None:
    table = table_of([0.5, 0.4], text=text)
    assert len(list(csv.reader(io.StringIO(csv_text(table))))) == 3
    assert html_table(table).count("<td") == 4
    latex(table)
