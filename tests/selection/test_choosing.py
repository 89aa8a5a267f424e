"""Which items an agent receives for a task, and how many."""

import marshal
from typing import Any

import pytest
from hypothesis import given, strategies as st

from memory_core.curation import agent_context
from memory_core.selection import choosing
from memory_core.selection.choosing import Choice
from memory_core.selection.indexing import index_passages
from memory_core.selection.passages import Passage, PassageIndex, estimate_tokens
from memory_core.selection.scoring import Scores
from support.tables import for_each

BUDGET = 1000

PARTS = ("refund", "invoice", "ledger", "gateway", "webhook")
FACTS = (
    "keeps amounts of payments as cents",
    "retries payments with one message id",
    "writes payments to the audit trail",
    "rounds payments half to even",
    "waits ten seconds for the bank",
)
PAYMENTS = [
    f"The {part} {number} {fact}" for number in range(3) for part in PARTS for fact in FACTS
]


def make(texts: list[str], **facts: dict[str, Any]) -> list[Passage]:
    """Return the passages of items; `facts` are by the first word of an item."""
    return [
        Passage("Work", f"- {text}", text, **{"id": text, **facts.get(text.split()[0], {})})
        for text in texts
    ]


def choose(passages: list[Passage], task: str, budget: int = BUDGET) -> list[str]:
    choices = choosing.select(index_passages(passages), task, budget)
    return [choice.passage.item for choice in choices if choice.is_chosen]


def find(choices: list[Choice], text: str) -> Choice:
    return next(choice for choice in choices if choice.passage.item.startswith(text))


def test_a_task_about_something_else_receives_nothing() -> None:
    assert len(PAYMENTS) == 75
    assert choose(make(PAYMENTS), "fix the typo in the README heading") == []


# A task, and the item of these that comes first.
ITEMS = ["Payments are retried with one message id"]
ITEMS += ["Run the unit tests with `make unit`, which needs Docker"]
ITEMS += ["src/ledger/rounding.py rounds half to even"]
ITEMS += ["settings.RETRY_LIMIT is read once at the start"]
ITEMS += ["The nightly import locks the table orders", "Feature flags live in flags.yml"]
ITEMS += ["Logs of the worker are in /var/log/shop"]
BEST = {
    "why is a payment retried twice?": 0,
    "how do I run unit tests?": 1,
    "change rounding in src/ledger/rounding.py": 2,
    "rounding.py is wrong": 2,
    "raise RETRY_LIMIT": 3,
    "raise the retry limit": 3,
    "settings.RETRY_LIMIT": 3,
    "imports at night are slow": 4,
    "add a feature flag": 5,
    "where are the worker's logs": 6,
    "The nightly import fails\n```\nPayments retried\n```": 4,
}


@pytest.mark.parametrize("task", BEST)
def test_the_item_that_the_task_is_about_comes_first(task: str) -> None:
    assert choose(make(ITEMS), task)[0] == ITEMS[BEST[task]]


def test_a_task_without_strong_evidence_receives_at_most_400_tokens() -> None:
    passages = make([f"{text} of shop {at}" for at, text in enumerate(PAYMENTS)])
    task = "The colours of payments of the shop look odd in print, on maps and on phones"
    choices = choosing.select(index_passages(passages), task, BUDGET)
    spent = sum(choice.tokens for choice in choices if choice.is_chosen)
    assert not Scores(index_passages(passages), task).is_strong
    assert choosing.FEW_TOKENS * 0.9 < spent <= choosing.FEW_TOKENS


def test_strong_evidence_brings_more() -> None:
    task = "retry payments with one message id as cents, and round them half to even"
    choices = choosing.select(index_passages(make(PAYMENTS)), task, BUDGET)
    chosen = [choice for choice in choices if choice.is_chosen]
    assert choosing.FEW_TOKENS < sum(choice.tokens for choice in chosen) <= BUDGET
    assert {choice.reason for choice in chosen} == {choosing.FITS, choosing.STRONG}
    assert min(choice.total for choice in chosen) >= choosing.FEW_SHARE * chosen[0].total


def test_five_items_of_one_run_do_not_push_out_the_item_of_another_run() -> None:
    abouts, facts = {"r1": "slow worker", "r2": "slow worker"}, {"runs": ("r1",)}
    names = ["Log", "Color", "Size", "Host", "Port"]
    passages = make([f"{name} of the worker" for name in names], **dict.fromkeys(names, facts))
    passages += make(["Queue of nothing"], Queue={"runs": ("r2",)})
    passages += make(["Maps", "Ships", "Cats", "Dogs"])
    choices = choosing.select(index_passages(passages, abouts), "slow worker", BUDGET)
    assert [choice.factor for choice in choices[:6]] == [1, 1, 0.7, 0.7, 0.7, 0.7]
    assert {choices[0].passage.runs, choices[1].passage.runs} == {("r1",), ("r2",)}


def test_an_item_of_several_runs_uses_the_best_never_the_sum() -> None:
    abouts = {"r1": "import nightly", "r2": "import orders", "r3": "import slow"}
    facts = {"One": {"runs": ("r1",)}, "Three": {"runs": ("r1", "r2", "r3")}}
    passages = make(["One fact", "Three facts", "Another thing", "Fourth thing"], **facts)
    scores = Scores(index_passages(passages, abouts), "nightly import of orders is slow")
    one, three = scores.find(0), scores.find(1)
    assert three.subject < 2 * one.subject


def test_an_item_without_a_run_has_no_penalty() -> None:
    texts = ["Retry payments once", "Payments retry once", "Other"]
    passages = make(texts, Retry={"runs": ("r1",)})
    scores = Scores(index_passages(passages, {"r1": "gardens and flowers"}), "payments")
    with_run, without = scores.find(0), scores.find(1)
    assert with_run.total == without.total > 0


def test_an_item_that_was_given_often_and_never_used_sinks() -> None:
    for shown, used, factor in ((20, 0, choosing.UNUSED), (20, 1, 1), (19, 0, 1)):
        passages = make(ITEMS, Payments={"given": shown, "used": used})
        choices = choosing.select(index_passages(passages), "payments", BUDGET)
        assert find(choices, "Payments").factor == factor


def test_pins_are_given_with_every_task_and_may_use_the_whole_budget() -> None:
    pins = [f"Pinned rule number {at} of the project" for at in range(40)]
    passages = [*make(pins, Pinned={"is_wished": True}), *make(ITEMS)]
    for budget, has_room in ((BUDGET, True), (300, False)):
        choices = choosing.select(index_passages(passages), "where are the worker's logs", budget)
        spent = sum(choice.tokens for choice in choices if choice.reason == choosing.WISHED)
        assert has_room or budget * 0.9 < spent <= budget
        assert find(choices, "Logs").is_chosen is has_room
    assert choose(passages, "translate the manual") == choose(passages, "repaint the garden")


def test_without_a_task_the_most_useful_come_first() -> None:
    sections = ["Recent Learnings", "Common Mistakes to Avoid", "Coding Patterns Learned"]
    passages = [Passage(name, f"- {name}", name) for name in sections]
    assert choose(passages, "") == [sections[1], sections[2], sections[0]]


some_words = st.lists(
    st.sampled_from(["pay", "queue", "src/a.py", "RETRY_MAX", "log", "user"]), max_size=6
)
some_facts = st.fixed_dictionaries(
    {
        "id": st.text("0123456789abcdef", min_size=4, max_size=6),
        "confidence": st.floats(0, 1),
        "is_wished": st.booleans(),
        "given": st.integers(0, 30),
        "runs": st.lists(st.sampled_from(["r1", "r2", "r3"]), unique=True).map(tuple),
    }
)
some_passages = st.lists(st.tuples(some_words, some_facts), max_size=30).map(
    lambda rows: [
        Passage("Work", f"- {' '.join(words)} {at}", f"{' '.join(words)} {at}", **facts)
        for at, (words, facts) in enumerate(rows)
    ]
)


@given(some_passages, some_words.map(" ".join), st.integers(0, 300))
def test_the_budget_is_never_exceeded_and_every_passage_has_one_decision(
    passages: list[Passage], task: str, budget: int
) -> None:
    made = index_passages(passages, {"r1": "pay queue", "r2": "log src/a.py", "r3": ""})
    index = PassageIndex(marshal.loads(marshal.dumps({**vars(made), "passages": {}})))
    choices = choosing.select(index, task, budget)
    choices += agent_context.list_others(index, choices)
    same = choosing.select(made, task, budget)
    assert [(one.passage.text, one.total, one.reason) for one in same] == [
        (one.passage.text, one.total, one.reason) for one in choices[: len(same)]
    ]
    assert sum(choice.tokens for choice in choices if choice.is_chosen) <= budget
    assert sorted(choice.passage.index for choice in choices) == list(range(len(passages)))
    assert all(choice.reason for choice in choices)
    flags = [choice.is_chosen for choice in choices]
    assert flags == sorted(flags, reverse=True)
    assert all(estimate_tokens(choice.passage.text) < choice.tokens for choice in choices)


def own(texts: list[str], origin: str = "hand") -> list[Passage]:
    passages = make(texts)
    for passage in passages:
        passage.origin = origin
    return passages


RULES = ["Amounts are integer cents, never floats", "Ask before you add a dependency"]


def test_a_small_memory_is_given_whole_the_best_fit_first() -> None:
    passages, task = make([*RULES, "Refunds need a receipt"]), "refunds lack a receipt"
    index = index_passages(passages)
    (first, *others) = (one for one in choosing.select(index, task, BUDGET, 400) if one.is_chosen)
    assert (first.passage.item, len(others)) == ("Refunds need a receipt", 2)
    for below in (0, index.tokens - 1):
        chosen = [one for one in choosing.select(index, task, BUDGET, below) if one.is_chosen]
        assert [one.passage.item for one in chosen] == ["Refunds need a receipt"]


@pytest.mark.parametrize("origin", ["import", "tainted"])
def test_what_is_from_outside_arrives_only_if_it_fits(origin: str) -> None:
    outside = ["Invoices are printed at noon", "Stock is booked twice"]
    passages = [*make(RULES), *own(outside, origin)]
    choices = choosing.select(index_passages(passages), "why is stock booked twice?", BUDGET, 400)
    assert {one.passage.item for one in choices if one.is_chosen} == {*RULES, outside[1]}
    assert index_passages(passages).tokens == index_passages(make(RULES)).tokens


def test_lines_of_a_person_come_first_up_to_half_of_the_budget() -> None:
    passages = [*make(PAYMENTS), *own(RULES)]
    assert {*RULES} <= {*choose(passages, "fix the typo in the README heading")}
    rules = [f"Rule number {at} of the house: keep the width of column {at}" for at in range(90)]
    for at, passage in enumerate(many := own(rules)):
        passage.born = f"2026-11-{at % 28 + 1:02}"
    index = index_passages([*make(PAYMENTS), *many])
    choices = choosing.select(index, "write column 7 of payments to the audit trail", 600, 400)
    assert 560 < sum(one.tokens for one in choices if one.is_chosen) <= 600
    others = [one for one in choices if one.is_chosen and one.passage.index not in index.own]
    assert 100 < sum(one.tokens for one in others) <= 300, "half of the budget is for others"
    assert find(choices, "Rule number 7 ").is_chosen, "it fits"
    born = {True: set[str](), False: set[str]()}
    for passage in many:
        if passage.item != rules[7]:
            is_chosen = any(one.is_chosen for one in choices if one.passage.item == passage.item)
            born[is_chosen].add(passage.born)
    assert min(born[True]) >= max(born[False]), "the newest"


def test_of_lines_of_one_age_those_further_up_in_the_file_come_first() -> None:
    rules = [f"Rule number {at} of the house: keep the width of column {at}" for at in range(90)]
    index = index_passages(own(rules))
    choices = choosing.select(index, "fix the typo in the README heading", 600, 400)
    chosen = [one.passage.item for one in choices if one.is_chosen]
    assert sorted(chosen) == sorted(rules[: len(chosen)])


def test_a_task_with_very_many_hits_still_finds_by_its_rarest_words() -> None:
    passages = make(["Pay the queue of logs"] * 3000, Pay={"runs": ("r1",)})
    passages[1234] = Passage("Work", "- Pay at night", "Pay at night")
    index = index_passages(passages, {"r1": "pay queue"})
    chosen = choosing.select(index, "pay queue log at night", 200)
    assert chosen[0].passage.text == "- Pay at night"


@for_each(
    "row",
    [
        ("two words", "rounds of payments", True),
        ("one word that many items have", "payments", False),
        ("one word that all projects have", "tests", False),
        ("one rare word", "what is a trigram?", True),
        ("a word that resembles a rare one", "what is a trigramm?", True),
        ("a path", "open src/words.py", True),
    ],
)
def test_items_of_agents_pass_a_gate(row: tuple[str, str, bool]) -> None:
    _why, task, is_given = row
    items = [*PAYMENTS[:20], "Tests compare the trigrams of src/words.py at night"]
    assert bool(choose(make(items), task)) is is_given
