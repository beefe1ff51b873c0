"""Whether a pool's workers fit on the cluster, decided before one is started.

Ray lets an actor that asks for a GPU which is not there wait for ever, without a word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mouse.errors import UserError
from mouse.models.base import BackendSpec

Node = Mapping[str, float]
"""Resources of one node by Ray's names (`CPU`, `GPU`, `memory` in bytes, …)."""


def nodes_of() -> list[Node]:
    """The resources of every node that is alive in the cluster this process is connected to."""
    import ray

    return [node["Resources"] for node in ray.nodes() if node["Alive"]]


def settle_replicas(
    spec: BackendSpec, others: Mapping[str, BackendSpec], nodes: Sequence[Node]
) -> BackendSpec:
    """`spec` with as many replicas as it asks for or, for 0, as the GPUs left by `others` allow.

    At least 1, so that where there is no room `check_placement` says what is missing.
    """
    if spec.replicas > 0:
        return spec
    room = 1
    if spec.num_gpus:
        left = _total(nodes, "GPU") - sum(_gpus_held(others).values())
        room = min(_room(spec, nodes), int(left / spec.num_gpus + 1e-9))
    return replace(spec, replicas=max(1, room))


def check_placement(
    name: str, spec: BackendSpec, others: Mapping[str, BackendSpec], nodes: Sequence[Node]
) -> float:
    """The CPUs each worker of `spec` may ask Ray for, beside the pools that are open already.

    GPUs are promised to one pool only. CPUs are shared (0 is asked for) where the pools together
    want more than there are (model and judge on a laptop): Ray only counts CPUs, it confines
    nobody to them.

    Raises:
        UserError: the cluster could not hold the workers even if it were otherwise empty.
    """
    replicas = max(1, spec.replicas)
    room = _room(spec, nodes)
    if room < replicas:
        amounts = ((spec.num_gpus, "GPU"), (spec.num_cpus, "CPU"))
        each = " and ".join(f"{amount:g} {unit}" for amount, unit in amounts if amount)
        there = [f"{n.get('CPU', 0):g} CPU and {n.get('GPU', 0):g} GPU" for n in nodes]
        raise UserError(
            f"«{name}» asks for {replicas} worker(s) of {each} each, and the Ray cluster has "
            f"{' + '.join(there) or 'no node that is alive'}: room for {room}. "
            f"{_advice(spec, nodes, room)}"
        )
    gpus, held = _total(nodes, "GPU"), _gpus_held(others)
    if spec.num_gpus and replicas * spec.num_gpus + sum(held.values()) > gpus:
        holders = ", ".join(f"«{other}» holds {amount:g}" for other, amount in held.items())
        raise UserError(
            f"«{name}» asks for {replicas * spec.num_gpus:g} GPU(s) and the Ray cluster has "
            f"{gpus:g}, of which {holders}; use a judge that needs no GPU, or fewer replicas."
        )
    asked = sum(max(1, its.replicas) * its.num_cpus for its in [spec, *others.values()])
    return spec.num_cpus if asked <= _total(nodes, "CPU") else 0.0


def _total(nodes: Sequence[Node], resource: str) -> float:
    return sum(node.get(resource, 0.0) for node in nodes)


def _gpus_held(others: Mapping[str, BackendSpec]) -> dict[str, float]:
    return {
        name: max(1, its.replicas) * its.num_gpus for name, its in others.items() if its.num_gpus
    }


def _room(spec: BackendSpec, nodes: Sequence[Node]) -> int:
    """How many workers of `spec` the nodes hold; each must fit on one node."""
    needs = [(n, a) for n, a in (("CPU", spec.num_cpus), ("GPU", spec.num_gpus)) if a]
    return sum(
        min((int(node.get(name, 0.0) / amount + 1e-9) for name, amount in needs), default=10**6)
        for node in nodes
    )


def _advice(spec: BackendSpec, nodes: Sequence[Node], room: int) -> str:
    if spec.num_gpus and not _total(nodes, "GPU"):
        return "Join a cluster with GPUs (engine.address=…), or choose a model that needs none."
    if room:
        return f"Set model.replicas={room}."
    return "Ask for less, or join a larger cluster (engine.address=…)."
