"""Tables about items: contrasts of their kinds, the hardest and the most telling ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mouse.corpus.items import COMPONENTS
from mouse.corpus.labels import COMPONENT_ZH
from mouse.reporting.contrast import Contrast, contrast
from mouse.reporting.judge_validation import MARK, doubted, marked
from mouse.reporting.study import Entry, Study
from mouse.reporting.table import Block, Cell, Column, Table

if TYPE_CHECKING:
    import pandas as pd


def contrasts(entry: Entry, cxeis: pd.DataFrame) -> dict[str, Contrast]:
    """Translation score (0 to 1) of one model by toxicity, and by component recognised or not."""
    frame = translations(entry, cxeis)
    if frame.empty:
        return {}
    found = {}
    known = frame[frame["toxicity"].notna()]
    if len(known):
        found["toxicity"] = _contrast(known, (known["toxicity"] == 1).tolist())
    if "rc" in entry.runs:
        components = entry.runs["rc"].predictions["rc"]
        for name in COMPONENTS:
            asked = components[(components["variant"] == name) & (components["gold"] == "1")]
            recognised = asked.groupby("item_id")["correct"].first().dropna()
            rows = frame[frame["item_id"].isin(recognised.index)]
            if len(rows):
                right = [bool(recognised[item]) for item in rows["item_id"]]
                found[name] = _contrast(rows, right)
    return found


def _contrast(frame: pd.DataFrame, is_first: list[bool]) -> Contrast:
    clusters = frame["cluster"].fillna(frame["item_id"]).tolist()
    return contrast((frame["score"] / 2).tolist(), is_first, clusters)


def translations(entry: Entry, cxeis: pd.DataFrame) -> pd.DataFrame:
    """An entry's scored translations with their items' labels."""
    import pandas as pd

    if "tr" not in entry.runs:
        return pd.DataFrame()
    frame = entry.runs["tr"].predictions["tr"]
    frame = frame[frame["score"].notna()]
    labels = cxeis[["toxicity", "intent", *COMPONENTS]]
    return frame.join(labels, on="item_id")


def contrast_table(study: Study, found: Mapping[str, Mapping[str, Contrast]]) -> Table | None:
    """Figures 4 and 5 as numbers."""
    titles = {"toxicity": "Figure 4: toxic − safe"}
    for name in COMPONENTS:
        titles[name] = f"Figure 5: {COMPONENT_ZH[name]} {name}, recognised − not"
    blocks = []
    unsure = doubted(study)
    for kind, title in titles.items():
        rows = []
        for model, by_kind in found.items():
            if kind in by_kind:
                c = by_kind[kind]
                first = Cell(c.mean_first, c.first_lo, c.first_hi, note=f"n = {c.n_first}")
                second = Cell(c.mean_second, c.second_lo, c.second_hi, note=f"n = {c.n_second}")
                gap = Cell(c.difference, c.lo, c.hi, note=c.method)
                mark = MARK if model in unsure else ""
                rows.append((model, [*marked([first, second, gap], mark), Cell(c.p_value)]))
        if rows:
            blocks.append(Block(title, rows))
    if not blocks:
        return None
    return Table(
        "contrasts",
        "Translation score by kind of item",
        [
            Column("first kind"),
            Column("second kind"),
            Column("difference"),
            Column("p", is_p_value=True),
        ],
        blocks,
        "Sem.Acc on items of either kind; p values are single ones, not corrected for the number "
        "of models.",
    )


@dataclass(frozen=True)
class ItemStatistics:
    """How the models did on one question, and how well it tells good from bad ones."""

    task: str
    item_id: str
    variant: str
    right: float
    discrimination: float


def item_statistics(study: Study) -> list[ItemStatistics]:
    """Share of models right on each question, and its correlation with the models' other answers.

    Discrimination is the point-biserial correlation of being right here with the share right on
    the task's other questions (corrected item-total); NaN with fewer than three models.
    """
    found = []
    for task in study.tasks:
        columns = {}
        entries = study.with_task(task)
        # People are no models; where nobody else answered, they are who there is.
        for entry in [e for e in entries if not e.group] or entries:
            frame = entry.runs[task].predictions[task]
            frame = frame[frame["repeat"] == 0]
            index = list(zip(frame["item_id"], frame["variant"], strict=True))
            columns[entry.model] = dict(zip(index, frame["correct"], strict=True))
        keys = [k for k in next(iter(columns.values())) if all(k in c for c in columns.values())]
        if not keys:
            continue
        matrix = np.array(
            [[_as_number(column[key]) for key in keys] for column in columns.values()]
        )
        usable = ~np.isnan(matrix).any(axis=0)
        matrix, keys = matrix[:, usable], [k for k, u in zip(keys, usable, strict=True) if u]
        if not keys:
            continue
        rest = matrix.sum(axis=1, keepdims=True) - matrix
        found += [
            ItemStatistics(task, item, variant, float(share), float(value))
            for (item, variant), share, value in zip(
                keys, matrix.mean(axis=0), _correlation(matrix, rest), strict=True
            )
        ]
    return found


def _as_number(value: Any) -> float:
    return float("nan") if value is None or value != value else float(value)


def _correlation(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    if len(one) < 3:
        return np.full(one.shape[1], np.nan)
    a, b = one - one.mean(axis=0), other - other.mean(axis=0)
    scale = np.sqrt((a**2).sum(axis=0) * (b**2).sum(axis=0))
    return np.divide((a * b).sum(axis=0), scale, out=np.full(len(scale), np.nan), where=scale > 0)


def hard_items(study: Study, each: int = 4) -> list[Table]:
    """The questions fewest models get right, and those that best tell models apart."""
    statistics = item_statistics(study)
    texts = _texts(study)
    unsure = MARK if doubted(study) else ""

    def table(name: str, title: str, chosen: list[ItemStatistics], caption: str) -> Table:
        rows = [
            (
                s.item_id,
                [
                    Cell(text=s.task + (f"/{s.variant}" if s.variant else "")),
                    Cell(text=texts.get(s.item_id, "")[:80] or "–"),
                    *marked(
                        [Cell(s.right, note="share of models right"), Cell(s.discrimination)],
                        unsure if s.task == "tr" else "",
                    ),
                ],
            )
            for s in chosen
        ]
        columns = [Column("task", align="c"), Column("text", align="l")]
        columns += [Column("models right", digits=2), Column("discrimination", digits=2)]
        return Table(name, title, columns, [Block("", rows)], caption, row_title="item")

    hardest, telling = [], []
    for task in study.tasks:
        own = sorted((s for s in statistics if s.task == task), key=lambda s: s.item_id)
        hardest += sorted(own, key=lambda s: s.right)[:each]
        known = [s for s in own if s.discrimination == s.discrimination]
        telling += sorted(known, key=lambda s: -s.discrimination)[:each]
    tables = [
        table("hardest", "Hardest items", hardest, "Four of each task; share of the models right.")
    ]
    if telling:
        caption = "Correlation of being right here with being right on the task's other items."
        tables.append(table("telling", "Most discriminating items", telling, caption))
    return tables


def _texts(study: Study) -> dict[str, str]:
    texts: dict[str, str] = {}
    if len(study.cxeis):
        texts.update(study.cxeis["original_text"].to_dict())
    if len(study.choices):
        texts.update(study.choices["text"].to_dict())
    return texts
