"""The pages of one agent: what they show, and that their buttons do what commands do."""

import re

import pytest

from memory_core.curation import change_log, item_actions
from memory_core.history import item_history
from memory_core.memory import rename
from memory_core.memory.loading import read_memory
from support.command_line import ITEM
from support.dashboard import Dashboard
from support.sandbox import Sandbox

RETRY = "The payment client retries three times"
KEY = item_history.id_of(RETRY)
FILE = """\
# Memory

Read `src/pay.py` first.

## Patterns
- {item}
  - Because: the bank asks for it
- An item of {name} with <b>tags</b>

```python
charge(order)
```
<!-- a comment -->
"""


def fill(sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", ITEM)
    for name in ("qa", "ops", "docs", "web", "data"):
        sandbox.write_memory(name).write_text(FILE.format(item=RETRY, name=name))


def change(dashboard: Dashboard, agent: str, action: str, **fields: str) -> str:
    form = {"item": KEY, "action": action, **fields}
    return dashboard.send_form(f"/dashboard/agents/{agent}/items", **form)[0]


def test_a_memory_is_shown_as_text_with_its_structure(dashboard: Dashboard) -> None:
    page = dashboard.get("/dashboard/agents/qa").body
    order = ["Read `src/pay.py` first.", "Patterns</h", RETRY, "- Because: the bank"]
    order += ["An item of qa", "charge(order)", "a comment"]
    assert [*map(page.index, order)] == sorted(map(page.index, order))
    assert "with &lt;b&gt;tags&lt;/b&gt;" in page
    assert "<b>tags" not in page


def test_each_item_has_its_id_confidence_origin_and_use(dashboard: Dashboard) -> None:
    project = dashboard.sandbox.open_project()
    run = {"run": "a77", "session": "s1", "source": "agent"}
    item_actions.teach(project, "engineer", "pattern", ["Orders are cancelled by an event"], **run)
    text = "Orders are cancelled by an event"
    item_actions.judge_items(
        project, [("engineer", text)], "contradicted", run="a78", source="agent"
    )
    item_actions.judge_items(project, [("engineer", text)], "pinned")
    page = dashboard.get("/dashboard/agents/engineer").body
    row = page.partition(text)[2].partition("</li>")[0]
    shown = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", row))
    for part in (item_history.id_of(text), "0.3", "agent", "pinned", "reported wrong", "a77", "s1"):
        assert part in shown, part
    assert "given 0, used 0" in shown


BUTTONS = [("confirmed", "Confirmed"), ("contradicted", "Contradicted")]
BUTTONS += [("pinned", "Pinned"), ("unpinned", "Unpinned")]


@pytest.mark.parametrize(("kind", "message"), BUTTONS)
def test_buttons_judge_items(dashboard: Dashboard, kind: str, message: str) -> None:
    form = {"item": KEY, "action": kind}
    said, page = dashboard.send_form("/dashboard/agents/ops/items", **form)
    assert said.startswith(f"{message}: {KEY} {RETRY} (0.")
    ids = re.findall(r'title="Undo change ([0-9a-f]{6})"', page)
    last = change_log.list_changes(dashboard.sandbox.open_project().store, ["ops"])[-1]
    assert ids == [change_log.short_id(last.id)]
    assert (last.records[-1]["kind"], last.records[-1]["source"]) == (kind, "person")


def test_the_history_of_one_item(dashboard: Dashboard) -> None:
    project = dashboard.sandbox.open_project()
    texts = ["One item with a history", "Another item"]
    item_actions.teach(project, "single", "pattern", texts)
    old, new = texts[0], "One item with a longer history"
    key = item_history.id_of(old)
    change(dashboard, "single", "edit", item=key, text=new)
    page = dashboard.get("/dashboard/agents/single/history", item=item_history.id_of(new)).body
    records = re.findall(r'class="kind">(\w+)</span> ([^<]*[^<\s])', page)
    assert records == [("edited", new), ("added", old)]
    unknown = dashboard.get("/dashboard/agents/single/history", item="0" * 10)
    assert (unknown.status, "no item has the id" in unknown.body) == (400, True)


def test_an_archived_item_returns_by_undo_in_the_history(dashboard: Dashboard) -> None:
    assert change(dashboard, "docs", "removed").startswith("Archived: ")
    assert RETRY not in dashboard.sandbox.read_memory("docs")
    history = dashboard.get("/dashboard/agents/docs/history").body
    (first, *_) = re.findall(r'name="change" value="([0-9a-f]{6})"', history)
    message, page = dashboard.send_form("/dashboard/agents/docs/undo", change=first)
    assert message.startswith(f"Undone: change {first} of 20")
    assert RETRY in dashboard.sandbox.read_memory("docs")
    assert f"undo of {first}" in page
    assert "undone by" in page
    again, _page = dashboard.send_form("/dashboard/agents/docs/undo", change=first)
    assert "is undone already" in again


def test_an_item_gets_a_new_text_or_says_why_not(dashboard: Dashboard) -> None:
    new = "The payment client retries five times"
    said = change(dashboard, "web", "edit", text=new)
    assert said.startswith(f"Changed: {item_history.id_of(new)} {new}.")
    assert new in dashboard.sandbox.read_memory("web")
    assert "Because: the bank" in dashboard.sandbox.read_memory("web")
    state = read_memory(dashboard.sandbox.open_project(), "web").history.find(new)
    assert state.was == KEY
    before = dashboard.sandbox.read_memory("data")
    assert change(dashboard, "data", "edit", text=RETRY) == "The text is unchanged."
    assert "the new text is empty" in change(dashboard, "data", "edit", text=" ")
    assert "0000000000" in change(dashboard, "data", "edit", item="0000000000", text="x y z")
    assert dashboard.sandbox.read_memory("data") == before


def test_the_difference_between_two_times(dashboard: Dashboard) -> None:
    project = dashboard.sandbox.open_project()
    for text in ("First of the list", "Second of the list"):
        item_actions.teach(project, "times", "pattern", [text])
    page = dashboard.get("/dashboard/agents/times/diff").body
    assert "<ins>+- Second of the list</ins>" in page  # by default, the last change
    assert "<ins>+- First of the list</ins>" not in page
    times = re.findall(r'<option value="(20[^"]+)"', page)
    both = dashboard.get("/dashboard/agents/times/diff", **{"from": "", "to": times[0]}).body
    assert "<ins>+- First of the list</ins>" in both
    assert "<ins>+- Second of the list</ins>" in both
    back = dashboard.get("/dashboard/agents/times/diff", **{"from": times[0], "to": times[1]}).body
    assert "<del>-- Second of the list</del>" in back
    same = dashboard.get("/dashboard/agents/times/diff", **{"from": times[0], "to": times[0]}).body
    assert "No item differs" in same


def test_long_lists_are_divided(dashboard: Dashboard) -> None:
    dashboard.sandbox.write_memory("long", *(f"Item number {at} of many" for at in range(120)))
    first = dashboard.get("/dashboard/agents/long").body
    second = dashboard.get("/dashboard/agents/long", page="2").body
    assert "Item number 90 of many" in first
    assert "Item number 119 of many" not in first
    assert "Item number 119 of many" in second
    found = dashboard.get("/dashboard/search", q="number 119 of many").body
    (link,) = re.findall(r'href="(/dashboard/agents/long[^"#]*)#', found)
    assert "Item number 119 of many" in dashboard.send("GET", link).body
    for number in ("0", "-1", "x", "99999999999", "²"):
        assert dashboard.get("/dashboard/agents/long", page=number).status == 200


def test_a_name_is_that_of_an_agent_or_there_is_no_page(dashboard: Dashboard) -> None:
    for name in ("nobody", "../qa", "qa.md", "QA", "memories/qa", "%00", ""):
        for page in ("", "/history", "/diff"):
            assert dashboard.get(f"/dashboard/agents/{name}{page}").status == 404, name
    assert "agent-memory add PM guideline TEXT" in dashboard.get("/dashboard/agents/PM").body
    assert "Nothing is recorded yet" in dashboard.get("/dashboard/agents/PM/history").body


def test_an_unreadable_memory_says_so(dashboard: Dashboard) -> None:
    path = dashboard.sandbox.write_memory("torn")
    path.unlink()
    path.symlink_to("/etc/passwd")
    answer = dashboard.get("/dashboard/agents/torn")
    assert answer.status == 200
    assert "torn.md is a link, which is not followed" in answer.body
    assert "agent-memory doctor" in answer.body
    assert "root:" not in answer.body
    assert "torn.md is a link" in dashboard.get("/dashboard/search", q="zebra").body
    path.unlink()


def test_a_renaming_is_undone_from_the_page_of_the_new_name(dashboard: Dashboard) -> None:
    project = dashboard.sandbox.open_project()
    item_actions.teach(project, "backend", "pattern", ["An item of a renamed agent"])
    rename.rename_agent(project, project.store, "backend", "server")
    last = change_log.list_changes(project.store, ["server"])[-1]
    form = {"change": change_log.short_id(last.id)}
    said, page = dashboard.send_form("/dashboard/agents/server/undo", **form)
    assert said.startswith("Undone: change ")
    assert "backend" in page


def test_an_item_that_an_old_copy_of_the_file_lacks_is_edited(dashboard: Dashboard) -> None:
    project, sandbox = dashboard.sandbox.open_project(), dashboard.sandbox
    item_actions.teach(project, "stale", "pattern", ["The editor has this item"])
    before = sandbox.read_memory("stale")
    item_actions.teach(project, "stale", "pattern", ["The editor lacks this one"])
    (sandbox.memories / "stale.md").write_text(f"{before}- Typed into it\n")
    key = item_history.id_of("The editor lacks this one")
    said = change(dashboard, "stale", "edit", item=key, text="Nobody loses this one")
    assert said.startswith("Changed: ")
    assert "Nobody loses this one" in sandbox.read_memory("stale")
