"""Finds out which model `model.id` and `model.revision` mean: a local folder or a hub commit.

Runs in the driver. A branch name such as `main` moves, so it is replaced by the commit that it
stands for now: the same name must not stand for other weights in the store.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mouse.corpus.resources import home
from mouse.errors import UserError
from mouse.models.vllm.weights import weights_hash

_COMMIT = re.compile(r"[0-9a-f]{40}")
_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+|[\w.-]+")
_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class Source:
    """Where vLLM loads from, and what goes into request keys."""

    path: str
    """Absolute folder, or hub id."""
    revision: str | None
    """Commit on the hub; None for a folder."""
    label: str
    """How completions name it: the hub id, or the folder's own name (no path of a machine)."""
    identity: Mapping[str, Any]


def find_source(model_id: str, revision: str | None, hint: str = "") -> Source:
    """The model behind an id; `hint` is said where a local folder is not there.

    Raises `UserError` for a folder that is none or holds no model, or a hub model not to be had.
    """
    folder = Path(model_id).expanduser()
    if folder.is_dir():
        return _local(folder.resolve())
    if folder.is_file():
        raise UserError(f"model.id={model_id} is a file: give the folder that holds the model.")
    if not _HUB_ID.fullmatch(model_id) or model_id.startswith("."):
        raise UserError(f"model.id={model_id}: there is no such model folder. {hint}".rstrip())
    commit = _commit(model_id, revision or "main")
    return Source(model_id, commit, model_id, {"id": model_id, "revision": commit})


def _local(folder: Path) -> Source:
    if not any((folder / name).is_file() for name in ("config.json", "params.json")):
        raise UserError(
            f"model.id={folder}: the folder holds no model (neither config.json nor params.json)."
        )
    try:
        digest = weights_hash(folder, home() / "weights")
    except OSError as error:
        raise UserError(
            f"model.id={folder}: {error.filename or 'a file'} cannot be read ({error.strerror})."
        ) from error
    # The hash alone: the same model in another folder has the same answers.
    return Source(str(folder), None, folder.name, {"weights": digest})


def _commit(model_id: str, revision: str) -> str:
    """The commit of a revision: as written, from the hub, or from the local cache."""
    if _COMMIT.fullmatch(revision):
        return revision
    try:
        import huggingface_hub
        from huggingface_hub import constants, errors
    except ImportError:
        raise UserError(
            f"model.id={model_id} is on the Hugging Face hub, and the library huggingface_hub is "
            "not installed: pip install 'mouse[vllm]', or give a local folder."
        ) from None
    cached = _cached_commit(Path(constants.HF_HUB_CACHE), model_id, revision)
    if constants.HF_HUB_OFFLINE:
        reason = "HF_HUB_OFFLINE is set"
    else:
        try:
            api = huggingface_hub.HfApi(endpoint=os.environ.get("HF_ENDPOINT"))
            return str(api.model_info(model_id, revision=revision, timeout=_TIMEOUT_S).sha)
        except errors.GatedRepoError:
            raise UserError(
                f"model.id={model_id} is gated: accept its terms on its page and set HF_TOKEN."
            ) from None
        except errors.RevisionNotFoundError:
            raise UserError(
                f"model.revision={revision}: the model {model_id} has no such branch, tag or "
                "commit."
            ) from None
        except errors.RepositoryNotFoundError:
            raise UserError(
                f"model.id={model_id}: neither a folder here nor a model on the Hugging Face hub "
                "(a private one needs HF_TOKEN)."
            ) from None
        except Exception as error:  # its HTTP library, and with it the exceptions, changes
            reason = f"the hub does not answer ({type(error).__name__})"
    if cached:
        return cached
    raise UserError(
        f"model.id={model_id}: {reason} and the cache holds no copy; give a local folder, or try "
        "again with a network."
    )


def _cached_commit(cache: Path, model_id: str, revision: str) -> str | None:
    """The commit that a branch had when it was last downloaded."""
    reference = cache / f"models--{model_id.replace('/', '--')}" / "refs" / revision
    try:
        commit = reference.read_text("utf-8").strip()
    except OSError:
        return None
    return commit if _COMMIT.fullmatch(commit) else None
