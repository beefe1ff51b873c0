"""Prompt templates: what is refused, what is stable, and that no item can break one."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.corpus.items import INTENTS
from mouse.corpus.labels import INTENT_ZH
from mouse.corpus.load import load, sample_examples
from mouse.errors import UserError
from mouse.tasks.prompts import BUILT_IN, PromptSet, placeholders, template_names


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BUILT_IN / "zh", tmp_path / "mine"))


@pytest.mark.parametrize("name", ["zh", "en"])
def test_built_in_sets_are_whole_and_can_ask_for_json(name: str) -> None:
    prompts = PromptSet.load(name)
    assert set(prompts.templates) == set(placeholders())
    for template in prompts.templates.values():
        assert template.instructions("free") != template.instructions("json")
        assert '{"answer":' in template.instructions("json")


@pytest.mark.parametrize("name", ["zh", "en"])
def test_intents_are_numbered_in_the_order_in_which_a_number_is_read(name: str) -> None:
    lines = PromptSet.load(name).template("ir").system.splitlines()[-len(INTENTS) :]
    for number, (intent, line) in enumerate(zip(INTENTS, lines, strict=True), 1):
        assert line.startswith(f"{number}. {intent if name == 'en' else INTENT_ZH[intent]}")


def test_unknown_set_names_the_known_ones() -> None:
    with pytest.raises(UserError, match="cot, cot-en, en, zh"):
        PromptSet.load("fr")
    with pytest.raises(UserError, match="cot, cot-en, en, zh"):
        PromptSet.load("../prompts")


def test_a_users_folder_is_used(folder: Path) -> None:
    (folder / "td.txt").write_text("[user]\n毒吗？{text}", encoding="utf-8")
    messages = PromptSet.load(path=folder).template("td").messages({"text": "x"})
    assert [(m.role, m.content) for m in messages] == [("user", "毒吗？x")]


def test_a_folder_needs_only_the_templates_of_the_tasks_asked(folder: Path) -> None:
    for file in folder.iterdir():
        if file.stem not in template_names("rc"):
            file.unlink()
    assert len(PromptSet.load(path=folder, tasks=["rc"]).templates) == 3
    with pytest.raises(UserError, match=r"lacks td\.txt"):
        PromptSet.load(path=folder, tasks=["rc", "td"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[user]\n没有占位符", r"lacks the placeholder \{text\}"),
        ("[user]\n{text} {texte}", r"unknown placeholder \{texte\}"),
        ("[system]\n{text}\n[user]\n{text}", r"\{text\} in \[system\]"),
        ("[system]\n只有系统", r"no \[user\] section"),
        ("直接写{text}", "must begin with a section"),
        ("[sytem]\n哦\n[user]\n{text}", r"section \[sytem\]"),
        ("[user]\n{text}\n[user]\n{text}", r"\[user\] twice"),
    ],
)
def test_a_wrong_template_is_refused_with_its_name(
    folder: Path, content: str, message: str
) -> None:
    (folder / "tr.txt").write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=message) as caught:
        PromptSet.load(path=folder)
    assert "tr.txt" in str(caught.value)


def test_a_template_that_is_not_utf8_is_refused(folder: Path) -> None:
    (folder / "tr.txt").write_bytes("[user]\n抽象{text}".encode("gb18030"))
    with pytest.raises(UserError, match="not UTF-8"):
        PromptSet.load(path=folder)


def test_json_decoding_needs_a_json_section(folder: Path) -> None:
    (folder / "td.txt").write_text("[user]\n{text}", encoding="utf-8")
    template = PromptSet.load(path=folder).template("td")
    with pytest.raises(UserError, match=r"no \[json\] section"):
        template.instructions("json")


def test_the_fingerprint_follows_the_wording_and_nothing_else(folder: Path) -> None:
    built_in = PromptSet.load("zh").fingerprint
    assert PromptSet.load(path=folder).fingerprint == built_in
    assert PromptSet.load("en").fingerprint != built_in
    file = folder / "td.txt"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    (folder / "notes.txt").write_text("not a template", encoding="utf-8")
    assert PromptSet.load(path=folder).fingerprint == built_in
    file.write_text(file.read_text(encoding="utf-8-sig") + "请。", encoding="utf-8")
    assert PromptSet.load(path=folder).fingerprint != built_in


@given(text=st.text(), context=st.text(), options=st.text())
def test_any_item_goes_into_the_prompt_exactly_as_it_is(
    text: str, context: str, options: str
) -> None:
    template = PromptSet.load("zh").template("cc")
    question = template.question({"text": text, "context": context, "options": options})
    parts = template.user.replace("{context}", "\0").replace("{text}", "\0")
    one, two, three, four = parts.replace("{options}", "\0").split("\0")
    assert question == one + context + two + text + three + options + four


def test_braces_in_an_item_are_not_placeholders() -> None:
    template = PromptSet.load("zh").template("ms")
    question = template.question({"text": "{options} {0} {{x}} {text}", "options": "A. {text}"})
    assert "抽象话：{options} {0} {{x}} {text}\n" in question
    assert question.endswith("A. {text}")


@pytest.mark.parametrize("name", ["cot", "cot-en"])
def test_a_prompt_that_asks_to_think_asks_the_same_and_says_so(name: str) -> None:
    prompts, plain = PromptSet.load(name), PromptSet.load("en" if name == "cot-en" else "zh")
    assert set(prompts.templates) == set(placeholders())
    for stem, template in prompts.templates.items():
        assert (template.system, template.user) == (
            plain.templates[stem].system,
            plain.templates[stem].user,
        )
        assert template.steps in template.instructions("free")
        for decoding in ("choice", "json"):
            with pytest.raises(UserError, match=f"{stem}.txt asks to think first"):
                template.instructions(decoding)  # type: ignore[arg-type]


def test_no_example_in_the_prompts_stands_in_the_sample() -> None:
    asked = [item.original_text for item in (*load("sample").cxeis, *sample_examples().cxeis)]
    for stem in ("rc_homophonic", "rc_visual", "rc_semantic"):
        system = PromptSet.load("zh").templates[stem].system
        examples = set(re.findall("“([^”]+)”", system)) - {"抽象话"}
        assert len(examples) >= 4
        for example in examples:
            assert not [text for text in asked if example in text], (stem, example)
