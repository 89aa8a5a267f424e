"""A normal life of a project: sessions, delegations, learnings through every door, tasks."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from support import events
from support.files import write
from support.sandbox import Sandbox

# In texts of the project; copies outside of it have another word there.
WORD, CANARY = "harbour", "canary"

# Few items a section, so that a life also archives some.
CONFIG = f"""\
memory:
  {WORD}: 1
  natural_language: false
  limits:
    max_items_per_section: 8
"""
DEFINITION = f"---\nname: NAME\ndescription: does {WORD} work\n---\nWork well.\n"
BACKLOG_CONFIG = f'project_name: "{WORD}"\nstatuses: ["To Do", "In Progress", "Done"]\n'
TASK = (
    "---\nid: TASK-{number}\ntitle: Unload at the {word}\nstatus: {status}\n---\n\n## Description\n"
)

CLIENT = {"capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}}
HELLO: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
HELLO |= {"params": {"protocolVersion": "2025-11-25", **CLIENT}}


class Step(NamedTuple):
    """One thing that happens: `door` runs with `words` and `data`, and teaches `facts`.

    The doors are the names of the hooks, "command" for agent-memory and "mcp" for its server.
    """

    name: str
    door: str
    words: tuple[str, ...] = ()
    data: bytes = b""
    facts: tuple[str, ...] = ()

    @property
    def is_hook(self) -> bool:
        return self.door not in ("command", "mcp")


def settle(sandbox: Sandbox) -> None:
    """Create a git repository with settings, agents, and tasks of Backlog.md, without memories."""
    command = ["git", "init", "-q", "--template=", str(sandbox.root)]
    subprocess.run(command, check=True, env=sandbox.env)
    files = {
        "CLAUDE.md": f"# The {WORD}\n",
        ".gitattributes": f"# {WORD}\n",
        ".claude/settings.json": json.dumps({"env": {WORD: "1"}}),
        ".claude/agents/engineer.md": DEFINITION.replace("NAME", "engineer"),
        ".claude/agents/qa.md": DEFINITION.replace("NAME", "qa"),
        ".claude-mpm/config.yml": CONFIG,
        "backlog/config.yml": BACKLOG_CONFIG,
    }
    for name, text in files.items():
        write(sandbox.root / name, text)
    write_task(sandbox.root, 1, "In Progress")


def write_task(root: Path, number: int, status: str) -> None:
    """Write the file of a task, as Backlog.md does."""
    text = TASK.format(number=number, word=WORD, status=status)
    write(root / "backlog" / "tasks" / f"task-{number} - Unload.md", text)


def live(root: Path, name: str) -> list[Step]:
    """Return the steps of a life; its runs and what it teaches contain `name`, a word."""
    steps = [*_list_delegations(root, name), *_list_other_doors(root, name)]
    return [*steps, _hook(root, "last session", "session_start", _session(name, "resume"))]


def recover(root: Path) -> list[Step]:
    """Return the steps after which all that waits is in the memories."""
    steps = [_hook(root, "session", "session_start", _session("later", "startup"))]
    for number, agent in enumerate(("engineer", "PM")):
        fact = f"Buoy {number} is green"
        steps.append(Step(f"add for {agent}", "command", ("add", agent, "context", fact)))
    return steps


def _list_delegations(root: Path, name: str) -> Iterator[Step]:
    run, other = f"{name}run", f"{name}other"
    foreground, answered, later, handed = state_facts(name)[:4]
    yield _hook(root, "session", "session_start", _session(name, "startup"))
    yield _hook(root, "call", "pre_tool_use", events.make_pre_event(run))
    yield _hook(root, "start", "subagent_start", events.make_start_event(run))
    yield _hook(root, "tool failure", "post_tool_use", events.make_failure_event(run))
    stop = events.make_stop_event(run, _report(foreground))
    yield _hook(root, "stop", "subagent_stop", stop, foreground)
    prompt = '<agent-memory agent="engineer">\n</agent-memory>'  # that is how it arrives
    post = events.make_post_event(prompt, _report(answered), run, run)
    yield _hook(root, "answer", "post_tool_use", post, answered)
    yield _hook(root, "background call", "pre_tool_use", events.make_pre_event(other))
    launch = events.make_launch_event(prompt, other, other)
    yield _hook(root, "launch", "post_tool_use", launch)
    yield _hook(root, "background start", "subagent_start", events.make_start_event(other))
    stop = events.make_stop_event(other, _report(later))
    yield _hook(root, "background stop", "subagent_stop", stop, later)
    handback = events.make_handback_event(_report(handed), f"{name}auto")
    yield _hook(root, "hand-back", "pre_tool_use", handback, handed)
    died = events.make_failed_call("API Error: 400", f"{name}died")
    yield _hook(root, "failed delegation", "post_tool_use", died)


def _list_other_doors(root: Path, name: str) -> Iterator[Step]:
    skilled, added, remembered, pm = state_facts(name)[4:]
    answer = {"status": "forked", "agentId": f"{name}s", "result": _report(skilled)}
    skill = _make_tool_event("Skill", f"{name}skill", {"skill": "dig"}, answer)
    yield _hook(root, "skill start", "subagent_start", events.make_start_event(f"{name}s"))
    stop = events.make_stop_event(f"{name}s", _report(skilled))
    yield _hook(root, "skill stop", "subagent_stop", stop, skilled)
    yield _hook(root, "skill", "post_tool_use", skill)
    backlog = _make_tool_event("mcp__backlog__task_edit", f"{name}edit", {"id": "1"}, {})
    yield _hook(root, "task change", "post_tool_use", backlog)
    yield Step("add", "command", ("add", "engineer", "pattern", added), facts=(added,))
    yield Step("add for PM", "command", ("add", "PM", "context", pm), facts=(pm,))
    yield Step("note", "command", ("task", "note", "1", f"The note of {name}"))
    lesson = {"agent": "engineer", "type": "pattern", "content": remembered}
    yield Step("MCP remember", "mcp", ("mcp",), _call("remember", lesson), (remembered,))
    failure = {"agent": "engineer", "error": f"the {name} is closed"}
    yield Step("MCP error", "mcp", ("mcp",), _call("record_error", failure))


def _hook(root: Path, name: str, door: str, event: dict[str, Any], *facts: str) -> Step:
    return Step(name, door, (), json.dumps({**event, "cwd": str(root)}).encode(), facts)


def _make_tool_event(tool: str, call: str, given: object, answer: object) -> dict[str, Any]:
    event = {"hook_event_name": "PostToolUse", "session_id": "s1", "tool_name": tool}
    return {**event, "tool_use_id": call, "tool_input": given, "tool_response": answer}


def _session(name: str, source: str) -> dict[str, Any]:
    return {"hook_event_name": "SessionStart", "session_id": f"s{name}", "source": source}


def _report(fact: str) -> str:
    return events.REPORT.replace(events.LEARNED, fact)


def state_facts(name: str) -> list[str]:
    """Return facts that nobody takes for duplicates of each other."""
    return [
        f"Crane {name} lifts forty containers in an hour",
        f"Customs of pier {name} close at noon",
        f"Pilots for {name} are ordered by radio, never by mail",
        f"The tide table of {name} is in the cellar",
        f"Ropes called {name} break below zero degrees",
        f"Invoices to {name} need two signatures",
        f"Lighthouse {name} blinks three times",
        f"The {WORD} master of {name} reads every log book",
    ]


def _call(tool: str, arguments: dict[str, Any]) -> bytes:
    """Return what a client sends to the server to call a tool."""
    parameters = {"name": tool, "arguments": arguments}
    requests: list[dict[str, Any]] = [
        HELLO,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": parameters},
    ]
    return b"".join(json.dumps(request).encode() + b"\n" for request in requests)


COMMANDS = """\
edit PM
restore engineer 1
preference set engineer style short
undo
prune --older-than 0d --below 1 --yes
optimize --yes
clean --yes
tidy
task start 1
task archive 1
task done 1
task reopen 1
task cleanup --yes
task init --remove --yes
import -
git install
init --yes
config check
status
search blinks
show engineer
log
export"""


def list_commands(root: Path) -> list[Step]:
    """Return commands that write, and some that read; each works on its own after a life."""
    item, export = f"The {WORD} master", '{"format": "x"}'
    words = {
        "add": ["add", "engineer", "pattern", "Anchors of gamma are heavy"],
        "remove": ["remove", "PM", item],
        "confirm": ["confirm", "PM", item],
        "task note": ["task", "note", "1", "A note"],
        "task decide": ["task", "decide", "1", "A decision"],
        "install": ["install", str(root)],
        **{line: line.split() for line in COMMANDS.splitlines()},
    }
    data = {"import -": export.encode()}
    facts = {"add": tuple(words["add"][3:])}
    return [
        Step(name, "command", tuple(line), data.get(name, b""), facts.get(name, ()))
        for name, line in words.items()
    ]
