"""The gated data set is fetched with the user's token, and each way to fail is one sentence.

Where `huggingface_hub` (extra `hub`) is installed, it talks to a real HTTP server here, in a
process of its own, because the library reads its address when it is imported.
"""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from mouse.corpus.hub import REPOSITORY, data_folder
from mouse.corpus.load import load
from mouse.errors import UserError

TOKEN = "hf_a_token_for_this_test"
COMMIT = "a" * 40
ROWS = '{"id": "1", "original_text": "我🌶️么菜"}\n'.encode()

needs_library = pytest.mark.skipif(
    find_spec("huggingface_hub") is None, reason="the extra `hub` is not installed"
)


def test_without_the_library_the_way_to_install_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(UserError, match=r"pip install 'mouse\[hub\]'.*data\.path=FOLDER"):
        load("mouse", path="hub")


def ask(folder: Path, endpoint: str, token: str | None = TOKEN) -> str:
    """What loading from a hub at `endpoint` prints: the ids, or the user's error."""
    code = (
        "from mouse.corpus.load import load\n"
        "from mouse.errors import UserError\n"
        "try: print([item.id for item in load('mouse', path='hub').cxeis])\n"
        "except UserError as error: print(error)\n"
    )
    environment = {
        **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(folder),
        "NO_PROXY": "*",
        **({"HF_TOKEN": token} if token else {}),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert TOKEN not in done.stdout
    return done.stdout.strip()


def serve(server: HTTPServer, status: int, code: str = "") -> None:
    """A hub that answers every question with one error."""
    headers = {"X-Error-Code": code, "X-Error-Message": "no"} if code else {}

    def answer(request: Request) -> Response:
        return Response("{}", status=status, headers=headers)

    server.expect_request(re.compile(".*")).respond_with_handler(answer)


@needs_library
def test_the_files_are_fetched_with_the_token_and_read(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    info = {
        "id": REPOSITORY,
        "sha": COMMIT,
        "siblings": [{"rfilename": "README.md"}, {"rfilename": "cxei.jsonl"}],
    }
    seen = []

    def about(request: Request) -> Response:
        seen.append(request.headers.get("Authorization"))
        return Response(json.dumps(info), content_type="application/json")

    def tree(request: Request) -> Response:
        entries = [{"type": "file", "path": "cxei.jsonl", "size": len(ROWS), "oid": "b" * 40}]
        return Response(json.dumps(entries), content_type="application/json")

    def content(request: Request) -> Response:
        headers = {"ETag": '"b"', "X-Repo-Commit": COMMIT}
        return Response(ROWS, headers=headers)

    httpserver.expect_request(f"/api/datasets/{REPOSITORY}/revision/main").respond_with_handler(
        about
    )
    httpserver.expect_request(f"/api/datasets/{REPOSITORY}/tree/{COMMIT}").respond_with_handler(
        tree
    )
    for method in ("GET", "HEAD"):
        httpserver.expect_request(
            f"/datasets/{REPOSITORY}/resolve/{COMMIT}/cxei.jsonl", method=method
        ).respond_with_handler(content)
    assert ask(tmp_path, httpserver.url_for("").rstrip("/")) == "['1']"
    assert f"Bearer {TOKEN}" in seen


@needs_library
def test_without_a_token_the_page_and_the_variable_are_named(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    shown = ask(tmp_path, httpserver.url_for("").rstrip("/"), token=None)
    assert "no Hugging Face token" in shown and "HF_TOKEN" in shown and REPOSITORY in shown
    assert httpserver.log == []


@needs_library
@pytest.mark.parametrize(
    ("status", "code", "sentence"),
    [
        (403, "GatedRepo", "no access"),
        (401, "RepoNotFound", "shows no data set"),
        (404, "RepoNotFound", "shows no data set"),
        (404, "RevisionNotFound", "no revision"),
        (401, "", "refuses your token"),
        (418, "", "the hub answered 418"),
    ],
)
def test_what_the_hub_refuses_is_one_sentence(
    tmp_path: Path, httpserver: HTTPServer, status: int, code: str, sentence: str
) -> None:
    serve(httpserver, status, code)
    shown = ask(tmp_path, httpserver.url_for("").rstrip("/"))
    assert sentence in shown and "\n" not in shown


@needs_library
def test_without_a_network_the_sentence_says_so(tmp_path: Path) -> None:
    shown = ask(tmp_path, "http://127.0.0.1:1")
    assert "could not be fetched" in shown and "check the network" in shown


def test_data_files_may_lie_in_one_folder_below(tmp_path: Path) -> None:
    below = tmp_path / "data"
    below.mkdir()
    (tmp_path / "README.md").write_text("")
    with pytest.raises(UserError, match="no data file"):
        data_folder(tmp_path)
    (below / "cxei.jsonl").write_bytes(ROWS)
    assert data_folder(tmp_path) == below
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "cc.csv").write_text("")
    with pytest.raises(UserError, match="data, more"):
        data_folder(tmp_path)
    (tmp_path / "ms.csv").write_text("")
    assert data_folder(tmp_path) == tmp_path
