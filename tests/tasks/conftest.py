"""A small data set with every kind of gap that the tasks must cope with."""

from __future__ import annotations

import pytest

from mouse.corpus.items import CXEI, INTENTS, ChoiceItem, Components, Dataset
from mouse.tasks.prompts import PromptSet


def make_cxei(
    index: int,
    *,
    text: str | None = None,
    reference: str | None = "参考",
    components: Components | None = None,
    toxicity: int | None = None,
    group: str = "",
) -> CXEI:
    return CXEI(
        id=f"x{index:03d}",
        original_text=text or f"原文{index}🌶️",
        reference=f"{reference}{index}" if reference else None,
        components=components or Components(index % 2 == 0, index % 3 == 0, index % 5 == 0),
        intent=INTENTS[index % 8],
        toxicity=toxicity if toxicity is not None else index % 2,  # type: ignore[arg-type]
        group=group,
    )


@pytest.fixture(scope="session")
def dataset() -> Dataset:
    cxeis = [make_cxei(index) for index in range(24)]
    cxeis.append(
        CXEI("bare", "没有标签", None, Components(None, None, None), intent=None, toxicity=None)
    )
    cxeis.append(CXEI("part", "一半标签", "未给全", Components(True, None, False), None, None))
    choices = [
        ChoiceItem(
            id=f"{task}{index}",
            task=task,  # type: ignore[arg-type]
            context=f"甲：你好{index}" if task == "cc" else "",
            text=f"今天____{index}" if task == "cc" else f"原文{index}",
            options=tuple(f"选项文{index}{n}" for n in range(3 + index % 3)),
            answer="ABC"[index % 3],
            cxei_id=f"x{index // 2:03d}",
        )
        for task in ("ms", "cc")
        for index in range(10)
    ]
    return Dataset("test", tuple(cxeis), tuple(choices))


@pytest.fixture(scope="session", params=["zh", "en"])
def prompts(request: pytest.FixtureRequest) -> PromptSet:
    return PromptSet.load(request.param)
