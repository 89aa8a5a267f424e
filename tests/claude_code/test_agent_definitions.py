"""Agents and settings of Claude Code, in a project that nobody has checked."""

from pathlib import Path

from memory_core.claude_code import agent_definitions
from support.sandbox import Sandbox


def define(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(f"---\nname: {name}\ndescription: x\n---\nDo it.\n")
    return folder


def read(sandbox: Sandbox) -> agent_definitions.AgentCatalog:
    return agent_definitions.AgentCatalog(str(sandbox.root), sandbox.env)


def list_names(sandbox: Sandbox) -> list[str]:
    return [each.name for each in read(sandbox).definitions]


def list_unread(sandbox: Sandbox) -> list[str]:
    return list(map(str, read(sandbox).unread))


def test_agents_of_project_and_user_are_found_in_all_folders(sandbox: Sandbox) -> None:
    define(sandbox.root / ".claude" / "agents", "engineer")
    define(sandbox.root / ".claude" / "agents" / "team", "qa")
    define(sandbox.home / ".claude" / "agents", "writer")
    assert list_names(sandbox) == ["engineer", "qa", "writer"]
    catalog = read(sandbox)
    assert all(catalog.has(name) for name in ("engineer", "qa", "writer", "plan"))
    assert catalog.unread == []


def test_links_of_the_user_are_followed(sandbox: Sandbox) -> None:
    shelf = define(sandbox.home / "dotfiles", "writer")
    agents = define(sandbox.home / ".claude" / "agents", "engineer")
    (agents / "more").symlink_to(shelf)
    (agents / "around").symlink_to(agents)
    (agents / "linked.md").symlink_to(shelf / "writer.md")
    assert sorted(list_names(sandbox)) == ["engineer", "writer", "writer"]


def test_links_of_a_project_are_not_followed_and_reported(sandbox: Sandbox) -> None:
    """What they lead to may define agents: their memories must not count as orphaned."""
    outside = define(sandbox.home / "secret", "writer")
    agents = define(sandbox.root / ".claude" / "agents", "engineer")
    (agents / "more").symlink_to(outside)
    (agents / "linked.md").symlink_to(outside / "writer.md")
    assert list_names(sandbox) == ["engineer"]
    refused = ("linked.md", "more")
    reason = "is a link, which is not followed"
    assert list_unread(sandbox) == [f".claude/agents/{name} {reason}" for name in refused]
    (sandbox.root / ".claude").rename(sandbox.home / "moved")
    (sandbox.root / ".claude").symlink_to(sandbox.home / "moved")
    assert list_names(sandbox) == []
    assert list_unread(sandbox) == [f".claude {reason}"]
