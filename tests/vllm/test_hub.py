"""Which commit a hub model's branch means, asked of a real HTTP server in the hub's place."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from mouse.errors import UserError
from mouse.models.vllm.source import find_source

OLD, NEW = "a" * 40, "b" * 40


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, httpserver: HTTPServer) -> Path:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("HF_ENDPOINT", httpserver.url_for("").rstrip("/"))
    return tmp_path


def remember(cache: Path, commit: str) -> None:
    refs = cache / "models--org--model" / "refs"
    refs.mkdir(parents=True)
    (refs / "main").write_text(commit)


def test_a_branch_is_the_commit_that_it_stands_for_now(cache: Path, httpserver: HTTPServer) -> None:
    remember(cache, OLD)
    httpserver.expect_request("/api/models/org/model/revision/main").respond_with_json(
        {"id": "org/model", "sha": NEW}
    )
    found = find_source("org/model", None)
    assert (found.path, found.revision, found.label) == ("org/model", NEW, "org/model")
    assert found.identity == {"id": "org/model", "revision": NEW}


def test_without_the_hub_the_cache_knows(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # nobody listens
    with pytest.raises(UserError, match=r"the hub does not answer .* holds no copy"):
        find_source("org/model", "main")
    remember(cache, OLD)
    assert find_source("org/model", "main").revision == OLD


def test_offline_the_hub_is_not_asked(
    cache: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(UserError, match="HF_HUB_OFFLINE is set"):
        find_source("org/model", "main")
    remember(cache, OLD)
    assert find_source("org/model", "main").revision == OLD
    assert httpserver.log == []


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("RepoNotFound", r"neither a folder here nor a model"),
        ("GatedRepo", r"is gated: accept its terms"),
        ("RevisionNotFound", r"model\.revision=main: the model org/model has no such"),
    ],
)
def test_what_the_hub_refuses_is_one_sentence(
    cache: Path, httpserver: HTTPServer, code: str, sentence: str
) -> None:
    remember(cache, OLD)  # a refusal is not an outage: the cache must not hide it
    httpserver.expect_request("/api/models/org/model/revision/main").respond_with_data(
        "", status=403 if code == "GatedRepo" else 404, headers={"X-Error-Code": code}
    )
    with pytest.raises(UserError, match=sentence):
        find_source("org/model", None)
