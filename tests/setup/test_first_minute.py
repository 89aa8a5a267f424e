"""What the installer says about the agents of a project."""

from memory_core.setup import installation
from support.files import define_agents
from support.sandbox import Sandbox

CLIENTS = ["general-purpose", "Explore", "Plan"]


def describe(sandbox: Sandbox) -> tuple[list[tuple[str, str]], str]:
    """Return (agent, state) of each agent, and the advice."""
    lines = installation.describe_agents(sandbox.open_project())
    rows = [line.strip().partition("  ") for line in lines if line.startswith("  ")]
    advice = "\n".join(line for line in lines[1:] if not line.startswith("  "))
    return [(name, state.strip()) for name, _, state in rows], advice


def test_agents_without_memory_and_a_first_rule(sandbox: Sandbox) -> None:
    define_agents(sandbox.root, "Engineer", "explore")
    rows, advice = describe(sandbox)
    own = [("engineer", "no memory yet"), ("explore", "no memory yet")]
    others = [(name, installation.OF_CLAUDE_CODE) for name in CLIENTS if name != "Explore"]
    assert rows == [*own, *others]
    assert advice.endswith('agent-memory add engineer "Amounts are integer cents"')


def test_memories_come_first(sandbox: Sandbox) -> None:
    define_agents(sandbox.root, "engineer")
    sandbox.write_memory("qa", "One", "Two")
    rows, advice = describe(sandbox)
    assert rows[0] == ("qa", "has a memory")
    assert [name for name, _state in rows[1:]] == ["engineer", *CLIENTS]
    assert advice.endswith("agent-memory show qa")


def test_agents_without_a_memory_by_the_settings_are_left_out(sandbox: Sandbox) -> None:
    define_agents(sandbox.root, "engineer")
    sandbox.configure("memory:\n  exclude: [engineer, explore]\n")
    rows, advice = describe(sandbox)
    assert [name for name, _state in rows] == ["general-purpose", "Plan"]
    assert "add general-purpose " in advice
    sandbox.configure("memory:\n  enabled: false\n")
    assert describe(sandbox) == ([], "")
