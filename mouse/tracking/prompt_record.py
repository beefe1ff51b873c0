"""The prompts of a run as part of its record: files, prompt versions in MLflow, and the way back.

The manifest holds every template's text, so that a run can be repeated after its folder is lost;
the fingerprint that the run was tagged with says whether what comes back is what was asked.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock

from mouse.contracts import Request
from mouse.errors import UserError
from mouse.tasks.prompts import PromptSet, fingerprint, placeholders, template_names
from mouse.tracking import home
from mouse.tracking.reader import load_run

if TYPE_CHECKING:
    from mlflow.entities.model_registry import PromptVersion
    from mlflow.tracking.client import MlflowClient

JUDGE = "judge"
"""The stem under which the judge's prompt is kept beside the templates."""
LINKED_TAG = "mlflow.linkedPrompts"
"""Where MLflow keeps, and its run page reads, the prompt versions of a run."""
_TEXT_TAG = "mouse.sha256"


def as_files(prompts: PromptSet, judge_prompt: str, examples: Iterable[Request]) -> dict[str, str]:
    """Path under the run's artifacts → text: every template, the judge's, and `examples` as sent."""
    shown = {f"prompts/{stem}.txt": text for stem, text in prompts.texts.items()}
    if judge_prompt:
        shown[f"prompts/{JUDGE}.txt"] = judge_prompt
    lines = ["# The first request of each task, as sent", ""]
    for request in examples:
        lines += [f"## {request.task} {request.variant}".rstrip(), ""]
        for message in request.messages:
            lines += [f"**{message.role}**", "", "```text", message.content, "```", ""]
    return {**shown, "prompts/rendered.md": "\n".join(lines)}


def record(prompts: PromptSet, judge_prompt: str) -> dict[str, Any]:
    """What the manifest says of the prompts: name, fingerprint, and the texts themselves."""
    return {
        "name": prompts.name,
        "fingerprint": prompts.fingerprint,
        "templates": dict(prompts.texts),
        **({JUDGE: judge_prompt} if judge_prompt else {}),
    }


def register(
    client: MlflowClient, run_id: str, prompts: PromptSet, tasks: Sequence[str], judge_prompt: str
) -> str:
    """Register the templates of the tasks and the judge's prompt as MLflow prompt versions; link them to the run.

    The same text is the same version, however many runs ask with it. Returns why it could not be
    done (a server without a prompt registry), or nothing.
    """
    from mlflow.exceptions import MlflowException

    texts = {
        registered_name(prompts, stem): prompts.texts[stem]
        for task in tasks
        for stem in template_names(task)
    }
    if judge_prompt:
        texts[f"mouse-{JUDGE}"] = judge_prompt
    try:
        home.home().mkdir(parents=True, exist_ok=True)
        # Two runs that start together would each register what neither finds.
        with FileLock(home.home() / "prompts.lock", timeout=60):
            versions = [_version(client, name, text) for name, text in texts.items()]
        # MLflow's own call links in the process-wide tracking store, whatever the client's is.
        linked = [{"name": one.name, "version": str(one.version)} for one in versions]
        client.set_tag(run_id, LINKED_TAG, json.dumps(linked))
    except (MlflowException, OSError, TimeoutError) as error:
        return str(error).partition("\n")[0][:200]
    return ""


def registered_name(prompts: PromptSet, stem: str) -> str:
    """A prompt's name in the registry, which takes letters, digits, hyphens, dots, underscores."""
    kept = re.sub(r"[^A-Za-z0-9._-]+", "-", prompts.name).strip("-") or "own"
    return f"mouse-{kept}-{stem}"


def _version(client: MlflowClient, name: str, text: str) -> PromptVersion:
    digest = hashlib.sha256(text.encode()).hexdigest()
    newest: Any = client.load_prompt(name, allow_missing=True, cache_ttl_seconds=0)
    if newest is not None:
        for version in client.search_prompt_versions(name):
            if (version.tags or {}).get(_TEXT_TAG) == digest:
                return version
    return client.register_prompt(name, text, tags={_TEXT_TAG: digest})


def write(prompts: Mapping[str, Any], folder: Path) -> list[Path]:
    """The templates in a manifest's record as files in `folder`, which must be new or empty.

    Raises `UserError` where the record has none, or they are not those it was sealed with.
    """
    templates = {
        stem: text
        for stem, text in dict(prompts.get("templates") or {}).items()
        if stem in placeholders() and isinstance(text, str)
    }
    if not templates:
        raise UserError("the manifest holds no prompt templates: the run is of an older version")
    if fingerprint(templates) != prompts.get("fingerprint"):
        raise UserError(
            "the prompt templates in the manifest are not those that its run asked with"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is there already: give a folder that is not")
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(prompts.get(JUDGE), str):
        templates[JUDGE] = prompts[JUDGE]
    files = []
    for stem, text in templates.items():
        files.append(folder / f"{stem}.txt")
        files[-1].write_text(text, encoding="utf-8")
    return files


def restored(prompts: Mapping[str, Any]) -> Path:
    """A folder under the home with the templates and the judge's prompt of a manifest, made once.

    It is written beside its place and renamed, so that no other process finds half of it.
    """
    sealed = f"{prompts.get('fingerprint')}\0{prompts.get(JUDGE, '')}"
    folder = home.home() / "prompts" / hashlib.sha256(sealed.encode()).hexdigest()[:16]
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as building:
            write(prompts, Path(building) / "new")
            try:
                (Path(building) / "new").rename(folder)
            except OSError:
                if not folder.is_dir():  # unless another process was first
                    raise
    return folder


def restore_from_run(run: str, folder: Path) -> list[Path]:
    """Write the templates of a tracked run to `folder`; raises `UserError`."""
    return write(load_run(run).manifest["prompts"], folder)
