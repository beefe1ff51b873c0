from __future__ import annotations

import pytest

from mouse.engine.placement import check_placement, settle_replicas
from mouse.errors import UserError
from mouse.models.base import BackendSpec

LAPTOP = [{"CPU": 2.0, "memory": 8e9}]
GPU_NODES = [{"CPU": 16.0, "GPU": 4.0}, {"CPU": 16.0, "GPU": 4.0}, {"CPU": 8.0}]


def spec(**needs: float) -> BackendSpec:
    return BackendSpec("m:B", {}, {}, **needs)  # type: ignore[arg-type]


def test_a_model_that_fits_gets_what_it_asks_for() -> None:
    assert check_placement("m", spec(num_cpus=2), {}, LAPTOP) == 2
    assert check_placement("m", spec(num_gpus=4, replicas=2), {}, GPU_NODES) == 1


def test_no_gpu_anywhere_says_so_and_what_to_do() -> None:
    with pytest.raises(
        UserError,
        match=r"«m» asks for 1 worker.*1 GPU and 1 CPU.*0 GPU: room for 0.*engine\.address",
    ):
        check_placement("m", spec(num_gpus=1), {}, LAPTOP)


def test_a_worker_must_fit_on_one_node() -> None:
    # Eight GPUs in all, four on a node: tensor parallelism over eight has no place.
    with pytest.raises(UserError, match="room for 0"):
        check_placement("m", spec(num_gpus=8), {}, GPU_NODES)


def test_too_many_replicas_says_how_many_fit() -> None:
    with pytest.raises(UserError, match=r"room for 4\. Set model\.replicas=4\."):
        check_placement("m", spec(num_gpus=2, replicas=5), {}, GPU_NODES)


def test_gpus_of_an_open_pool_are_taken() -> None:
    judge = {"judge": spec(num_gpus=4)}
    check_placement("m", spec(num_gpus=4), judge, GPU_NODES)
    with pytest.raises(UserError, match="has 8, of which «judge» holds 4"):
        check_placement("m", spec(num_gpus=4, replicas=2), judge, GPU_NODES)


def test_replicas_left_open_fill_the_gpus() -> None:
    assert settle_replicas(spec(num_gpus=1, replicas=0), {}, GPU_NODES).replicas == 8
    assert settle_replicas(spec(num_gpus=3, replicas=0), {}, GPU_NODES).replicas == 2  # one a node
    assert settle_replicas(spec(num_gpus=2, replicas=3), {}, GPU_NODES).replicas == 3


def test_replicas_left_open_leave_open_pools_their_gpus() -> None:
    judge = {"judge": spec(num_gpus=2, replicas=2)}
    assert settle_replicas(spec(num_gpus=1, replicas=0), judge, GPU_NODES).replicas == 4


def test_replicas_left_open_without_a_gpu_are_refused_as_one_is() -> None:
    assert settle_replicas(spec(num_gpus=1, replicas=0), {}, LAPTOP).replicas == 1
    assert settle_replicas(spec(replicas=0), {}, LAPTOP).replicas == 1


def test_pools_share_cpus_where_they_do_not_fit_side_by_side() -> None:
    assert check_placement("judge", spec(num_cpus=1), {"m": spec(num_cpus=2)}, LAPTOP) == 0


def test_a_cluster_without_nodes_is_refused() -> None:
    with pytest.raises(UserError, match="no node that is alive"):
        check_placement("m", spec(), {}, [])
