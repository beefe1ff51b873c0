"""Checks what a run was made from: configuration, data, prompts, requests and code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mouse.contracts import Request
from mouse.corpus.items import (
    CXEI,
    ChoiceItem,
    Components,
    Dataset,
    Derivation,
)
from mouse.errors import UserError
from mouse.text.json_text import finite
from mouse.text.redaction import MASK, redact
from mouse.tracking.stored import StoredRun
from mouse.verification.verify import Check, some

if TYPE_CHECKING:
    from mouse.config.schema import RunConfig
    from mouse.tasks.prompts import PromptSet

RowKey = tuple[str, str, int]


class RunWithSources(StoredRun):
    """A stored run with what it was made from, each loaded when first asked for, and once."""

    @cached_property
    def config(self) -> RunConfig:
        from mouse.evaluation.from_manifest import config_of

        return config_of(self.manifest)

    @cached_property
    def items(self) -> dict[str, CXEI | ChoiceItem]:
        """The items asked, as they are stored with the run."""
        return items_of(self)

    @cached_property
    def data_here(self) -> Dataset:
        """The data set that the configuration names, as it is here now."""
        from mouse.evaluation.evaluate import load_data

        dataset: Dataset = load_data(self.config)
        return dataset

    @cached_property
    def prompts_here(self) -> PromptSet:
        """The prompts that the configuration names, as they are here now."""
        from mouse.tasks.prompts import PromptSet

        return PromptSet.load(self.config.prompt.name, self.config.prompt.path, tasks=self.tasks)


def configuration(run: RunWithSources) -> list[Check]:
    """The manifest, `config/config.yaml` and MLflow's parameters say the same."""
    import yaml

    from mouse.tracking.plain import flatten

    stated = run.manifest["config"]
    wrong = []
    text = (run.folder / "config" / "config.yaml").read_text(encoding="utf-8")
    if MASK not in text and yaml.safe_load(text) != stated:
        wrong.append("config/config.yaml is not the manifest's configuration")
    flat = {key: redact(value) for key, value in flatten(stated).items()}
    for key in sorted(flat.keys() | run.summary.params.keys()):
        one, other = run.summary.params.get(key), flat.get(key)
        if one != other and MASK not in f"{one}{other}":
            wrong.append(f"parameter {key}: {one} in MLflow, {other} in the manifest")
    why = some(wrong) if wrong else "manifest, config.yaml and MLflow's parameters agree"
    return [Check("configuration", "DIFFERENT" if wrong else "ok", why)]


def data(run: RunWithSources) -> list[Check]:
    """The fingerprint in manifest, tag and MLflow's input; the items stored and those here now."""
    from mouse.corpus.fingerprint import item_fingerprint

    stated = run.manifest["dataset"]["fingerprint"]
    wrong = []
    if run.summary.tags.get("dataset_fingerprint", stated) != stated:
        wrong.append("the tag dataset_fingerprint is not the manifest's")
    stored = run.items
    for task in run.tasks:
        asked = set(run.predictions[task]["item_id"])
        if lost := sorted(asked - stored.keys()):
            wrong.append(f"{task} asked about {lost[0]}, which is not among the stored items")
    checks = [
        Check(
            "data as stored",
            "DIFFERENT" if wrong else "ok",
            some(wrong) if wrong else f"{len(stored)} items, fingerprint {stated[:12]}",
        )
    ]
    here = run.data_here
    if here.fingerprint != stated:
        now = _by_id(here)
        changed = [
            key
            for key, item in stored.items()
            if key not in now or item_fingerprint(now[key]) != item_fingerprint(item)
        ]
        what = (
            f"{len(changed)} of the {len(stored)} items asked are changed or gone: {some(changed)}"
            if changed
            else "the items asked are the same; others are changed, added or gone"
        )
        why = f"{here.name} here has fingerprint {here.fingerprint[:12]}, not {stated[:12]}: {what}"
        return [*checks, Check("data here", "DIFFERENT", why)]
    now = _by_id(here)
    wrong = [
        f"stored item {key} is not the data's"
        for key, item in stored.items()
        if key not in now or item_fingerprint(now[key]) != item_fingerprint(item)
    ]
    why = some(wrong) if wrong else f"the same data set is here ({here.name})"
    return [*checks, Check("data here", "DIFFERENT" if wrong else "ok", why)]


def _by_id(dataset: Dataset) -> dict[str, CXEI | ChoiceItem]:
    items: tuple[CXEI | ChoiceItem, ...] = (*dataset.cxeis, *dataset.choices)
    return {item.id: item for item in items}


def prompts(run: RunWithSources) -> list[Check]:
    """The prompts' fingerprint in manifest and tag, and of the templates here now."""
    stated = run.manifest["prompts"]["fingerprint"]
    if run.summary.tags.get("prompt_fingerprint", stated) != stated:
        return [Check("prompts", "DIFFERENT", "the tag prompt_fingerprint is not the manifest's")]
    here = run.prompts_here
    if here.fingerprint != stated:
        why = f"{here.name} here has fingerprint {here.fingerprint[:12]}, not {stated[:12]}"
        return [Check("prompts", "DIFFERENT", why)]
    return [Check("prompts", "ok", f"{here.name}, fingerprint {stated[:12]}, is here")]


def requests(run: RunWithSources) -> list[Check]:
    """The requests made again from data, prompts and sampling have the keys of the answers."""
    from mouse.engine.keys import key_function
    from mouse.evaluation.evaluate import load_examples
    from mouse.evaluation.plan import make_plan

    same_prompts(run)
    plan = make_plan(run.config, same_data(run), run.tasks, load_examples(run.config))
    was = run.manifest.get("examples", {}).get("fingerprint")
    if was is not None and (plan.examples is None or plan.examples.fingerprint != was):
        raise UserError("the few-shot examples here are not the run's")
    identity = run.manifest["model"]
    stored: dict[tuple[str, RowKey], str] = {}
    for task in run.tasks:
        for prediction in run.task_predictions(task):
            key = (prediction.item_id, prediction.variant, prediction.repeat)
            stored[task, key] = prediction.request_key
    plain, by_item = key_function(identity), key_function(identity, by_item=True)
    wrong, lost, seen = [], [], set()
    for request in plan.requests():
        row = (request.task, (request.item_id, request.variant, request.repeat))
        seen.add(row)
        if row not in stored:
            lost.append(f"{request.task} {request.item_id} has no answer")
        elif stored[row] not in (plain(request), by_item(request)):
            wrong.append(f"{request.task} {request.item_id} was asked otherwise")
    wrong += [f"{row[0]} {row[1][0]} would not be asked" for row in stored if row not in seen]
    if run.summary.status != "interrupted":
        wrong += lost
    if wrong:
        return [Check("requests", "DIFFERENT", some(wrong))]
    why = f"{len(stored)} requests made again, same keys"
    return [Check("requests", "ok", f"{why}; {len(lost)} were not answered" if lost else why)]


def code(run: RunWithSources) -> list[Check]:
    """Code and libraries here against those of the run: the checks above ran with those here."""
    from mouse.evaluation.from_manifest import code_note
    from mouse.tracking import provenance

    note = code_note(run.manifest).replace("the manifest was written", "the run was made")
    was = run.manifest.get("code", {})
    same = f"the same code (fingerprint {str(was.get('fingerprint'))[:12]})"
    checks = [Check("code", "noted" if note else "ok", note or same)]
    then, now = run.manifest.get("versions", {}), provenance.versions()
    moved = [
        f"{name} {then.get(name, 'absent')} then, {now.get(name, 'absent')} here"
        for name in sorted(then.keys() | now.keys())
        if then.get(name) != now.get(name)
    ]
    why = some(moved) if moved else f"{len(then)} the same"
    return [*checks, Check("versions", "noted" if moved else "ok", why)]


def items_of(run: StoredRun) -> dict[str, CXEI | ChoiceItem]:
    """The items asked, as they are stored with the run."""
    found: dict[str, CXEI | ChoiceItem] = {}
    for row in run.cxeis.to_dict("records"):
        steps = json.loads(row["derivation"]) if row["derivation"] else []
        found[row["id"]] = CXEI(
            id=row["id"],
            original_text=row["original_text"],
            reference=finite(row["reference"]),
            components=Components(
                *(_flag(row[name]) for name in ("homophonic", "visual", "semantic"))
            ),
            intent=finite(row["intent"]),
            toxicity=None if finite(row["toxicity"]) is None else int(row["toxicity"]),  # type: ignore[arg-type]
            source=row["source"],
            revision=row["revision"],
            derivation=tuple(
                Derivation(s["surface"], tuple(s["chain"]), s["target"], s["mechanism"])
                for s in steps
            ),
            group=row["group"],
        )
    for row in run.choices.to_dict("records"):
        found[row["id"]] = ChoiceItem(**{**row, "options": tuple(json.loads(row["options"]))})
    return found


def same_data(run: RunWithSources) -> Dataset:
    """The data set of the run, if it is here unchanged. Raises `UserError` where it is not."""
    if run.data_here.fingerprint != run.manifest["dataset"]["fingerprint"]:
        raise UserError("the data here are not the run's")
    return run.data_here


def same_prompts(run: RunWithSources) -> PromptSet:
    """The prompts of the run, if they are here unchanged. Raises `UserError` where not."""
    if run.prompts_here.fingerprint != run.manifest["prompts"]["fingerprint"]:
        raise UserError("the prompts here are not the run's")
    return run.prompts_here


def requests_of(run: RunWithSources, task: str) -> Mapping[RowKey, Request]:
    """The task's requests about the stored items, without examples, which no reader looks at."""
    from mouse.evaluation.plan import sampling
    from mouse.tasks.registry import get_task

    asked = set(run.predictions[task]["item_id"])
    made = get_task(task).requests(
        [item for item in run.items.values() if item.id in asked],
        same_prompts(run),
        sampling=sampling(run.config),
        repeats=run.config.task.repeats,
        decoding=run.config.task.decoding.value,  # type: ignore[arg-type]
    )
    return {(request.item_id, request.variant, request.repeat): request for request in made}


def _flag(value: Any) -> bool | None:
    return None if finite(value) is None else bool(value)
