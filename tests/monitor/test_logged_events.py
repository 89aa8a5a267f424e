"""The event log: what hooks really write is what docs/events.md says."""

import json
import re

import pytest

from memory_core.history import item_history
from support.calls import call_agent
from support.events import BLOCK, FACT, LEARNED, make_post_event, make_start_event, make_stop_event
from support.paths import REPO
from support.sandbox import Sandbox

PAGE = (REPO / "docs" / "events.md").read_text(encoding="utf-8")

# A line with the names of events, and below it the table of their keys.
TABLE = re.compile(r"^(`[\w.]+`(?:, `[\w.]+`)*)\n\n\| key \| .*\n.*\n((?:\| `\w+` \| .*\n)+)", re.M)


def read_tables() -> dict[str, set[str]]:
    """Return the documented keys of each event by its name."""
    tables = {}
    for names, rows in TABLE.findall(PAGE):
        keys = {*re.findall(r"^\| `(\w+)`", rows, re.M), "event", "timestamp"}
        tables |= dict.fromkeys(re.findall(r"`([\w.]+)`", names), keys)
    return tables


TABLES = read_tables()


def cause_many_events(sandbox: Sandbox) -> None:
    """Let agents learn, use, contradict and reject items, and let hooks fail."""
    sandbox.write_memory("engineer", FACT)
    sandbox.write_memory("PM", FACT)
    sandbox.run_hook("session_start", {"hook_event_name": "SessionStart", "session_id": "s1"})
    task = "Add a retry to the services on the event bus."
    prompt = call_agent(sandbox, prompt=task)
    sandbox.run_hook("subagent_start", make_start_event())
    sandbox.run_hook("subagent_stop", make_stop_event())
    sandbox.run_hook("post_tool_use", make_post_event(prompt))
    call_agent(sandbox, "toolu_2", prompt=task)
    sandbox.run_hook("subagent_start", make_start_event("a2"))
    key = item_history.id_of(FACT)
    report = f"{BLOCK}\nUsed: {key}\nWrong: {key} because it changed\n"
    sandbox.run_hook("subagent_stop", make_stop_event("a2", report))
    long = BLOCK.replace(LEARNED, "long " * 80)
    sandbox.run_hook("subagent_stop", make_stop_event("a3", long))
    sandbox.run_hook("post_tool_use", b"no JSON")


def test_what_hooks_write_has_the_documented_keys(sandbox: Sandbox) -> None:
    sandbox.switch_selection_on()
    cause_many_events(sandbox)
    logged = sandbox.read_log()
    names = {event["event"].removeprefix("agent.memory.") for event in logged}
    wanted = {"loaded", "delivered", "learned", "reinforced", "used", "wrong", "held", "hook.error"}
    assert wanted <= names, wanted - names
    for event in logged:
        assert event.keys() <= TABLES[event["event"]], event
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event["timestamp"])


@pytest.mark.parametrize("setting", ["true", "false"])
def test_texts_are_logged_only_on_request(sandbox: Sandbox, setting: str) -> None:
    sandbox.configure(f"memory: {{log_text: {setting}}}")
    cause_many_events(sandbox)
    text = (sandbox.state / "events.jsonl").read_text(encoding="utf-8")
    assert (LEARNED in text) == (setting == "true")
    for event in sandbox.read_log():
        if event.get("texts"):
            assert len(event["texts"]) == len(event["ids"]) == event["items"]


def test_the_page_names_all_kinds_of_changes() -> None:
    assert {f"agent.memory.{kind}" for kind in item_history.CHANGE_KINDS} <= TABLES.keys()


def test_the_example_of_the_page_has_the_documented_keys() -> None:
    example = json.loads(PAGE.split("```json\n")[1].split("```")[0])
    assert example.keys() <= TABLES[example["event"]]
