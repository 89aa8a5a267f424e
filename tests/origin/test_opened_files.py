"""What counts as read from outside, by real repositories and transcripts."""

from __future__ import annotations

import os
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from memory_core.delegation import run_report
from memory_core.delegation.run_event import RunEvent
from support.git import git
from support.life import write
from support.sandbox import Sandbox
from support.transcripts import Transcripts, used

TIME = 1_795_000_000.0
STAMP = datetime.fromtimestamp(TIME, timezone.utc).isoformat()

FILES = (
    *("src/app.py", "vendor/kept.go", "new.py", "node_modules/x/README.md", "dist/main.js"),
    *("node_modules/.bin/tsc", ".venv/lib/site-packages/y.py", "third/z.php", "lib/README.md"),
    *("../other/NOTES.md", "../tmp/out.log", "../tmp/claude-{uid}/s1/b1.output"),
    *("../home/.claude/plans/p.md", "../home/.claude/plugins/q/README.md"),
)
IGNORED = "node_modules/\ndist/\n.venv/\nthird/\n.claude/\n"


@pytest.fixture
def place(sandbox: Sandbox) -> Sandbox:
    """A repository with ignored files, one new file, a submodule, a work tree and a link."""
    root = sandbox.root
    write(root / ".gitignore", IGNORED)
    for name in FILES:
        write(root / name.format(uid=os.getuid()), "text\n")
        os.utime(root / name.format(uid=os.getuid()), (1.0, 1.0))
    git(root / "lib", "init", "-q")
    git(root / "lib", "add", "-A")
    git(root / "lib", "commit", "-qm", "x")
    git(root, "init", "-q")
    git(root, "add", "src", "vendor", "lib", ".gitignore")
    git(root, "commit", "-qm", "x")
    git(root, "worktree", "add", "-q", ".claude/worktrees/w")
    write(root / ".claude/worktrees/w/dist/main.js", "text\n")
    (root / "linked").symlink_to(root.parent / "other")
    sandbox.env["CLAUDE_CODE_TMPDIR"] = str(root.parent / "tmp")
    return sandbox


def make_call(root: Path, line: str) -> dict[str, Any]:
    """Return a line of a transcript for a call such as `Read src/app.py` or `$ git status`."""
    tool, _, text = line.format(uid=os.getuid()).partition(" ")
    if tool == "$":
        given = {"command": text}
    elif tool.startswith(("Read", "Write", "Edit")):
        given = {"file_path": os.path.join(root, text)}
    else:
        given = {"path": os.path.join(root, text), "url": text}
    return {**used("Bash" if tool == "$" else tool, **given), "timestamp": STAMP}


def read(sandbox: Sandbox, *calls: str, session: tuple[str, ...] = ()) -> list[str]:
    """Return what a run with these calls read, in a session with others."""
    transcripts = Transcripts(sandbox)
    path = transcripts.write("a1", *(make_call(sandbox.root, line) for line in calls))
    transcripts.write("a2", *(make_call(sandbox.root, line) for line in session))
    event = {"agent_transcript_path": str(path), "cwd": str(sandbox.root)}
    project = sandbox.open_project()
    return run_report.read_reading(RunEvent(project, event, run_id="a1"))


# The ways of SECURITY.md (M1), and what is recorded of each; docs/security.md names the unseen.
WAYS = {
    "WebFetch https://docs.example.com/a": "WebFetch docs.example.com",
    "$ curl -s https://docs.example.com/a": "Bash: curl",
    "$ gh issue view 42 --comments": "Bash: gh",
    "mcp__github__get_issue": "mcp__github__get_issue",
    "Read node_modules/x/README.md": "Read README.md",
    "$ cat node_modules/x/README.md | head": "Bash: cat README.md",
    "Read .venv/lib/site-packages/y.py": "Read y.py",
    "Read third/z.php": "Read z.php",
    "Read vendor/kept.go": "",  # committed
    "$ python -c \"from urllib.request import *; urlopen('https://x.example')\"": "Bash: python",
    "$ node -e \"fetch('https://x.example').then(console.log)\"": "Bash: node",
    "$ uvx cowsay": "Bash: uvx",
    "$ npx degit owner/name": "Bash: npx",
    "$ bun x degit owner/name": "Bash: bun x",
    "$ git fetch origin pull/7/head": "Bash: git fetch",
    "$ git log -3": "",
    "Read lib/README.md": "Read README.md",
    "$ docker run --rm image cat /README": "Bash: docker run",
    "$ python -m pydoc requests": "Bash: pydoc",
    "Read ../tmp/out.log": "Read out.log",
    "$ psql -c 'select body from issues'": "",
    "$ aws s3 cp s3://bucket/key -": "Bash: aws",
}

MORE = {
    **dict.fromkeys(
        ("Read src/app.py", "Read new.py", "Grep src", "Grep .", "$ cat gone", "Read a\0"), ""
    ),
    "$ npx tsc --noEmit": "",
    "Grep node_modules/x": "Grep x",
    "Glob node_modules/**/*.md": "Glob node_modules",
    "$ cd node_modules/x && sed -n 1,9p README.md": "Bash: sed README.md",
    "Read ../other/NOTES.md": "Read NOTES.md",
    "Read linked/NOTES.md": "Read NOTES.md",
    "$ grep -c x /etc/passwd 2> /dev/null": "Bash: grep passwd",
    "Read ../tmp/claude-{uid}/s1/b1.output": "",
    "Read ../home/.claude/plans/p.md": "",
    "Read ../home/.claude/plugins/q/README.md": "Read README.md",
    "Read .claude/worktrees/w/src/app.py": "",
    "Read .claude/worktrees/w/dist/main.js": "Read main.js",
}


def test_ways_to_read_from_outside(place: Sandbox) -> None:
    assert len(WAYS) == 22
    expected = {**WAYS, **MORE}
    assert {line: "".join(read(place, line)) for line in expected} == expected


@pytest.mark.parametrize(
    ("call", "is_own"),
    [
        ("$ make > out.log", True),
        ("Write ../tmp/out.log", True),
        ("Edit ../tmp/out.log", False),
        ("$ curl -s https://x.example > out.log", False),
    ],
)
def test_a_file_that_a_call_of_the_session_wrote(place: Sandbox, call: str, is_own: bool) -> None:
    written = place.root / "../tmp/out.log"
    os.utime(written, (TIME, TIME))
    assert read(place, "Read ../tmp/out.log", session=(call,)) == ["Read out.log"] * (not is_own)
    os.utime(written, (TIME - 60, TIME - 60))
    is_named = call.startswith("Write")
    assert read(place, "Read ../tmp/out.log", session=(call,)) == ["Read out.log"] * (not is_named)


def test_without_git_folders_of_packages_are_outside(sandbox: Sandbox) -> None:
    for name in FILES[:7]:
        write(sandbox.root / name, "text\n")
    opened = read(sandbox, *(f"Read {name}" for name in FILES[:7]))
    assert opened == [f"Read {name}" for name in ("kept.go", "README.md", "tsc", "y.py")]
