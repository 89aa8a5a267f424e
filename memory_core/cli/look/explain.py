"""`agent-memory explain` and `context`: what an agent receives for a task, and what it knows."""

from __future__ import annotations

from typing import Annotated, Any

from memory_core.claude_code.agent_names import PM
from memory_core.cli.common.arguments import Agent, argument, flag, option
from memory_core.cli.common.entries import Column, print_sentence, print_table
from memory_core.cli.common.inputs import read_input
from memory_core.cli.common.scopes import find_agent
from memory_core.cli.output import print_json, print_line, print_note, select_fields
from memory_core.curation import agent_context
from memory_core.curation.agent_context import Explanation
from memory_core.selection.choosing import Choice
from memory_core.text.phrases import format_count

COLUMNS = [
    Column("ID", 0, align_right=False),
    Column("GIVEN", 1, align_right=False),
    Column("ITEM", 0, align_right=False, least_width=30),
    Column("REASON", 2, align_right=False),
    Column("ORIGIN", 3, align_right=False),
    Column("STALE", 4, align_right=False, is_optional=True),
]

# Only with --scores.
SCORES = [Column(title, 5) for title in ("TOKENS", "SCORE", "OWN", "RUN", "FACTOR")]

Words = Annotated[
    list[str], argument("TASK", "The text of the task, as in a prompt; - reads stdin.")
]


def explain(
    agent: Agent,
    task: Words,
    scores: Annotated[bool, flag("--scores", "Also print the numbers behind the choice.")] = False,
) -> None:
    """Explain which items an agent receives for a task, and why.

    --scores shows how well an item fits by its own words (OWN) and those of its run
    (RUN), times FACTOR.

    \b
    Example:
      agent-memory explain engineer "Payments are charged twice"
    """
    scope, agent = find_agent(agent)
    text = " ".join(task)
    if text == "-":
        text = read_input(text).decode("utf-8", "replace")
    explanation = agent_context.explain(scope.project, agent, text)
    print_json(_to_json(explanation))
    _print(explanation, scores)


def _to_json(explanation: Explanation) -> dict[str, Any]:
    return {
        **select_fields(explanation, "agent", "tokens"),
        "budget_tokens": explanation.budget or None,
        "items": [_choice_to_json(choice, explanation.forms) for choice in explanation.choices],
    }


def _choice_to_json(choice: Choice, forms: dict[str, str]) -> dict[str, Any]:
    passage, score = choice.passage, choice.score
    numbers = {"score": choice.total, "own": score.own, "run": score.subject}
    return {
        **select_fields(passage, "id", "section", "stale", "origin"),
        "text": passage.item or passage.text,
        **select_fields(choice, "reason", "tokens", given="is_chosen"),
        **{name: round(float(number), 3) for name, number in numbers.items()},
        "factor": round(choice.factor, 3),
        "words": agent_context.list_words(choice, forms),
    }


def _print(explanation: Explanation, has_scores: bool) -> None:
    """Print the decisions as a table, and the sum of the tokens."""
    choices = explanation.choices
    if explanation.agent == PM:
        print_note("The main session receives its memory when it starts, without a task.")
    if not choices:
        print_note(f"{explanation.agent} has no items to choose from.")
        return
    columns = COLUMNS + SCORES if has_scores else COLUMNS
    print_table(columns, [_format_row(choice)[: len(columns)] for choice in choices])
    for choice in choices:
        if choice.passage.stale:
            what = f"{_format_id(choice)} may be out of date"
            print_sentence(f"{what}: {choice.passage.stale}", severity="warning")
    print_line(_sum_up(explanation))


def _format_row(choice: Choice) -> list[str]:
    score = choice.score
    return [
        _format_id(choice),
        "yes" if choice.is_chosen else "no",
        " ".join((choice.passage.item or choice.passage.text).split()),
        choice.reason,
        choice.passage.origin,
        "yes" if choice.passage.stale else "",
        str(choice.tokens),
        *(f"{value:.2f}" for value in (choice.total, score.own, score.subject, choice.factor)),
    ]


def _format_id(choice: Choice) -> str:
    return choice.passage.short_id or "-"


def _sum_up(explanation: Explanation) -> str:
    count = sum(choice.is_chosen for choice in explanation.choices)
    items = f"{count} of {format_count(len(explanation.choices), 'item')}"
    budget = f"of {explanation.budget} tokens" if explanation.budget else "tokens; selection is off"
    return f"{items} given, {explanation.tokens} {budget}"


Top = Annotated[
    int | None,
    option("N", "Maximum number of items.", "--top", "-n", default="memory.context_items", min=1),
]


def context(agent: Agent, top: Top = None) -> None:
    """Show what an agent knows, most certain first.

    Only items with a confidence of at least 0.6.

    \b
    Example:
      agent-memory context engineer --top 5
    """
    scope, agent = find_agent(agent)
    whole = agent_context.read_knowledge(scope.project, agent, pending=True)
    knowledge = agent_context.bound(whole, top or scope.project.config["context_items"])
    print_json(agent_context.to_json(knowledge))
    text = agent_context.render_markdown(knowledge)
    if text:
        print_line(text)
    elif not whole.items:
        print_note(f"{agent} knows nothing yet.")
    if left := sum(item.confidence < agent_context.LEAST_CONFIDENCE for item in whole.items):
        items = format_count(left, "item")
        print_note(f"{items} with a confidence below 0.6: agent-memory list {agent}")
