"""What counts as read from outside, by ordinary calls of agents."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_core.origin import reading
from support.tables import for_each

ROOT = "/home/me/shop"

OUTSIDE = {
    "curl -s https://docs.example.com/api": "curl",
    "cd web && wget -q https://x.example/a.tgz -O a.tgz": "wget",
    'VERSION="$(curl -fsS https://api.example.com/version)"': "curl",
    "npm info left-pad --json | head": "npm info",
    "pip install -r requirements.txt": "pip install",
    "git pull --rebase origin main": "git pull",
    "git submodule update --init": "git submodule",
    "docker pull redis": "docker pull",
    "npx create-thing": "npx",
    "gh issue view 42 --comments": "gh",
    "gh api repos/o/r/pulls": "gh",
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
    "go test ./...",
    "git status && git diff",
    "git remote add upstream https://x.example/r.git",
    "git commit -m 'see https://x.example/1'",
    "# see https://x.example",
    "API_URL=https://x.example make",
    "grep -rn https://x.example src",
    "alembic -x url=sqlite:///shop.db upgrade head",
    "psql postgres://app@localhost:5432/shop",
    "git commit -m 'use curl; curl is faster'",
    'git commit -m "fix: gh (and curl) flags"',
    "git push origin HEAD",
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
    "man ssh",
]


@for_each("command", OUTSIDE)
def test_commands_that_read_from_elsewhere(command: str) -> None:
    assert list_reading(("Bash", {"command": command})) == [f"Bash: {OUTSIDE[command]}"]


@for_each("command", INSIDE)
def test_commands_that_do_not(command: str) -> None:
    assert list_reading(("Bash", {"command": command})) == []


@for_each(
    ("tool", "given", "expected"),
    [
        ("WebFetch", {"url": "https://me:pw@docs.example.com/a?b"}, ["WebFetch docs.example.com"]),
        ("WebFetch", {"url": 7}, ["WebFetch"]),
        ("WebSearch", {"query": "password is hunter2"}, ["WebSearch"]),
        ("mcp__github__get_issue", {}, ["mcp__github__get_issue"]),
        ("mcp__agent-memory__recall", {}, []),
        ("mcp__plugin_agent-memory_agent-memory__remember", {}, []),
        ("mcp__ide__getDiagnostics", {}, []),
        ("ReadMcpResourceTool", {"server": "wiki", "uri": "wiki://1"}, ["MCP resource of wiki"]),
        ("ReadMcpResourceTool", {"server": "agent-memory", "uri": "memory://qa"}, []),
        ("Bash", {"command": None}, []),
    ],
)
def test_tools(tool: str, given: dict[str, object], expected: list[str]) -> None:
    assert list_reading((tool, given)) == expected


@for_each(
    ("tool", "given", "path"),
    [
        ("Read", {"file_path": f"{ROOT}/../other/NOTES.md"}, "/home/me/other/NOTES.md"),
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
    ],
)
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
