"""Which items an agent receives for a task, and why."""

from __future__ import annotations

from typing import Any

from memory_core.claude_code.agent_names import PM
from memory_core.curation import lookup
from memory_core.curation.views import explaining
from memory_core.dashboard.page import View, Visit, divide
from memory_core.dashboard.pages.common import find_agent

ITEMS_ON_A_PAGE = 100


def show_explanation(visit: Visit) -> View:
    project, name = visit.project, visit.query["agent"]
    task = visit.query["task"]
    agents = lookup.sort_agents({*lookup.list_agents(project.store), PM})
    values: dict[str, Any] = {"agents": agents, "agent": name, "pm": PM}
    if not name:
        return View("explain.html", {**values, "explanation": None})
    agent = find_agent(visit, name)
    values["agents"] = lookup.sort_agents({*agents, agent})
    explanation = explaining.explain(project, agent, task)
    choices = divide(explanation.choices, visit.query, ITEMS_ON_A_PAGE)
    rows = [(choice, explaining.list_words(choice, explanation.forms)) for choice in choices.rows]
    values |= {"agent": agent, "explanation": explanation, "choices": choices, "rows": rows}
    given = sum(choice.is_chosen for choice in explanation.choices)
    return View("explain.html", {**values, "given": given, "is_served": project.serves(agent)})
