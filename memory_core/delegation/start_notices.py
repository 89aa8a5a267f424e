"""What a person has to know when a session has started: what waits for a decision."""

from __future__ import annotations

from memory_core.files import last_look
from memory_core.origin import text_origins
from memory_core.storage import paths, user_level
from memory_core.storage.paths import MemoryFolder
from memory_core.storage.project import Project

WAITING = "agent-memory: learnings wait for you (agent-memory review)"


def format_notices(project: Project) -> list[str]:
    """Return these lines; [] mostly."""
    return _format_news(project) + _ask_for_user_level(project)


def _format_news(project: Project) -> list[str]:
    """Return what came into memories, and that learnings wait, each once."""
    folder, notices = project.paths.state, list[str]()
    state = last_look.read_look(folder)
    if last_look.ASKED not in state and "version" in state:
        notices += text_origins.ask_whose(project)
        state = last_look.read_look(folder)
    waiting = folder.read_text(paths.WAITING_FILE)
    if state.get("version") != last_look.VERSION:
        return notices  # before the first look
    notices += filter(None, [state.get(last_look.NOTICE)])
    is_news = waiting not in ("", state.get("waiting"))
    notices += [WAITING] if is_news else []
    if state.get(last_look.NOTICE) or is_news:
        state |= {last_look.NEWS: {}, last_look.NOTICE: ""}
        state["waiting"] = waiting or state.get("waiting", "")
        last_look.write_look(folder, state)
    return notices


def _ask_for_user_level(project: Project) -> list[str]:
    """Return a notice if agents do not receive the user-level memory; only once."""
    if project.config["user_level"] == "off" or not any(map(_has_memories, project.folders[1:])):
        return []
    return user_level.ask(project.paths)


def _has_memories(folder: MemoryFolder) -> bool:
    names = folder.files.list_names(folder.folder)
    return any(name.endswith(".md") and name != "README.md" for name in names)
