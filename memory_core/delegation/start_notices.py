"""Tell a person at the start of a session what waits for a decision."""

from __future__ import annotations

from memory_core.files import last_look
from memory_core.storage import state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.storage.paths import MemoryFolder
    from memory_core.storage.project import Project

WAITING = "agent-memory: learnings wait for you (agent-memory review)"
NOT_ALLOWED = (
    "agent-memory: the agents of this project do not receive your user-level memory."
    "  If you want them to: agent-memory allow"
)


def format_notices(project: Project) -> list[str]:
    """Return what a person has to know when a session starts, each once; [] mostly."""
    folder = project.paths.state
    notices, state = list[str](), last_look.read_look(folder)
    if last_look.ASKED not in state and "version" in state:
        from memory_core.origin import text_origins

        notices, state = text_origins.ask_whose(project), last_look.read_look(folder)
    waiting = folder.read_text(state_folder.WAITING_FILE)
    if state.get("version") != last_look.VERSION:
        return notices + _ask_for_user_level(project)  # before the first look
    notices += filter(None, [state.get(last_look.NOTICE)])
    is_news = waiting not in ("", state.get("waiting"))
    notices += [WAITING] if is_news else []
    if state.get(last_look.NOTICE) or is_news:
        state |= {last_look.NEWS: {}, last_look.NOTICE: ""}
        state["waiting"] = waiting or state.get("waiting", "")
        last_look.write_look(folder, state)
    return notices + _ask_for_user_level(project)


def _ask_for_user_level(project: Project) -> list[str]:
    """Return a notice if agents do not receive the user-level memory; only once."""
    state, is_off = project.paths.state, project.config["user_level"] == "off"
    if is_off or not any(map(_has_memories, project.folders[1:])):
        return []
    from memory_core.storage import user_level

    if user_level.is_allowed(project.paths) or state.is_file(user_level.ASKED_FILE):
        return []
    try:
        state.replace(user_level.ASKED_FILE, b"", durable=False)
    except OSError:
        return []  # it would be said again and again
    return [NOT_ALLOWED]


def _has_memories(folder: MemoryFolder) -> bool:
    names = folder.files.list_names(folder.folder)
    return any(name.endswith(".md") and name != "README.md" for name in names)
