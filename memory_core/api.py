"""The verbs for Python programs: `memory_core.Memories`.

Everything that changes a memory is done under its lock, is in its history, and can be taken
back by `agent-memory undo`.
"""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Sequence

from memory_core import (
    knowledge,
    memory,
    people,
    performance,
    pruning,
    recording,
)
from memory_core.knowledge import Knowledge
from memory_core.people import Told
from memory_core.pruning import Pruned

SOURCE = "python"


class Memories:
    """What the agents of one project remember.

    `project` is a folder of the project, as hooks look for it: upwards to the folder with
    `.claude-mpm`, else to the git root.  Without one, CLAUDE_PROJECT_DIR or the current
    folder counts.  Raises NotADirectoryError for what is no folder.

    Agents are named in any spelling (`engineer`, `Engineer Agent`), the main session is
    `PM`.  Items are named by id, by at least four digits that only one id begins with, by
    their text, or by a part of only one text: else naming.NotFound or naming.Ambiguous is
    raised, both ValueErrors.  Each method raises OSError where a file cannot be locked
    (after 2 seconds), read or written; then nothing is changed.
    """

    def __init__(self, project: str | os.PathLike[str] = "") -> None:
        folder = os.path.abspath(os.path.expanduser(project)) if os.fspath(project) else ""
        environ = dict(os.environ)
        if folder and not os.path.isdir(folder):
            raise NotADirectoryError(errno.ENOTDIR, "no folder of a project", folder)
        if folder:
            environ.pop("CLAUDE_PROJECT_DIR", None)
        self._project = memory.project_of(folder, environ)

    @property
    def root(self) -> str:
        """The project's folder."""
        return self._project.place.root

    def recall(self, agent: str, task: str = "", budget: int | None = None) -> str:
        """Return the block that a delegation of this task would carry; "" for nothing.

        At most `budget` characters, by default as many as a hook has; what does not fit is
        left out, what shares words with the task last (docs/hooks.md).
        """
        name = self._agent(agent)
        room = self._project.prompt_budget(name) if budget is None else budget
        return memory.recall(self._project, name, room, lambda: task).text

    def remember(
        self, agent: str, type: str, content: str, run: str = "", session: str = ""
    ) -> Told:
        """Add a learning of one line; return the item that says it from now on.

        `type` is one of docs/learnings.md.  What is known already is confirmed, by each
        `run` once.  A new item starts at a confidence of 0.5 (docs/knowledge.md).  Raises
        people.Refused, a ValueError, for what a report could not teach either: no
        sentence, an unknown type, more than `memory.max_learning_length` characters.
        """
        by = _by(run, session)
        return people.remember(self._project, self._agent(agent), type, content, None, **by)

    def reinforce(self, agent: str, item: str, run: str = "", session: str = "") -> Told:
        """Confirm an item: 0.1 more, up to 1.0; each `run` counts once, none each time."""
        return people.reinforce(self._project, self._agent(agent), item, None, **_by(run, session))

    def contradict(self, agent: str, item: str, run: str = "", session: str = "") -> Told:
        """Say that an item is wrong: 0.2 less, down to 0; each `run` counts once."""
        return people.contradict(self._project, self._agent(agent), item, None, **_by(run, session))

    def remove(self, agent: str, item: str) -> Told:
        """Move an item to the archive, from where `agent-memory restore` brings it back."""
        return people.remove(self._project, self._agent(agent), item, source=SOURCE)

    def preferences(self, agent: str) -> dict[str, str]:
        """Return value by key of the project's preferences for an agent."""
        return people.preferred(self._project, self._agent(agent))

    def set_preference(self, agent: str, key: str, value: str) -> bool:
        """Set a preference; False where it has that value.  Raises preferences.Unfit."""
        return people.prefer(self._project, self._agent(agent), key, value, source=SOURCE)

    def unset_preference(self, agent: str, key: str) -> bool:
        """Take a preference back; False where there is none of that key."""
        return people.unprefer(self._project, self._agent(agent), key, source=SOURCE)

    def record_task(
        self,
        agent: str,
        outcome: str = performance.DONE,
        *,
        duration_s: float | None = None,
        tokens: int | None = None,
        tool_uses: int | None = None,
        type: str = performance.OTHER,
        run: str = "",
        session: str = "",
    ) -> None:
        """Record a finished task for the agent's performance; what is not known is left out.

        `outcome` is done, failed or stopped; `duration_s` is in seconds; one `run` is
        counted once, however often it is recorded.  Raises ValueError for another outcome
        or a negative number.
        """
        recording.task(
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
        """Record an error, and what helped where that is known.

        It is given to the agent once it has a resolution or came up in two runs: 20 are
        kept, 5 given.  A learning of the same `run` counts as resolution.  Of a text the
        first line counts, up to 200 characters.  Raises ValueError for an empty one.
        """
        name = self._agent(agent)
        recording.error(self._project, name, error, resolution, **_by(run, session))

    def _agent(self, name: str) -> str:
        return memory.named(self._project, name)

    def context(self, agent: str) -> Knowledge:
        """Return all that is known: items (the surest first), preferences, performance, errors.

        `knowledge.rendered(it, most)` makes the Markdown of `agent-memory context`.
        """
        return knowledge.context(self._project, self._agent(agent))

    def prune(
        self,
        older_than_s: float,
        below: float = pruning.BELOW,
        agents: Sequence[str] = (),
        dry_run: bool = False,
    ) -> list[Pruned]:
        """Archive items that are less sure than `below` and not confirmed for so many seconds.

        Of all agents, or of some; both conditions must hold.  0 seconds means any age.
        Raises ValueError for a negative age, or a `below` that is not from 0 to 1.
        """
        if not 0 <= older_than_s < math.inf or not 0 <= below <= 1:
            raise ValueError("older_than_s from 0 on and below from 0 to 1 are expected")
        if isinstance(agents, str):
            raise ValueError("agents: a list of names is expected")
        held = self._project.store
        names = [*map(self._agent, agents)] if agents else held.agents()
        return pruning.prune(
            self._project, held, names, int(older_than_s), below, write=not dry_run
        )


def _by(run: str, session: str) -> dict[str, str]:
    return {"run": run, "session": session, "source": SOURCE}
