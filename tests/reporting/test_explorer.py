"""The sample explorer shows whatever a model wrote as text, and stays quick when it is much."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mouse.contracts import Outcome
from mouse.reporting.explorer import explorer_data, packed
from mouse.reporting.page import html_page
from mouse.reporting.report import make_report
from mouse.tracking import reader

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

HOSTILE = [
    "<script>window.broken = 1</script>",
    "</script><script>window.broken = 2</script>",
    "<img src=x onerror='window.broken = 3'>",
    "--><svg onload=window.broken=4>",
    "\u202eneddih\u202c \u2066isolated\u2069",
    "\x1b[31mred\x1b[0m \x07bell \x00nul",
    "{{ 7*7 }} {% raw %} ${7*7}",
    "\ud83d half a pair",
    "啊" * 1_000_000,
]


@pytest.fixture(scope="module")
def page_file(tracked, support, log_run, tmp_path_factory):  # type: ignore[no-untyped-def]
    data = support.make_dataset(40)
    result = support.make_result(data, "<b>evil</b>", 3)
    tasks = []
    for task in result.tasks:
        predictions = list(task.predictions)
        if task.task == "td":
            for index, text in enumerate(HOSTILE):
                predictions[index] = replace(
                    predictions[index], raw_text=text, outcome=Outcome.UNPARSEABLE, predicted=None
                )
        tasks.append(replace(task, predictions=tuple(predictions)))
    run_id = log_run(replace(result, tasks=tuple(tasks)), data, "hostile")
    other = log_run(support.make_result(data, "fair", 4), data, "hostile")
    study = make_report("h", [reader.load_run(run_id), reader.load_run(other)])
    page = html_page("T<i>", "s", ["<b>w</b>"], [], packed(explorer_data(study)), Path())
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page, encoding="utf-8")
    return path


def test_no_answer_stands_in_the_page_as_markup(page_file: Path) -> None:
    page = page_file.read_text(encoding="utf-8")
    assert page.count("<script") == 2 and "broken" not in page
    assert "T&lt;i&gt;" in page and "&lt;b&gt;w" in page
    assert len(page) < 300_000  # the megabyte of one character is cut and packed


def test_the_data_has_every_question_once_and_every_answer(tracked) -> None:  # type: ignore[no-untyped-def]
    stored = [reader.open_run(run) for run in reader.runs(experiment="study")]
    study = make_report("s", stored)
    data = explorer_data(study)
    keys = [tuple(question[:3]) for question in data["questions"]]
    assert len(keys) == len(set(keys))
    answers = sum(a is not None for question in data["questions"] for a in question[4])
    assert answers == sum(
        len(run.predictions[task]) for e in study.contestants for task, run in e.runs.items()
    )
    assert data["items"]["x0"]["derivation"][0]["surface"] == "🌶️"


@pytest.fixture(scope="module")
def browser_page(page_file: Path):  # type: ignore[no-untyped-def]
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1300, "height": 900})
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: problems.append(request.url))
        page.goto(page_file.as_uri())
        page.wait_for_selector("body[data-ready=yes]", timeout=60_000)
        problems[:] = [p for p in problems if not p.startswith("file:") or "report.html" not in p]
        yield page, problems
        browser.close()


@pytest.mark.browser
def test_hostile_answers_are_text(browser_page) -> None:  # type: ignore[no-untyped-def]
    page, problems = browser_page
    page.select_option("#task", "td")
    page.select_option("#outcome", label="unparseable")
    page.wait_for_function("document.querySelector('#count').textContent.startsWith('9 of')")
    seen = ""
    for index in range(len(HOSTILE)):
        page.locator(".row").nth(index).click()
        seen += page.inner_text("#detail")
    assert page.evaluate("window.broken") is None
    assert page.locator("#detail script, #detail img, #detail svg, #detail b b").count() == 0
    for text in ("<script>window.broken = 1</script>", "<img src=x", "{{ 7*7 }}", "<b>evil</b>"):
        assert text in seen
    assert "U+202E" in seen and "U+001B" in seen and "\x1b" not in seen and "\u202e" not in seen
    assert problems == []


@pytest.mark.browser
def test_filters_agree_with_the_predictions(browser_page, tracked) -> None:  # type: ignore[no-untyped-def]
    page, _ = browser_page
    (run,) = [r for r in reader.runs(experiment="hostile") if r.model == "fair"]
    frame = reader.open_run(run).predictions["ir"]
    page.select_option("#outcome", "")
    page.select_option("#task", "ir")
    page.select_option("#model", label="fair")
    page.select_option("#right", "wrong")
    wrong = int((frame["correct"] == False).sum())  # noqa: E712
    page.wait_for_function(f"document.querySelector('#count').textContent.startsWith('{wrong} of')")
    page.select_option("#label", "Comment")
    comment = int(((frame["correct"] == False) & (frame["gold"] == "Comment")).sum())  # noqa: E712
    page.wait_for_function(
        f"document.querySelector('#count').textContent.startsWith('{comment} of')"
    )
    for name in ("#task", "#model", "#right", "#label"):
        page.select_option(name, "")
    page.fill("#text", "今天太🌶️7")
    page.wait_for_function("document.querySelectorAll('.row').length > 0")
    page.wait_for_timeout(400)
    assert all("7" in text for text in page.locator(".row .line").all_inner_texts())


@pytest.mark.browser
def test_only_the_rows_in_sight_exist(browser_page) -> None:  # type: ignore[no-untyped-def]
    page, _ = browser_page
    page.fill("#text", "")
    page.wait_for_timeout(400)
    assert page.locator(".row").count() < 60
    page.evaluate("document.querySelector('#list').scrollTop = 1e9")
    page.wait_for_function("document.querySelectorAll('.row').length > 0")
    assert page.locator(".row").count() < 60
