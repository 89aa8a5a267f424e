"""Read and change memories from Python programs: `memory_core.Memories`.

Each change is made under the memory's lock and recorded in its history.  `agent-memory undo`
takes it back, except recorded tasks and errors.
"""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Sequence
from typing import Any

from memory_core.curation import agent_context, cleaning, item_actions
from memory_core.curation.agent_context import Knowledge
from memory_core.curation.cleaning import PruneResult
from memory_core.curation.item_actions import RatedItem
from memory_core.delegation import inbox_reports
from memory_core.history import performance
from memory_core.memory import recall
from memory_core.storage.project import find_project
from memory_core.storage.store import resolve_agent

SOURCE = "python"


class Memories:
    """The memories of the agents of one project.

    `project` is a folder of the project.  As for hooks, the project is the next folder above
    it with `.claude-mpm`, else the git root.  Default: CLAUDE_PROJECT_DIR, else the current
    folder.  Raises NotADirectoryError if the folder does not exist.

    An agent's name may have any spelling (`engineer`, `Engineer Agent`); the main session is
    `PM`.  An item's name is its id, a prefix of it that is unique (at least four digits), its
    text, or a part of the text that no other item has; otherwise ItemNotFound or
    AmbiguousItem is raised (both ValueErrors of memory_core.curation.lookup).  Every method
    raises OSError, and changes nothing, if a file cannot be locked (within 2 seconds), read
    or written.
    """

    def __init__(self, project: str | os.PathLike[str] = "") -> None:
        environ = dict(os.environ)
        if os.fspath(project):
            folder = os.path.abspath(os.path.expanduser(project))
            if not os.path.isdir(folder):
                raise NotADirectoryError(errno.ENOTDIR, "not a folder", folder)
            environ["CLAUDE_PROJECT_DIR"] = folder
        self._project = find_project("", environ)

    @property
    def root(self) -> str:
        """The project's folder."""
        return self._project.paths.root

    def recall(self, agent: str, task: str | None = "", budget: int | None = None) -> str:
        """Return the block that a hook adds to the agent's prompt for this task, or "".

        `budget` is the maximum number of characters, by default that of hooks.  The items that
        fit the task are given (docs/selection.md); without a task, the most useful ones.
        """
        name = self._agent(agent)
        limit = self._project.prompt_budget(name) if budget is None else budget
        return recall.build_block(self._project, name, limit, lambda: task or "").text

    def remember(
        self, agent: str, type: str, content: str, run: str = "", session: str = ""
    ) -> RatedItem | None:
        """Add a learning of one line; return the item that now says it, None if it waits.

        It waits for a person's review if there is no room, if it contradicts an item that is more
        certain, or with `learning: ask`.

        `type` is one of docs/learnings.md.  A new item has a confidence of 0.5
        (docs/knowledge.md).  If an item says the same already, it is confirmed, once for
        each `run`.  Raises InvalidRequest, a ValueError, for a learning that a report
        could not teach either (no sentence, an unknown type, more than
        `memory.max_learning_length` characters), or that a person rejected before.
        """
        name, by = self._agent(agent), _by(run, session)
        taught = item_actions.teach(self._project, name, type, [content], None, **by).taught
        return taught[0] if taught else None

    def reinforce(self, agent: str, item: str, run: str = "", session: str = "") -> RatedItem:
        """Confirm an item: 0.1 more, up to 1.0.  Each `run` counts once; without, each call."""
        return self._judge(agent, item, "reinforced" if run else "confirmed", run, session)

    def contradict(self, agent: str, item: str, run: str = "", session: str = "") -> RatedItem:
        """Report that an item is wrong: 0.2 less, down to 0.  Each `run` counts once."""
        return self._judge(agent, item, "contradicted", run, session)

    def remove(self, agent: str, item: str) -> RatedItem:
        """Move an item to the archive; `agent-memory restore` brings it back."""
        return self._judge(agent, item, "removed")

    def _judge(
        self, agent: str, item: str, kind: str, run: str = "", session: str = ""
    ) -> RatedItem:
        names = [(self._agent(agent), item)]
        return item_actions.judge_items(self._project, names, kind, **_by(run, session))[0]

    def preferences(self, agent: str) -> dict[str, str]:
        """Return the project's preferences for an agent, value by key."""
        return item_actions.read_preferences(self._project, self._agent(agent))

    def set_preference(self, agent: str, key: str, value: str) -> bool:
        """Set a preference; return False if it has this value.  Raises InvalidPreference."""
        return item_actions.set_preference(
            self._project, self._agent(agent), key, value, source=SOURCE
        )

    def unset_preference(self, agent: str, key: str) -> bool:
        """Remove a preference; return False if the agent has none of this key."""
        return item_actions.remove_preference(self._project, self._agent(agent), key, source=SOURCE)

    def record_task(
        self,
        agent: str,
        outcome: str = performance.DONE,
        *,
        duration_s: float | None = None,
        tokens: int | None = None,
        tool_uses: int | None = None,
        type: str = performance.OTHER_TYPE,
        run: str = "",
        session: str = "",
    ) -> None:
        """Record a finished task for the agent's performance; None means unknown.

        `outcome` is done, failed or stopped; `duration_s` is in seconds; a `run` counts
        once, however often it is recorded.  Raises ValueError for another outcome or a
        negative number.
        """
        item_actions.record_task(
            self._project,
            self._agent(agent),
            outcome,
            duration_s=duration_s,
            tokens=tokens,
            tool_uses=tool_uses,
            type=type,
            source=SOURCE,
            run=run,
            session=session,
        )

    def record_error(
        self, agent: str, error: str, resolution: str = "", run: str = "", session: str = ""
    ) -> None:
        """Record an error and, if known, its resolution.

        The agent receives it once it has a resolution; until then it stays on this machine.  A
        later learning of the same `run` counts as resolution.  Only the first line of the error
        counts, up to 200 characters, without secrets.  Raises ValueError for an empty one.
        """
        name = self._agent(agent)
        item_actions.record_error(self._project, name, error, resolution, **_by(run, session))

    def _agent(self, name: str) -> str:
        inbox_reports.drain(self._project)
        return resolve_agent(self._project.store, name)

    def context(
        self, agent: str, most: int | None = None, least: float = agent_context.LEAST_CONFIDENCE
    ) -> Knowledge:
        """Return items (most certain first), preferences, performance and five errors.

        There are at most `most` items, by default `memory.context_items`, with a confidence from
        `least` on.  `agent_context.render_markdown` makes the Markdown of `agent-memory context`.
        """
        knowledge = agent_context.read_knowledge(self._project, self._agent(agent))
        most = self._project.config["context_items"] if most is None else most
        return agent_context.bound(knowledge, most, least)

    def prune(
        self,
        older_than_s: float,
        below: float = cleaning.LOW_CONFIDENCE,
        agents: Sequence[str] = (),
        dry_run: bool = False,
    ) -> list[PruneResult]:
        """Archive items with a confidence lower than `below`, unconfirmed for so many seconds.

        Both conditions must hold; 0 seconds means any age.  Default: all agents.  Raises
        ValueError for a negative age, or a `below` that is not from 0 to 1.
        """
        if not 0 <= older_than_s < math.inf:
            raise ValueError(f"invalid older_than_s {older_than_s!r}: use seconds, at least 0")
        if not 0 <= below <= 1:
            raise ValueError(f"invalid below {below!r}: use a number from 0 to 1")
        if isinstance(agents, str):
            raise ValueError(f"invalid agents {agents!r}: use a list of names")
        store = self._project.store
        names = [*map(self._agent, agents)] or store.agents()
        return cleaning.prune_items(
            self._project, store, names, int(older_than_s), below, write=not dry_run
        )


def _by(run: str, session: str) -> dict[str, Any]:
    return {"run": run, "session": session, "source": SOURCE}
