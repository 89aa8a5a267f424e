"""What a person has to know when a session has started: what waits for a decision."""

from __future__ import annotations

from memory_core.files import last_look
from memory_core.origin import text_origins
from memory_core.storage import paths, user_level
from memory_core.storage.project import Project

WAITING = "agent-memory: learnings wait for you (agent-memory review)"


def format_notices(project: Project) -> list[str]:
    """Return these lines; [] mostly."""
    return _format_news(project) + _ask_for_user_level(project)


def _format_news(project: Project) -> list[str]:
    """Return what came into memories, and that learnings wait, each once."""
    folder, notices = project.paths.state, text_origins.ask_whose(project)
    state = last_look.read_look(folder)
    if state.get("version") != last_look.VERSION:
        return notices  # before the first look
    news, waiting = text_origins.describe_news(state), folder.read_text(paths.WAITING_FILE)
    if waiting not in ("", state.get("waiting")):
        news.append(WAITING)
    if news:
        state |= {last_look.NEWS: {}, "waiting": waiting or state.get("waiting", "")}
        last_look.write_look(folder, state)
    return notices + news


def _ask_for_user_level(project: Project) -> list[str]:
    """Return a notice if agents do not receive the user-level memory; only once."""
    has_memories = project.user_paths and project.level(user=True).agents()
    is_wanted = has_memories and project.config["user_level"] != "off"
    return user_level.ask(project.paths) if is_wanted else []
