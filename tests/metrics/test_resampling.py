"""The bootstrap through counts is the bootstrap over clusters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mouse.metrics.resampling import (
    ClusterKinds,
    cluster_kinds,
    draw_multiplicities,
    percentile_interval,
    resample_counts,
)


def test_singletons_are_grouped_by_cell():
    kinds = cluster_kinds(np.array([3, 1, 3, 3]), np.array([0, 1, 2, 3]), 5)
    assert kinds.multiplicity.tolist() == [1, 3]
    assert kinds.counts.tolist() == [[0, 1, 0, 0, 0], [0, 0, 0, 1, 0]]


@given(
    rows=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), min_size=1, max_size=40),
    seed=st.integers(0, 99),
)
def test_kinds_keep_the_sample_and_forget_order_and_names(rows, seed):
    cells = np.array([cell for cell, _ in rows])
    cluster = np.array([name for _, name in rows])
    kinds = cluster_kinds(cells, cluster, 5)
    assert kinds.total.tolist() == np.bincount(cells, minlength=5).tolist()
    assert kinds.n_clusters == len(set(cluster.tolist()))
    order = np.random.default_rng(seed).permutation(len(rows))
    renamed = cluster_kinds(cells[order], 100 - cluster[order], 5)
    assert np.array_equal(kinds.counts, renamed.counts)
    assert np.array_equal(kinds.multiplicity, renamed.multiplicity)


@pytest.mark.parametrize("multiplicity", [[500, 300, 200], [3, 2, 1]])
def test_draws_add_up_and_have_the_multinomial_moments(multiplicity):
    """The first goes by multinomial draws, the second by index draws."""
    kinds = ClusterKinds(np.eye(3), np.array(multiplicity))
    drawn = draw_multiplicities(kinds, 20_000, np.random.default_rng(1))
    n = kinds.n_clusters
    share = np.array(multiplicity) / n
    assert (drawn.sum(1) == n).all()
    covariance = n * (np.diag(share) - np.outer(share, share))
    error = np.sqrt(n * share * (1 - share) / 20_000)
    assert np.all(np.abs(drawn.mean(0) - n * share) < 5 * error)
    assert np.cov(drawn.T) == pytest.approx(covariance, rel=0.1, abs=0.05 * n / 3)


def test_one_seed_one_result():
    kinds = cluster_kinds(np.array([0, 1, 1, 2]), np.array([0, 0, 1, 2]), 3)
    first, second, other = (
        resample_counts(kinds, 50, np.random.default_rng(seed)) for seed in (4, 4, 5)
    )
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_rows_of_one_cluster_are_drawn_together():
    cells = np.repeat([0, 1], 20)
    cluster = np.arange(40) // 4
    kinds = cluster_kinds(cells, cluster, 2)
    counts = resample_counts(kinds, 500, np.random.default_rng(0))
    assert (counts % 4 == 0).all()
    alone = cluster_kinds(cells, np.arange(40), 2)
    spread_alone = resample_counts(alone, 500, np.random.default_rng(0))[:, 0].std()
    assert counts[:, 0].std() == pytest.approx(2 * spread_alone, rel=0.15)


def test_undefined_replicates_are_left_out_of_the_interval():
    low, high = percentile_interval(np.array([np.nan, *np.linspace(0, 1, 101)]), 0.9)
    assert (low, high) == pytest.approx((0.05, 0.95))
    assert np.isnan(percentile_interval(np.array([np.nan]))).all()
    with pytest.raises(ValueError, match="confidence"):
        percentile_interval(np.array([1.0]), 95)
