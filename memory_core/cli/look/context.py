"""`agent-memory context`: what an agent knows, for another program or a person."""

from __future__ import annotations

from typing import Annotated

from memory_core.cli.common.arguments import Agent, AsJson, number_option
from memory_core.cli.common.scopes import find_agent
from memory_core.cli.output import print_json, print_line, print_note
from memory_core.curation import agent_context


def context(
    agent: Agent,
    top: Annotated[
        int | None,
        number_option(
            ("--top", "-n"), "Maximum number of items.", "memory.context_items; all with --json"
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Show what an agent knows, most certain first.

    Items below memory.min_confidence are omitted.
    agent-memory show AGENT --as-given prints the text of a prompt.

    \b
    Example:
      agent-memory context engineer --top 5
    """
    scope = find_agent(agent)
    knowledge = agent_context.read_knowledge(scope.project, scope.agent, pending=True)
    if json:
        print_json(agent_context.to_json(knowledge, top))
        return
    number = top or scope.project.config["context_items"]
    text = agent_context.render_markdown(knowledge, number)
    if text:
        print_line(text)
    else:
        print_note(f"{scope.agent} knows nothing yet.")
