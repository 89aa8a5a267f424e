"""The life of a delegation, as Claude Code's events tell it.

    call      PreToolUse           the memory goes into the prompt, a receipt is left
    start     SubagentStart        no receipt to claim: the memory goes in here
    handback  PreToolUse           auto mode: the report is captured and stripped
    answer    PostToolUse          foreground: captured and stripped; background: launched
    stop      SubagentStop         the last message is captured
    failure   PostToolUseFailure   the receipt is void; a tool failed in an agent's run

What a session or an agent is told of the task in progress comes from `task_events`.

Each function takes the project and an event, and returns the reply or None.
"""

from __future__ import annotations

import time

from memory_core import agents, events, log, memory, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memory_core.events import Event
    from memory_core.learnings import Found
    from memory_core.memory import Given, Project

    Reply = dict[str, Any]

# Claude Code puts a longer additionalContext into a file (seen from 2.1.90: 9,900
# characters arrive whole, 10,000 do not).
CONTEXT_LIMIT = 9_900

# What the main agent reads of a report that held nothing but learnings.
NO_REPORT = "(The report held only notes for the agent's own memory.)"


def call(project: Project, event: Event) -> Reply | None:
    """Put the called agent's memory into its prompt."""
    agent = agents.agent_id(events.called_agent(event))
    task = events.task(event)
    if not project.serves(agent) or _goes_by_start(project, event):
        return None
    given = memory.recall(project, agent, project.prompt_budget(agent), lambda: task)
    records = runs.Runs(project.place, events.session(event))
    # Without a receipt SubagentStart would give the memory again: then it alone does.
    if not given.text or not records.leave_receipt(events.call(event), agent, events.caller(event)):
        return None
    _log_loaded(project, agent, given, runs.PROMPT, event, call=events.call(event))
    return events.rewrite(event, prompt=f"{task}\n\n{given.text}")


def _goes_by_start(project: Project, event: Event) -> bool:
    """Say whether a changed prompt would do harm, or not arrive: SubagentStart serves then."""
    return events.is_auto(event) or runs.prompts_are_lost(project.place)


def start(project: Project, event: Event) -> Reply | None:
    """Give the starting agent its memory, unless its prompt already has it."""
    run = events.own_run(event)
    agent = _own_agent(project, event)
    if agent is None or not project.serves(agent):
        return None
    records = runs.Runs(project.place, events.session(event))
    if not records.begin(run):
        return None  # resumed: what it was given at first is still in its transcript
    claimed = _claim(records, agent, run, event)
    given = None if claimed else _recall_at_start(project, agent, event)
    route = runs.START if given else runs.PROMPT if claimed else "none"
    records.try_note(run, agent=agent, route=route, call=claimed, began=time.time())
    if given is not None:
        _log_loaded(project, agent, given, runs.START, event, run=run)
    text = _with_task(project, records, given.text if given else "")
    return events.context("SubagentStart", text) if text else None


def _with_task(project: Project, records: runs.Runs, text: str) -> str:
    """Return what an agent is given, and behind it what its session does not know of the task."""
    from memory_core import task_events

    told = task_events.at_start(project, records, CONTEXT_LIMIT - len(text) - 2)
    return "\n\n".join(part for part in (text, told) if part)


def _claim(records: runs.Runs, agent: str, run: str, event: Event) -> str:
    """Return the call whose prompt brought this run its memory, or an empty string."""
    from memory_core import transcripts

    main = events.transcript(event)
    for call_id, receipt in records.open_receipts(agent, run):
        caller = receipt.get("caller")
        path = transcripts.of_run(main, caller) if caller else main
        if transcripts.refused(path, call_id):
            records.drop_receipt(call_id)
        elif records.claim(call_id, run):
            return call_id
    return ""


def _recall_at_start(project: Project, agent: str, event: Event) -> Given | None:
    """Recall without a prompt to look at: the task stands in the main transcript."""
    from memory_core import transcripts

    main = events.transcript(event)
    given = memory.recall(project, agent, CONTEXT_LIMIT, lambda: transcripts.last_task(main, agent))
    return given if given.text else None


def handback(project: Project, event: Event) -> Reply | None:
    """Capture a report on its way to the main agent, and take the blocks out of it."""
    agent = _own_agent(project, event)
    edit = _capture(project, event, agent, events.own_run(event)) if agent else None
    if edit is None:
        return None
    return events.rewrite(event, message=edit(events.report(event)[0]))


def answer(project: Project, event: Event) -> Reply | None:
    """Take in what a delegation, a hand-back or a forked skill came to."""
    if events.is_handback(event):
        return stop(project, event)
    if events.may_move_tasks(event):
        return None
    run = events.called_run(event)
    records = runs.Runs(project.place, events.session(event))
    agent = _called(records, event, run)
    if agent is None:
        return None
    if events.is_delegation(event):
        _check_delivery(project, records, event, agent)
    if events.is_launch(event):
        from memory_core import outcomes

        outcomes.launched(project, event, agent, run)
        return None
    return _take(project, event, agent, run)


def _called(records: runs.Runs, event: Event, run: str) -> str | None:
    if events.is_delegation(event):
        return agents.agent_id(events.called_agent(event))
    # A skill's answer names its run only; a skill that did not fork has none.
    known = records.record(run).get("agent") if run else None
    return str(known) if known else None


def _take(project: Project, event: Event, agent: str, run: str) -> Reply | None:
    from memory_core import outcomes

    reason = events.error(event)
    if reason:
        _log_failed(project, agent, reason, event, run)
        outcomes.answered(project, event, agent, run)
        return None
    edit = _capture(project, event, agent, run)
    _end(project, event, agent, run)
    outcomes.answered(project, event, agent, run)
    return events.output(events.edited(event, edit)) if edit else None


def stop(project: Project, event: Event) -> Reply | None:
    """Capture the last message of an agent that ends.  Never answered: it must be able to."""
    run = events.own_run(event)
    agent = _own_agent(project, event)
    if agent is None:
        return None
    _capture(project, event, agent, run)
    if events.report(event):
        _end(project, event, agent, run)
    if not events.is_handback(event):
        from memory_core import outcomes

        outcomes.ended(project, event, agent, run)
    return None


def _own_agent(project: Project, event: Event) -> str | None:
    """Return the agent that an event of its own is about, or None where nobody knows.

    Up to 2.0.76 SubagentStop does not name it; its start may have been seen.
    """
    named = events.own_agent(event)
    if not named:
        records = runs.Runs(project.place, events.session(event))
        named = str(records.record(events.own_run(event)).get("agent") or "")
    return agents.agent_id(named) if named else None


def _end(project: Project, event: Event, agent: str, run: str) -> None:
    """Note that a run's report was seen, so that no sweep reads its transcript."""
    records = runs.Runs(project.place, events.session(event))
    records.try_note(run, agent=agent, ended=time.time())


def failure(project: Project, event: Event) -> Reply | None:
    """Record that a delegation failed or was refused; its receipt is void."""
    from memory_core import outcomes

    if not events.is_delegation(event):
        named = events.own_agent(event) if events.is_shell(event) else ""
        outcomes.troubled(project, event, agents.agent_id(named)) if named else None
        return None
    agent = agents.agent_id(events.called_agent(event))
    run = runs.Runs(project.place, events.session(event)).drop_receipt(events.call(event))
    _log_failed(project, agent, events.error(event), event, run)
    outcomes.failed(project, event, agent, run)
    return None


def session(project: Project, event: Event) -> Reply | None:
    """Give the main session its own memory, and nothing of any agent's."""
    from memory_core import task_events, team

    records = runs.Runs(project.place, events.session(event))
    if events.source(event) in ("startup", "resume"):
        records.drop_receipts()
    given = memory.recall(project, memory.PM, CONTEXT_LIMIT)
    if given.text:
        _log_loaded(project, memory.PM, given, "session", event)
    told = task_events.at_session(project, records, CONTEXT_LIMIT - len(given.text) - 2)
    text = "\n\n".join(part for part in (given.text, told) if part)
    notice = team.notice(project.store.folder)
    return events.beginning(text, notice) if text or notice else None


def _capture(project: Project, event: Event, agent: str, run: str) -> Callable[[str], str] | None:
    """Keep what the event's report teaches.

    Return how the recorded blocks are taken out of its texts, or None where nothing
    is to be taken out.
    """
    if not project.serves(agent):
        return None
    texts = [(text, memory.extract(project, agent, text)) for text in events.report(event)]
    found = [(text, each) for text, each in texts if each]
    if not found:
        return None
    whole = memory.remember(
        project, agent, [each for _text, each in found], run, events.session(event)
    )
    return _stripper(found) if whole and project.config["strip_markers"] else None


def _stripper(found: list[tuple[str, Found]]) -> Callable[[str], str]:
    from memory_core import learnings

    def strip(text: str) -> str:
        for known, each in found:
            if text == known:
                return learnings.strip(text, each.spans).strip("\n") or NO_REPORT
        return text

    return strip


def _check_delivery(project: Project, records: runs.Runs, event: Event, agent: str) -> None:
    """Compare what the agent was given with what was meant: delivered, doubled or lost."""
    from memory_core import trust

    run = events.called_run(event)
    arrived = trust.is_fenced(events.task(event))
    had = records.settle(events.call(event), run, events.is_launch(event) and arrived)
    started = records.record(run).get("route")
    verdict = _verdict(arrived, had, started)
    if verdict == "lost":
        runs.prefer_start(project.place)
    if verdict:
        log.write(
            project.place,
            f"agent.memory.{verdict}",
            agent_id=agent,
            route=runs.PROMPT if arrived else started or runs.PROMPT,
            session=events.session(event),
            run=run,
            call=events.call(event),
        )


def _verdict(arrived: bool, had_receipt: bool, started: object) -> str:
    if arrived:
        return "doubled" if started == runs.START else "delivered"
    if had_receipt:
        return "lost"
    return "delivered" if started == runs.START else ""


def _log_loaded(
    project: Project, agent: str, given: Given, route: str, event: Event, **ids: str
) -> None:
    log.write(
        project.place,
        "agent.memory.loaded",
        agent_id=agent,
        memory_source=given.source,
        memory_size=given.size,
        route=route,
        session=events.session(event),
        run=ids.get("run"),
        call=ids.get("call"),
    )


def _log_failed(project: Project, agent: str, reason: str, event: Event, run: str = "") -> None:
    """Record a failure by the head of its message, which is Claude Code's, not the agent's."""
    log.write(
        project.place,
        "agent.delegation.failed",
        agent_id=agent,
        error=reason[:200],
        session=events.session(event),
        run=run or None,
        call=events.call(event),
    )
