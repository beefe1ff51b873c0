"""What is written in any format is read back item by item, every character included."""

import tempfile

import pytest
from data_files import FORMATS, write_as
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mouse.corpus.items import (
    COMPONENTS,
    CXEI,
    INTENTS,
    OPTION_LETTERS,
    ChoiceItem,
    Components,
    Dataset,
    Derivation,
)
from mouse.corpus.labels import MECHANISMS
from mouse.corpus.load import load

# U+FFFE and U+FFFF are no XML characters, so a spreadsheet cannot hold them.
CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\ufffe\uffff")
NASTY = st.sampled_from(
    [
        *("None", "NA", "null", "nan", "TRUE", "1", "1.0", "007", "=1+1", "'x", "#N/A", "_x000D_"),
        *("a\r\nb", "\ra", "a\n", '"', '""', "a,b", "a\tb", " a ", "[", "{", "\ufeffa", "\0", "—"),
        *(
            "1️⃣",
            "👨‍👩‍👧‍👦",
            "e\u0301",
            "Ｂ①",
            "𠮷𪚥",
            "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
            "\u200b。",
            "\u2028x",
            "\x85y",
            "2020-01-02",
        ),
    ]
)
TEXT = (NASTY | st.text(CHARACTERS, min_size=1, max_size=12)).filter(lambda text: text.strip())
OPTIONAL = st.just("") | TEXT
FLAG = st.none() | st.booleans()


@st.composite
def cxeis(draw: st.DrawFn, identity: str) -> CXEI:
    original, reference = draw(TEXT), draw(st.none() | TEXT)
    step = Derivation(
        surface=original[:1],
        chain=tuple(draw(st.lists(OPTIONAL.filter(str.strip), max_size=2))),
        target="" if reference is None or not reference[:1].strip() else reference[:1],
        mechanism=draw(st.sampled_from(MECHANISMS)),
    )
    derivation = (step,) if original[:1].strip() and draw(st.booleans()) else ()
    follow = Components(*(step.component == name for name in COMPONENTS))
    free = Components(draw(FLAG), draw(FLAG), draw(FLAG))
    return CXEI(
        id=identity,
        original_text=original,
        reference=reference,
        components=follow if derivation else free,
        intent=draw(st.none() | st.sampled_from(INTENTS)),
        toxicity=draw(st.none() | st.sampled_from([0, 1])),
        source=draw(OPTIONAL),
        revision=draw(OPTIONAL),
        derivation=derivation,
        group=draw(OPTIONAL),
    )


@st.composite
def choice_items(draw: st.DrawFn, identity: str, task: str, cxei_ids: list[str]) -> ChoiceItem:
    options = draw(st.lists(TEXT, min_size=2, max_size=8, unique_by=str.strip))
    return ChoiceItem(
        id=identity,
        task=task,  # type: ignore[arg-type]
        context=draw(OPTIONAL) if task == "cc" else "",
        text=draw(TEXT),
        options=tuple(options),
        answer=draw(st.sampled_from(OPTION_LETTERS[: len(options)])),
        cxei_id=draw(st.sampled_from(["", *cxei_ids])),
    )


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    ids = draw(st.lists(TEXT, min_size=1, max_size=5, unique=True))
    cut = draw(st.integers(0, len(ids)))
    items = tuple(draw(cxeis(identity)) for identity in ids[:cut])
    tasks = ["ms", "cc"] * len(ids)
    choices = [
        draw(choice_items(identity, task, [item.id for item in items]))
        for identity, task in zip(ids[cut:], tasks, strict=False)
    ]
    # Files are written by task, so that is the order that comes back.
    return Dataset("x", items, tuple(sorted(choices, key=lambda item: item.task, reverse=True)))


@pytest.mark.parametrize("format", FORMATS)
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(dataset=datasets())
def test_a_data_set_survives_writing_and_reading(format: str, dataset: Dataset) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_as(dataset, folder, format)
        found = load("files", path=folder)
    assert found.cxeis == dataset.cxeis
    assert sorted(found.choices, key=repr) == sorted(dataset.choices, key=repr)
    assert found.fingerprint == dataset.fingerprint
    assert found.notes == ()
