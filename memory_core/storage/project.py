"""A project: its settings, its memory files, the user's memory files, and names of agents."""

from __future__ import annotations

from memory_core.claude_code import events

# Other modules are imported where they are used: most events need few of them.
from memory_core.storage import config, paths
from memory_core.storage.paths import MemoryFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory_core.storage.store import Store

# Maximum number of characters that are added to a prompt: two memory files of the default size;
# more only for agents with a larger limit.  60,000 characters are known to arrive complete.
PROMPT_BUDGET = 16_000
MAX_PROMPT_BUDGET = 60_000

# One of these exists wherever there are tasks.
TASK_MARKERS = ("backlog", ".backlog", "backlog.config.yml")


class Project:
    """The settings of a project and its two levels of memory files.

    `paths` are those of the project level, `user_paths` those of the user level.  The latter is
    None if both levels would have the same folder.  `folders` have the memory files of the project
    and those of the user, and `trees` all files that are read; they know what they refused.
    """

    def __init__(self, level: paths.LevelPaths, environ: Mapping[str, str]) -> None:
        self.environ = environ
        home = paths.find_user_level(environ)
        self.paths = level
        self.user_paths = home if home and home.root != level.root else None
        self.config = load_config(level, self.user_paths, environ)
        self.changes: list[str] = []  # ids of the changes that were written, oldest first
        self.name = level.root.rpartition("/")[2] or "project"
        self.folders = [MemoryFolder(level, self.config["directory"])]
        self.trees = [level.files, level.state]
        if self.user_paths:
            self.folders.append(MemoryFolder(self.user_paths))
            self.trees.append(self.user_paths.files)

    @property
    def store(self) -> Store:
        from memory_core.storage import store

        return store.Store(self.paths, self.config["directory"])

    def level(self, user: bool) -> Store:
        """Return the memory files of the user, or those of the project."""
        from memory_core.storage import store

        return store.Store(self.user_paths or self.paths) if user else self.store

    @property
    def has_tasks(self) -> bool:
        """Whether the project may have tasks."""
        return any(map(self.paths.files.has_entry, TASK_MARKERS))

    def serves(self, agent: str) -> bool:
        """Return whether the settings include the agent; Claude Code's own agents never count."""
        is_own = agent in events.HARNESS_AGENTS
        return bool(self.config["enabled"]) and not is_own and self.config.serves(agent)

    def prompt_budget(self, agent: str) -> int:
        """Return the maximum number of characters of memory in an agent's prompt."""
        size = self.config.size_kb(agent) * 1024 + PROMPT_BUDGET // 2
        return min(max(PROMPT_BUDGET, size), MAX_PROMPT_BUDGET)


def load_config(
    level: paths.LevelPaths, user: paths.LevelPaths | None, environ: Mapping[str, str]
) -> config.Config:
    """Return the settings in force: the kept ones, unless a file or a variable changes them."""
    stamp, kept = config.make_stamp(level, user), config.read_kept(level)
    if stamp and kept.get("stamp") == stamp and not any(map(environ.get, config.VARIABLES)):
        return config.Config(kept, [])
    from memory_core.storage.config_yml import config_merge

    return config_merge.load(level, user, environ)


def find_project(cwd: str, environ: Mapping[str, str]) -> Project:
    """Return the project of the folder `cwd`, or the project named by the environment."""
    return Project(paths.find_project_level(cwd, environ), environ)
