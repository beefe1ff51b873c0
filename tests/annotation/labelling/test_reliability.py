"""Agreement of simulated annotators is what their known error rates imply, and a spammer shows."""

import random
from collections import Counter

import numpy as np
import pytest
from simulate_annotators import erring

from mouse.annotation.labelling.assignment import assign
from mouse.annotation.labelling.reliability import reliability, votes_by_item
from mouse.annotation.labelling.sheet import LABELS, Annotation
from mouse.annotation.votes import majority
from mouse.corpus.items import INTENTS

N = 1_200


def simulate(error: float, spammers: int = 0, constant: bool = False, n: int = N, seed: int = 0):
    """(truth by item, annotations) of 18 annotators, the last ones spammers."""
    chance = random.Random(seed)
    truth = {
        f"i{at}": {
            **{name: chance.random() < 0.4 for name in LABELS[:3]},
            "intent": chance.choice(INTENTS),
            "toxicity": int(chance.random() < 0.45),
        }
        for at in range(n)
    }
    annotations = []
    for item, team in zip(truth, assign(n, 18, 3, seed), strict=True):
        for who in team:
            labels = {}
            for label in LABELS:
                if who >= 18 - spammers:
                    values = {"intent": INTENTS, "toxicity": (0, 1)}.get(label, (False, True))
                    labels[label] = values[0] if constant else chance.choice(values)
                else:
                    labels[label] = erring(truth[item][label], label, error, chance)
            annotations.append(Annotation(item, f"annotator_{who:02d}", labels, ""))
    return truth, annotations


def implied_alpha(shares: list[float], error: float) -> float:
    """α of annotators who err with this rate, evenly to the other values (many units)."""
    others = len(shares) - 1
    seen = [share * (1 - error) + (1 - share) * error / others for share in shares]
    observed = 1 - ((1 - error) ** 2 + error**2 / others)
    return 1 - observed / (1 - sum(share**2 for share in seen))


@pytest.mark.parametrize("error", [0.05, 0.2])
def test_alpha_is_what_the_error_rate_implies(error: float) -> None:
    truth, annotations = simulate(error)
    found = reliability(annotations, resamples=500)
    for label in LABELS:
        counts = Counter(labels[label] for labels in truth.values())
        implied = implied_alpha([count / N for count in counts.values()], error)
        aspect = found.aspects[label]
        assert aspect.value == pytest.approx(implied, abs=0.05)
        assert aspect.lo - 0.02 < implied < aspect.hi + 0.02
        assert aspect.n == N


@pytest.mark.slow
def test_the_interval_covers_the_implied_alpha_about_as_often_as_it_says() -> None:
    covered = trials = 0
    for seed in range(25):
        truth, annotations = simulate(0.15, n=150, seed=seed)
        found = reliability(annotations, resamples=200, seed=seed)
        for label in ("homophonic", "visual", "semantic", "toxicity"):
            share = sum(bool(labels[label]) for labels in truth.values()) / len(truth)
            implied = implied_alpha([share, 1 - share], 0.15)
            covered += found.aspects[label].lo <= implied <= found.aspects[label].hi
            trials += 1
    # 95% asked for; 100 trials leave a binomial spread of about 5 points.
    assert covered / trials >= 0.88


@pytest.mark.parametrize("error", [0.05, 0.2])
def test_majority_votes_err_as_rarely_as_three_voters_imply(error: float) -> None:
    truth, annotations = simulate(error)
    wrong = 0
    for item, given in votes_by_item(annotations).items():
        for label in ("homophonic", "visual", "semantic"):
            wrong += majority([vote.labels[label] for vote in given], 3) != truth[item][label]
    implied = 3 * error**2 * (1 - error) + error**3
    spread = 4 * np.sqrt(implied * (1 - implied) / (3 * N))
    assert wrong / (3 * N) == pytest.approx(implied, abs=spread)


@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("error", [0.05, 0.2])
def test_a_spammer_shows_and_nobody_else(error: float, constant: bool) -> None:
    _, annotations = simulate(error, spammers=2, constant=constant)
    found = reliability(annotations, resamples=500)
    flagged = [a.annotator for a in found.annotators if a.flagged]
    assert flagged == ["annotator_16", "annotator_17"]
    means = [a.mean for a in found.annotators if a.flagged]
    # Chance at random; a constant answer is systematically unlike the others, so under 0.
    assert all(mean < -0.1 if constant else abs(mean) < 0.1 for mean in means)


@pytest.mark.slow
def test_without_a_spammer_nobody_is_flagged() -> None:
    for seed in range(5):
        _, annotations = simulate(0.2, n=300, seed=seed)
        assert not any(a.flagged for a in reliability(annotations, resamples=300).annotators)


def test_an_annotator_among_two_has_the_alpha_of_the_two() -> None:
    _, annotations = simulate(0.1, n=400)
    two = []
    for given in votes_by_item(annotations).values():
        for name, vote in zip(("a", "b"), given[:2], strict=True):
            two.append(Annotation(vote.item_id, name, vote.labels, ""))
    found = reliability(two, resamples=50)
    for annotator in found.annotators:
        for label in LABELS:
            assert annotator.alphas[label] == pytest.approx(found.aspects[label].value)


def test_empty_sheets_are_undefined_and_not_an_error() -> None:
    empty = [Annotation("i", name, dict.fromkeys(LABELS), "") for name in "abc"]
    found = reliability(empty, resamples=10)
    assert {a.status for a in found.aspects.values()} == {"undefined"}
    assert not any(a.flagged for a in found.annotators)
    assert found.as_dict()["annotators"][0]["mean"] is None


def test_an_empty_cell_does_not_count_as_a_rating() -> None:
    _, annotations = simulate(0.1, n=200)
    some = [
        Annotation(a.item_id, a.annotator, {**a.labels, "visual": None}, "") if at % 3 == 0 else a
        for at, a in enumerate(annotations)
    ]
    found = reliability(some, resamples=50)
    assert found.aspects["visual"].n == 200
    assert found.aspects["visual"].value != found.aspects["semantic"].value
