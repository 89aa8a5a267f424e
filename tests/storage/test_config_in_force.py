"""Which settings are in force, and what wrong ones cost."""

from __future__ import annotations

import pytest

from memory_core.storage import config, paths
from support.sandbox import Sandbox

PROBLEMS = [
    (
        "memory: {enabled: 3}",
        "config.yml:1: memory.enabled: Input should be a valid boolean, not 3",
    ),
    (
        "memory:\n  auto_lerning: true\n",
        "config.yml:2: memory.auto_lerning: unknown key; did you mean memory.auto_learning?",
    ),
    ("other: 1", "config.yml:1: other: unknown key"),
    (
        "memory:\n  user_level: both\n",
        "config.yml:2: memory.user_level: Input should be 'append', 'shadow' or 'off'",
    ),
    (
        "memory:\n  limits:\n    max_sections: 0\n",
        "config.yml:3: memory.limits.max_sections: Input should be greater",
    ),
    (
        "memory:\n  directory: ../elsewhere\n",
        "config.yml:2: memory.directory: a folder below",
    ),
    ("memory: {1: 2}", "config.yml:1: memory.1: unknown key"),
]


def loaded(sandbox: Sandbox, **env: str) -> config.Config:
    place = paths.LevelPaths(str(sandbox.root))
    return config.load(place, paths.LevelPaths(str(sandbox.home)), env)


@pytest.mark.parametrize(("text", "problem"), PROBLEMS)
def test_a_wrong_key_is_named_and_the_others_count(
    sandbox: Sandbox, text: str, problem: str
) -> None:
    sandbox.configure(text)
    config_in_force = loaded(sandbox)
    assert any(problem in message for message in config_in_force.problems), config_in_force.problems
    if text.startswith("memory:\n"):
        sandbox.configure(text + "  max_learning_length: 77\n")
        assert loaded(sandbox)["max_learning_length"] == 77


@pytest.mark.parametrize("text", ["memory: [", "- a", "memory: *x"])
def test_a_file_that_is_no_settings_at_all_leaves_memory_off(sandbox: Sandbox, text: str) -> None:
    sandbox.configure(text)
    config_in_force = loaded(sandbox)
    assert not config_in_force.is_readable
    assert not config_in_force["enabled"]
    assert "config.yml:1:" in config_in_force.problems[0]


def test_the_example_of_the_documentation_is_understood(sandbox: Sandbox) -> None:
    sandbox.configure(
        "memory:\n  enabled: true\n  auto_learning: true\n  natural_language: false\n"
        "  directory: .claude-mpm/memories\n  max_learning_length: 100\n"
        "  limits: {default_size_kb: 8, max_sections: 10,\n"
        "    max_items_per_section: 15, max_line_length: 120}\n"
        "  agent_overrides:\n    research: {size_kb: 16, auto_learning: true}\n"
    )
    config_in_force = loaded(sandbox)
    assert not config_in_force.problems
    assert config_in_force.find_override("Research Agent")["size_kb"] == 16
    assert config_in_force.find_override("engineer") == {}


def test_settings_are_compiled_once_and_again_when_they_change(sandbox: Sandbox) -> None:
    sandbox.configure("memory: {max_learning_length: 50}")
    assert loaded(sandbox)["max_learning_length"] == 50
    compiled = sandbox.state / "config.json"
    compiled.write_text(compiled.read_text().replace('length": 50', 'length": 51'))
    assert loaded(sandbox)["max_learning_length"] == 51, "taken from what was compiled"
    sandbox.configure("memory: {max_learning_length: 60 }")
    assert loaded(sandbox)["max_learning_length"] == 60
    compiled.write_text("torn")
    assert loaded(sandbox)["max_learning_length"] == 60


def test_the_projects_settings_stand_over_the_users(sandbox: Sandbox) -> None:
    (sandbox.home / ".claude-mpm").mkdir()
    (sandbox.home / ".claude-mpm" / "config.yml").write_text(
        "memory: {max_learning_length: 50, limits: {max_sections: 3}}"
    )
    sandbox.configure("memory: {limits: {max_items_per_section: 4}}")
    config_in_force = loaded(sandbox)
    assert config_in_force["max_learning_length"] == 50
    assert config_in_force["limits"]["max_sections"] == 3
    assert config_in_force["limits"]["max_items_per_section"] == 4


ENVIRONMENT = [
    ({"AGENT_MEMORY": "off"}, "enabled", False),
    ({"AGENT_MEMORY": "on"}, "enabled", True),
    ({"AGENT_MEMORY_LEARNING": "off"}, "auto_learning", False),
    ({"AGENT_MEMORY_LEARNING": "what"}, "auto_learning", True),
]


@pytest.mark.parametrize(("env", "key", "value"), ENVIRONMENT)
def test_the_environment_overrides_for_one_run(
    sandbox: Sandbox, env: dict[str, str], key: str, value: bool
) -> None:
    assert loaded(sandbox, **env)[key] == value


@pytest.mark.parametrize(
    ("text", "size"), [("12", 12), ("0", 8), ("x", 8), ("9" * 5000, 8), ("", 8)]
)
def test_the_size_limit_can_be_set_for_one_run(sandbox: Sandbox, text: str, size: int) -> None:
    assert loaded(sandbox, AGENT_MEMORY_LIMIT_KB=text)["limits"]["default_size_kb"] == size
