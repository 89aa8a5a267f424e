"""The first page and the events, of a real server."""

import os
import re

from memory_core.storage import event_log
from support.command_line import ITEM
from support.dashboard import Dashboard
from support.events import REPORT, make_post_event, make_pre_event, make_start_event
from support.runs import add_runs, make_run
from support.sandbox import Sandbox


def list_agents(page: str) -> list[str]:
    return re.findall(r'<tr data-row data-id="([^"]*)"', page)


def read_numbers(page: str) -> dict[str, str]:
    """Return the numbers at the top by their names, without markup."""
    pairs = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page, re.DOTALL)
    return {name: " ".join(re.sub(r"<[^>]+>", " ", value).split()) for name, value in pairs}


def test_the_overview_of_a_project_in_use(sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", ITEM)
    sandbox.write_memory("qa", "One", "Two", "Three")
    called = sandbox.run_hook("pre_tool_use", make_pre_event())
    prompt = called.reply["updatedInput"]["prompt"]
    sandbox.run_hook("subagent_start", make_start_event())
    sandbox.run_hook("post_tool_use", make_post_event(prompt, REPORT, "a1", "toolu_1"))
    with Dashboard(sandbox) as dashboard:
        page = dashboard.enter().get("/dashboard").body
        numbers = read_numbers(page)
        assert numbers["Agents"] == "2 5 items"
        assert numbers["New items"] == "1 0 confirmed, 0 removed"
        assert numbers["Delivered"] == "100% of 1: 0 lost, 0 twice"
        pattern = r"\d+ ms 95 % within \d+ ms, without Python’s start"
        assert re.fullmatch(pattern, numbers["Hook time"])
        assert numbers["Tokens per run"].endswith("added to 1 prompt")
        assert list_agents(page) == ["engineer", "qa"]
        assert list_agents(dashboard.get("/dashboard", sort="items").body) == ["qa", "engineer"]
        assert list_agents(dashboard.get("/dashboard", sort="x").body) == ["engineer", "qa"]
        # The warnings of `status`; without hooks in any settings there is one.
        assert "no settings file has the hooks" in page
        assert '<code class="command">agent-memory install</code>' in page


def test_an_empty_project_says_what_to_do(sandbox: Sandbox) -> None:
    with Dashboard(sandbox) as dashboard:
        dashboard.enter()
        for path, text in (
            ("", "No agent has a memory yet"),
            ("", '<code class="command">agent-memory install</code>'),
            ("/events", "Nothing was logged yet"),
            ("/tasks", "agent-memory task start ID"),
            ("/review", "No learning waits for you."),
        ):
            assert text in dashboard.get(f"/dashboard{path}").body
    assert os.listdir(sandbox.root) == []


EVENTS = [
    ({}, "hook.error", 50),
    ({"page": "2"}, "agent.memory.loaded", 7),
    ({"events": "hook.*"}, "hook.error", 1),
    ({"events": "task.*"}, "task.memory.begun", 1),
    ({"agent": "qa"}, "agent.memory.loaded", 27),
    ({"agent": "qa", "events": "*.loaded"}, "agent.memory.loaded", 27),
]


def test_events_are_filtered_and_divided(sandbox: Sandbox) -> None:
    for number in range(55):
        fields = {"agent_id": "qa" if number % 2 else "engineer", "items": number}
        event_log.write(sandbox.paths, "agent.memory.loaded", **fields)
    event_log.write(sandbox.paths, "task.memory.begun", task_id="task-7")
    event_log.write(sandbox.paths, "hook.error", error="<b>no</b> disk", hook="pre_tool_use")
    with Dashboard(sandbox) as dashboard:
        dashboard.enter()
        for query, first, count in EVENTS:
            page = dashboard.get("/dashboard/events", **query).body
            names = re.findall(r'<td class="nowrap (?:good|warn|bad)?">([^<]+)</td>', page)
            assert (names[0], len(names)) == (first, count)
            escaped = "error=&lt;b&gt;no&lt;/b&gt; disk hook=pre_tool_use"
            assert (escaped in page) == (first == "hook.error")
        page = dashboard.get("/dashboard/events", agent="nobody").body
    assert "None of the last 20,000 events is one of these" in page


def test_an_agent_that_learned_nothing_has_pages(sandbox: Sandbox) -> None:
    add_runs(sandbox.paths, make_run("r1", agent="newcomer"))
    with Dashboard(sandbox) as dashboard:
        page = dashboard.enter().get("/dashboard").body
        assert list_agents(page) == ["newcomer"]
        page = dashboard.get("/dashboard/agents/newcomer").body
        assert "newcomer has no memory yet" in page
        links = re.findall(r'href="(/dashboard[^"?#]*(?:newcomer)[^"]*)"', page)
        assert len(links) >= 3
        for link in links:
            assert dashboard.get(link).status == 200, link
        page = dashboard.get("/dashboard/explain", agent="newcomer").body
        assert "<option selected>newcomer</option>" in page
        assert dashboard.get("/dashboard/agents/nobody").status == 404
