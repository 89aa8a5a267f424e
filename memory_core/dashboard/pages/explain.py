"""Which items an agent receives for a task, and why."""

from __future__ import annotations

from typing import Any

from memory_core.claude_code.agent_names import PM
from memory_core.curation import agent_context, lookup
from memory_core.dashboard.page import View, Visit, divide, find_agent

ITEMS_ON_A_PAGE = 100


def show_explanation(visit: Visit) -> View:
    project, agent = visit.project, visit.query["agent"]
    agents = lookup.sort_agents({*lookup.list_agents(project.store), agent or PM, PM})
    values: dict[str, Any] = {"agents": agents, "agent": agent, "pm": PM}
    if not agent:
        return View("explain.html", {**values, "explanation": None})
    find_agent(visit, agent)
    explanation = agent_context.explain(project, agent, visit.query["task"])
    choices = divide(explanation.choices, visit.query, ITEMS_ON_A_PAGE)
    words = [agent_context.list_words(choice, explanation.forms) for choice in choices.rows]
    rows = [*zip(choices.rows, words, strict=True)]
    values |= {"explanation": explanation, "choices": choices, "rows": rows}
    given = sum(choice.is_chosen for choice in explanation.choices)
    return View("explain.html", {**values, "given": given, "is_served": project.serves(agent)})
