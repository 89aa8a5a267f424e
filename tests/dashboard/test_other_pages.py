"""Explain, search and tasks: what their commands show, as pages."""

import re

import pytest

from memory_core.curation import agent_context, item_actions
from memory_core.tasks import task_actions
from support.command_line import ITEM
from support.dashboard import Dashboard
from support.sandbox import Sandbox

REFUND = "Refunds are retried by the nightly job"
OLD = "Invoices are sent by the old printer"


def fill(sandbox: Sandbox) -> None:
    sandbox.switch_selection_on()
    sandbox.write_memory("engineer", ITEM, REFUND, OLD)
    sandbox.write_memory("qa", "Refunds have a test of their own")
    project = sandbox.open_project()
    item_actions.judge_items(project, [("engineer", OLD)], "removed")
    (sandbox.root / "backlog" / "tasks").mkdir(parents=True)
    task_actions.start(project, "12", "Refund <b>positions</b>")
    task_actions.add_note(project, "12", "The bank wants one refund for each payment")
    task_actions.start(project, "14", "Send invoices")


def read_text(body: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", body))


# --- explain ---


def test_the_explanation_has_the_decisions_of_the_command(dashboard: Dashboard) -> None:
    task = "Refund an order twice"
    page = dashboard.get("/dashboard/explain", agent="engineer", task=task)
    project = dashboard.sandbox.open_project()
    explanation = agent_context.explain(project, "engineer", task)
    rows = [read_text(row) for row in re.findall("<tr data-row.*?</tr>", page.body, re.S)]
    assert len(rows) == len(explanation.choices) == 2
    for row, choice in zip(rows, explanation.choices, strict=True):
        score = f"{choice.tokens} {choice.total:.2f} {choice.score.own:.2f}"
        assert (choice.passage.item or "") in row
        assert f"{'yes' if choice.is_chosen else 'no'} {choice.reason} {score}" in row
    assert "Refund" in rows[0]
    assert f"of 2 items given , {explanation.tokens} of 1000 tokens" in read_text(page.body)
    assert task in page.body  # the form keeps it


def test_the_form_lists_agents_and_refuses_others(dashboard: Dashboard) -> None:
    page = dashboard.get("/dashboard/explain").body
    assert re.findall("<option[^>]*>([^<]+)", page) == ["engineer", "qa", "PM"]
    assert dashboard.get("/dashboard/explain", agent="nobody", task="x").status == 404
    assert "agent-memory add PM" in dashboard.get("/dashboard/explain", agent="PM").body


# --- search ---


FOUND = REFUND.replace("Refunds", "<mark>Refunds</mark>")
SEARCHES = [
    ({"q": "refunds"}, [FOUND], [OLD]),
    ({"q": "REFUNDS", "agent": "qa"}, ["of their own"], ["nightly job"]),
    ({"q": "old printer"}, ["archived 20", ">Restore<"], ["nightly job"]),
    ({"q": " "}, ["Finds items in the memories and archives"], ["Nothing found."]),
    ({"q": "<b>"}, ["Nothing found.", "&lt;b&gt;"], ["<b>"]),
]


def test_search(dashboard: Dashboard) -> None:
    for query, shown, hidden in SEARCHES:
        page = dashboard.get("/dashboard/search", **query).body
        assert [part for part in shown if part not in page] == []
        assert [part for part in hidden if part in page] == []


def test_an_archived_item_is_restored(dashboard: Dashboard) -> None:
    page = dashboard.get("/dashboard/search", q="printer").body
    (key,) = re.findall(r'name="item" value="(\w+)"', page)
    answer = dashboard.post("/dashboard/search/restore", agent="engineer", item=key, q="printer")
    assert f"Restored: engineer: {OLD}" in dashboard.send("GET", answer.headers["location"]).body
    assert OLD in dashboard.sandbox.read_memory("engineer")
    again = dashboard.post("/dashboard/search/restore", agent="engineer", item="0" * 10)
    assert "no item" in dashboard.send("GET", again.headers["location"]).body


# --- tasks ---


def test_tasks_and_their_memories(dashboard: Dashboard) -> None:
    page = dashboard.get("/dashboard/tasks").body
    assert re.findall(r'href="/dashboard/tasks/([^"]+)"', page) == ["14", "12"]
    assert "Refund &lt;b&gt;positions&lt;/b&gt;" in page
    task = dashboard.get("/dashboard/tasks/12").body
    assert "The bank wants one refund for each payment" in task
    assert "Key Decisions</h" in task
    page = dashboard.get("/dashboard/tasks", q="BANK refund").body
    assert "The bank wants one refund" in page
    assert "Nothing found." in dashboard.get("/dashboard/tasks", q="zebra").body


@pytest.mark.parametrize("name", ["task-99", "..", "task-12.md", "TASK-12", "%2e%2e%2ftasks"])
def test_a_task_is_one_of_the_list(dashboard: Dashboard, name: str) -> None:
    assert dashboard.get(f"/dashboard/tasks/{name}").status == 404
