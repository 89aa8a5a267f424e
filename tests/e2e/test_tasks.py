"""Task memory in the real client: who gets which task, and that a memory imports no files."""

import os
from collections.abc import Callable

from memory_core.claude_code import settings_json
from memory_core.storage.project import Project
from memory_core.tasks import task_actions
from support.paths import BACKLOG
from support.requirements import require_backlog

from .api import Request, call_engineer, delegate, say, use
from .client import Desk, Run
from .product import assert_quiet, install

ONE = "Orders are numbered per warehouse"
TWO = "Invoices go out on Fridays"


def start_tasks(desk: Desk, *names: str) -> Project:
    """Start these tasks, and let CLAUDE.md import the active one, which is the last."""
    shop = desk.open_project()
    for name in names:
        task_actions.start(shop, name)
    task_actions.set_up(shop)
    return shop


def run_delegation(desk: Desk) -> Run:
    return desk.run(call_engineer(say("Fine.")))


def assert_all_contain(requests: list[Request], text: str) -> None:
    assert requests, "nobody asked"
    for request in requests:
        assert request.said.count(text) == 1, request


def assert_both_contain(run: Run, *texts: str) -> None:
    for speaker in ("MAIN", "TASK-1"):
        for text in texts:
            assert_all_contain(run.requests_by(speaker), text)


def assert_none_contains(run: Run, *texts: str) -> None:
    for request in run.api.requests:
        for text in texts:
            assert text not in request.said, request


def test_everyone_gets_only_the_active_task(desk: Desk) -> None:
    shop = start_tasks(desk, "task-2", "task-1")
    task_actions.add_note(shop, "task-1", ONE)
    task_actions.add_note(shop, "task-2", TWO)
    run = run_delegation(desk)
    assert_quiet(run)
    assert_both_contain(run, ONE, "# task-1")
    assert_none_contains(run, TWO, "<task-memory")
    task_actions.finish(shop, "task-1")
    run = run_delegation(desk)
    assert_both_contain(run, TWO)
    assert_none_contains(run, ONE)


def test_a_claude_md_that_imports_agents_md_imports_the_task_too(desk: Desk) -> None:
    """Many projects use this file layout; user lines may end as on Windows."""
    desk.write("AGENTS.md", "Our own rules.\r\nNo line break ends them.")
    desk.write("backlog/CLAUDE.md", "Our own words on tasks.\r\n")
    desk.write("CLAUDE.md", "@AGENTS.md\n")
    shop = start_tasks(desk, "task-1")
    task_actions.add_note(shop, "task-1", ONE)
    run = run_delegation(desk)
    assert_both_contain(run, ONE, "No line break ends them.", "Our own words on tasks.")


# With Backlog.md.


def with_backlog(desk: Desk) -> Project:
    """Create two tasks in Backlog.md, and allow its command."""
    require_backlog()
    install(desk, settings_json.TASKS)
    desk.env["PATH"] = f"{BACKLOG.parent}{os.pathsep}{os.environ['PATH']}"
    for number, title in ((1, "Orders"), (2, "Invoices")):
        told = f"id: TASK-{number}\ntitle: {title}\nstatus: To Do\ncreated_date: '2026-11-01 10:00'"
        desk.write(f"backlog/tasks/task-{number} - {title}.md", f"---\n{told}\n---\n")
    desk.write("backlog/config.yml", 'project_name: "shop"\nremote_operations: false\n')
    desk.settings(permissions={"allow": ["Bash(backlog:*)", "mcp__backlog__task_edit"]})
    return start_tasks(desk)


def backlog(arguments: str) -> list[dict[str, object]]:
    return use("Bash", command=f"backlog task edit {arguments}", description="move a task")


def test_a_task_moved_in_a_session_reaches_agents_started_later(desk: Desk) -> None:
    shop = with_backlog(desk)
    task_actions.start(shop, "task-1")
    task_actions.add_note(shop, "task-1", ONE)
    call = delegate("engineer", "TASK-2 go", run_in_background=False)
    last = {"TASK-2": [say("Fine.")]}
    run = desk.run({"MAIN": [backlog('2 -s "In Progress"'), call, say("done")], **last})
    assert_quiet(run)
    assert "Updated task TASK-2" in run.requests_by("MAIN")[-1].said
    assert_all_contain(run.requests_by("TASK-2"), ' task="task-2">\n')
    assert_all_contain(run.requests_by("TASK-2"), "# task-2: Invoices")
    assert task_actions.find(shop).id == "task-2"
    task_actions.add_note(shop, "", TWO)

    run = run_delegation(desk)
    assert_both_contain(run, TWO)
    assert_none_contains(run, ONE, "<task-memory")

    run = desk.run({"MAIN": [backlog("2 -s Done"), call, say("done")], **last})
    assert task_actions.find(shop, "task-2").state == task_actions.ARCHIVED
    assert_all_contain(run.requests_by("TASK-2"), ' task="task-1">\n')
    run = run_delegation(desk)
    assert_all_contain(run.requests_by("MAIN"), ONE)
    assert_none_contains(run, TWO)
    assert desk.read_log("agent.memory.error") == []


def test_a_task_moved_before_a_session_is_given_at_its_start(desk: Desk) -> None:
    """All client versions read CLAUDE.md while hooks run, so the hook also prints the task."""
    with_backlog(desk)
    name = "backlog/tasks/task-2 - Invoices.md"
    desk.write(name, desk.read(name).replace("To Do", "In Progress"))
    run = run_delegation(desk)
    for speaker in ("MAIN", "TASK-1"):
        for request in run.requests_by(speaker):
            assert "# task-2: Invoices" in request.said, request


# Attacks by the text of a memory.

# P stands for the path of a secret file, valid from the memory and from its copy.
ATTACKS = [
    "@P",
    "- see @P",
    "1. see\n   - deep @P",
    "> @P",
    "**bold @P bold**",
    "_@P_",
    "[see @P](x)",
    "[x](y) @P",
    "| a | b |\n| --- | --- |\n| c | @P |",
    "\\@P",
    "\\\\@P",
    "\\\\ @P",
    "x\t@P",
    "x\u00a0@P",
    "x\u2003@P",
    "x\u200b @P",
    "x\\\n@P",
    "<b> @P </b>",
    "<div>\n@P\n</div>",
    "x <!-- c --> @P",
    "<!--\nc --> @P",
    "a`b @P",
    "``a` @P``b",
    "- `a @P b`",
    "    - @P",
    "Title @P\n=======",
    "# @P",
    "~~~\nx\n~~~ y\n@P\n~~~\n",
    "``` a`b\n@P\n",
    "[^1]: @P",
    "[ref]: @P",
    "word@P",
    "@@P",
    "x@y.z @P",
    "&#32;@P",
    "\ufeff@P",
    "x\x0c@P",
    "x\r@P",
    "@A",
    "@~/home-secret.md",
    "- see @../../.env",
    "- x\n\n  ```\n  a\n @P\n  ```\n",
    "```\nnever closed @P",
]


def attacked(desk: Desk) -> str:
    """Write one secret per attack, reachable from both folders; return a memory that names them."""
    parts = []
    for number, attack in enumerate(ATTACKS):
        name = f"s{number:02}.md"
        for folder in ("secrets", ".claude-mpm/secrets"):
            desk.write(f"{folder}/{name}", f"SECRET-{number:02}-X\n")
        path = attack.replace("P", f"../../secrets/{name}")
        parts.append(path.replace("A", f"{desk.root}/secrets/{name}"))
    for name in (".env", ".claude-mpm/.env", "../home/home-secret.md"):
        desk.write(name, "SECRET-ENV-X\n")
    return "# task-1\n\n## Notes\n\n" + "\n\n".join(parts) + "\n"


def seen(run: Run) -> set[str]:
    said = "\n".join(request.said for request in run.api.requests)
    names = [f"{number:02}" for number in range(len(ATTACKS))]
    return {name for name in [*names, "ENV"] if f"SECRET-{name}-X" in said}


def test_a_memory_imports_no_other_file(new_desk: Callable[..., Desk]) -> None:
    """The client imports the secrets if CLAUDE.md has the same text without agent-memory."""
    naive = new_desk("naive", hooks=False)
    naive.write("backlog/memory/task-1.md", attacked(naive))
    naive.write("CLAUDE.md", "@backlog/memory/task-1.md\n")
    brought = seen(run_delegation(naive))
    assert {"00", "01", "ENV"} <= brought
    assert len(brought) >= 25, brought

    desk = new_desk()
    start_tasks(desk, "task-1")
    with open(desk.root / "backlog/memory/task-1.md", "w", newline="") as file:
        file.write(attacked(desk))
    run_delegation(desk)  # the check at the start of a session sees any writer's changes
    run = run_delegation(desk)
    assert_all_contain(run.requests_by("MAIN"), "never closed")
    assert seen(run) == set()
