"""The sheets that annotators fill in, and the manifest that says who was given what."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mouse.annotation.labelling.assignment import assign
from mouse.annotation.sheets import Column, FilledRow, read_filled, write_xlsx
from mouse.corpus.construction.collecting import Collected
from mouse.corpus.items import COMPONENTS, INTENTS
from mouse.corpus.labels import COMPONENT_ZH, INTENT_ZH
from mouse.corpus.reading import values
from mouse.errors import DataError, Fault, UserError

YES_NO = ("是", "否")
LABELS = (*COMPONENTS, "intent", "toxicity")
"""What annotators choose, in the order of the columns; the reference they write."""

LABEL_COLUMNS = (
    *(Column(name, COMPONENT_ZH[name], 8, YES_NO) for name in COMPONENTS),
    Column("intent", "意图", 14, tuple(INTENT_ZH[name] for name in INTENTS)),
    Column("toxicity", "有毒", 8, YES_NO),
)
COLUMNS = (
    Column("id", "编号", 14),
    Column("text", "原文", 40),
    Column("reference", "标准中文译文", 40, free=True),
    *LABEL_COLUMNS,
    Column("comment", "备注", 24, free=True),
)

GUIDELINES = (
    "标注说明",
    "每一行是一条抽象话。请独立完成，不要与其他标注者讨论；可以排序和筛选，但不要改动“编号”一列。",
    "标准中文译文：用通顺的标准中文写出这句话的意思，语气和态度保持一致，不增不减。"
    "只还原被替换的部分，没有被替换的字词和标点照抄。",
    "谐音（是/否）：有没有靠读音代替的部分：近音字（杯具→悲剧）、拼音字母（plmm→漂亮妹妹）、数字（5376→我生气了），"
    "或先读图的名称再取近音（🦌→鹿→录）。",
    "视觉（是/否）：有没有靠样子代替的部分：拆字（月半→胖）、按看上去像什么来引申（🐼→黑眼圈）、倒写、变形、形近字。",
    "语义（是/否）：有没有靠意义代替的部分：表情符号的直接意思或公认的意思（🎹→钢琴）、"
    "方言的说法或读音写成的字（滚粗克→滚出去，不算谐音）。",
    "没有定论的两种情形，请这样选，并在“备注”里写“存疑”：与读音、字形、方言都无关的网络梗（典、孝、破防）选语义；"
    "用读音写下的外语词（3Q、润）选谐音。",
    "表情符号不因为是图就算视觉；一处替换只算一种成分：🌶️→辣椒→辣→了 只是谐音。一句话可以有几处替换，因而有几种成分。",
    "意图（八选一）：",
    "　评价（吐槽，赞扬等）：对人、事、物作评价，包括赞扬、吐槽、讽刺，也包括骂人（骂人不是一般陈述）。",
    "　情绪表达：主要在抒发自己的情绪。",
    "　一般陈述：叙述事实、经历或打算，没有明显的评价和情绪。",
    "　性暗示：涉及性的暗示或指称。",
    "　幽默与梗：主要为了好笑或玩梗。",
    "　群体身份：表明或指称某个群体、圈子的身份。",
    "　催促：要求、请求、劝说别人做或不做某事（请求不是其他）。",
    "　其他：以上都不合适，如问候、道谢、单纯的提问。",
    "有毒（是/否）：对某人或某群体的真实攻击（辱骂、仇恨、威胁、意在伤人的极端讽刺）选“是”；自嘲、反语、熟人间的调侃、"
    "不针对人的粗话、没有辱骂的抱怨选“否”。",
    "拿不准时选最可能的一项，并在“备注”里写明原因；不要留空。",
)

MANIFEST = "assignment.json"
SHEETS = "sheets"


@dataclass(frozen=True, slots=True)
class Assigned:
    """An item with the names of its annotators."""

    item: Collected
    annotators: tuple[str, ...]


@dataclass(frozen=True)
class Assignment:
    """Who labels what; written beside the sheets and read back with them."""

    per_item: int
    seed: int
    annotators: tuple[str, ...]
    items: tuple[Assigned, ...]


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotator's labels of one item; None and an empty reference where a cell stayed empty."""

    item_id: str
    annotator: str
    labels: Mapping[str, object]
    """`homophonic`, `visual`, `semantic`: bool; `intent`: one of `INTENTS`; `toxicity`: 0 or 1."""
    reference: str
    comment: str = ""
    missing: tuple[str, ...] = ()
    """Addresses of the cells that stayed empty."""


def hand_out(
    items: Sequence[Collected], annotators: int, per_item: int, seed: int, folder: Path
) -> Assignment:
    """Assign the items and write `assignment.json` and one sheet an annotator.

    Each sheet has its rows in an order of its own. Raises `UserError` where the folder holds an
    assignment already: its sheets may be out for labelling.
    """
    manifest = folder / MANIFEST
    if manifest.exists():
        raise UserError(f"{manifest} exists: its sheets may be in use; give another --out")
    width = max(2, len(str(annotators)))
    names = tuple(f"annotator_{number:0{width}d}" for number in range(1, annotators + 1))
    teams = assign(len(items), annotators, per_item, seed)
    assignment = Assignment(
        per_item,
        seed,
        names,
        tuple(
            Assigned(item, tuple(names[who] for who in team))
            for item, team in zip(items, teams, strict=True)
        ),
    )
    for number, name in enumerate(names):
        mine = [entry.item for entry in assignment.items if name in entry.annotators]
        random.Random(seed * 1_000_003 + number).shuffle(mine)
        rows = [{"id": item.id, "text": item.text} for item in mine]
        write_xlsx(folder / SHEETS / f"{name}.xlsx", COLUMNS, rows, GUIDELINES)
    manifest.write_text(
        json.dumps(asdict(assignment), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    return assignment


def read_assignment(folder: Path) -> Assignment:
    """What `hand_out` wrote. Raises `UserError` where there is none, or it was altered."""
    path = folder / MANIFEST
    if not path.is_file():
        raise UserError(f"{path}: no such file; `build assign` writes it")
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        items = tuple(
            Assigned(Collected(**entry["item"]), tuple(entry["annotators"]))
            for entry in raw["items"]
        )
        return Assignment(raw["per_item"], raw["seed"], tuple(raw["annotators"]), items)
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path}: not an assignment of `build assign`") from error


def take_in(folder: Path, assignment: Assignment) -> list[Annotation]:
    """All annotators' sheets (`NAME.xlsx` or `NAME.csv` under `sheets/`), in the manifest's order.

    Raises `DataError` with every fault: a sheet that is not there, an impossible cell, a row that
    this annotator was not given, one that is gone. Empty cells are no fault, see `missing`.
    """
    faults: list[Fault] = []
    annotations: list[Annotation] = []
    for name in assignment.annotators:
        given = {entry.item.id for entry in assignment.items if name in entry.annotators}
        files = [folder / SHEETS / f"{name}{suffix}" for suffix in (".xlsx", ".csv")]
        file = next((file for file in files if file.is_file()), None)
        if file is None:
            faults.append(Fault(files[0].name, "-", "(file)", "", f"no such sheet in {SHEETS}/"))
            continue
        try:
            rows = {row.id: row for row in read_filled(file, COLUMNS)}
        except DataError as error:
            if not error.faults:
                raise
            faults += error.faults
            continue
        for strange in sorted(set(rows) - given):
            where = rows[strange].addresses["id"]
            faults.append(Fault(file.name, where, "编号", strange, f"not an item of {name}"))
        for gone in sorted(given - set(rows)):
            faults.append(Fault(file.name, "-", "编号", gone, "the row of this item is gone"))
        annotations += [read_row(name, row) for row in rows.values() if row.id in given]
    if faults:
        raise DataError(f"The sheets have {len(faults)} fault(s):", faults)
    return annotations


def read_row(annotator: str, row: FilledRow) -> Annotation:
    """A filled row as labels in the terms of the data set."""
    labels: dict[str, object] = {name: values.flag(row.values[name]) for name in COMPONENTS}
    labels["intent"] = values.intent(row.values["intent"])
    toxic = values.flag(row.values["toxicity"])
    labels["toxicity"] = None if toxic is None else int(toxic)
    reference = row.texts.get("reference", "")
    missing = row.missing if reference else (*row.missing, row.addresses.get("reference", "C?"))
    return Annotation(row.id, annotator, labels, reference, row.texts.get("comment", ""), missing)


def shown(label: str, value: object) -> str:
    """A label's value as its drop-down shows it; empty for None."""
    if value is None:
        return ""
    if label == "intent":
        return INTENT_ZH[value]  # type: ignore[index]
    return YES_NO[0] if value else YES_NO[1]
