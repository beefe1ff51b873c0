"""Importing again logs nothing anew, and takes back what cannot be told any more."""

from __future__ import annotations

import math

from mouse.annotation.translations.record import OWNED
from mouse.tracking.amend import changes


def test_only_what_differs_is_logged():
    before = {"judge/human_qwk": 0.5, "judge/human_n": 10.0, "td/acc": 0.7}
    after = {"judge/human_qwk": 0.5, "judge/human_n": 12.0, "judge/human_alpha": 0.8}
    assert changes(before, after, OWNED) == {"judge/human_n": 12.0, "judge/human_alpha": 0.8}


def test_a_gone_rater_and_an_undefined_value_become_nan_once():
    before = {"judge/rater_3_qwk": 0.4, "judge/human_qwk": 0.5, "judge/qwk": 0.6}
    after = {"judge/human_qwk": math.nan, "judge/human_alpha": math.nan}
    logged = changes(before, after, OWNED)
    assert set(logged) == {"judge/rater_3_qwk", "judge/human_qwk"}
    assert all(math.isnan(value) for value in logged.values())
    assert changes({**before, **logged}, after, OWNED) == {}
