"""Figure 2 takes what import stored; figure 3 of a run is tested in tests/test_annotate.py."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

from mouse.annotation.translations.figures_data import kappa_bar
from mouse.metrics.agreement import undefined, weighted_kappa
from mouse.text.json_text import to_json


def stored(qwk):
    found = {"consensus": {"qwk": asdict(qwk)}, "raters": {"1": {}, "2": {}}, "validated": None}
    return json.loads(to_json(found))


def test_a_bar_is_the_stored_coefficient_with_its_reason():
    qwk = weighted_kappa([0, 1, 2, 2], [0, 1, 2, 1], resamples=50)
    bar = kappa_bar("b", stored(qwk))
    assert (bar.model, bar.value, bar.lo, bar.hi) == ("b", qwk.value, qwk.lo, qwk.hi)
    assert (bar.raters, bar.n, bar.band, bar.validated) == (2, 4, qwk.band, None)
    none = kappa_bar("a", stored(undefined("qwk", 3, 1.0, "why")))
    assert math.isnan(none.value) and none.note == "undefined: why"
