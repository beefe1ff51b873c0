"""Which runs may be ranked together: one list of rules for `report`, `compare` and leaderboards.

Runs of a task are ranked (letters, p-values, bold) only where they agree in every rule below and
were asked the same rows. A difference can be allowed, and is then said in every table concerned.
What makes another model (thinking, sampling, revision) is no difference: `contestants` owns that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from mouse.comparison.aligned import RowKey
from mouse.corpus.items import item_fingerprint
from mouse.errors import UserError
from mouse.tasks.registry import get_task
from mouse.tracking.plain import flatten
from mouse.tracking.stored import StoredRun

Facts = Mapping[str, str]
"""Name → value of what a run is held to; the name is empty for what needs none."""

ROWS = "rows"
"""The kind of difference that is allowed by comparing on the rows in common."""
KINDS = ("prompt", "judge", "data")
"""What `--allow-different` may name; `--intersect` allows `ROWS`, `--mixed` all of them."""


@dataclass(frozen=True)
class Rule:
    """`what` in words, `kind` to allow it by, and how it is read from a stored run's manifest,
    tags and parameters."""

    what: str
    kind: str
    read: Callable[[StoredRun], Facts]
    judged_only: bool = False


def _data(run: StoredRun) -> Facts:
    tags = run.summary.tags
    return {
        "": tags.get("dataset", ""),
        "fingerprint": tags.get("dataset_fingerprint", "unknown"),
    }


def _prompt(run: StoredRun) -> Facts:
    tags = run.summary.tags
    return {"": tags.get("prompt", ""), "fingerprint": tags.get("prompt_fingerprint", "unknown")}


def _examples(run: StoredRun) -> Facts:
    """The seed chooses the examples, so it counts where there are some."""
    params, tags = run.summary.params, run.summary.tags
    shots = params.get("prompt.shots", "0")
    if shots == "0":
        return {"": "no examples"}
    fingerprint = tags.get("examples_fingerprint", "")
    return {"": f"{shots} examples of seed {params.get('seed', '0')}", "fingerprint": fingerprint}


def _decoding(run: StoredRun) -> Facts:
    return {"": run.summary.params.get("task.decoding", "free")}


def _judge(run: StoredRun) -> Facts:
    """Its whole identity (prompt, models, decoding, repeats, how a panel's scores become one), and
    from what similarity on a translation is a copy."""
    name = run.summary.tags.get("judge", "unknown")
    # The tag is cut where it is long; the manifest is not.
    stated = flatten(run.manifest.get("judge") or {})
    identity = stated or {"identity": run.summary.tags.get("judge_identity", "")}
    threshold = run.summary.params.get("judge.copy_threshold", "unknown")
    return {"": name, **identity, "copies from": threshold}


RULES = (
    Rule("data", "data", _data),
    Rule("prompt", "prompt", _prompt),
    Rule("examples", "prompt", _examples),
    Rule("decoding", "prompt", _decoding),
    Rule("judge", "judge", _judge, judged_only=True),
)


@dataclass(frozen=True)
class Difference:
    """One rule in which the runs of a task differ, as a sentence."""

    kind: str
    sentence: str


@dataclass(frozen=True)
class Pairing:
    """The rows of one task that all runs were asked, and sentences about what was allowed."""

    rows: frozenset[RowKey]
    allowed: tuple[str, ...] = ()


def differences(task: str, runs: Mapping[str, StoredRun]) -> list[Difference]:
    """Every difference that forbids ranking these runs (label → run) of a task together."""
    found = []
    for rule in RULES:
        if rule.judged_only and not get_task(task).judged:
            continue
        facts = {label: rule.read(run) for label, run in runs.items()}
        groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for label, one in facts.items():
            groups.setdefault(tuple(sorted(one.items())), []).append(label)
        if len(groups) > 1:
            shown = " / ".join(
                f"{', '.join(labels)}: {_words(dict(key), facts.values())}"
                for key, labels in groups.items()
            )
            sentence = f"{task}: the runs differ in {rule.what} ({shown})"
            found.append(Difference(rule.kind, sentence))
    rows = {label: asked_rows(task, run) for label, run in runs.items()}
    common = frozenset.intersection(*rows.values())
    if any(keys != common for keys in rows.values()):
        left = ", ".join(f"{label} {len(keys)}" for label, keys in rows.items())
        sentence = (
            f"{task}: the runs were not asked the same ({left} rows, {len(common)} in common)"
        )
        found.append(Difference(ROWS, sentence))
    return found


def pairing(
    task: str, runs: Mapping[str, StoredRun], allow: Collection[str], option: str = ""
) -> Pairing:
    """The rows on which runs of a task are ranked; `allow`: kinds of difference that are let pass.

    `option`: the command-line option by which all are allowed, named where one is refused; by
    default each kind's own. Raises `UserError` with a line for each reason against.
    """
    refused, allowed = [], []
    for found in differences(task, runs):
        is_rows = found.kind == ROWS
        how = "on those in common" if is_rows else "all the same"
        if found.kind in allow:
            own = option or ("--intersect" if is_rows else "--allow-different")
            allowed.append(f"{found.sentence}: compared {how}, as {own} says")
        else:
            own = option or ("--intersect" if is_rows else f"--allow-different {found.kind}")
            refused.append(f"{found.sentence}; {own} compares them {how}")
    rows = frozenset.intersection(*(asked_rows(task, run) for run in runs.values()))
    if not refused and any("the runs differ in data" in sentence for sentence in allowed):
        changed = _changed_items(task, runs)
        rows = frozenset(key for key in rows if key[0] not in changed)
        if changed:
            some = ", ".join(sorted(changed)[:3]) + (", …" if len(changed) > 3 else "")
            allowed.append(
                f"{task}: {len(changed)} items have the same id and another content: left out "
                f"({some})"
            )
    if not rows and not refused:
        refused.append(f"{task}: the runs have no row in common")
    if refused:
        raise UserError("\n".join(refused))
    return Pairing(rows, tuple(allowed))


def pairings(
    tasks: Mapping[str, Mapping[str, StoredRun]], allow: Collection[str], option: str = ""
) -> dict[str, Pairing]:
    """`pairing` of every task (code → label → run). Raises `UserError` with all reasons at once."""
    found, refused = {}, []
    for task, runs in tasks.items():
        try:
            found[task] = pairing(task, runs, allow, option)
        except UserError as error:
            refused += str(error).splitlines()
    if refused:
        raise UserError("these runs cannot be compared.\n  " + "\n  ".join(refused))
    return found


def asked_rows(task: str, run: StoredRun) -> frozenset[RowKey]:
    """(item, variant, repeat) of every answer: what `limit`, `seed` and `repeats` came to."""
    frame = run.predictions[task]
    keys = zip(frame["item_id"], frame["variant"], frame["repeat"], strict=True)
    return frozenset((item, variant, int(repeat)) for item, variant, repeat in keys)


def _words(facts: Facts, every: Collection[Facts]) -> str:
    """The fact without a name, and those of the others in which runs differ.

    Where the first differs already, facts that only some have (another judge's) are not listed.
    """
    shown = [facts.get("", "")]
    names = set().union(*every)
    if len({one.get("") for one in every}) > 1:
        names = names.intersection(*every)
    for name in sorted(names - {"", "judge"}):
        if len({one.get(name, "") for one in every}) > 1:
            value = facts.get(name, "none")
            # Fingerprints are told apart by their beginnings.
            shown.append(value[:12] if name == "fingerprint" else f"{name} {value[:40]}")
    return " ".join(part for part in shown if part)


def _changed_items(task: str, runs: Mapping[str, StoredRun]) -> set[str]:
    """Ids under which the runs were asked different things."""
    seen: dict[str, str] = {}
    changed = set()
    for run in runs.values():
        asked = set(run.predictions[task]["item_id"])
        for key, item in run.items.items():
            content = item_fingerprint(item)
            if key in asked and seen.setdefault(key, content) != content:
                changed.add(key)
    return changed
