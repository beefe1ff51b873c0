"""Whether a pool's workers fit on the cluster, decided before one is started.

Ray lets an actor that asks for a GPU which is not there wait for ever, without a word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mouse.errors import UserError
from mouse.models.base import BackendSpec

Node = Mapping[str, float]
"""Resources of one node by Ray's names (`CPU`, `GPU`, `memory` in bytes, …)."""


@dataclass(frozen=True, slots=True)
class Placement:
    """What each worker asks Ray for."""

    num_cpus: float


def nodes_of() -> list[Node]:
    """The resources of every node that is alive in the cluster this process is connected to."""
    import ray

    return [node["Resources"] for node in ray.nodes() if node["Alive"]]


def default_replicas(cores: int) -> int:
    """Workers of a local CPU backend: a core is left to the driver, and four load fast enough."""
    return max(1, min(4, cores - 1))


def fill(
    spec: BackendSpec, others: Sequence[tuple[str, BackendSpec]], nodes: Sequence[Node]
) -> BackendSpec:
    """`spec` with `replicas` settled: those asked for, or (0) as many as the GPUs left allow.

    At least 1, so that where there is no room `check_placement` says what is missing.
    """
    if spec.replicas > 0:
        return spec
    room = 1
    if spec.num_gpus:
        gpus = sum(node.get("GPU", 0.0) for node in nodes)
        taken = sum(max(1, its.replicas) * its.num_gpus for _, its in others)
        room = min(
            sum(_workers_on(node, spec.num_cpus, spec.num_gpus) for node in nodes),
            int((gpus - taken) / spec.num_gpus + 1e-9),
        )
    return replace(spec, replicas=max(1, room))


def check_placement(
    name: str,
    spec: BackendSpec,
    others: Sequence[tuple[str, BackendSpec]],
    nodes: Sequence[Node],
) -> Placement:
    """What each worker of `spec` may ask for, beside the pools that are open already.

    GPUs are promised to one pool only. CPUs are shared where the pools together ask for more
    than there are (model and judge on a laptop): Ray's CPUs are book-keeping, not a fence.

    Raises:
        UserError: the cluster could not hold the workers even if it were otherwise empty.
    """
    replicas = max(1, spec.replicas)
    room = sum(_workers_on(node, spec.num_cpus, spec.num_gpus) for node in nodes)
    if room < replicas:
        raise UserError(
            f"«{name}» asks for {replicas} worker(s) of {_amounts(spec.num_cpus, spec.num_gpus)} "
            f"each, and the Ray cluster has {_inventory(nodes)}: room for {room}. "
            f"{_advice(spec, nodes, room)}"
        )
    gpus = sum(node.get("GPU", 0.0) for node in nodes)
    taken = {other: max(1, its.replicas) * its.num_gpus for other, its in others if its.num_gpus}
    if spec.num_gpus and replicas * spec.num_gpus + sum(taken.values()) > gpus:
        held = ", ".join(f"«{other}» holds {amount:g}" for other, amount in taken.items())
        raise UserError(
            f"«{name}» asks for {replicas * spec.num_gpus:g} GPU(s) and the Ray cluster has "
            f"{gpus:g}, of which {held}; use a judge that needs no GPU, or fewer replicas."
        )
    cpus = sum(node.get("CPU", 0.0) for node in nodes)
    asked = replicas * spec.num_cpus + sum(max(1, its.replicas) * its.num_cpus for _, its in others)
    return Placement(num_cpus=spec.num_cpus if asked <= cpus else 0.0)


def _workers_on(node: Node, num_cpus: float, num_gpus: float) -> int:
    fits = [
        int(node.get(resource, 0.0) / amount + 1e-9)
        for resource, amount in (("CPU", num_cpus), ("GPU", num_gpus))
        if amount > 0
    ]
    return min(fits, default=10**6)


def _amounts(num_cpus: float, num_gpus: float) -> str:
    return " and ".join(
        f"{amount:g} {unit}" for amount, unit in ((num_gpus, "GPU"), (num_cpus, "CPU")) if amount
    )


def _inventory(nodes: Sequence[Node]) -> str:
    if not nodes:
        return "no node that is alive"
    each = ["{:g} CPU and {:g} GPU".format(n.get("CPU", 0.0), n.get("GPU", 0.0)) for n in nodes]
    if len(nodes) == 1:
        return f"one node with {each[0]}"
    return f"{len(nodes)} nodes ({'; '.join(each[:8])}{'; …' if len(each) > 8 else ''})"


def _advice(spec: BackendSpec, nodes: Sequence[Node], room: int) -> str:
    if spec.num_gpus and not any(node.get("GPU") for node in nodes):
        return "Join a cluster with GPUs (engine.address=…), or choose a model that needs none."
    if room:
        return f"Set model.replicas={room}."
    return "Ask for less, or join a larger cluster (engine.address=…)."
