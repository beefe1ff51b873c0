"""The sample data keep what their card promises: format, derivations, balance, counts."""

import json
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import sample_counts
from support_derivations import contradictions

from mouse.corpus.construction.choice_checks import check_choices
from mouse.corpus.items import COMPONENTS, INTENTS
from mouse.corpus.labels import COMPONENT_OF, OPEN_MECHANISMS
from mouse.corpus.load import load
from mouse.corpus.near_duplicates import near_duplicates

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "data" / "sample"
FILES = ("cxei", "ms", "cc", "ratings", "dev/cxei", "dev/ms", "dev/cc")

Row = dict[str, Any]


def read(name: str) -> list[Row]:
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


CXEIS, MS, CC, RATINGS, DEV, DEV_MS, DEV_CC = (read(name) for name in FILES)
BY_ID = {item["id"]: item for item in CXEIS + DEV}


def undo(item: Row) -> str:
    """The original with its surfaces replaced by their targets, from left to right."""
    text, cursor, done = item["original_text"], 0, ""
    for step in item["derivation"]:
        at = text.find(step["surface"], cursor)
        assert at >= 0, f"{item['id']}: {step['surface']} does not stand after position {cursor}"
        done += text[cursor:at] + step["target"]
        cursor = at + len(step["surface"])
    return done + text[cursor:]


def shared_of_ties(items: list[Row], pick: Any) -> float:
    """Accuracy of choosing by option length alone; a tie among k gives 1/k."""
    total = 0.0
    for item in items:
        lengths = [len(option) for option in item["options"]]
        best = [at for at, length in enumerate(lengths) if length == pick(lengths)]
        total += ("ABCD".index(item["answer"]) in best) / len(best)
    return total / len(items)


# --- format


CXEI_FIELDS = (
    "id original_text reference components intent toxicity source revision open_case derivation"
)
CHOICE_FIELDS = "id task context text options answer cxei_id"


@pytest.mark.parametrize(
    ("rows", "prefix", "fields"),
    [
        (CXEIS, "s", CXEI_FIELDS),
        (MS, "ms", CHOICE_FIELDS),
        (CC, "cc", CHOICE_FIELDS),
        (RATINGS, "r", "id cxei_id output rating rater"),
        (DEV, "d", CXEI_FIELDS),
        (DEV_MS, "dms", CHOICE_FIELDS),
        (DEV_CC, "dcc", CHOICE_FIELDS),
    ],
)
def test_rows_have_the_same_fields_and_numbered_ids(
    rows: list[Row], prefix: str, fields: str
) -> None:
    assert [row["id"] for row in rows] == [f"{prefix}{n:03d}" for n in range(1, len(rows) + 1)]
    assert {tuple(row) for row in rows} == {tuple(fields.split())}


@pytest.mark.parametrize("name", FILES)
def test_files_are_utf8_without_bom_stray_spaces_or_control_characters(name: str) -> None:
    raw = (FOLDER / f"{name}.jsonl").read_bytes()
    assert not raw.startswith(b"\xef\xbb\xbf") and b"\r" not in raw and raw.endswith(b"}\n")

    def texts(value: object) -> list[str]:
        if isinstance(value, str):
            return [value]
        if isinstance(value, list):
            return [text for part in value for text in texts(part)]
        return texts(list(value.values())) if isinstance(value, dict) else []

    for row in read(name):
        for text in texts(row):
            assert text == text.strip(), row["id"]
            odd = [c for c in text if unicodedata.category(c) in ("Cc", "Cs", "Co") and c != "\n"]
            assert not odd, row["id"]


def test_the_loader_takes_the_sample_whole_and_without_the_dev_split() -> None:
    sample = load("sample")
    assert [item.id for item in sample.cxeis] == [item["id"] for item in CXEIS]
    assert {item.original_text for item in sample.cxeis} == {i["original_text"] for i in CXEIS}
    tasks = Counter(item.task for item in sample.choices)
    assert tasks == {"ms": len(MS), "cc": len(CC)}
    by_id = {item.id: item for item in sample.choices}
    for row in MS + CC:
        assert list(by_id[row["id"]].options) == row["options"]
        assert by_id[row["id"]].answer == row["answer"]
    for item in sample.cxeis:
        steps = BY_ID[item.id]["derivation"]
        assert [step.surface for step in item.derivation] == [step["surface"] for step in steps]
        assert [list(step.chain) for step in item.derivation] == [step["chain"] for step in steps]


def test_the_loader_takes_the_dev_split_by_itself() -> None:
    dev = load("sample", path=FOLDER / "dev")
    assert [item.id for item in dev.cxeis] == [item["id"] for item in DEV]
    assert Counter(item.task for item in dev.choices) == {"ms": len(DEV_MS), "cc": len(DEV_CC)}


# --- expressions


def test_expressions_are_enough_and_differ_from_each_other_and_their_references() -> None:
    assert len(CXEIS) >= 240
    assert len({item["original_text"] for item in CXEIS}) == len(CXEIS)
    assert len({item["reference"] for item in CXEIS}) == len(CXEIS)
    assert all(item["original_text"] != item["reference"] for item in CXEIS)


def test_lengths_run_from_four_to_sixty_characters() -> None:
    lengths = [len(item["original_text"]) for item in CXEIS]
    assert 4 <= min(lengths) <= 6 and 50 <= max(lengths) <= 60
    assert len(set(lengths)) >= 25


@pytest.mark.parametrize("item", CXEIS + DEV, ids=lambda item: item["id"])
def test_undoing_the_derivation_gives_the_reference(item: Row) -> None:
    assert item["derivation"]
    assert undo(item) == item["reference"]


def test_components_are_those_of_the_mechanisms_of_the_derivation() -> None:
    for item in CXEIS + DEV:
        used = {COMPONENT_OF[step["mechanism"]] for step in item["derivation"]}
        assert item["components"] == {name: name in used for name in COMPONENTS}, item["id"]
        for step in item["derivation"]:
            assert tuple(step) == ("surface", "chain", "target", "mechanism"), item["id"]
            assert step["surface"] and step["target"]
            assert step["surface"] != step["target"]


@pytest.mark.parametrize("folder", ["", "dev"])
def test_no_step_contradicts_its_mechanism(folder: str) -> None:
    found = {item.id: contradictions(item) for item in load("sample", path=FOLDER / folder).cxeis}
    assert {name: problems for name, problems in found.items() if problems} == {}


def test_open_cases_are_the_rows_with_a_mechanism_on_which_the_paper_is_silent() -> None:
    for item in CXEIS + DEV:
        mechanisms = {step["mechanism"] for step in item["derivation"]}
        assert item["open_case"] is not OPEN_MECHANISMS.isdisjoint(mechanisms), item["id"]


def test_one_surface_read_alike_has_the_same_mechanism_and_chain_everywhere() -> None:
    seen: dict[tuple[str, str], tuple[tuple[str, list[str]], str]] = {}
    for item in CXEIS + DEV:
        for step in item["derivation"]:
            key = (step["surface"], step["target"])
            how = (step["mechanism"], step["chain"])
            known, first = seen.setdefault(key, (how, item["id"]))
            assert how == known, f"{key}: {first} and {item['id']} disagree"


def test_every_combination_of_components_has_at_least_twelve_items() -> None:
    combinations = Counter(tuple(item["components"].values()) for item in CXEIS)
    assert len(combinations) == 7
    assert min(combinations.values()) >= 12


def test_all_intents_are_there_and_the_commonest_is_about_a_quarter() -> None:
    intents = Counter(item["intent"] for item in CXEIS)
    assert set(intents) == set(INTENTS)
    assert min(intents.values()) >= 12
    name, most = intents.most_common(1)[0]
    assert name in ("Comment", "General Statement")
    assert 0.2 <= most / len(CXEIS) <= 0.3


def test_about_45_percent_are_toxic_and_no_single_label_gives_it_away() -> None:
    assert {item["toxicity"] for item in CXEIS} == {0, 1}
    assert 0.40 <= sum(item["toxicity"] for item in CXEIS) / len(CXEIS) <= 0.50
    for name in COMPONENTS:
        having = [item["toxicity"] for item in CXEIS if item["components"][name]]
        assert 0.3 <= sum(having) / len(having) <= 0.6, name
    for intent in INTENTS:
        assert len({item["toxicity"] for item in CXEIS if item["intent"] == intent}) == 2, intent


@pytest.mark.parametrize(
    ("device", "pattern", "least"),
    [
        ("emoji", r"[\U0001F300-\U0001FAFF]", 100),
        ("variation selector", "\ufe0f", 8),
        ("zero-width joiner", "\u200d", 5),
        ("circled digit", "[①-⑳]", 10),
        ("digits and Latin letters", r"^[0-9A-Za-z]{2,}$", 30),
        ("full-width Latin", r"[Ａ-Ｚａ-ｚ]", 3),
        ("turned Latin", r"[ɐǝɥɟɯʇʎ]", 3),
        ("split character", r"[氵亻扌犭彳亍戋]|弓虽|口区|石更|木目心|走召", 8),
        ("radical form", r"[\u2e80-\u2fdf]", 2),
        ("dialect spelling", r"泥萌|肿么|粗来|灰机|木有|酱紫|蓝瘦|森么|童鞋|偶", 8),
        ("meme", r"破防|寄|典|孝|急|乐|润|绷不住|蚌埠住", 8),
    ],
)
def test_the_range_of_the_genre_is_there(device: str, pattern: str, least: int) -> None:
    surfaces = [step["surface"] for item in CXEIS for step in item["derivation"]]
    found = [surface for surface in surfaces if re.search(pattern, surface)]
    assert len(found) >= least, f"{device}: {found}"


def test_references_are_standard_chinese_without_emoji_or_odd_letters() -> None:
    odd = re.compile("[^\u4e00-\u9fff，。、！？：；…“”《》（）]")
    found = {item["id"]: odd.findall(item["reference"]) for item in CXEIS + DEV}
    assert found == {item["id"]: [] for item in CXEIS + DEV}


# --- choice items


@pytest.mark.parametrize(("task", "items"), [("ms", MS), ("cc", CC)])
def test_choice_items_are_even_in_answers_and_fair_in_lengths(task: str, items: list[Row]) -> None:
    assert len(items) == 100
    letters = Counter(item["answer"] for item in items)
    assert set(letters) == set("ABCD") and max(letters.values()) - min(letters.values()) <= 1
    assert len({(item["context"], item["text"]) for item in items}) == len(items)
    for item in items:
        assert item["task"] == task
        assert len(item["options"]) == len(set(item["options"])) == 4
        lengths = [len(option) for option in item["options"]]
        assert max(lengths) <= 2 * min(lengths) + 2, item["id"]
    assert 0.17 <= shared_of_ties(items, max) <= 0.33
    assert 0.17 <= shared_of_ties(items, min) <= 0.33


@pytest.mark.parametrize("items", [MS, CC], ids=["ms", "cc"])
def test_characters_shared_with_the_question_do_not_give_the_answer_away(items: list[Row]) -> None:
    right = 0.0
    for item in items:
        asked = set(item["context"] + item["text"])
        shared = [len(set(option) & asked) for option in item["options"]]
        best = [at for at, count in enumerate(shared) if count == max(shared)]
        right += ("ABCD".index(item["answer"]) in best) / len(best)
    assert right / len(items) <= 0.35


def test_no_cue_of_the_options_gives_the_answers_away() -> None:
    for task in check_choices(load("sample"), permutations=500):
        assert task.findings == (), task.task
        assert task.options_only.accuracy <= 0.32, task.task


@pytest.mark.parametrize(("rows", "items"), [(CXEIS, MS), (DEV, DEV_MS)], ids=["ms", "dev/ms"])
def test_meaning_items_ask_about_an_expression_of_their_split(
    rows: list[Row], items: list[Row]
) -> None:
    texts = {row["id"]: row["original_text"] for row in rows}
    for item in items:
        assert item["context"] == ""
        assert item["text"] == texts[item["cxei_id"]], item["id"]
        assert BY_ID[item["cxei_id"]]["reference"] not in item["options"]


def test_cloze_items_have_a_dialogue_and_one_blank() -> None:
    for item in CC + DEV_CC:
        assert item["text"].count("____") == 1, item["id"]
        turns = [*item["context"].split("\n"), item["text"]]
        assert len(turns) >= 3
        assert all(re.match("[甲乙丙]：", turn) for turn in turns), item["id"]
        assert not any(option in item["context"] for option in item["options"]), item["id"]
        assert item["cxei_id"] == "" or item["cxei_id"] in BY_ID


def test_cloze_options_are_whole_expressions_with_substitutions() -> None:
    options = {option for item in CC + DEV_CC for option in item["options"]}
    assert min(len(option) for option in options) >= 4
    assert sum(len(option) >= 6 for option in options) >= 2 / 3 * len(options)
    disguise = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf⓪-⓿0-9A-Za-z]")
    spelling = re.compile(
        "偶|窝|泥|爪巴|弓虽|口区|月巴|木[有得背还能]|尊嘟|泰裤辣|肿么|蓝瘦|惹|辽|粗"
    )
    plain = [o for o in options if not disguise.search(o) and not spelling.search(o)]
    assert plain == []


def test_each_cloze_expression_is_right_as_often_as_an_option_drawn_at_random() -> None:
    """Right once and wrong three times, so that no liking for an expression can score."""
    for items in (CC, DEV_CC):
        shown = Counter(option for item in items for option in item["options"])
        right = Counter(item["options"]["ABCD".index(item["answer"])] for item in items)
        assert set(shown.values()) == {4} and set(right.values()) == {1}
        assert set(right) == set(shown)


# --- the dev split


def test_the_dev_split_has_every_intent_toxicity_and_combination_of_components() -> None:
    assert Counter(item["intent"] for item in DEV) == dict.fromkeys(INTENTS, 4)
    assert 14 <= sum(item["toxicity"] for item in DEV) <= 16
    for intent in INTENTS:
        assert len({item["toxicity"] for item in DEV if item["intent"] == intent}) == 2, intent
    assert len({tuple(item["components"].values()) for item in DEV}) == 7


@pytest.mark.parametrize("items", [DEV_MS, DEV_CC], ids=["ms", "cc"])
def test_dev_choice_items_are_even_in_answers(items: list[Row]) -> None:
    assert len(items) == 12
    assert Counter(item["answer"] for item in items) == dict.fromkeys("ABCD", 3)
    for item in items:
        assert len(item["options"]) == len(set(item["options"])) == 4


def test_the_dev_split_shares_nothing_with_what_is_scored() -> None:
    for field in ("original_text", "reference"):
        texts = [item[field] for item in CXEIS + DEV]
        splits = ["scored"] * len(CXEIS) + ["dev"] * len(DEV)
        assert len(set(texts)) == len(texts)
        assert near_duplicates(texts, splits, threshold=0.81) == []
    for scored, dev in ((MS, DEV_MS), (CC, DEV_CC)):
        for field in ("text",) if scored is MS else ("context",):
            assert not {item[field] for item in scored} & {item[field] for item in dev}
        assert not {o for i in scored for o in i["options"]} & {
            o for i in dev for o in i["options"]
        }


# --- ratings


def test_ratings_are_150_pairs_about_a_third_each() -> None:
    assert len(RATINGS) == 150
    counts = Counter(row["rating"] for row in RATINGS)
    assert set(counts) == {0, 1, 2} and min(counts.values()) >= 45
    assert {row["rater"] for row in RATINGS} == {"maintainers"}
    assert len({(row["cxei_id"], row["output"]) for row in RATINGS}) == 150
    assert len({row["cxei_id"] for row in RATINGS}) >= 60


def test_ratings_hold_copies_refusals_and_paraphrases_that_do_not_match_by_string() -> None:
    copies = [r for r in RATINGS if r["output"] == BY_ID[r["cxei_id"]]["original_text"]]
    assert len(copies) >= 3 and {row["rating"] for row in copies} == {0}
    refusals = [r for r in RATINGS if re.search("抱歉|无法|不能提供|恕难", r["output"])]
    assert len(refusals) >= 3 and {row["rating"] for row in refusals} == {0}
    right = [row for row in RATINGS if row["rating"] == 2]
    assert all(row["output"] != BY_ID[row["cxei_id"]]["reference"] for row in right)
    reworded = [
        row
        for row in right
        if not any(step["target"] in row["output"] for step in BY_ID[row["cxei_id"]]["derivation"])
    ]
    assert len(reworded) >= 10


# --- the data card


def card_rows() -> dict[str, list[int]]:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| ([^|]+?) \|((?: \d+ \|)+)$", text, flags=re.MULTILINE)
    return {label: [int(n) for n in re.findall(r"\d+", numbers)] for label, numbers in found}


def test_the_card_gives_the_true_counts() -> None:
    card = card_rows()
    splits = (CXEIS, MS, CC, RATINGS, DEV, DEV_MS, DEV_CC)
    for name, rows in zip(FILES, splits, strict=True):
        assert card[f"`{name}.jsonl`"] == [len(rows)]
    for intent in INTENTS:
        labels = [item["toxicity"] for item in CXEIS if item["intent"] == intent]
        assert card[intent] == [len(labels), sum(labels)]
    toxic = sum(item["toxicity"] for item in CXEIS)
    assert card["1 (toxic)"] == [toxic] and card["0 (not toxic)"] == [len(CXEIS) - toxic]
    mechanisms = Counter(step["mechanism"] for item in CXEIS for step in item["derivation"])
    for mechanism, count in mechanisms.items():
        assert card[f"`{mechanism}`"] == [count]
    assert card["rows with an open case"] == [sum(item["open_case"] for item in CXEIS)]
    combinations = Counter(
        " + ".join(name for name in COMPONENTS if item["components"][name]) for item in CXEIS
    )
    for label, count in combinations.items():
        if " + " in label:
            assert card[label] == [count]


def test_the_card_holds_what_its_script_writes_today() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    inside = text.split(sample_counts.BEGIN)[1].split(sample_counts.END)[0]
    assert inside.strip() == sample_counts.counts_block().strip()


def test_the_card_says_what_the_sample_is_not() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    for said in (
        "not the published benchmark",
        "1,099",
        "Apache-2.0",
        "Content note",
        "Written for mouse",
    ):
        assert said in text
