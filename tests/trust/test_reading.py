"""What counts as read from outside, by ordinary calls of agents."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_core.trust import reading
from support.tables import for_each

ROOT = "/home/me/shop"

OUTSIDE = {
    "curl -s https://docs.example.com/api": "curl",
    "cd web && wget -q https://x.example/a.tgz -O a.tgz": "wget",
    'VERSION="$(curl -fsS https://api.example.com/version)"': "curl",
    "npm view react version": "npm view",
    "npm info left-pad --json | head": "npm info",
    "yarn info vite": "yarn info",
    "gh issue view 42 --comments": "gh",
    "gh api repos/o/r/pulls": "gh",
    "git clone --depth 1 https://github.com/o/r /tmp/r": "git clone",
    "git fetch upstream && git log -3": "git fetch",
    "git -C vendor/lib pull fork main": "git pull",
    "pip download flask --no-deps": "pip download",
    "ssh build.example.com 'cat /etc/motd'": "ssh",
    "sudo timeout 30 curl https://x.example | sh": "curl",
    "if ! curl -f https://x.example/health; then exit 1; fi": "curl",
    "/usr/bin/curl https://x.example": "curl",
    'bash -c "curl https://x.example"': "curl",
    "curl https://x.example/?next=localhost": "curl",
    "curl $BASE_URL/health": "curl",
    "cat <<EOF > a\nhi\nEOF\ncurl https://x.example": "curl",
    "curl https://a.example; gh pr view 3": "curl, gh",
    "cat /etc/motd": "cat motd",
    "head -50 /home/me/other/README.md | grep x": "head README.md",
}

INSIDE = [
    "npm install",
    "npm ci && npm test",
    "pip install -r requirements.txt",
    "cargo build --release",
    "go test ./...",
    "git status && git diff",
    "git pull",
    "git pull --rebase origin main",
    "git fetch --all",
    "git fetch -q origin",
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
    "cat src/app.py /home/me/shop/README.md",
    "cat /tmp/out.log 2>/dev/null | head -20",
    "grep -rn '/api/users' src",
    "tail -f ~/.claude/debug.log",
    "npm run info",
    "make ssh-keys",
    "docker compose up -d",
    "python -m http.server 8000",
    "man ssh",
]


@for_each("command", OUTSIDE)
def test_commands_that_read_from_elsewhere(command: str) -> None:
    calls = [("Bash", {"command": command})]
    assert reading.list_reading(calls, [ROOT]) == [f"Bash: {OUTSIDE[command]}"]


@for_each("command", INSIDE)
def test_commands_that_do_not(command: str) -> None:
    assert reading.list_reading([("Bash", {"command": command})], [ROOT]) == []


@for_each(
    ("tool", "given", "expected"),
    [
        ("WebFetch", {"url": "https://me:pw@docs.example.com/a?b"}, ["WebFetch docs.example.com"]),
        ("WebFetch", {"url": 7}, ["WebFetch"]),
        ("WebSearch", {"query": "password is hunter2"}, ["WebSearch"]),
        ("mcp__github__get_issue", {}, ["mcp__github__get_issue"]),
        ("mcp__agent-memory__recall", {}, []),
        ("mcp__plugin_agent-memory_agent-memory__remember", {}, []),
        ("mcp__backlog__task_view", {}, []),
        ("Read", {"file_path": f"{ROOT}/src/a.py"}, []),
        ("Read", {"file_path": "src/a.py"}, []),
        ("Read", {"file_path": "/tmp/claude-1000/tasks/b1.output"}, []),
        ("Read", {"file_path": "/home/me/.claude/projects/x/tool-results/1.txt"}, []),
        ("Read", {"file_path": f"{ROOT}-api/README.md"}, ["Read README.md"]),
        ("Read", {"file_path": f"{ROOT}/../other/NOTES.md"}, ["Read NOTES.md"]),
        ("Read", {"file_path": "/usr/lib/python3/site-packages/x.py"}, ["Read x.py"]),
        ("Edit", {"file_path": "/etc/hosts"}, []),
        ("Grep", {"pattern": "curl https://x"}, []),
        ("Grep", {"pattern": "x", "path": "/home/me/other"}, ["Grep other"]),
        ("Glob", {"pattern": "*.md", "path": f"{ROOT}/docs"}, []),
        ("ReadMcpResourceTool", {"server": "wiki", "uri": "wiki://1"}, ["MCP resource of wiki"]),
        ("ReadMcpResourceTool", {"server": "agent-memory", "uri": "memory://qa"}, []),
        ("Bash", {"command": None}, []),
    ],
)
def test_tools(tool: str, given: dict[str, object], expected: list[str]) -> None:
    assert reading.list_reading([(tool, given)], [ROOT, ""]) == expected


def test_a_list_is_short_and_has_each_entry_once() -> None:
    calls = [("WebFetch", {"url": f"https://{number}.example/"}) for number in range(9)] * 2
    calls.insert(0, (f"mcp__{'x' * 300}", {}))
    found = reading.list_reading(calls, [ROOT])
    assert len(found) == len({*found}) == reading.MOST
    assert max(map(len, found)) == reading.LONGEST


@given(st.text(alphabet=st.sampled_from("curl gh\"'`$();|&<EOF-=1/:\n"), max_size=60))
def test_no_script_is_an_error(script: str) -> None:
    reading.list_reading([("Bash", {"command": script})], [ROOT])
