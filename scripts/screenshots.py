"""Opens the two newest runs in the MLflow UI, compares them, and saves what a user sees.

    python scripts/screenshots.py [--out docs/img] [--experiment NAME] [--report FILE] [--chromium PATH]

Needs chromium and playwright; exits 1 where a page does not show what it should, so it is a
check as well as a camera. It writes nothing to the runs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mouse.tracking import home, reader
from mouse.tracking.stored import RunSummary

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM_ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WAIT_MS = 60_000


@contextmanager
def mlflow_ui(uri: str) -> Iterator[str]:
    """A real `mlflow server` on a free loopback port, stopped at the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "mlflow", "server", "--backend-store-uri", uri]
    command += ["--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    environment = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true"}
    server = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/health", timeout=2)
                break
            except OSError:
                if server.poll() is not None:
                    raise SystemExit("mlflow server ended at once") from None
                time.sleep(0.5)
        else:
            raise SystemExit("mlflow server did not answer within two minutes")
        yield address
    finally:
        server.terminate()
        server.wait(timeout=30)


def visit(page: Page, address: str, runs: list[RunSummary], out: Path) -> None:
    """Runs table → select both → compare; then one run's page, its figures and its table."""
    experiment_id = page.request.get(
        f"{address}/api/2.0/mlflow/experiments/get-by-name?experiment_name={runs[0].experiment}"
    ).json()["experiment"]["experiment_id"]

    page.goto(f"{address}/#/experiments/{experiment_id}/runs")
    for run in runs:
        page.get_by_role("link", name=run.name).first.wait_for(timeout=WAIT_MS)
    boxes = page.get_by_role("checkbox", name="Select row")
    if boxes.count() == 0:
        boxes = page.locator(".ag-selection-checkbox input, input[aria-label*='select row' i]")
    for index in range(len(runs)):
        boxes.nth(index).check(force=True)
    tidy(page)
    page.screenshot(path=out / "mlflow-runs.png")

    page.get_by_role("button", name="Compare").first.click()
    page.get_by_text("Comparing 2 Runs").first.wait_for(timeout=WAIT_MS)
    tidy(page)
    choose(page)
    page.screenshot(path=out / "mlflow-compare.png")
    heading = page.get_by_text("Metrics", exact=True).last
    heading.evaluate("element => element.scrollIntoView({block: 'start'})")
    page.wait_for_timeout(700)
    page.screenshot(path=out / "mlflow-compare-metrics.png")

    for run in runs[:1]:
        page.goto(f"{address}/#/experiments/{experiment_id}/runs/{run.run_id}")
        page.get_by_text("95% interval").first.wait_for(timeout=WAIT_MS)
        tidy(page)
        page.screenshot(path=out / "mlflow-run.png", full_page=True)
        page.goto(
            f"{address}/#/experiments/{experiment_id}/runs/{run.run_id}/artifacts/figures/ir.png"
        )
        page.locator("img[src^='blob:'], img[src*='get-artifact']").first.wait_for(timeout=WAIT_MS)
        tidy(page)
        # The path is this machine's own, and nobody else's business.
        path_line = page.get_by_text("file:///").first
        page.screenshot(path=out / "mlflow-figure.png", mask=[path_line], mask_color="#ffffff")

    page.goto(f"{address}/#/experiments/{experiment_id}/runs?compareRunsMode=ARTIFACT")
    page.get_by_text("Compare:").first.wait_for(timeout=WAIT_MS)
    tidy(page)
    page.wait_for_timeout(3000)
    page.screenshot(path=out / "mlflow-side-by-side.png")


def open_views(page: Page, address: str, runs: list[RunSummary], out: Path) -> None:
    """The addresses that a report prints: they must open the runs compared, and the ranked list."""
    from mouse.reporting.mlflow_view import views
    from mouse.reporting.report import make_report

    report = make_report("views", [reader.open_run(run) for run in runs], mixed=True)
    (_, compared), (_, ranked) = views(report)
    page.goto(address + compared)
    page.get_by_text(f"Comparing {len(runs)} Runs").first.wait_for(timeout=WAIT_MS)
    page.goto(address + ranked)
    page.get_by_text("Sort: ").first.wait_for(timeout=WAIT_MS)
    page.get_by_role("link", name=runs[0].name).first.wait_for(timeout=WAIT_MS)
    tidy(page)
    page.screenshot(path=out / "mlflow-ranked.png")


def choose(page: Page) -> None:
    """In the comparison's plot, the model's name against a headline metric of four tasks."""
    page.get_by_text("Clear All").first.click()
    parameters, metrics = (page.get_by_role("combobox").nth(index) for index in (0, 1))
    wanted = [(parameters, "model.name")]
    wanted += [(metrics, f"{name}") for name in ("tr/sem_acc", "ir/bal_acc", "td/acc", "cc/acc")]
    for box, name in wanted:
        box.click()
        page.keyboard.type(name)
        page.wait_for_timeout(300)
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
    page.wait_for_timeout(4000)


def tidy(page: Page) -> None:
    """Close the assistant's panel, and set a font: a machine with few fonts draws digits as emoji."""
    close = page.get_by_role("button", name="Close")
    if close.count():
        close.first.click()
    fonts = "'DejaVu Sans', 'Noto Sans CJK SC', sans-serif"
    plain = "*:not([class*='ag-']):not(.fa):not([class*='icon'])"  # icons are a font of their own
    page.add_style_tag(content=f"{plain} {{ font-family: {fonts} !important; }}")
    page.wait_for_timeout(700)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("docs/img"))
    parser.add_argument("--experiment")
    parser.add_argument("--report", type=Path, help="also photograph this report.html")
    parser.add_argument(
        "--chromium", default=shutil.which("chromium") or shutil.which("chromium-browser")
    )
    given = parser.parse_args()
    if not given.chromium:
        raise SystemExit("chromium was not found: give its path with --chromium")
    found = [run for run in reader.runs(experiment=given.experiment) if run.status != "running"]
    if len(found) < 2:
        raise SystemExit(f"two runs are needed in {home.tracking_uri()}, it has {len(found)}")
    given.out.mkdir(parents=True, exist_ok=True)

    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=given.chromium, args=CHROMIUM_ARGUMENTS
        )
        page = browser.new_page(viewport={"width": 1500, "height": 950})
        with mlflow_ui(home.tracking_uri()) as address:
            visit(page, address, found[:2], given.out)
            open_views(page, address, found[:2], given.out)
        if given.report:
            read(page, given.report, given.out)
        browser.close()
    for path in sorted(given.out.glob("*.png")):
        print(path)


def read(page: Page, report: Path, out: Path) -> None:
    """The head of a report's page, its figures, and the sample explorer with one item open."""
    page.goto(report.resolve().as_uri())
    page.wait_for_selector("body[data-ready=yes]", timeout=WAIT_MS)
    page.screenshot(path=out / "report.png")
    page.evaluate("document.querySelector('section#judge').scrollIntoView({block: 'start'})")
    page.screenshot(path=out / "report-judge.png")
    page.evaluate(
        "document.querySelector('#translation .figures').scrollIntoView({block: 'start'})"
    )
    page.screenshot(path=out / "report-figures.png")
    page.select_option("#right", "mixed")
    page.locator(".row").nth(3).click()
    page.locator("#samples").scroll_into_view_if_needed()
    page.screenshot(path=out / "report-samples.png")


if __name__ == "__main__":
    main()
