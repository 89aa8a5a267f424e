"""`agent-memory doctor --live`, with the real client; the API answers from a script."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from memory_core.claude_code import settings_json
from memory_core.doctor import examination, live_check
from memory_core.memory.project import find_project
from memory_core.setup import installation

from .api import Api, Line, Reply, Request, after, aside, delegate, say
from .client import Desk
from .product import REPO, remember, versions

# What is tested here is our part: one client will do, and it is the newest.
VERSIONS = ("2.1.300", "999")

ITEM = "Services talk through the event bus, never directly"
EVERYONE = ""  # how scripts name who speaks without one of their marks
WORD = re.compile(r"check word of agent-memory doctor is (\S+)")


class Told(NamedTuple):
    """What the command printed, and what the client asked the API for it."""

    code: int
    out: str
    err: str
    requests: list[Request]

    @property
    def findings(self) -> list[dict[str, Any]]:
        found = json.loads(self.out)["findings"]
        return [each for each in found if each["check"] == "live"]


def doctor(desk: Desk, line: Line, *options: str, **env: str) -> Told:
    """Run the command where only the client and its server are to be found."""
    command = [sys.executable, "-m", "memory_core.cli", "doctor", "--live", "--json", *options]
    with Api({EVERYONE: [line]}) as api:
        done = subprocess.run(
            command,
            cwd=desk.project,
            env={**environment(desk, api), **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=150,
            check=False,
        )
        return Told(done.returncode, done.stdout, done.stderr, api.requests)


def environment(desk: Desk, api: Api) -> dict[str, str]:
    own = desk.environment(api)
    path = f"{os.path.dirname(desk.claude.program)}:{own['PATH']}"
    return {**own, "PATH": path, "PYTHONPATH": str(REPO)}


@pytest.fixture
def desk(new_desk: Callable[..., Desk]) -> Desk:
    """A desk with our hooks as `agent-memory install` writes them, and one memory."""
    new = new_desk("live", hooks=False)
    data = new.home / ".local" / "share" / "agent-memory" / "venv"
    (data / "bin").mkdir(parents=True)
    (data / "bin" / "python").symlink_to(sys.executable)
    (data / "hooks").symlink_to(REPO / "hooks")
    new.write(
        ".claude/settings.json",
        settings_json.add_hooks("", settings_json.build_hooks(installation.read_template())),
    )
    remember(new, "engineer", ITEM)
    return new


def model(
    report: Callable[[str], str], asked: str = "", calls: bool = True
) -> Callable[[Request], Reply]:
    """Answer as a model does: the main agent delegates, the agent reports on what it has read."""

    def answer(request: Request) -> Reply:
        said = "\n".join(request.user_place)
        if "between the two lines" in said:  # the main agent
            if request.turn or not calls:
                return say("I repeat nothing.")
            return delegate("general-purpose", said.split("-----")[1].strip())(request)
        if "Which check word" in said:
            word = WORD.search(request.said)
            return say(report(word[1] if word else "nothing"))
        return aside(request)

    return answer


def block(word: str) -> str:
    return f"# Add To Memory:\nType: context\nContent: The agent heard {word}\n#"


def files(desk: Desk) -> dict[str, bytes]:
    folder = desk.project / ".claude-mpm"
    return {
        str(path): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "config.json" not in path.name
    }


def test_memory_arrives_and_a_report_is_kept(desk: Desk) -> None:
    before = files(desk)
    told = doctor(desk, model(block))
    assert told.code == 0, told.out + told.err
    first, second = told.findings
    assert re.fullmatch(r"general-purpose got its memory, after \d+ s", first["what"])
    assert second["what"] == "the report of general-purpose was saved"
    assert files(desk) == before


def whole_answer(request: Request) -> Reply:
    """A main agent that repeats what the agent said, and an agent that records nothing."""
    reply = model(lambda word: f"It is {word}.")(request)
    found = re.search(r"It is (quince-\w+)", request.said)
    return say(f"It said {found[1]}.") if found else reply


def overwritten(desk: Desk) -> None:
    """Another tool's hook, later than ours, answers with the prompt as it was."""
    program = (
        "import json, sys, time; event = json.load(sys.stdin); time.sleep(1);"
        " print(json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse',"
        " 'updatedInput': event['tool_input']}}))"
    )
    script = desk.write(".claude/other.py", program)
    hook = {"type": "command", "command": f"{sys.executable} -I {script}"}
    groups = [{"matcher": "Task|Agent", "hooks": [hook]}]
    desk.write(".claude/settings.local.json", json.dumps({"hooks": {"PreToolUse": groups}}))


def forbidden(desk: Desk) -> None:
    desk.settings(permissions={"ask": ["Agent", "Task"]})


def as_it_is(_desk: Desk) -> None:
    pass


FAILURES: list[tuple[Callable[[Desk], None], Line, dict[str, str], str]] = [
    (
        as_it_is,
        model(block, calls=False),
        {},
        "claude did not call general-purpose; it answered:",
    ),
    (
        forbidden,
        model(block),
        {},
        "general-purpose was called but not started; claude",
    ),
    (as_it_is, whole_answer, {}, "the report of general-purpose was not saved; claude answered: "),
    (as_it_is, model(block), {"ANTHROPIC_API_KEY": ""}, "claude failed: Not logged in"),
]


@versions("2.1.300")
@pytest.mark.parametrize(
    ("ail", "line", "env", "said"),
    FAILURES,
    ids=["not called", "stopped", "not kept", "not logged in"],
)
def test_what_failed_is_said(
    desk: Desk, ail: Callable[[Desk], None], line: Line, env: dict[str, str], said: str
) -> None:
    ail(desk)
    before = files(desk)
    told = doctor(desk, line, **env)
    assert_broken(told, said)
    assert files(desk) == before


def assert_broken(told: Told, said: str) -> None:
    last = told.findings[-1]
    assert (told.code, last["level"]) == (1, "broken"), told.out
    assert last["what"].startswith(said)
    assert last["where"]
    assert last["mend"]


def test_hooks_that_claude_code_ignores_are_noticed(desk: Desk) -> None:
    """A wrong word elsewhere in the settings, for which it drops the whole file."""
    desk.settings(permissions={"allow": "everything"})
    assert_broken(doctor(desk, model(block)), "Claude Code ran no hooks of agent-memory")


def test_a_prompt_that_another_hook_rewrites_is_noticed(desk: Desk) -> None:
    """In the background, the loss may be seen before the agent's start, which gives it then."""
    overwritten(desk)
    told = doctor(desk, model(block))
    what = "removed the memory from the prompt"
    (found,) = [each for each in told.findings if what in each["what"]]
    assert (told.code, found["level"]) in [(1, "broken"), (0, "warning")]


@versions("2.1.300")
def test_there_is_a_time_limit(desk: Desk) -> None:
    end = threading.Event()
    with Api({EVERYONE: [after(end, say("At last."))]}) as api:
        environ = environment(desk, api)
        project = find_project(str(desk.project), environ)
        (found,) = live_check.run(examination.Examination(project, environ), patience=4)
        end.set()
    assert found.level == examination.BROKEN
    assert re.search(r" within \d+ s", found.what)


def test_hooks_of_a_plugin_are_found_and_serve(desk: Desk) -> None:
    """Of a plugin that the real client has installed, and of no settings."""
    hooks = json.loads(desk.read(".claude/settings.json"))
    (desk.project / ".claude" / "settings.json").unlink()
    market = {"name": "shelf", "owner": {"name": "somebody"}}
    entry = {"name": "mnemo", "source": "./mnemo", "description": "ours"}
    for name, value in {
        "shelf/.claude-plugin/marketplace.json": {**market, "plugins": [entry]},
        "shelf/mnemo/.claude-plugin/plugin.json": {"name": "mnemo", "version": "1.0.0"},
        "shelf/mnemo/hooks/hooks.json": hooks,
    }.items():
        desk.write(name, json.dumps(value))
    with Api({}) as api:
        for words in (["marketplace", "add", "./shelf"], ["install", "mnemo@shelf"]):
            subprocess.run(
                [desk.claude.program, "plugin", *words],
                cwd=desk.project,
                env=environment(desk, api),
                capture_output=True,
                check=True,
            )
    told = doctor(desk, model(block))
    assert told.code == 0, told.out
    assert [each["level"] for each in told.findings] == ["ok", "ok"]
    commands = [each for each in json.loads(told.out)["findings"] if each["check"] == "command"]
    assert len(commands) == 6
    assert all(each["where"].endswith("mnemo/hooks/hooks.json") for each in commands)
