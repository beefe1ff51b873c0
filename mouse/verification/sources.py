"""Checks what a run was made from: configuration, data, prompts, requests and code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from mouse.config.schema import RunConfig
from mouse.contracts import Request
from mouse.corpus.items import CXEI, ChoiceItem, Dataset, item_fingerprint
from mouse.engine.keys import key_function
from mouse.errors import UserError
from mouse.evaluation.data import load_data, load_examples
from mouse.evaluation.from_manifest import code_note, config_of
from mouse.evaluation.plan import make_plan, sampling
from mouse.tasks.prompts import PromptSet
from mouse.tasks.registry import get_task
from mouse.text.redaction import MASK, redact
from mouse.tracking import provenance
from mouse.tracking.plain import flatten
from mouse.tracking.stored import StoredRun

RowKey = tuple[str, str, int]
Status = Literal["ok", "DIFFERENT", "noted", "not checked"]


@dataclass(frozen=True)
class Check:
    """One question about a run and its answer.

    `DIFFERENT`: the run does not follow from what is stored, or its data or prompts are not those
    that are here. `noted`: something else differs (code, libraries) that need not change a number.
    `not checked`: what it needs is not at hand, which `why` names.
    """

    name: str
    status: Status
    why: str


def found(name: str, wrong: Sequence[str], fine: str) -> Check:
    """`ok` with the sentence `fine`, or `DIFFERENT` with the first of what is wrong."""
    return Check(name, "DIFFERENT", some(wrong)) if wrong else Check(name, "ok", fine)


def some(found: Sequence[str]) -> str:
    """The first few of what was found, and how many more there are."""
    shown = "; ".join(found[:3])
    return shown + (f"; and {len(found) - 3} more" if len(found) > 3 else "")


class RunWithSources(StoredRun):
    """A stored run with what it was made from, each loaded when first asked for, and once."""

    @cached_property
    def config(self) -> RunConfig:
        return config_of(self.manifest)

    @cached_property
    def data_here(self) -> Dataset:
        """The data set that the configuration names, as it is here now."""
        return load_data(self.config)

    @cached_property
    def prompts_here(self) -> PromptSet:
        """The prompts that the configuration names, as they are here now."""
        return PromptSet.load(self.config.prompt.name, self.config.prompt.path, tasks=self.tasks)


def configuration(run: RunWithSources) -> Check:
    """The manifest, `config/config.yaml` and MLflow's parameters say the same."""
    import yaml

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
    return found("configuration", wrong, "manifest, config.yaml and MLflow's parameters agree")


def data(run: RunWithSources) -> list[Check]:
    """The fingerprint in manifest, tag and MLflow's input; the items stored and those here now."""
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
        found("data as stored", wrong, f"{len(stored)} items, fingerprint {stated[:12]}"),
    ]
    here = run.data_here
    items: tuple[CXEI | ChoiceItem, ...] = (*here.cxeis, *here.choices)
    now = {item.id: item for item in items}
    changed = [
        key
        for key, item in stored.items()
        if key not in now or item_fingerprint(now[key]) != item_fingerprint(item)
    ]
    if here.fingerprint != stated:
        what = (
            f"{len(changed)} of the {len(stored)} items asked are changed or gone: {some(changed)}"
            if changed
            else "the items asked are the same; others are changed, added or gone"
        )
        why = f"{here.name} here has fingerprint {here.fingerprint[:12]}, not {stated[:12]}: {what}"
        return [*checks, Check("data here", "DIFFERENT", why)]
    wrong = [f"stored item {key} is not the data's" for key in changed]
    return [*checks, found("data here", wrong, f"the same data set is here ({here.name})")]


def prompts(run: RunWithSources) -> Check:
    """The prompts' fingerprint in manifest and tag, and of the templates here now."""
    stated, wrong = run.manifest["prompts"]["fingerprint"], []
    here = run.prompts_here
    if run.summary.tags.get("prompt_fingerprint", stated) != stated:
        wrong.append("the tag prompt_fingerprint is not the manifest's")
    elif here.fingerprint != stated:
        wrong.append(f"{here.name} here has fingerprint {here.fingerprint[:12]}, not {stated[:12]}")
    return found("prompts", wrong, f"{here.name}, fingerprint {stated[:12]}, is here")


def requests(run: RunWithSources) -> Check:
    """The requests made again from data, prompts and sampling have the keys of the answers."""
    same_prompts(run)
    plan = make_plan(run.config, same_data(run), run.tasks, load_examples(run.config))
    was = run.manifest.get("examples", {}).get("fingerprint")
    if was is not None and (plan.examples is None or plan.examples.fingerprint != was):
        raise UserError("the few-shot examples here are not the run's")
    stored = {
        (task, (one.item_id, one.variant, one.repeat)): one.request_key
        for task in run.tasks
        for one in run.task_predictions(task)
    }
    identity = run.manifest["model"]
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
    fine = f"{len(stored)} requests made again, same keys"
    return found("requests", wrong, f"{fine}; {len(lost)} were not answered" if lost else fine)


def code(run: RunWithSources) -> list[Check]:
    """Code and libraries here against those of the run: the checks above ran with those here."""
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
    asked = set(run.predictions[task]["item_id"])
    made = get_task(task).requests(
        [item for item in run.items.values() if item.id in asked],
        same_prompts(run),
        sampling=sampling(run.config),
        repeats=run.config.task.repeats,
        decoding=run.config.task.decoding,
    )
    return {(request.item_id, request.variant, request.repeat): request for request in made}
