"""Send mutated events to the hooks and check each reply; print the counts.

    python tests/tools/fuzz.py COUNT SEED FOLDER

A forked process handles each event with the real entry point of the hooks. 20,000 starts of
an interpreter would take longer than all other tests together.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(REPO), str(REPO / "tests")]

from memory_core import hook  # noqa: E402
from memory_core.claude_code import agent_names  # noqa: E402, F401
from memory_core.storage.paths import LevelPaths  # noqa: E402
from support.events import read_recorded_events, spoil  # noqa: E402

NO_EVENTS = [b"", b"\0", b"[]", b"null", b'"PreToolUse"', b"[" * 99_999, b"\xff\xfe"]
BLOCK = "Done.\n# Add To Memory:\nType: pattern\nContent: Fact number {} of this project\n#\n"


def events() -> list[dict[str, Any]]:
    """Return the recorded events, with learnings in their reports."""
    texts = [json.dumps(value) for value in read_recorded_events()]
    block = json.dumps(BLOCK)[1:-1]
    return [json.loads(text.replace("LEARNED-ONE", f"x\\n{block}")) for text in texts]


def bent(data: bytes, chance: random.Random) -> bytes:
    """Randomly cut, garble or repeat the bytes of an event, or make them invalid UTF-8."""
    at = chance.randrange(len(data) + 1)
    noise = bytes(chance.randrange(256) for _ in range(3))
    bends = [data[:at], data[:at] + noise + data[at:], data * 2, b"\xef\xbb\xbf" + data]
    return chance.choice([*bends, chance.choice(NO_EVENTS), *[data] * 7])


def outcome(data: bytes, folder: Path) -> tuple[int, bytes, bytes]:
    """Run one hook in a fork; return (exit status, stdout, stderr)."""
    paths = [folder / stream for stream in ("stdin", "stdout", "stderr")]
    paths[0].write_bytes(data)
    child = os.fork()
    if child == 0:
        for number, path in enumerate(paths):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            os.dup2(os.open(path, flags), number)
        hook.run("PreToolUse")
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status, paths[1].read_bytes(), paths[2].read_bytes()


def verdict(status: int, stdout: bytes, stderr: bytes) -> str:
    """Return "silent" or "reply"; raise AssertionError for any other result."""
    assert status == 0
    assert b"Traceback" not in stderr
    assert stderr.count(b"\n") <= 1
    if not stdout:
        return "silent"
    value = json.loads(stdout)
    assert {*value} <= {"hookSpecificOutput", "systemMessage"}
    output = value.get("hookSpecificOutput", {})
    assert not {"decision", "permissionDecision", "continue"} & set(output)
    return "reply"


def main(count: int, seed: int, folder: Path) -> None:
    chance = random.Random(seed)
    originals = events()
    counts = {"silent": 0, "reply": 0}
    os.environ.update(HOME=str(folder / "home"), CLAUDE_PROJECT_DIR=str(folder / "shop"))
    (folder / "shop").mkdir()
    state = Path(LevelPaths(str(folder / "shop"), os.environ).state.root)
    for number in range(count):
        value = spoil(chance.choice(originals), chance)
        data = json.dumps(value).replace("{}", str(number)).encode()
        data = bent(data, chance)
        try:
            result = outcome(data, folder)
            counts[verdict(*result)] += 1
        except AssertionError:
            sys.stderr.write(f"event {number} of seed {seed}: {data[:2000]!r} gave {result!r}\n")
            raise
    log = (state / "events.jsonl").read_text()
    errors = log.count('"agent.memory.error"') + log.count('"hook.error"')
    learned = log.count('"agent.memory.learned"')
    print(json.dumps({"events": count, **counts, "errors": errors, "learned": learned}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
