"""`agent-memory context`: what an agent knows, for another program or a person."""

from __future__ import annotations

from typing import Annotated

from memory_core.cli.common.arguments import Agent, AsJson, number_option
from memory_core.cli.common.scopes import find_agent
from memory_core.cli.output import print_json, print_line, print_note
from memory_core.curation import agent_context
from memory_core.text.phrases import format_count


def context(
    agent: Agent,
    top: Annotated[
        int | None,
        number_option("Maximum number of items.", "--top", "-n", default="memory.context_items"),
    ] = None,
    json: AsJson = False,
) -> None:
    """Show what an agent knows, most certain first.

    Only items with a confidence of at least 0.6.

    \b
    Example:
      agent-memory context engineer --top 5
    """
    scope, agent = find_agent(agent)
    whole = agent_context.read_knowledge(scope.project, agent, pending=True)
    knowledge, number = agent_context.bound(whole), top or scope.project.config["context_items"]
    if json:
        print_json(agent_context.to_json(knowledge, number))
        return
    text = agent_context.render_markdown(knowledge, number)
    if text:
        print_line(text)
    elif not whole.items:
        print_note(f"{agent} knows nothing yet.")
    if left := len(whole.items) - len(knowledge.items):
        items = format_count(left, "item")
        print_note(f"{items} with a confidence below 0.6: agent-memory list {agent}")
