"""A memory file that is not text is left alone and reported, and learnings wait for it."""

import codecs

import pytest

from memory_core.delegation import inbox_reports
from memory_core.memory import recall
from support.command_line import Person, read_stderr
from support.events import LEARNED, make_pre_event, make_stop_event
from support.sandbox import Sandbox

TEXT = "# Engineer Memory\n\n## Project Architecture\n- Orders are kept for ten years\n"
UNREADABLE = [
    TEXT.encode("utf-16"),
    b"\xfe\xff" + TEXT.encode("utf-16-be"),
    TEXT.encode("utf-16-le"),
    TEXT.encode("utf-32"),
    "訂單保留十年".encode("utf-16"),  # it has no NUL
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    TEXT.encode() + bytes(512),  # after a power cut
]
# Bytes that are not UTF-8 stay as they are; the rest of such a file is text.
READABLE = [
    TEXT.encode("utf-8-sig"),
    TEXT.replace("ten", "zwölf").encode("latin-1"),
    TEXT.replace("\n", "\r\n").encode(),
    b"",
]
COMMANDS = ["list engineer", "show engineer", "log engineer", "diff engineer", "export", "optimize"]
COMMANDS += ["add engineer pattern waits", "rename engineer dev", "preference set engineer a b"]


@pytest.mark.parametrize("data", UNREADABLE, ids=repr)
def test_hooks_leave_it_alone_and_keep_the_learnings(sandbox: Sandbox, data: bytes) -> None:
    path = sandbox.write_memory("engineer")
    path.write_bytes(data)
    prompt = sandbox.run_hook("pre_tool_use", make_pre_event()).reply["updatedInput"]["prompt"]
    assert "# Add To Memory:" in prompt
    assert not any(part in prompt for part in ("Recorded by", "\0"))
    assert sandbox.run_hook("subagent_stop", make_stop_event()).status == 0
    assert path.read_bytes() == data
    (entry,) = sandbox.read_log("agent.memory.waiting")
    assert "engineer.md is not text" in entry["reason"]
    path.write_text(TEXT)
    inbox_reports.drain(sandbox.open_project(), with_tried=True)
    assert LEARNED in path.read_text()
    assert "Orders are kept" in path.read_text()


def test_learnings_wait_while_the_archive_is_not_text(sandbox: Sandbox) -> None:
    sandbox.configure("memory: {limits: {max_items_per_section: 1}}")
    data = "## 2026-01-02\n\n- [Tips] Queues are durable\n".encode("utf-16")
    archive = sandbox.memories / "archive" / "engineer.md"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(data)
    for number in range(3):
        text = f"# Add To Memory:\nType: pattern\nContent: Service {number} caches\n#\n"
        assert sandbox.run_hook("subagent_stop", make_stop_event(f"r{number}", text)).status == 0
    assert archive.read_bytes() == data
    entry = sandbox.read_log("agent.memory.waiting")[0]
    assert "archive/engineer.md is not text" in entry["reason"]
    archive.write_bytes(data.decode("utf-16").encode())
    inbox_reports.drain(sandbox.open_project(), with_tried=True)
    texts = sandbox.read_memory("engineer") + archive.read_text()
    assert all(texts.count(f"Service {number} caches") == 1 for number in range(3))


@pytest.mark.parametrize("data", READABLE, ids=repr)
def test_text_is_delivered_and_learned(sandbox: Sandbox, data: bytes) -> None:
    path = sandbox.write_memory("engineer")
    path.write_bytes(data)
    project = sandbox.open_project()
    delivered = recall.build_block(project, "engineer", 5000).text
    assert ("Orders are kept" in delivered) == (b"Orders" in data)
    assert sandbox.run_hook("subagent_stop", make_stop_event()).status == 0
    after = path.read_bytes()
    assert LEARNED.encode() in after
    assert after.count(codecs.BOM_UTF8) == data.count(codecs.BOM_UTF8)
    assert after.startswith(data[:3])


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_leave_it_alone_and_say_why(person: Person, command: str) -> None:
    path = person.sandbox.write_memory("engineer")
    path.write_bytes(TEXT.encode("utf-16"))
    said = read_stderr(person.run(*command.split()), 1)
    assert "engineer.md is not text, perhaps UTF-16" in said
    assert path.read_bytes() == TEXT.encode("utf-16")
