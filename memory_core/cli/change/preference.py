"""`agent-memory preference`: set, show and remove the preferences of an agent."""

from __future__ import annotations

from typing import Annotated, Any

from memory_core.cli.command_types import App
from memory_core.cli.common import notes
from memory_core.cli.common.arguments import Agent, OptionalAgent, User, argument
from memory_core.cli.common.entries import Entry, print_list
from memory_core.cli.common.scopes import Scope, find_agent, find_agents, find_level, require_person
from memory_core.cli.errors import exit_if
from memory_core.cli.output import print_note, print_problem
from memory_core.curation import item_actions
from memory_core.document import preferences

Key = Annotated[str, argument("KEY", "coding-style, communication, work-style, or your own key.")]

app = App()


@app.callback()
def manage() -> None:
    """Manage how an agent should work.

    \b
    Example:
      agent-memory preference list
    """


def set_(
    agent: Agent,
    key: Key,
    value: Annotated[str, argument("VALUE", "The wish, on one line.")],
    user: User = False,
) -> None:
    """Set a preference; it replaces the previous value of the key.

    \b
    Example:
      agent-memory preference set engineer coding-style "small functions"
    """
    scope, agent = find_agent(agent, user, accept_new=True)
    require_person(scope.project, "set preferences")
    changed = item_actions.set_preference(scope.project, agent, key, value, scope.level)
    fields = _read(scope, agent, key)
    notes.print_result(scope, [{**fields, "changed": changed}], [_format(fields)])
    if not changed:
        print_note("It was set already.")


def unset(agent: Agent, key: Key, user: User = False) -> None:
    """Remove a preference.

    Exit 1 if it is not set.

    \b
    Example:
      agent-memory preference unset engineer work-style || echo "was not set"
    """
    scope, agent = find_agent(agent, user, accept_new=True)
    fields = _read(scope, agent, key)
    require_person(scope.project, "set preferences")
    changed = item_actions.remove_preference(scope.project, agent, key, scope.level)
    said = [f"Removed: {_format(fields)}"] if changed else []
    notes.print_result(scope, [{**fields, "changed": changed}], said)
    if not changed:
        print_problem(f"{agent} has no preference {key!r}")
    exit_if(not changed)


def list_(agent: OptionalAgent = None, user: User = False) -> None:
    """Print the preferences of one agent, or of all.

    \b
    Example:
      agent-memory preference list engineer
    """
    project, level = scope = find_level(user)
    agents = find_agents(scope, [agent]) if agent else level.agents()
    rows = [
        {"agent": name, "key": key, "value": value}
        for name in agents
        for key, value in item_actions.read_preferences(project, name, level).items()
    ]
    entries = [Entry((), (), (), _format(fields)) for fields in rows]
    empty = f"{agents[0]} has no preferences." if agent else "No agent has preferences."
    print_list(rows, entries, empty)


def _read(scope: Scope, agent: str, key: str) -> dict[str, Any]:
    """Return the fields of a preference; the key as the memory writes it, if it is set."""
    values = item_actions.read_preferences(scope.project, agent, scope.level)
    wanted = preferences.normalize_key(key)
    key = next((name for name in values if preferences.normalize_key(name) == wanted), key)
    return {"agent": agent, "key": key, "value": values.get(key)}


def _format(fields: dict[str, Any]) -> str:
    return f"{fields['agent']}: {fields['key']}: {fields['value']}"


app.add(set_, unset, list_)
