"""`--from-manifest FILE`: a run's manifest turned back into the configuration that made it.

The manifest's groups become options named `from_manifest` in a folder that Hydra searches, so
that every override works on top of them, whole groups (`engine=inline`) included.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mouse.config import stored
from mouse.config.schema import RunConfig
from mouse.errors import UserError
from mouse.evaluation.plan import Plan
from mouse.judging.registry import make_judge
from mouse.judging.rubric import JudgePrompt
from mouse.models.registry import make_spec
from mouse.tasks.prompts import PromptSet
from mouse.text.redaction import MASK
from mouse.tracking.plain import plain
from mouse.tracking.prompt_record import JUDGE, restored
from mouse.tracking.provenance import code

FLAG = "--from-manifest"
ALLOW = "--allow-different"
OPTION = "from_manifest"
GROUPS = ("model", "task", "prompt", "judge", "data", "engine", "tracking")


@dataclass(frozen=True)
class Repeat:
    """A run to be repeated: its manifest, and whether other data or prompts are accepted."""

    manifest: Mapping[str, Any]
    allow_different: bool = False
    overridden: frozenset[str] = frozenset()
    """Groups that the command line chooses or changes itself."""


def take(arguments: Sequence[str]) -> tuple[list[str], Path | None, bool]:
    """The arguments without this module's flags, the manifest's path, and whether to allow.

    Raises `UserError` where a flag lacks its value or its partner.
    """
    rest: list[str] = []
    path: Path | None = None
    allow = False
    waiting = iter(arguments)
    for argument in waiting:
        flag, equals, value = argument.partition("=")
        if flag == FLAG:
            given = value if equals else next(waiting, "")
            if not given:
                raise UserError(f"{FLAG} needs the path of a run's manifest.json")
            path = Path(given).expanduser()
        elif argument == ALLOW:
            allow = True
        else:
            rest.append(argument)
    if allow and path is None:
        raise UserError(f"{ALLOW} belongs to {FLAG} FILE")
    return rest, path, allow


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest in a file, or in a run's folder of artifacts.

    Raises `UserError` where there is none, where it is not one, or where a secret was masked.
    """
    file = path / "manifest.json" if path.is_dir() else path
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(
            f"{file} cannot be read as a manifest ({error}): it is among the artifacts of a "
            "tracked run, as manifest.json"
        ) from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("config"), dict):
        raise UserError(f"{file} is no manifest of a run: it has no configuration")
    masked = [key for key, value in _leaves(manifest["config"]) if MASK in json.dumps(value)]
    if masked:
        raise UserError(
            f"{file}: {masked[0]} was masked as a secret when the run was tracked: give it again "
            f"with {masked[0]}=… after naming the rest in a configuration of your own"
        )
    return manifest


def config_of(manifest: Mapping[str, Any]) -> RunConfig:
    """The typed configuration in a manifest. Raises `UserError` where the schema has changed."""
    from omegaconf.errors import OmegaConfBaseException

    try:
        return stored.run_config(_literal(manifest["config"]))
    except OmegaConfBaseException as error:
        raise UserError(
            f"the manifest's configuration does not fit this version of mouse: {error}"
        ) from error


def write_options(manifest: Mapping[str, Any], folder: Path) -> list[str]:
    """Write the groups as Hydra options under `folder`; return the overrides that choose them."""
    import yaml

    chosen = []
    config = stored.own_options(manifest["config"])
    for group in GROUPS:
        (folder / group).mkdir(parents=True, exist_ok=True)
        option = {
            "defaults": stored.defaults_list(group, config.get(group, {})),
            **_literal(config.get(group, {})),
        }
        text = yaml.safe_dump(option, allow_unicode=True, sort_keys=False)
        (folder / group / f"{OPTION}.yaml").write_text(text, encoding="utf-8")
        chosen.append(f"{group}={OPTION}")
    # Whatever is no group: `store`, `seed`, `metrics.resamples`, `budget.usd` …
    others = {key: value for key, value in config.items() if key not in GROUPS}
    return [*chosen, *(f"{key}={json.dumps(value)}" for key, value in _leaves(others))]


def with_prompts(manifest: Mapping[str, Any], given: Sequence[str]) -> Mapping[str, Any]:
    """The manifest with its prompts as they were: from its own record where they are not here.

    A folder that is gone, and a built-in set or judge's prompt that has changed since, are written
    again under the home; what the command line chooses itself (`prompt=…`, `judge=…`) stays so.
    """
    config, prompts = manifest["config"], manifest.get("prompts", {})
    if not prompts.get("templates"):
        return manifest
    chosen, changed = overridden(given), dict(config)
    if "prompt" not in chosen and not _same_prompts(config.get("prompt", {}), prompts):
        changed["prompt"] = {**config.get("prompt", {}), "path": str(restored(prompts))}
    if "judge" not in chosen and not _same_judge(config.get("judge", {}), prompts):
        path = str(restored(prompts) / f"{JUDGE}.txt")
        changed["judge"] = {**config.get("judge", {}), "prompt_path": path}
    return {**manifest, "config": changed}


def _same_prompts(config: Mapping[str, Any], prompts: Mapping[str, Any]) -> bool:
    try:
        here = PromptSet.load(config.get("name", "zh"), config.get("path"), tasks=())
    except UserError:
        return False
    return here.fingerprint == prompts["fingerprint"]


def _same_judge(config: Mapping[str, Any], prompts: Mapping[str, Any]) -> bool:
    """Whether the judge's prompt here is the recorded one; so too where no model judged."""
    name, path = config.get("prompt", "zh"), config.get("prompt_path")
    how = config.get("decoding", "free"), bool(config.get("rationale"))
    try:
        return JUDGE not in prompts or JudgePrompt.load(name, path, *how).source == prompts[JUDGE]
    except UserError:
        return False


def arguments(manifest: Mapping[str, Any], folder: Path, given: Sequence[str]) -> list[str]:
    """Hydra's arguments: the manifest's first, and over them those of the command line."""
    keys = {argument.partition("=")[0].lstrip("+~") for argument in given}
    manifest = with_prompts(manifest, given)
    own = [
        override
        for override in write_options(manifest, folder)
        if override.partition("=")[0] not in keys
    ]
    return ["--config-dir", str(folder), *own, *given]


def overridden(given: Sequence[str]) -> frozenset[str]:
    """Groups that the command line names: `model` for `model=x` and for `model.id=y`."""
    return frozenset(
        argument.partition("=")[0].lstrip("+~").partition(".")[0]
        for argument in given
        if "=" in argument
    )


def check(repeat: Repeat, plan: Plan, config: RunConfig) -> None:
    """Raise `UserError` where the data, prompts, model or judge are not those of the manifest.

    What the command line itself replaces (`model=…`, `judge=…`) may differ; data and prompts may
    not without `--allow-different`, because a repetition on other questions is none.
    """
    manifest, found = repeat.manifest, []
    examples = plan.examples.fingerprint if plan.examples is not None else None
    for what, now, was in (
        ("data", plan.dataset.fingerprint, manifest["dataset"]["fingerprint"]),
        ("prompts", plan.prompts.fingerprint, manifest["prompts"]["fingerprint"]),
        ("examples", examples, manifest.get("examples", {}).get("fingerprint")),
    ):
        if now != was:
            found.append(f"the {what} (fingerprint {_short(now)}, not {_short(was)})")
    model = make_spec(config.model, plan.context()).identity
    judge = make_judge(config.judge, config.model).identity
    for what, identity in (("model", model), ("judge", judge)):
        now = plain(dict(identity))
        was = manifest.get(what, now)
        if what not in repeat.overridden and now != was:
            found.append(f"the {what} ({_changes(was, now)})")
    if found and not repeat.allow_different:
        raise UserError(
            f"this would not repeat the run, because {' and '.join(found)} differ from the "
            f"manifest's: bring the same back, or give {ALLOW}"
        )


def code_note(manifest: Mapping[str, Any]) -> str:
    """A sentence where the code here is not the manifest's; empty where it is."""
    here, there = code(), manifest.get("code", {})
    if there.get("fingerprint") and there["fingerprint"] == here.fingerprint:
        return ""
    was = (there.get("commit") or "unknown")[:12] + (" with changes" if there.get("dirty") else "")
    now = (here.commit or "unknown")[:12] + (" with changes" if here.dirty else "")
    return f"the manifest was written by code of commit {was}; here it is {now}"


def _leaves(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """(dotted key, value) of everything in a mapping that is no mapping itself."""
    if not isinstance(value, Mapping):
        yield prefix, value
        return
    for key, entry in value.items():
        yield from _leaves(entry, f"{prefix}.{key}" if prefix else str(key))


def _literal(value: Any) -> Any:
    """The value with `${` escaped: what was resolved once must not be resolved again."""
    if isinstance(value, str):
        return value.replace("${", "\\${")
    if isinstance(value, Mapping):
        return {key: _literal(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_literal(entry) for entry in value]
    return value


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    keys = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    return ", ".join(
        f"{key}: {_short(after.get(key))}, not {_short(before.get(key))}" for key in keys
    )


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 24 else text[:12] + "…"
