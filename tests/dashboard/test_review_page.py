"""The review in a browser, without its script: each decision is a form."""

import re
from html import unescape

from support.command_line import ITEM
from support.dashboard import Dashboard
from support.review import make_waiting
from support.sandbox import Sandbox

DECIDE = "/dashboard/review/decide"
TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"


def fill(sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", ITEM)


def add(dashboard: Dashboard, agent: str, *contents: str, **fields: object) -> list[str]:
    """Let learnings of an agent wait; return their ids."""
    project = dashboard.sandbox.open_project()
    entries = [{**make_waiting(content), **fields} for content in contents]
    project.store.add_to_review(agent, entries, "2026-11-20T10:00:00.000Z")
    return [entry["id"] for entry in project.store.read_review(agent)][-len(contents) :]


def list_waiting(dashboard: Dashboard, agent: str) -> list[str]:
    project = dashboard.sandbox.open_project()
    return [entry["id"] for entry in project.store.read_review(agent)]


def undo(dashboard: Dashboard, agent: str, page: str) -> tuple[str, str]:
    """Press the button below the message of a page."""
    fields = re.findall(r'name="(change|back)" value="([^"]*)"', page)
    form = {name: unescape(value) for name, value in fields}
    return dashboard.send_form(f"/dashboard/agents/{agent}/undo", **form)


def judge(dashboard: Dashboard, agent: str, item: str, action: str, **form: str) -> tuple[str, str]:
    return dashboard.send_form(DECIDE, item=item, action=action, agent=agent, **form)


def find_current(page: str) -> str:
    """Return the id of the learning that a page shows."""
    found = re.search(r'name="item" value="(\w+)"', page)
    return found[1] if found else ""


def test_a_learning_is_shown_with_all_that_a_decision_needs(dashboard: Dashboard) -> None:
    dashboard.sandbox.write_memory("seer", "The worker retries three times")
    fields = {"reason": "contradicts an item", "reading": ["WebFetch a.org"], "origin": "tainted"}
    fields |= {"run": "a77", "nested": "  - Because: <b>it</b> fails"}
    add(dashboard, "seer", "The worker retries five times", **fields)
    page = dashboard.get("/dashboard/review", agent="seer").body
    text = unescape(re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", page)))
    for part in (
        "seer 1 of 1", "pattern The worker retries five times", "- Because: <b>it</b> fails",
        "contradicts an item", "WebFetch a.org", "tainted", "2026-11-20 10:00:00 UTC", "a77",
        "Goes to Coding Patterns Learned", "Similar, and stays",
        "- The worker retries three times", "+ The worker retries five times",
    ):  # fmt: skip
        assert part in text, part
    assert "j ↓ next, k ↑ previous, a accept, e edit" in text


def test_accept_reject_and_undo(dashboard: Dashboard) -> None:
    first, second, third = add(dashboard, "qa", "First to add", "Second to drop", "Third waits")
    message, page = judge(dashboard, "qa", first, "accept")
    assert message.startswith("Accepted: qa: ")
    assert "First to add" in dashboard.sandbox.read_memory("qa")
    assert find_current(page) == second  # the next one
    message, page = judge(dashboard, "qa", second, "reject")
    assert (message, find_current(page)) == ("Rejected: qa: Second to drop", third)
    assert "Second to drop" not in dashboard.sandbox.read_memory("qa")
    assert list_waiting(dashboard, "qa") == [third]
    message, page = undo(dashboard, "qa", page)
    assert message.startswith("Undone: change ")
    assert find_current(page) == second
    assert {*list_waiting(dashboard, "qa")} == {second, third}


def test_a_rule_reported_as_wrong_has_other_words(dashboard: Dashboard) -> None:
    reason = "reported as wrong: it moved; agents still receive it"
    (rule,) = add(dashboard, "rules", ITEM, reason=reason)
    (learning,) = add(dashboard, "rules", "A learning", reason="learning: ask")
    for key, (keep, remove) in {
        rule: ("Keep the rule", "Remove the rule"),
        learning: ("Accept", "Reject"),
    }.items():
        page = dashboard.get("/dashboard/review", agent="rules", item=key).body
        assert f'data-key="a">{keep}</button>' in page
        assert f'data-key="r">{remove}</button>' in page
        assert f"<kbd>r</kbd> {remove.lower()}," in page
        assert ("goes to the archive" in page) == (key == rule)
    assert judge(dashboard, "rules", rule, "reject")[0] == f"Archived: rules: {ITEM}"


def test_edit_and_move(dashboard: Dashboard) -> None:
    edited, moved = add(dashboard, "ops", "Text to change", "Text to move")
    again, page = judge(dashboard, "ops", edited, "edit", text="Text to change")
    assert (again, find_current(page)) == ("The text is unchanged.", edited)
    text = "Text that was changed\r\nand a second line"
    assert "Text that was changed" in judge(dashboard, "ops", edited, "edit", text=text)[0]
    assert "  - and a second line" in dashboard.sandbox.read_memory("ops")
    message, page = judge(dashboard, "ops", moved, "move", target="engineer")
    assert message.startswith("Accepted: engineer: ")
    assert "Text to move" in dashboard.sandbox.read_memory("engineer")
    undo(dashboard, "ops", page)
    assert "Text to move" not in dashboard.sandbox.read_memory("engineer")
    assert list_waiting(dashboard, "ops") == [moved]
    outside = {"change": "nothing", "back": "https://example.org/dashboard/"}
    answer = dashboard.post("/dashboard/agents/ops/undo", **outside)
    assert answer.headers["location"].startswith("/dashboard/agents/ops/history?")


REFUSED = [
    ({"action": "move", "target": "enginer"}, "did you mean engineer?"),
    ({"action": "move", "target": ""}, "invalid agent name"),
    ({"action": "edit", "text": " "}, "the text is empty"),
    ({"action": "edit", "text": f"A long text with {TOKEN}"}, "secret"),
]


def test_a_decision_that_cannot_be_made_says_why(dashboard: Dashboard) -> None:
    (key,) = add(dashboard, "stuck", "It stays where it is")
    for form, message in REFUSED:
        said, page = dashboard.send_form(DECIDE, item=key, agent="stuck", **form)
        assert message in said
        assert find_current(page) == key
    assert "A long text with" in page, "a text that is refused comes back"
    with dashboard.sandbox.open_project().store.lock("stuck"):
        assert "is locked by another process" in judge(dashboard, "stuck", key, "accept")[0]
    assert key in list_waiting(dashboard, "stuck")


def test_what_somebody_else_decided_is_reported(dashboard: Dashboard) -> None:
    first, second = add(dashboard, "both", "Decided elsewhere", "Still here")
    judge(dashboard, "both", first, "reject")
    message, page = judge(dashboard, "both", first, "accept")
    assert message == f"{first} does not wait any more: somebody has decided on it."
    assert find_current(page) == second
    assert "does not wait any more" in dashboard.get("/dashboard/review", item=first).body


def test_the_text_without_its_secret_is_accepted(dashboard: Dashboard) -> None:
    (key,) = add(dashboard, "safe", f"Log in with {TOKEN}", reason="a secret was removed from it")
    page = dashboard.get("/dashboard/review", agent="safe").body
    assert TOKEN not in page
    assert "Accept saves the text as it is here, without the secret." in page
    judge(dashboard, "safe", key, "accept")
    assert "Log in with [redacted: github-token]" in dashboard.sandbox.read_memory("safe")


def test_long_lists_are_divided_and_the_filter_stays(dashboard: Dashboard) -> None:
    keys = add(dashboard, "many", *(f"Learning number {at} of many" for at in range(60)))
    page = dashboard.get("/dashboard/review", agent="many").body
    assert "1 of 60" in page
    assert "Learning number 49 of" in page
    assert "Learning number 50 of" not in page
    later = dashboard.get("/dashboard/review", agent="many", item=keys[55]).body
    assert "56 of 60" in later
    assert "Learning number 50 of" in later
    both = {"agent": "many", "q": "number 17"}
    assert "1 of 1" in dashboard.get("/dashboard/review", **both).body
    message, page = judge(dashboard, "many", keys[17], "reject", q="number 17")
    assert message == "Rejected: many: Learning number 17 of many"
    assert "No learning waits with these words" in page
