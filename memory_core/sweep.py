"""Reports that no hook has seen: the run was interrupted, crashed, or `claude` was killed.

Agents' transcripts are read from where the last sweep ended, each byte once.  A run
whose end a hook has seen is passed over.
"""

from __future__ import annotations

import os
import time

from memory_core import agents, events, fastjson, log, memory, outcomes, runs, spool, transcripts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.events import Event
    from memory_core.memory import Project

# A session's start waits for its sweep: 4 MB are read in some 20 ms.
SESSION_BYTES = 4_000_000
SESSION_SECONDS = 1.0

# A person who calls it has time.
ALL_BYTES = 1_000_000_000
ALL_SECONDS = 600.0

# Claude Code writes the last lines of a transcript shortly after the run's end was told.
AFTER_END = 60

# Where a transcript was read to is remembered as long as a session is likely to be resumed.
MEMORY = 2 * 86400


class Swept:
    """What a sweep came to: transcripts read, bytes, learnings handed on, whether all was read."""

    __slots__ = ("bytes", "complete", "learnings", "transcripts")

    def __init__(self) -> None:
        self.transcripts = 0
        self.bytes = 0
        self.learnings = 0
        self.complete = True


def at_session_start(project: Project, event: Event) -> None:
    """Tidy state/ and catch up, within the time that a session's start allows."""
    folder = os.path.dirname(events.transcript(event))
    runs.clear_old(project.place)
    catch_up(project)
    sweep(project, [folder] if folder else [], SESSION_BYTES, SESSION_SECONDS)


def catch_up(project: Project) -> list[str]:
    """Merge what waits in the spool; return the stems of the agents for which that failed."""
    failed = []
    for stem, agent in spool.waiting(project.place):
        try:
            memory.apply_spool(project, agent)
        except OSError as error:
            failed.append(stem)
            memory.log_waiting(project, agent, error)
    return failed


def sweep(project: Project, folders: list[str], size: int, seconds: float) -> Swept:
    """Learn from transcripts below `folders` and those of earlier calls.

    At most about `size` bytes and `seconds` are spent; the next call goes on.
    """
    known = _State(project)
    until = time.monotonic() + seconds
    began = time.time()
    swept = Swept()
    for path in known.changed(folders):
        if swept.bytes >= size or time.monotonic() > until:
            swept.complete = False
            break
        try:
            _read(project, known, path, size, swept)
        except OSError as error:  # one that cannot be read must not keep the others waiting
            log.write(project.place, "agent.memory.error", error=str(error))
    known.keep(began if swept.complete else None)
    return swept


def _read(project: Project, known: _State, path: str, size: int, swept: Swept) -> None:
    """Read one transcript on, as far as the sweep's `size` allows."""
    session, run = _identity(path)
    record = runs.Runs(project.place, session).record(run)
    status = os.stat(path)
    name = record.get("agent") or transcripts.agent_of(path)
    if not name:
        return
    outcomes.left(project, agents.agent_id(str(name)), session, run, path)
    if status.st_mtime < (record.get("ended") or 0) + AFTER_END:
        return
    began = known.offsets.get(path, 0)
    while room := min(size - swept.bytes, transcripts.LONGEST_LINE):
        offset = known.offsets.get(path, 0)
        lines, end = transcripts.lines(path, offset, room)
        if end == offset:
            break
        swept.learnings += _learn(project, agents.agent_id(str(name)), lines, run, session)
        swept.bytes += end - offset
        known.offsets[path] = end
    swept.transcripts += known.offsets.get(path, 0) > began
    swept.complete &= status.st_size <= known.offsets.get(path, 0) + room


def _identity(path: str) -> tuple[str, str]:
    """Return (session, run) of a transcript: from its name, and its folder or first line."""
    run = os.path.basename(path)[len("agent-") : -len(".jsonl")]
    session, below, _rest = path.partition(f"{os.sep}subagents{os.sep}")
    return (os.path.basename(session), run) if below else (transcripts.session_of(path), run)


def _learn(
    project: Project, agent: str, lines: list[dict[str, Any]], run: str, session: str
) -> int:
    texts = [text for line in lines for text in events.said(line)]
    founds = [found for text in texts if (found := memory.extract(project, agent, text))]
    if founds and project.serves(agent):
        memory.remember(project, agent, founds, run, session, source="sweep")
    return sum(len(found.learnings) for found in founds)


class _State:
    """How far the sweeps have come: folders to look in, since when, up to where in each file.

    The first sweep of a project starts at its own time: what is older was written
    before there was a memory to report to.
    """

    def __init__(self, project: Project) -> None:
        self.place = project.place
        self.path = os.path.join(project.place.state, "sweep.json")
        kept = self._load()
        self.since: float = kept["since"]
        self.folders: list[str] = kept["folders"]
        self.offsets: dict[str, int] = kept["offsets"]

    def _load(self) -> dict[str, Any]:
        empty: dict[str, Any] = {"since": time.time(), "folders": [], "offsets": {}}
        try:
            with open(self.path, encoding="utf-8") as file:
                kept = fastjson.loads(file.read())
            same = all(type(kept[key]) is type(value) for key, value in empty.items())
        except (OSError, ValueError, LookupError, TypeError):
            return empty
        return kept if same else empty

    def changed(self, folders: list[str]) -> list[str]:
        """Return the transcripts that changed since the last complete sweep."""
        self.folders = sorted({*self.folders, *folders})
        return [path for folder in self.folders for path in transcripts.found(folder, self.since)]

    def keep(self, since: float | None) -> None:
        self.since = since or self.since
        horizon = time.time() - MEMORY
        young = {p: n for p, n in self.offsets.items() if transcripts.changed(p) > horizon}
        kept = {"since": self.since, "folders": self.folders, "offsets": young}
        try:
            self.place.made("state")
            with open(f"{self.path}.{os.getpid()}", "w", encoding="utf-8") as file:
                file.write(fastjson.dumps(kept))
            os.replace(f"{self.path}.{os.getpid()}", self.path)
        except OSError as error:
            log.write(self.place, "agent.memory.error", error=str(error))
