"""`agent-memory share`: an item of one agent to others."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli import Refused
from memory_core.cli.common import AsJson, check_user, complete_agents, project_of
from memory_core.cli.known import known_agent
from memory_core.cli.output import as_json, out, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.memory import Project
    from memory_core.sharing import Shared, Source
    from memory_core.store import Store


def share(
    ctx: typer.Context,
    item: Annotated[
        str, typer.Argument(metavar="ITEM", help="Its id, the first digits, its text, or a part.")
    ],
    to: Annotated[
        list[str] | None,
        typer.Option(
            "--to",
            metavar="AGENT",
            help="Whom to give it; may stand several times.",
            autocompletion=complete_agents,
        ),
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Give it every other agent with a memory, but PM.")
    ] = False,
    user: Annotated[
        bool, typer.Option("--user", help="Put it into the agent's memory of your own, as well.")
    ] = False,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="AGENT",
            help="Whose it is.",
            show_default="any",
            autocompletion=complete_agents,
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Copy an item to other agents, or to your own level.

    The copy is as sure as the item is, and says whom it is from.

    \b
    Example:
      agent-memory share "event bus" --user
    """
    from memory_core import sharing

    if sum(map(bool, (to, all_, user))) != 1:
        raise Refused("one of --to AGENT, --all and --user is needed")
    check_user(user)
    project = project_of(ctx)
    whose = [known_agent(project, from_)] if from_ else project.store.agents()
    source = sharing.find(sharing.sources(project, project.store, whose), item)
    done = sharing.share(project, source, _targets(project, source, to or [], user))
    if json:
        as_json(_fields(source, done))
        return
    for each in done:
        _print(source, each)


def _targets(
    project: Project, source: Source, to: list[str], user: bool
) -> list[tuple[str, Store]]:
    from memory_core import memory

    if user:
        if project.user is None:
            raise Refused("this folder is your home: its memories are your own already")
        return [(source.agent, project.level(user=True))]
    names = [known_agent(project, name) for name in to] or [
        name for name in project.store.agents() if name not in (source.agent, memory.PM)
    ]
    if not names:
        raise Refused(f"no other agent than {source.agent} has a memory here", 1)
    return [(name, project.store) for name in dict.fromkeys(names)]


def _print(source: Source, done: Shared) -> None:
    whose = f"{done.agent}, your own memory" if done.is_user else done.agent
    if done.known:
        out(text_of(f"{whose} has it already: {done.text}"))
    else:
        where = f" [{done.section}]" if done.section else ""
        out(text_of(f"{source.agent} -> {whose}{where}: {done.text}"))


def _fields(source: Source, done: list[Shared]) -> dict[str, object]:
    return {
        "from": source.agent,
        "id": source.id,
        "text": text_of(source.text),
        "section": text_of(source.section),
        "confidence": source.confidence,
        "shared": [
            {
                "agent": each.agent,
                "user": each.is_user,
                "text": text_of(each.text),
                "section": text_of(each.section),
                "known": each.known,
            }
            for each in done
        ],
    }
