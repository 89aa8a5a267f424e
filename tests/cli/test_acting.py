"""What an agent may do in its shell: less than a person, who uses the same commands."""

import json
import shlex
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from memory_core.claude_code import settings_files
from memory_core.history import item_history
from support.command_line import Person, read_stderr
from support.files import write
from support.paths import REPO
from support.sandbox import Sandbox

RULE = "Amounts are integer cents, never floats"
SHELL = {"CLAUDECODE": "1"}


def write_transcript(
    sandbox: Sandbox, *lines: dict[str, Any], name: str = "s1.jsonl", root: str = ""
) -> None:
    folder = settings_files.find_transcript_folder(root or str(sandbox.root), sandbox.env)
    path = Path(folder, name)
    write(path, "".join(f"{json.dumps(line)}\n" for line in lines))


def find_origin(person: Person, text: str = RULE, *options: str) -> str:
    return str(person.read_json("show", item_history.id_of(text), *options)["origin"])


@pytest.mark.parametrize(
    "words",
    [
        ["confirm", "engineer", "cents"],
        ["pin", "engineer", "cents"],
        ["unpin", "engineer", "cents"],
        ["config", "unset", "trust"],
        ["preference", "set", "engineer", "style", "small functions"],
        ["contradict", "engineer", "cents"],
        ["edit", "engineer", item_history.id_of(RULE), "Amounts are floats"],
        ["remove", "engineer", "cents"],
        ["undo"],
        ["rename", "engineer", "coder"],
        ["delete", "engineer", "--yes"],
        ["allow"],
        ["config", "set", "trust", "strict"],
        ["review", "--accept", "--all"],
        ["review", "--new", "--accept"],
    ],
    ids=" ".join,
)
def test_an_agent_is_told_where_a_person_does_it(person: Person, words: list[str]) -> None:
    person.run("add", "engineer", RULE)
    said = read_stderr(person.run(*words, **SHELL), 1)
    assert "do it in a terminal of your own, or in agent-memory dashboard" in said
    assert person.run(*words).returncode == 0


def test_what_an_agent_adds_or_edits_is_an_agents(person: Person) -> None:
    assert person.run("add", "engineer", RULE, **SHELL).returncode == 0
    assert find_origin(person) == "agent"
    person.run("edit", item_history.id_of(RULE)[:6], f"{RULE} or doubles", **SHELL)
    assert find_origin(person, f"{RULE} or doubles") == "agent"
    person.run("edit", item_history.id_of(f"{RULE} or doubles")[:6], RULE)
    assert find_origin(person) == "person"


def test_words_of_an_agent_inherit_no_rights(person: Person) -> None:
    """An agent changes a line of the file that a person confirmed and pinned, and adds one."""
    person.run("add", "engineer", RULE)
    for command in ("confirm", "pin"):
        person.run(command, "engineer", "cents")
    write_transcript(person.sandbox, {"type": "user", "message": {"content": "hello"}})
    change = "sed -i -e 's/integer cents/floats/' -e '$a - Orders are numbered'"
    person.succeed("edit", "engineer", **SHELL, EDITOR=change)
    assert find_origin(person, "Orders are numbered") == "agent"
    fields = person.read_json("show", item_history.id_of(RULE.replace("integer cents", "floats")))
    assert (fields["origin"], fields["pinned"]) == ("agent", False)
    assert fields["confidence"] < 0.7


TYPED = {"type": "user", "message": {"content": f"/remember engineer {RULE}"}}
LINES: list[tuple[dict[str, Any], str]] = [
    ({**TYPED, "isMeta": True}, "agent"),
    ({**TYPED, "isCompactSummary": True}, "agent"),
    ({"type": "user", "message": {"content": f"<bash-stdout>{RULE}</bash-stdout>"}}, "agent"),
    ({"type": "user", "message": {"content": f"Please do not say {RULE}"}}, "agent"),
    ({**TYPED, "isSidechain": True}, "agent"),
    ({"type": "user", "message": {"content": f"<task-notification>{RULE}"}}, "agent"),
    ({"type": "user", "message": {"content": [{"type": "tool_result", "content": RULE}]}}, "agent"),
    (TYPED, "person"),
    ({"type": "user", "message": {"content": f"Save this rule:\n- {RULE}"}}, "person"),
]


@pytest.mark.parametrize(("line", "origin"), LINES)
def test_what_a_person_typed_in_the_session_is_a_persons(
    person: Person, line: dict[str, Any], origin: str
) -> None:
    write_transcript(person.sandbox, line)
    person.run("add", "engineer", RULE, **SHELL)
    assert find_origin(person) == origin


def call(tool: str, after: float, given: dict[str, str]) -> list[dict[str, Any]]:
    """Return the lines of a tool call that began so many seconds from now, and of its result."""
    begin = datetime.now(timezone.utc) + timedelta(seconds=after)
    use = {"type": "tool_use", "id": "t1", "name": tool, "input": given}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}
    end = (begin + timedelta(seconds=2)).isoformat()
    return [
        {"type": "assistant", "timestamp": begin.isoformat(), "message": {"content": [use]}},
        {"type": "user", "timestamp": end, "message": {"content": [result]}},
    ]


# A tool call, when it began, its input, and whose the line is then.
FILE = "/x/.claude-mpm/memories/engineer.md"
WORK: list[tuple[str, float, dict[str, str], str]] = [
    ("Edit", 90, {"file_path": FILE, "new_string": "- Other"}, "hand"),
    ("Edit", 0, {"file_path": FILE, "new_string": "- Other"}, "agent"),
    ("Write", 0, {"file_path": "/x/a.md", "content": RULE}, "hand"),
    ("Edit", 90, {"file_path": FILE, "new_string": f"- {RULE}"}, "agent"),
    ("Edit", 90, {"file_path": FILE, "new_string": "integer cents"}, "agent"),
    ("Edit", 90, {"file_path": FILE, "new_string": "- Amounts are\n  integer"}, "agent"),
    ("Bash", 90, {"command": "echo x >> engineer.md"}, "agent"),
    ("Bash", -60, {"command": "echo x >> engineer.md; sleep 90"}, "hand"),
    ("Bash", 90, {"command": "cat .claude/agents/engineer.md"}, "hand"),
    ("Bash", 90, {"command": "git add engineer.md && git commit -m engineer.md"}, "hand"),
    ("Bash", 90, {"command": "cat notes.md | tee engineer.md"}, "agent"),
    ("Bash", 0, {"command": "make notes"}, "agent"),
    ("Bash", 90, {"command": "make notes"}, "hand"),
    ("mcp__files__write", 0, {"path": "x"}, "agent"),
]


@pytest.mark.parametrize("row", WORK, ids=str)
def test_a_line_that_a_tool_wrote_is_an_agents(
    person: Person, row: tuple[str, float, dict[str, str], str]
) -> None:
    *use, origin = row
    person.sandbox.write_memory("engineer", "Orders are numbered")
    person.run("list", "engineer")  # the first look
    person.sandbox.append_to_memory("engineer", f"- {RULE}\n")
    write_transcript(person.sandbox, *call(*use), name="s1/subagents/agent-a1.jsonl")
    assert find_origin(person) == origin


def test_a_line_of_the_user_that_a_tool_of_another_project_wrote_is_an_agents(
    person: Person,
) -> None:
    path = Path(person.sandbox.env["HOME"], ".claude-mpm", "memories", "engineer.md")
    write(path, "- Stock is booked twice\n")
    person.run("allow")
    write_transcript(person.sandbox, *call("Bash", -60, {"command": "tee engineer.md"}))
    assert find_origin(person, "Stock is booked twice", "--user") == "person", "the first look"
    path.write_text(f"- Stock is booked twice\n- {RULE}\n- Orders are numbered\n")
    edit = call("Edit", 90, {"file_path": str(path), "new_string": f"- {RULE}"})
    write_transcript(person.sandbox, *edit, root="/x/other")
    assert find_origin(person, RULE, "--user") == "agent"
    assert find_origin(person, "Orders are numbered", "--user") == "hand"
    assert person.list_origins()[RULE] == "agent"


def test_a_killed_client_leaves_no_call_at_work(person: Person) -> None:
    person.sandbox.write_memory("engineer", "Orders are numbered")
    person.run("list", "engineer")  # the first look
    write_transcript(person.sandbox, call("Bash", -60, {"command": "make notes"})[0])
    person.sandbox.append_to_memory("engineer", f"- {RULE}\n")
    assert find_origin(person) == "hand"


@pytest.mark.parametrize("processes", ["/proc", "/nonexistent"], ids=["linux", "ps"])
@pytest.mark.parametrize(("name", "answer"), [("claude", "True"), ("bash", "False")])
def test_a_client_among_the_parents_is_seen(
    tmp_path: Path, processes: str, name: str, answer: str
) -> None:
    shell = tmp_path / name
    shell.symlink_to("/bin/sh")
    code = (
        "from memory_core.claude_code import acting\n"
        f"acting.PROCESSES = {processes!r}\n"
        "print(acting.is_agents_shell({}))"
    )
    line = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}; exit $?"
    done = subprocess.run([shell, "-c", line], capture_output=True, text=True, check=True, cwd=REPO)
    assert done.stdout == f"{answer}\n"
