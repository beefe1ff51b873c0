"""Builds `docs/paper-tables.md` and `data/published/intervals.csv` from the published tables.

    python scripts/paper_tables.py [--check]

What the paper's own numbers can claim: the counts behind them, the rankings that its sample sizes
support, what its inversion is worth. `--check` writes nothing and exits 1 where a file is stale.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from published_claims import (
    CLAIM_METRICS,
    ITEMS,
    TOXIC,
    PublishedClaim,
    published_claims,
    published_intervals,
)
from published_counts import binary_tables, integers_behind, score_histograms

from mouse.annotation.review.sheet import QUESTIONS
from mouse.reporting.parts.mcc_link import link_table
from mouse.reporting.published import HUMAN_GROUPS, published_rows
from mouse.reporting.table import Block, Cell, Table, TableColumn, markdown

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "paper-tables.md"
INTERVALS = ROOT / "data" / "published" / "intervals.csv"
QUALITY = ROOT / "data" / "published" / "table5_quality.csv"

INVERSION = ("Qwen3-14B", "Qwen3-32B")
"""The pair whose order turns the paper's rule that larger models do better."""

VERDICTS = ("supported", "depends", "unsupported")


@cache
def claims() -> Mapping[str, Sequence[PublishedClaim]]:
    """Every pair of published models, by metric whose counts are known."""
    rows = {who: row for who, row in published_rows().items() if who not in HUMAN_GROUPS}
    return {metric: published_claims(rows, metric) for metric in CLAIM_METRICS}


def counts() -> Table:
    """The whole numbers behind the published decimals, a row a model."""
    rows = []
    for model, row in published_rows().items():
        if model in HUMAN_GROUPS:
            continue
        numbers = (row["td/acc"], row["td/f1"], row["td/mcc"])
        tables = binary_tables(*numbers, n=ITEMS["td"], positives=TOXIC)
        histograms = score_histograms(row["tr/sem_acc"], row["tr/perfect_rate"], n=ITEMS["tr"])
        cells = [_span([getattr(h, score) for h in histograms]) for score in ("zero", "one", "two")]
        cells.append(Cell(float(len(histograms))))
        cells += [_span([getattr(t, cell) for t in tables]) for cell in ("tp", "fp", "fn", "tn")]
        cells.append(Cell(float(len(tables))))
        for task in ("ms", "cc"):
            right = integers_behind(row[f"{task}/acc"], ITEMS[task])
            cells.append(_span([int(count) for count in right]))
        rows.append((model, cells))
    titles = ("TR 0", "TR 1", "TR 2", "TR fits", "TD tp", "TD fp", "TD fn", "TD tn")
    return Table(
        "published_counts",
        "Counts behind the published numbers",
        [TableColumn(title, digits=0) for title in (*titles, "TD fits", "MS right", "CC right")],
        [Block("", rows)],
        f"Of {ITEMS['tr']} translations, {ITEMS['td']} toxicity labels ({TOXIC} toxic: the only "
        "balance that fits all fourteen models) and 100 items of meaning and cloze each. Fits: how "
        "many sets of counts print as the paper's numbers, with no invalid answers assumed; where "
        "there are several, the range of each count.",
    )


def _span(values: Sequence[int]) -> Cell:
    low, high = min(values), max(values)
    return Cell(float(low)) if low == high else Cell(text=f"{low}–{high}")


def support() -> Table:
    """How many of the published differences hold whatever the models' errors have in common."""
    rows = []
    for metric, found in claims().items():
        tally = Counter(claim.verdict for claim in found)
        near = Counter(claim.verdict for claim in neighbours(metric))
        cells = [Cell(float(len(found))), *(Cell(float(tally[verdict])) for verdict in VERDICTS)]
        cells += [Cell(float(sum(near.values()))), *(Cell(float(near[v])) for v in VERDICTS)]
        rows.append((metric, cells))
    titles = ["pairs", *VERDICTS, "neighbours", *(f"neighbours {verdict}" for verdict in VERDICTS)]
    return Table(
        "published_support",
        "Which of the paper's rankings its sample sizes support",
        [TableColumn(title, digits=0) for title in titles],
        [Block("", rows)],
        "Which items each model got right is not printed, so every coincidence of two models' "
        "answers that the printed numbers allow is tried. Supported: significant (5%, two-sided, "
        "not corrected for the number of pairs) under each of them; unsupported: under none. "
        "Neighbours: models next to each other in the paper's order.",
        row_title="metric",
    )


def neighbours(metric: str) -> list[PublishedClaim]:
    """The pairs that follow one another in the published order of a metric."""
    rows = published_rows()
    order = [who for who in rows if who not in HUMAN_GROUPS and metric in rows[who]]
    order.sort(key=lambda who: -rows[who][metric])
    wanted = [set(pair) for pair in pairwise(order)]
    return [claim for claim in claims()[metric] if {claim.better, claim.worse} in wanted]


def inversion() -> Table:
    """The 14B/32B inversion in every metric whose counts are known."""
    rows = []
    for metric in claims():
        claim = _inversion(metric)
        equal = claim.difference == 0
        cells = [
            Cell(text="equal" if equal else f"{claim.better} over {claim.worse}"),
            Cell(claim.difference),
            Cell(claim.p_least),
            Cell(claim.p_independent),
            Cell(claim.p_most),
            Cell(None if claim.needed_correlation != claim.needed_correlation else
                 claim.needed_correlation),
            Cell(text=claim.verdict, note=claim.test),
        ]  # fmt: skip
        rows.append((metric, cells))
    return Table(
        "published_inversion",
        f"The paper's inversion: {INVERSION[0]} and {INVERSION[1]}",
        [
            TableColumn("order", align="c"),
            TableColumn("difference"),
            TableColumn("least p", is_p_value=True),
            TableColumn("p if independent", is_p_value=True),
            TableColumn("greatest p", is_p_value=True),
            TableColumn("correlation needed", digits=2),
            TableColumn("verdict", align="c"),
        ],
        [Block("", rows)],
        "Least and greatest p over all coincidences that the printed numbers allow; correlation "
        "needed: how alike the two models' items must turn out from which on p ≤ 5%.",
        row_title="metric",
    )


def _inversion(metric: str) -> PublishedClaim:
    (claim,) = (c for c in claims()[metric] if {c.better, c.worse} == set(INVERSION))
    return claim


def note() -> str:
    """One paragraph: which of the paper's rankings hold, and what its inversion is worth."""
    pairs = [claim for found in claims().values() for claim in found]
    near = [claim for metric in claims() for claim in neighbours(metric)]
    holds = sum(claim.verdict == "supported" for claim in pairs)
    near_holds = sum(claim.verdict == "supported" for claim in near)
    first, second = INVERSION
    score = _inversion("tr/sem_acc")
    perfect = _inversion("tr/perfect_rate")
    toxic = _inversion("td/acc")
    tail = (
        "in Perfect Rate the two are equal, so the inversion is one of half points alone"
        if perfect.difference == 0
        else f"in Perfect Rate {perfect.better} leads by {perfect.difference:.3f}"
    )
    return (
        f"What the paper's sample sizes support: of {len(pairs)} differences between two of its "
        f"models in five metrics, {holds} are more than chance whatever the models' errors have in "
        f"common; of the {len(near)} between neighbours in a ranking only {near_holds}. The "
        f"inversion in translation, {score.better} above {score.worse} by {score.difference:.3f} "
        f"Sem.Acc, {_words(score)}: were the two models' answers independent, p would be "
        f"{score.p_independent:.2f}, and only if their items' scores correlate at "
        f"{score.needed_correlation:.2f} or more is it significant; {tail}. In toxicity accuracy "
        f"{toxic.better} leads {first if toxic.better == second else second} by "
        f"{toxic.difference:.3f}, which {_words(toxic)} (p {toxic.p_independent:.3f} if independent "
        f"within each class, {toxic.p_most:.3f} at worst)."
    )


def _words(claim: PublishedClaim) -> str:
    return {
        "supported": "is more than chance under every coincidence",
        "unsupported": "is within chance under every coincidence",
        "depends": "depends on how much their errors coincide",
    }[claim.verdict]


def quality() -> Table:
    """Table 5: the paper's shares of yes; one's own review stands beside them in a report."""
    with QUALITY.open(encoding="utf-8", newline="") as file:
        published = {row["aspect"]: float(row["yes_percent"]) for row in csv.DictReader(file)}
    return Table(
        "table5",
        "Table 5 · data quality",
        [TableColumn("yes, %", digits=0)],
        [Block("", [(q.english, [Cell(published[q.aspect])]) for q in QUESTIONS])],
        "Share of yes among the answers of the paper's four reviewers to six questions about its "
        "data set, in this project's words. A data set of one's own is reviewed with `mouse.dataset "
        "build review-out` and stands beside it in `mouse.report --review FOLDER`.",
        row_title="question",
    )


def intervals_csv() -> str:
    """The intervals of every published number, 95%, as the file that the package reads."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("model", "metric", "lo", "hi", "n", "method", "note"))
    for model, row in published_rows().items():
        for one in published_intervals(row, people=model in HUMAN_GROUPS):
            limits = ("" if end != end else f"{end:.6f}" for end in (one.lo, one.hi))
            writer.writerow((model, one.metric, *limits, one.n, one.method, one.note))
    return out.getvalue()


def page() -> str:
    """The page: one paragraph of what follows, then the tables."""
    models = [row for who, row in published_rows().items() if who not in HUMAN_GROUPS]
    tables = [support(), inversion(), counts(), link_table(models), quality()]
    return "\n".join(
        [
            "# What the paper's own tables can claim",
            "",
            "Made by `python scripts/paper_tables.py` from `data/published/` (tables 3 to 6 as "
            "printed); how the counts are found and what is assumed: "
            "[decisions/published-numbers.md](decisions/published-numbers.md). The same numbers "
            "with intervals stand beside one's own in a report and in `mouse.compare --published`.",
            "",
            note(),
            "",
            *(markdown(table) for table in tables if table is not None),
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; 1 where stale")
    given = parser.parse_args(arguments)
    # The page's own tables need no intervals, so the order does not matter.
    stale = False
    for path, text in ((INTERVALS, intervals_csv()), (PAGE, page())):
        if given.check:
            fresh = path.exists() and path.read_text(encoding="utf-8") == text
            stale |= not fresh
            print(f"{path.relative_to(ROOT)}: {'fresh' if fresh else 'stale'}")
        else:
            path.write_text(text, encoding="utf-8")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
