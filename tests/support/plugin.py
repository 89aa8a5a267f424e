"""A user whose Claude Code has the plugin, and the Python environment of the plugin."""

import fcntl
import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from memory_core.claude_code import sample_events
from memory_core.setup import plugin_environment
from support.command_line import Done, make_result, read_stdout
from support.files import write_program
from support.paths import REPO
from support.processes import run, wait_until
from support.sandbox import Sandbox
from support.ways import base_python
from support.workers import await_worker

HOOKS = json.loads((REPO / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]

# The data folder in clients that give plugins none.
FALLBACK_FOLDER = "agent-memory-plugin"

# A `uv` whose environments use the packages of the tests.
BORROWING_UV = (
    'echo "$@" >> "$HOME/uv"\n'
    "for last; do :; done\n"
    '[ "$1" = venv ] || exit 0\n'
    f'"{base_python()}" -I -m venv --without-pip "$last"\n'
    'for site in "$last"/lib/python*/site-packages; do\n'
    f'echo "{sysconfig.get_path("purelib")}" > "$site/b.pth"; done\n'
)


class Plugged:
    """A user whose Claude Code has the plugin: runs its hook commands with its variables."""

    def __init__(self, sandbox: Sandbox, folder: Path, root: Path = REPO) -> None:
        self.sandbox = sandbox
        self.folder = root
        self.data = sandbox.home / ".claude" / "plugins" / "data" / "agent-memory-agent-memory"
        self.bin = folder / "bin"
        self.bin.mkdir()
        # A machine with one Python, without the packages of the tests.
        self.add_program("python3", f'exec "{base_python()}" "$@"')
        for name in ("sh", "env", "mkdir", "mv", "dirname", "readlink", "cat"):
            (self.bin / name).symlink_to(str(shutil.which(name)))

    def add_program(self, name: str, script: str) -> None:
        write_program(self.bin / name, script)

    def install_builder(self, script: str = BORROWING_UV) -> None:
        """Install this script as `uv`, the program that builds the environment."""
        self.add_program("uv", script)
        for name in ("rm", "touch", "sleep"):
            (self.bin / name).symlink_to(str(shutil.which(name)))

    def await_build(self) -> None:
        """Wait until the environment is built, or cannot be built."""
        data = str(self.data)

        def is_over() -> bool:
            is_there = plugin_environment.is_ready(data) or plugin_environment.read_failure(data)
            return bool(is_there) and not self._is_building()

        wait_until(is_over)

    def _is_building(self) -> bool:
        with (self.data / plugin_environment.LOCK_NAME).open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def env(self, **more: str) -> dict[str, str]:
        own = {"CLAUDE_PLUGIN_ROOT": str(self.folder), "CLAUDE_PLUGIN_DATA": str(self.data)}
        merged = {**self.sandbox.env, "PATH": str(self.bin), **own, **more}
        return {name: value for name, value in merged.items() if value}

    def run_shell(self, command: str, data: bytes = b"", **env: str) -> Done:
        place = {"cwd": self.sandbox.root, "env": self.env(**env)}
        done = run(["/bin/sh", "-c", command], data, timeout=120, **place)
        await_worker(self.sandbox.paths)
        return make_result([command], done.returncode, done.stdout, done.stderr)

    def event(self, name: str, kind: str, at: int = 0, **env: str) -> Done:
        """Handle an event with its command from hooks.json, as Claude Code does."""
        hooks = [hook for group in HOOKS[name] for hook in group["hooks"]]
        return self.run_shell(hooks[at]["command"], self.make_sample(kind), **env)

    def make_sample(self, kind: str) -> bytes:
        event = sample_events.build(kind, "engineer", str(self.sandbox.root), "1")
        return json.dumps(event).encode()

    def start_session(self, **env: str) -> str:
        """Start a session; return the hook's message to the user, or ""."""
        shown = read_stdout(self.event("SessionStart", "session", at=1, **env))
        return str(json.loads(shown)["systemMessage"]) if shown else ""

    def receive_prompt(self, **env: str) -> str:
        """Return the prompt that an agent called now receives, or "" if it is unchanged."""
        shown = read_stdout(self.event("PreToolUse", "pre", **env))
        if not shown:
            return ""
        reply = json.loads(shown)["hookSpecificOutput"]
        return str(reply["updatedInput"]["prompt"])

    def learns_report(self, **env: str) -> bool:
        """Send the report of an agent; return whether its learning is in the memory file."""
        done = self.event("PostToolUse", "post", **env)
        assert (done.returncode, done.stderr) == (0, "")
        path = self.sandbox.memories / "engineer.md"
        return path.exists() and sample_events.LEARNING in path.read_text(encoding="utf-8")


def copy_plugin(folder: Path) -> None:
    """Copy the files of the plugin from this clone."""
    for name in ("memory_core", "hooks", "bin", ".claude-plugin", "commands"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPO / name, folder / name, ignore=ignored)
    for name in ("pyproject.toml", "settings.template.json"):
        shutil.copy2(REPO / name, folder / name)


def borrow_environment(data: Path, key: str = "") -> Path:
    """Make a plugin environment that uses the packages of the tests; return its folder."""
    name = f"{key or plugin_environment.hash_dependencies()}-borrowed"
    environment = data / "environments" / name
    command = [sys.executable, "-I", "-m", "venv", "--without-pip", str(environment)]
    subprocess.run(command, check=True)
    own = sysconfig.get_path("purelib")
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "borrowed.pth").write_text(f"{own}\n")
    (environment / "packages").symlink_to(own)
    link = data / "venv"
    link.unlink(missing_ok=True)
    link.symlink_to(Path("environments") / name)
    return environment
