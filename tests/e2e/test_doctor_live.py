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

from .api import Api, Line, Reply, Request, after, answer_client, delegate, say
from .client import Desk
from .product import REPO, remember, versions

# These tests check agent-memory, not the client, so only the newest client runs them.
VERSIONS = ("2.1.300", "999")

ITEM = "Services talk through the event bus, never directly"
EVERYONE = ""  # the speaker of messages without a mark
WORD = re.compile(r"check word of agent-memory doctor is (\S+)")


class DoctorResult(NamedTuple):
    """The result of the command, and the API requests of the client."""

    code: int
    out: str
    err: str
    requests: list[Request]

    @property
    def findings(self) -> list[dict[str, Any]]:
        findings = json.loads(self.out)["findings"]
        return [finding for finding in findings if finding["check"] == "live"]


def doctor(desk: Desk, line: Line, *options: str, **env: str) -> DoctorResult:
    """Run the doctor with only the client and its server on PATH."""
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
        return DoctorResult(done.returncode, done.stdout, done.stderr, api.requests)


def environment(desk: Desk, api: Api) -> dict[str, str]:
    own = desk.environment(api)
    path = f"{os.path.dirname(desk.claude.program)}:{own['PATH']}"
    return {**own, "PATH": path, "PYTHONPATH": str(REPO)}


@pytest.fixture
def desk(new_desk: Callable[..., Desk]) -> Desk:
    """Create a machine with hooks written by `agent-memory install`, and one memory."""
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
    """Return a model: the main agent delegates, the agent reports the check word that it read."""

    def answer(request: Request) -> Reply:
        said = "\n".join(request.user_texts)
        if "between the two lines" in said:  # the main agent
            if request.turn or not calls:
                return say("I repeat nothing.")
            return delegate("general-purpose", said.split("-----")[1].strip())(request)
        if "Which check word" in said:
            word = WORD.search(request.said)
            return say(report(word[1] if word else "nothing"))
        return answer_client(request)

    return answer


def block(word: str) -> str:
    return f"# Add To Memory:\nType: context\nContent: The agent heard {word}\n#"


def files(desk: Desk) -> dict[str, bytes]:
    """Return the files of the project's memory, and the state of all projects."""
    folders = (desk.project / ".claude-mpm", desk.home / ".local" / "state" / "agent-memory")
    return {
        str(path): path.read_bytes()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_memory_arrives_and_a_report_is_kept(desk: Desk) -> None:
    before = files(desk)
    result = doctor(desk, model(block))
    assert result.code == 0, result.out + result.err
    first, second = result.findings
    assert re.fullmatch(r"general-purpose got its memory, after \d+ s", first["what"])
    assert second["what"] == "the report of general-purpose was saved"
    assert files(desk) == before


def whole_answer(request: Request) -> Reply:
    """Answer with the word, without a learning: the main agent repeats what the agent said."""
    reply = model(lambda word: f"It is {word}.")(request)
    match = re.search(r"It is (quince-\w+)", request.said)
    return say(f"It said {match[1]}.") if match else reply


def overwritten(desk: Desk) -> None:
    """Add a later hook of another tool that replies with the original prompt."""
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


def change_nothing(_desk: Desk) -> None:
    pass


FAILURES: list[tuple[Callable[[Desk], None], Line, dict[str, str], str]] = [
    (
        change_nothing,
        model(block, calls=False),
        {},
        "claude did not call general-purpose; it answered:",
    ),
    (forbidden, model(block), {}, "general-purpose was called but not started; claude"),
    (
        change_nothing,
        whole_answer,
        {},
        "the report of general-purpose was not saved; claude answered: ",
    ),
    (change_nothing, model(block), {"ANTHROPIC_API_KEY": ""}, "claude failed: Not logged in"),
]


@versions("2.1.300")
@pytest.mark.parametrize(
    ("break_it", "line", "env", "said"),
    FAILURES,
    ids=["not called", "stopped", "not kept", "not logged in"],
)
def test_each_failure_is_explained(
    desk: Desk, break_it: Callable[[Desk], None], line: Line, env: dict[str, str], said: str
) -> None:
    break_it(desk)
    before = files(desk)
    result = doctor(desk, line, **env)
    assert_broken(result, said)
    assert files(desk) == before


def assert_broken(result: DoctorResult, said: str) -> None:
    last = result.findings[-1]
    assert (result.code, last["level"]) == (1, "broken"), result.out
    assert last["what"].startswith(said)
    assert last["where"]
    assert last["mend"]


def test_hooks_that_claude_code_ignores_are_noticed(desk: Desk) -> None:
    """Claude Code ignores the whole settings file if any value in it is invalid."""
    desk.settings(permissions={"allow": "everything"})
    assert_broken(doctor(desk, model(block)), "Claude Code ran no hooks of agent-memory")


def test_a_prompt_that_another_hook_rewrites_is_noticed(desk: Desk) -> None:
    """In the background the loss may be seen before the start, which then gives the memory."""
    overwritten(desk)
    result = doctor(desk, model(block))
    what = "removed the memory from the prompt"
    (found,) = [each for each in result.findings if what in each["what"]]
    assert (result.code, found["level"]) in [(1, "broken"), (1, "warning")]


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
    """The real client has installed the plugin; the settings have no hooks."""
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
    result = doctor(desk, model(block))
    assert result.code == 0, result.out
    assert [each["level"] for each in result.findings] == ["ok", "ok"]
    commands = [each for each in json.loads(result.out)["findings"] if each["check"] == "command"]
    assert len(commands) == 6
    assert all(each["where"].endswith("mnemo/hooks/hooks.json") for each in commands)
