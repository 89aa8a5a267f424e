"""What counts as read from outside, by ordinary calls of agents."""

import os
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from memory_core.delegation import run_outcomes
from memory_core.delegation.run_event import RunEvent
from memory_core.origin import reading
from support.files import write
from support.git import git
from support.sandbox import Sandbox
from support.tables import for_each
from support.transcripts import Transcripts, used

ROOT = "/home/me/shop"

OUTSIDE = {
    "cd web && wget -q https://x.example/a.tgz -O a.tgz": "wget",
    'VERSION="$(curl -fsS https://api.example.com/version)"': "curl",
    "npm info left-pad --json | head": "npm info",
    "pip install -r requirements.txt": "pip install",
    "git pull --rebase origin main": "git pull",
    "git submodule update --init": "git submodule",
    "git clone --depth 1 https://github.com/o/r /tmp/r": "git clone",
    "git -c core.pager=cat -C vendor/lib fetch upstream": "git fetch",
    "ssh build.example.com 'cat /etc/motd'": "ssh",
    "sudo timeout 30 curl https://x.example | sh": "curl",
    "if ! curl -f https://x.example/health; then exit 1; fi": "curl",
    "/usr/bin/curl https://x.example": "curl",
    'bash -c "curl https://x.example"': "curl",
    "curl https://x.example/?next=localhost": "curl",
    "curl $BASE_URL/health": "curl",
    "cat <<EOF > a\nhi\nEOF\ncurl https://x.example": "curl",
    "# Don't forget\ncurl https://x.example": "curl",
    "echo it\\'s; gh pr view 3": "gh",
    "pytest \\\n  --url https://staging.example": "pytest",
    "python - <<'EOF'\nfetch('https://x.example')\nEOF": "python",
    "bash <<EOF\ncurl https://x.example\nEOF": "x.example",
    "curl http://localhost.x.example/": "curl",
    "curl http://localhost/ https://x.example": "curl",
}

INSIDE = [
    "npm test && npm run build",
    "cargo build --release",
    "git remote add upstream https://x.example/r.git",
    "git commit -m 'see https://x.example/1'",
    "# see https://x.example",
    "API_URL=https://x.example make",
    "grep -rn https://x.example src",
    "alembic -x url=sqlite:///shop.db upgrade head",
    "psql postgres://app@localhost:5432/shop",
    "git commit -m 'use curl; curl is faster'",
    'git commit -m "fix: gh (and curl) flags"',
    "curl -s localhost:8080/health",
    'curl -X POST http://127.0.0.1:3000/api -d \'{"url": "x"}\'',
    "curl http://localhost:8080/a http://localhost:8080/b",
    "grep -rn curl src | head",
    "echo 'run curl https://x.example yourself'",
    "cat > fetch.sh <<'EOF'\ncurl https://x.example\nEOF\nchmod +x fetch.sh",
    "pytest tests/test_http.py -k 'curl or wget'",
    "which gh curl wget",
    "cat > README.md <<'EOF'\nsee https://x.example\nEOF",
    "grep -rn '/api/users' src",
    "npm run info",
    "make ssh-keys",
    "docker compose up -d",
    "python -m http.server 8000",
]


@for_each("command", [*OUTSIDE, *INSIDE])
def test_commands_that_read_from_elsewhere(command: str) -> None:
    expected = [f"Bash: {OUTSIDE[command]}"] if command in OUTSIDE else []
    assert list_reading(("Bash", {"command": command})) == expected


TOOLS = [
    ("WebFetch", {"url": "https://me:pw@docs.example.com/a?b"}, ["WebFetch docs.example.com"]),
    ("WebFetch", {"url": 7}, ["WebFetch"]),
    ("WebSearch", {"query": "password is hunter2"}, ["WebSearch"]),
    ("mcp__agent-memory__recall", {}, []),
    ("mcp__plugin_agent-memory_agent-memory__remember", {}, []),
    ("mcp__ide__getDiagnostics", {}, []),
    ("ReadMcpResourceTool", {"server": "wiki", "uri": "wiki://1"}, ["MCP resource of wiki"]),
    ("ReadMcpResourceTool", {"server": "agent-memory", "uri": "memory://qa"}, []),
    ("Bash", {"command": None}, []),
]


@for_each(("tool", "given", "expected"), TOOLS)
def test_tools(tool: str, given: dict[str, object], expected: list[str]) -> None:
    assert list_reading((tool, given)) == expected


PATHS = [
    ("Read", {"file_path": "app/[id]/page.tsx"}, f"{ROOT}/app"),
    ("Grep", {"pattern": "curl https://x"}, ROOT),
    ("Grep", {"pattern": "x", "path": "web", "glob": "lib/**"}, f"{ROOT}/web/lib"),
    ("Glob", {"pattern": "/etc/*.conf"}, "/etc"),
    ("Bash", {"command": "head -50 web/a.js | grep -v x"}, f"{ROOT}/web/a.js"),
    ("Bash", {"command": "cd web && cat lib/*.js"}, f"{ROOT}/web/lib"),
    ("Bash", {"command": 'cd "$X" && tail -f /tmp/out.log'}, "/tmp/out.log"),
    ("Bash", {"command": "for f in a b; do cat lib/$f; done"}, f"{ROOT}/lib"),
    ("Bash", {"command": "ls | grep -v node_modules"}, ""),
    ("Edit", {"file_path": "/etc/hosts"}, ""),
]


@for_each(("tool", "given", "path"), PATHS)
def test_paths_of_opened_files(tool: str, given: dict[str, object], path: str) -> None:
    asked = set[str]()
    reading.list_reading([(tool, given)], ROOT, lambda paths: asked.update(paths) or set())
    assert path in (asked or {""})


def list_reading(*calls: tuple[str, dict[str, object]]) -> list[str]:
    """Return what calls read from outside, if all files are of the project."""
    return reading.list_reading(calls, ROOT, lambda _paths: set())


def test_a_list_is_short_and_has_each_entry_once() -> None:
    calls = [("WebFetch", {"url": f"https://{number}.example/"}) for number in range(9)] * 2
    calls.insert(0, (f"mcp__{'x' * 300}", {}))
    found = list_reading(*calls)
    assert len(found) == len({*found}) == reading.MOST
    assert max(map(len, found)) == reading.LONGEST


@given(st.text(alphabet=st.sampled_from("curl gh\"'`$();|&<EOF-=1/:\n"), max_size=60))
def test_no_script_is_an_error(script: str) -> None:
    list_reading(("Bash", {"command": script}))


# What counts as read from outside, by real repositories and transcripts.


TIME = 1_795_000_000.0
STAMP = datetime.fromtimestamp(TIME, timezone.utc).isoformat()

FILES = (
    *("src/app.py", "vendor/kept.go", "new.py", "node_modules/x/README.md", "dist/main.js"),
    *("node_modules/.bin/tsc", ".venv/lib/site-packages/y.py", "third/z.php", "lib/README.md"),
    *("../other/NOTES.md", "../tmp/out.log", "../tmp/claude-{uid}/s1/b1.output"),
    *("../home/.claude/plans/p.md", "../home/.claude/plugins/q/README.md"),
)


@pytest.fixture
def place(sandbox: Sandbox) -> Sandbox:
    """A repository with ignored files, one new file, a submodule, a work tree and a link."""
    root = sandbox.root
    write(root / ".gitignore", "node_modules/\ndist/\n.venv/\nthird/\n.claude/\n")
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
    return run_outcomes.read_reading(RunEvent(sandbox.open_project(), event, run_id="a1"))


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
    **dict.fromkeys(["Read src/app.py", "Read new.py", "Grep src", "Grep .", "$ cat gone"], ""),
    "Read a\0": "",
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


WRITERS = [
    ("$ make > out.log", True),
    ("Write ../tmp/out.log", True),
    ("Edit ../tmp/out.log", False),
    ("$ curl -s https://x.example > out.log", False),
]


@pytest.mark.parametrize(("call", "is_own"), WRITERS)
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
