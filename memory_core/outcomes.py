"""What delegations came to, into the history of their agents: a record for each run.

A run may be told of by several events, and by none.  Who tells is the first of

    its answer     PostToolUse: with the numbers, in the foreground
    its failure    PostToolUseFailure: it has only the call, its receipt knows the run
    its end        SubagentStop: in the background, and where nobody called it
    the sweep      it was killed, or its end was told to nobody

`told` in the run's record in state/ keeps the others from telling it again.  Where two
tell all the same, both records have one id, and performance.py counts them once.
"""

from __future__ import annotations

import os
import time

from memory_core import events, log, performance, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.events import Event
    from memory_core.memory import Project
    from memory_core.past import Record

# An agent that fails more often in one run learns nothing more from it.
ERRORS_A_RUN = 20

SURE = (performance.DONE, performance.FAILED)


def launched(project: Project, event: Event, agent: str, run: str) -> None:
    """Note what an agent in the background was asked to do; its end does not say it."""
    if not project.serves(agent) or not run:
        return
    records = runs.Runs(project.place, events.session(event))
    records.try_note(runs.launch(run), launched=time.time(), type=_type(event))
    if "ended" in records.record(run):  # within the time that this process took to start
        ended(project, event, agent, run)


def answered(project: Project, event: Event, agent: str, run: str) -> None:
    """Record what a delegation or a forked skill answered, with the numbers it has."""
    if not project.serves(agent):
        return
    known = runs.Runs(project.place, events.session(event)).record(run)
    if events.is_delegation(event):
        told = {**_lasted(known), **_known(events.totals(event))}
        _tell(project, event, agent, run, told | {"type": _type(event)})
    elif known.get("told") not in SURE:
        _tell(project, event, agent, run, _lasted(known))


def failed(project: Project, event: Event, agent: str, run: str) -> None:
    """Record that a delegation failed or was stopped, if it had begun.

    `run` is the one that claimed its receipt.  A call that is denied, or that names no
    agent, fails alike; only where an agent was at work there was a task.
    """
    began = run or events.API_ERROR in events.error(event)
    records = runs.Runs(project.place, events.session(event))
    if began and project.serves(agent) and "told" not in records.record(events.call(event)):
        known = records.record(run)
        told = {**_lasted(known), **_known(events.totals(event)), "type": _type(event)}
        _tell(project, event, agent, run, told)


def ended(project: Project, event: Event, agent: str, run: str) -> None:
    """Record a run at its end, unless the answer to its call is going to tell more."""
    if not run or not project.serves(agent):
        return
    records = runs.Runs(project.place, events.session(event))
    known, launch = records.record(run), records.record(runs.launch(run))
    in_foreground = known.get("call") and not launch
    # One without a report is a warm-up of 2.0.x, or in auto mode about to be asked for it.
    is_over = launch or "ended" in known or bool(events.report(event))
    if known.get("told") in SURE or in_foreground or not is_over:
        return
    _tell(project, event, agent, run, {**_lasted({**launch, **known}), **_typed(launch)})


def troubled(project: Project, event: Event, agent: str) -> None:
    """Record that a tool failed in an agent's run; each error once a run."""
    run = events.own_run(event)
    if not run or events.is_interrupt(event) or not project.serves(agent):
        return
    records = runs.Runs(project.place, events.session(event))
    error = _error(event, run)
    known = records.record(run).get("errors") or []
    if error is None or error["id"] in known or len(known) >= ERRORS_A_RUN:
        return
    if keep(project, agent, [error]):
        records.try_note(run, errors=[*known, error["id"]])


def left(project: Project, agent: str, session: str, run: str, path: str) -> None:
    """Record from its transcript at `path` what nobody told of a run: its end, or its numbers."""
    records = runs.Runs(project.place, session)
    launch, known = records.record(runs.launch(run)), records.record(run)
    # A run in the background ends before its last words are in its transcript.
    is_counted = not launch or known.get("told") not in SURE or "counted" in known
    if not run or ("told" in known and is_counted) or not project.serves(agent):
        return
    from memory_core import transcripts

    outline = transcripts.outline(path)
    if records.record(outline.call).get("told"):
        return  # it failed, and nothing said which run the call had led to
    until = known.get("ended") or transcripts.changed(path)
    told: dict[str, Any] = {"type": launch.get("type") or outline.type, **outline.numbers}
    told |= _lasted({**launch, **known}, until)
    outcome, error = _found(known, outline.last)
    task = performance.task(run, outcome, run=run, session=session, **told)
    found = [task, performance.error(error, "Agent", run=run, session=session)]
    if keep(project, agent, [each for each in found if each], until):
        records.try_note(run, told=outcome, counted=1)


def _found(known: dict[str, Any], last: str) -> tuple[str, str]:
    """Return (outcome, error) of a run by its last words, none where it was at work."""
    if known.get("told") in SURE:
        return known["told"], ""
    if last.startswith(events.API_ERROR):
        return performance.FAILED, last
    return (performance.DONE if last or "ended" in known else performance.STOPPED), ""


def _tell(project: Project, event: Event, agent: str, run: str, told: dict[str, Any]) -> None:
    """Record a finished run with what is known of it, and its error if it failed."""
    session, key = events.session(event), run or events.call(event)
    if not key:
        return  # nothing would tell it from the next
    reason = events.error(event)
    has_failed = bool(reason) or events.is_failure(event)
    outcome = performance.FAILED if has_failed else performance.DONE
    outcome = performance.STOPPED if events.is_interrupt(event) else outcome
    task = performance.task(key, outcome, run=run, session=session, **told)
    found = [task, _error(event, run) if outcome == performance.FAILED else None]
    if keep(project, agent, [each for each in found if each]):
        records = runs.Runs(project.place, session)
        records.try_note(key, told=outcome)
        if has_failed and events.call(event) not in ("", key):
            records.try_note(events.call(event), told=outcome)


def _error(event: Event, run: str) -> Record | None:
    told = {"run": run, "session": events.session(event)}
    # At its end an event has no tool: it is the delegation that failed.
    return performance.error(events.cause(event), events.tool(event) or "Agent", **told)


def _lasted(known: dict[str, Any], until: float = 0.0) -> dict[str, int]:
    """Return how long a run took by our own clock, where its start was seen."""
    began = known.get("began") or known.get("launched")
    if type(began) is not float:
        return {}
    return {"duration_ms": max(0, int(((until or time.time()) - began) * 1000))}


def _type(event: Event) -> str:
    return performance.task_type(events.description(event), events.task(event))


def _typed(launch: dict[str, Any]) -> dict[str, str]:
    return {"type": str(launch["type"])} if launch.get("type") else {}


def _known(numbers: dict[str, Any]) -> dict[str, int]:
    checked = {name: performance.count(value) for name, value in numbers.items()}
    return {name: number for name, number in checked.items() if number is not None}


def keep(project: Project, agent: str, records: list[Record], when: float = 0.0) -> bool:
    """Add records to an agent's history, with its name and the time; say whether they are kept.

    Where another process is at the history, or the disk fails, they wait in the spool for
    the next writer.  `when` is their time in seconds, if it is not now.
    """
    told = [{"time": log.utc(when or time.time()), "agent": agent, **each} for each in records]
    try:
        # Without the lock a writer that fails would cut off what was added meanwhile.
        with project.store.locked(agent, 0.0):
            append(project, agent, told)
    except OSError as error:
        return _spooled(project, agent, told, error)
    return True


def stamped(agent: str, record: Record, source: str) -> Record:
    """Return a record with the agent it is about, the time, and who tells it."""
    return {"time": log.utc(time.time()), "agent": agent, **record, "source": source}


def append(project: Project, agent: str, records: list[Record]) -> None:
    """Add records to an agent's history, whose lock the caller holds; raises OSError."""
    if not records:
        return
    from memory_core import history

    held = project.store
    held.make_folder()
    path = held.history(agent)
    history.pack(path, history.append(path, records))
    if any(record["kind"] == "error" for record in records):
        from memory_core import common_errors

        if os.path.getsize(path) <= common_errors.LARGEST_HISTORY:
            common_errors.keep(project.place, held.stem(agent), history.read(path))


def _spooled(project: Project, agent: str, records: list[Record], reason: OSError) -> bool:
    from memory_core import spool

    entry = {"agent": agent, "run": "", "session": "", "source": "agent", "records": records}
    entry |= {"learnings": [], "rejected": []}
    try:
        spool.settle(project.place, spool.add(project.place, project.store.stem(agent), entry))
    except OSError:
        log.write(project.place, "agent.memory.error", agent_id=agent, error=str(reason))
        return False
    return True
