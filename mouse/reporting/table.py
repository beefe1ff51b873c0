"""A table as data, and its four faces: Markdown, LaTeX (booktabs), HTML and CSV.

Whatever text comes from a model or a data set is escaped for the format at hand; nothing of it is
ever markup. The best value of a column is bold and the second underlined, as in the paper.
"""

from __future__ import annotations

import csv
import html
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


@dataclass(frozen=True)
class TableColumn:
    """`higher_is_better` None: no value of the column is marked."""

    title: str
    higher_is_better: bool | None = None
    digits: int = 3
    align: str = "r"
    is_p_value: bool = False
    """A value that would print as zero is printed as less than the last digit."""


@dataclass(frozen=True)
class Cell:
    """A number with its interval, or text. An empty cell has neither."""

    value: float | None = None
    lo: float | None = None
    hi: float | None = None
    text: str = ""
    note: str = ""
    mark: str = ""
    """A footnote's sign, shown after the value."""
    paper: float | None = None
    """The paper's value of the same thing, shown beside this one and never ranked with it."""

    @property
    def has_interval(self) -> bool:
        return _finite(self.lo) and _finite(self.hi)


@dataclass(frozen=True)
class Block:
    """Rows that are ranked among themselves, under one heading."""

    title: str
    rows: Sequence[tuple[str, Sequence[Cell]]]


@dataclass(frozen=True)
class Table:
    name: str
    """File name without suffix."""
    title: str
    columns: Sequence[TableColumn]
    blocks: Sequence[Block]
    caption: str = ""
    row_title: str = "model"
    tasks: tuple[str, ...] | None = None
    """Tasks whose numbers it shows; None: all that it is made from."""

    def marks(self, block: Block) -> list[list[str]]:
        """`best`, `second` or nothing for each cell; ties share a mark."""
        marks = [["" for _ in self.columns] for _ in block.rows]
        for index, column in enumerate(self.columns):
            if column.higher_is_better is None or len(block.rows) < 2:
                continue
            shown = [
                round(cells[index].value, column.digits) if _finite(cells[index].value) else None  # type: ignore[arg-type]
                for _, cells in block.rows
            ]
            ranked = sorted({v for v in shown if v is not None}, reverse=column.higher_is_better)
            for row, value in enumerate(shown):
                if value is not None and value in ranked[:2]:
                    marks[row][index] = "best" if value == ranked[0] else "second"
        return marks


def markdown(table: Table) -> str:
    """GitHub's Markdown; intervals in brackets after the value."""
    lines = [f"### {_md(table.title)}", ""]
    lines.append("| " + " | ".join(_md(t) for t in _titles(table)) + " |")
    rule = {"l": ":---", "r": "---:", "c": ":---:"}
    lines.append("|:---|" + "|".join(rule[column.align] for column in table.columns) + "|")
    for block in table.blocks:
        if block.title and len(table.blocks) > 1:
            lines.append(f"| *{_md(block.title)}* |" + " |" * len(table.columns))
        for (label, cells), marks in zip(block.rows, table.marks(block), strict=True):
            shown = [
                _wrap(_md(_value(cell, column)), mark, {"best": "**{}**", "second": "<u>{}</u>"})
                + cell.mark
                + (f" [{_interval(cell, column)}]" if cell.has_interval else "")
                + (f" ({_paper(cell, column)})" if _finite(cell.paper) else "")
                for cell, column, mark in zip(cells, table.columns, marks, strict=True)
            ]
            lines.append(f"| {_md(label)} | " + " | ".join(shown) + " |")
    if table.caption:
        lines += ["", _md(table.caption)]
    return "\n".join(lines) + "\n"


def latex(table: Table) -> str:
    """A booktabs `table`; needs `booktabs`, and XeLaTeX or LuaLaTeX with a Chinese font."""
    spec = "l" + "".join("p{4.2cm}" if c.align == "l" else c.align for c in table.columns)
    lines = [
        "% needs \\usepackage{booktabs}; Chinese and emoji need XeLaTeX or LuaLaTeX and such a font",
        "\\begin{table*}[t]",
        "\\centering\\small",
        f"\\begin{{tabular}}{{{spec}}}",
        "\\toprule",
        " & ".join(_tex(title) for title in _titles(table)) + " \\\\",
    ]
    for block in table.blocks:
        lines.append("\\midrule")
        if block.title and len(table.blocks) > 1:
            span = len(table.columns) + 1
            lines.append(f"\\multicolumn{{{span}}}{{l}}{{\\emph{{{_tex(block.title)}}}}} \\\\")
        for (label, cells), marks in zip(block.rows, table.marks(block), strict=True):
            shown = [
                _wrap(
                    _tex(_value(cell, column)),
                    mark,
                    {"best": "\\textbf{{{}}}", "second": "\\underline{{{}}}"},
                )
                + _tex(cell.mark)
                + (f" {{\\tiny [{_interval(cell, column)}]}}" if cell.has_interval else "")
                + (f" {{\\tiny ({_paper(cell, column)})}}" if _finite(cell.paper) else "")
                for cell, column, mark in zip(cells, table.columns, marks, strict=True)
            ]
            lines.append(" & ".join([_tex(label), *shown]) + " \\\\")
    lines += [
        "\\bottomrule",
        "\\end{tabular}",
        f"\\caption{{{_tex(table.title)}. {_tex(table.caption)}}}",
        f"\\label{{tab:{table.name}}}",
        "\\end{table*}",
    ]
    return "\n".join(lines) + "\n"


def html_table(table: Table) -> str:
    """An HTML `table`; classes `best`, `second`, `interval` carry the marks."""
    parts = [f'<table id="{html.escape(table.name)}"><thead><tr>']
    sides = ["text", *("text" if column.align == "l" else "" for column in table.columns)]
    parts += [
        f'<th class="{side}">{_html(title)}</th>'
        for side, title in zip(sides, _titles(table), strict=True)
    ]
    parts.append("</tr></thead><tbody>")
    for block in table.blocks:
        if block.title and len(table.blocks) > 1:
            parts.append(
                f'<tr class="block"><th colspan="{len(table.columns) + 1}">'
                f"{_html(block.title)}</th></tr>"
            )
        for (label, cells), marks in zip(block.rows, table.marks(block), strict=True):
            parts.append(f"<tr><th>{_html(label)}</th>")
            for cell, column, mark in zip(cells, table.columns, marks, strict=True):
                kind = " ".join(filter(None, [mark, "text" if column.align == "l" else ""]))
                note = f' title="{_html(cell.note)}"' if cell.note else ""
                parts.append(f'<td class="{kind}"{note}><span>{_html(_value(cell, column))}</span>')
                parts.append(_html(cell.mark))
                if cell.has_interval:
                    parts.append(f'<small class="interval">{_interval(cell, column)}</small>')
                if _finite(cell.paper):
                    parts.append(f'<small class="interval">{_paper(cell, column)}</small>')
                parts.append("</td>")
            parts.append("</tr>")
    parts.append("</tbody></table>")
    if table.caption:
        parts.append(f'<p class="caption">{_html(table.caption)}</p>')
    return "".join(parts)


def csv_text(table: Table) -> str:
    """CSV with full precision: a number is followed by columns for what some cell of it has.

    These are its interval (`_lo`, `_hi`), the paper's value (`_paper`) and a footnote (`_mark`).
    """
    cells_of = [
        [cells[i] for block in table.blocks for _, cells in block.rows]
        for i in range(len(table.columns))
    ]
    extras = [
        [
            *(("lo", "hi") if any(cell.has_interval for cell in cells) else ()),
            *(("paper",) if any(_finite(cell.paper) for cell in cells) else ()),
            *(("mark",) if any(cell.mark for cell in cells) else ()),
        ]
        for cells in cells_of
    ]
    header = ["block", table.row_title]
    for column, extra in zip(table.columns, extras, strict=True):
        header += [column.title, *(f"{column.title}_{name}" for name in extra)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for block in table.blocks:
        for label, cells in block.rows:
            row = [_csv(block.title), _csv(label)]
            for cell, extra in zip(cells, extras, strict=True):
                row.append(_csv(cell.text) if cell.text else _full(cell.value))
                row += [_full(getattr(cell, name)) for name in extra]
            writer.writerow(row)
    return out.getvalue()


def _full(value: float | str | None) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.6g}" if _finite(value) else ""


def visible(text: str) -> str:
    """`text` with control and direction characters written as `⟨U+202E⟩`; newlines stay."""
    return _CONTROL.sub(lambda found: f"⟨U+{ord(found.group()):04X}⟩", text)


def _titles(table: Table) -> list[str]:
    arrows = {True: " ↑", False: " ↓", None: ""}
    return [table.row_title, *(c.title + arrows[c.higher_is_better] for c in table.columns)]


def _value(cell: Cell, column: TableColumn) -> str:
    if cell.text:
        return cell.text
    if not _finite(cell.value):
        return "–"
    if column.is_p_value and cell.value < 10**-column.digits:  # type: ignore[operator]
        return f"<{10**-column.digits:.{column.digits}f}"
    return f"{cell.value:.{column.digits}f}"


def _interval(cell: Cell, column: TableColumn) -> str:
    return f"{cell.lo:.{column.digits}f}, {cell.hi:.{column.digits}f}"


def _paper(cell: Cell, column: TableColumn) -> str:
    return f"paper {cell.paper:.{column.digits}f}"


def _wrap(text: str, mark: str, frames: dict[str, str]) -> str:
    return frames[mark].format(text) if mark else text


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _md(text: str) -> str:
    text = html.escape(visible(text), quote=False)
    text = re.sub(r"([\\`*_\[\]|~])", r"\\\1", text)
    return text.replace("\n", "<br>")


_TEX = {
    "\\": "\\textbackslash{}",
    "{": "\\{",
    "}": "\\}",
    "$": "\\$",
    "&": "\\&",
    "#": "\\#",
    "%": "\\%",
    "_": "\\_",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "\n": " ",
    "↑": "$\\uparrow$",
    "↓": "$\\downarrow$",
    "–": "--",
    "†": "\\dag{}",
}


def _tex(text: str) -> str:
    return "".join(_TEX.get(character, character) for character in visible(text))


def _html(text: str) -> str:
    return html.escape(visible(text)).replace("\n", "<br>")


def _csv(text: str) -> str:
    # A spreadsheet runs a cell that begins like a formula.
    text = visible(text)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") else text
