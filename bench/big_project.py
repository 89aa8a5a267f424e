"""A project after a year of a large team: agents with full memories, and a full event log."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import samples
from scene import Scene

from memory_core.history import item_history
from memory_core.memory import preparing, run_history
from memory_core.storage import event_log
from memory_core.storage.project import find_project
from memory_core.text.times import format_utc

AGENTS, ITEMS, EVENTS, TASKS, WAITING = 20, 80, 20_000, 100, 40
DAY = 86400
DAYS = 365
# Of the ids that a run receives, and of those that it uses.
GIVEN, USED = 12, 3

CONFIG = """\
memory:
  limits: {default_size_kb: 64, max_sections: 12, max_items_per_section: 40}
"""
TASK = "---\nid: TASK-{0}\ntitle: Speed up the {1} of task {0}\nstatus: {2}\n---\n"


def make_project(folder: str, now: float, scale: float = 1.0) -> Scene:
    """Make the project below `folder`, with its last event at `now`, in seconds.

    `scale` is the share of the agents and events, for a quick look.
    """
    chance = random.Random(1)
    agents = [f"agent-{number:03}" for number in range(max(2, round(AGENTS * scale)))]
    files: dict[str, str] = {}
    ids: dict[str, list[str]] = {}
    for agent in agents:
        texts = _make_texts(agent)
        ids[agent] = [item_history.id_of(text) for text in texts]
        files[f"{agent}.md"] = _format_memory(agent, texts)
        files[f"history/{agent}.jsonl"] = "".join(_learn(agent, texts, now))
    lines = list(_list_events(agents, ids, now, round(EVENTS * scale), chance))
    for agent, record in _list_runs(lines):
        files[f"history/{agent}.jsonl"] += record
    place = Scene(folder, files)
    place.add("project/.claude-mpm/config.yml", CONFIG)
    for number in range(TASKS):
        status = ("To Do", "In Progress", "Done")[number % 3]
        name = f"project/backlog/tasks/task-{number} - Task-{number}.md"
        place.add(name, TASK.format(number, samples.OBJECTS[number % 31], status))
    _fill_state(place, lines, agents)
    return place


def _make_texts(agent: str) -> list[str]:
    number = int(agent[-3:])
    return [
        f"{verb.capitalize()} the {thing} of {samples.PARTS[(number + at) % 15]} {number}"
        f" before each {samples.TIMES[(at + number) % 23]}, see src/{thing}.py"
        for at, (verb, thing) in enumerate(
            (samples.VERBS[at % 17], samples.OBJECTS[(at * 7 + number) % 31]) for at in range(ITEMS)
        )
    ]


def _section(at: int) -> str:
    return samples.SECTIONS[at % len(samples.SECTIONS)]


def _format_memory(agent: str, texts: list[str]) -> str:
    sections: dict[str, list[str]] = {}
    for at, text in enumerate(texts):
        sections.setdefault(_section(at), []).append(f"- {text}\n")
    head = samples.HEAD.format(title=agent.capitalize(), agent=agent)
    return head + "".join(f"\n## {name}\n{''.join(rows)}" for name, rows in sections.items())


def _learn(agent: str, texts: list[str], now: float) -> Iterator[str]:
    """Yield the records of learned items, and of every fifth one a confirmation."""
    for at, text in enumerate(texts):
        when = now - DAYS * DAY * (ITEMS - at) / ITEMS
        fields = {"agent": agent, "run": f"l{at}", "source": "agent", "section": _section(at)}
        change = {"change": f"{format_utc(when)}-{at:04}", "seq": 2 * at + 1, "confidence": 0.5}
        yield _format(
            item_history.make_record("learned", format_utc(when), text, **fields, **change)
        )
        if at % 5 == 0:
            change = {"change": f"{format_utc(when)}-c{at:03}", "seq": 2 * at + 2}
            later = format_utc(when + DAY)
            more = {"agent": agent, "source": "agent", **change, "confidence": 0.6}
            yield _format(item_history.make_record("reinforced", later, text, **more))


def _list_events(
    agents: list[str], ids: dict[str, list[str]], now: float, count: int, chance: random.Random
) -> Iterator[dict[str, Any]]:
    """Yield events of runs, oldest first: a run has four, and one of three learns, too."""
    made, run = 0, 0
    while made < count:
        run += 1
        agent = chance.choice(agents)
        given = chance.sample(ids[agent], GIVEN)
        when = now - DAYS * DAY * (1 - made / count)
        for event in _list_events_of_run(agent, f"a{run:07}", given, chance):
            yield {"event": event.pop("event"), "timestamp": format_utc(when), **event}
            when += 20
            made += 1


def _list_events_of_run(
    agent: str, run: str, given: list[str], chance: random.Random
) -> Iterator[dict[str, Any]]:
    own = {"agent_id": agent, "session": f"session-{run[:6]}", "run": run}
    yield {
        "event": "agent.memory.loaded",
        "agent_id": agent,
        "source": "runtime",
        "files": [f".claude-mpm/memories/{agent}.md"],
        "memory_size": 900,
        "items": len(given),
        "tokens_estimated": chance.randrange(200, 900),
        "duration_ms": chance.randrange(8, 40),
        "route": "prompt",
        **own,
        "call": f"toolu_{run}",
    }
    names = ["delivered"] * 40 + ["lost", "doubled"]
    verdict = {"route": "prompt", **own, "call": f"toolu_{run}"}
    yield {"event": f"agent.memory.{chance.choice(names)}", **verdict}
    used = {"items": USED, "ids": given[:USED], **own, "call": None, "given": " ".join(given)}
    yield {"event": "agent.memory.used", **used}
    if chance.random() < 0.33:
        change = {"change": f"2026-{run}", "source": "agent", **own}
        yield {"event": "agent.memory.learned", "items": 1, "ids": given[:1], **change}


def _list_runs(events: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield (agent, record) of the finished runs in these events."""
    for event in events:
        if event["event"] == "agent.memory.used":
            record = {
                "time": event["timestamp"],
                "agent": event["agent_id"],
                "v": 1,
                "kind": "task",
            }
            record |= {"id": event["run"], "type": "other", "outcome": "done", "run": event["run"]}
            record |= {"given": event.pop("given"), "used": " ".join(event["ids"])}
            record |= {"duration_ms": 60_000, "tokens": 30_000, "tool_uses": 9}
            record |= {"arrived": "delivered", "arrived_by": "prompt"}
            record |= {"prompt_tokens": 500, "hook_ms": 20}
            yield event["agent_id"], _format(record)


def _fill_state(place: Scene, events: list[dict[str, Any]], agents: list[str]) -> None:
    """Write the event log, in all of its files, and learnings that wait for a person."""
    project = find_project(place.project, place.job([]).env)
    state = project.paths.state
    part = -(-len(events) // len(event_log.FILES))
    for at, name in enumerate(event_log.FILES):
        lines = map(_format, events[at * part : (at + 1) * part])
        state.append(name, "".join(lines).encode())
    for number in range(WAITING):
        agent = agents[number % 20 % len(agents)]
        entry = {
            "type": "pattern",
            "content": f"Learning {number} waits",
            "reason": "learning: ask",
        }
        with project.store.lock(agent):
            project.store.add_to_review(agent, [entry], "2026-11-20T10:00:00.000Z")
    for agent in agents:
        preparing.prepare(project, agent)  # as a hook did when the agent received it


def log_run(place: Scene, number: int) -> None:
    """Let a run of agent-001 end: an event, and a row in the database."""
    project = find_project(place.project, place.job([]).env)
    run = f"b{number:07}"
    own = {"agent_id": "agent-001", "session": "session-b", "run": run}
    event_log.write(project.paths, "agent.memory.delivered", route="prompt", **own)
    task = {"kind": "task", "key": run, "run": run, "outcome": "done"}
    run_history.add_records(project.store, run_history.date_records("agent-001", [task]))


def _format(value: dict[str, Any]) -> str:
    return f"{json.dumps(value)}\n"
