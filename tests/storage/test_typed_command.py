"""Texts name the command as people have to type it if PATH has another one first."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from memory_core.cli.app import ALIASES, TARGETS
from memory_core.mcp_server.served_project import ServedProject
from memory_core.mcp_server.server import MemoryServer
from memory_core.memory import recall
from memory_core.storage import typed_command
from support.command_line import ITEM, Person
from support.dashboard import Dashboard
from support.paths import REPO
from support.sandbox import Sandbox

PATH = "/opt/tools/bin/agent-memory"
TEXT = "agent-memory: 2 learnings wait (agent-memory review, or agent-memory undo 1f)"

# A command in a text, by the rule of `name_command`.
COMMAND = re.compile(r"(?<![-/_.@])agent-memory ([a-z][\w-]*)")
PACKAGE = REPO / "memory_core"

# These print a text as it is; all others name the command in it.
PLAIN = {"print", "print_line", "say"}


def note(home: Path, word: str) -> None:
    folder = home / typed_command.FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    (folder / typed_command.FILE).write_text(word, encoding="utf-8")


WORDS = [
    (f"{PATH}\n", PATH),
    ("'/my tools/agent-memory'\n", "'/my tools/agent-memory'"),
    ("", "agent-memory"),
    ("relative/agent-memory", "agent-memory"),
    ("/x/\x1b[31mred", "agent-memory"),
    ("/x/" + "y" * 5000, "agent-memory"),
]
UNCHANGED = [f"see {PATH} review", "claude mcp add agent-memory -- x", "agent-memory 1.2 (clone)"]


@pytest.mark.parametrize(("word", "command"), WORDS)
def test_the_commands_in_a_text_are_named_as_the_file_says(
    tmp_path: Path, word: str, command: str
) -> None:
    note(tmp_path, word)
    home = {"HOME": str(tmp_path)}
    named = typed_command.name_command(TEXT, home)
    assert named == (f"agent-memory: 2 learnings wait ({command} review, or {command} undo 1f)")
    for text in UNCHANGED:
        assert typed_command.name_command(text, home) == text


def test_once_path_leads_to_it_the_command_has_its_name(tmp_path: Path) -> None:
    own, other = tmp_path / "my bin" / "agent-memory", tmp_path / "bin" / "agent-memory"
    for path in (own, other):
        path.parent.mkdir()
        path.touch(0o755)
    note(tmp_path, f"'{own}'\n")
    for folders, command in (
        (f"/usr/bin:{own.parent}:{other.parent}", "agent-memory"),
        (f"/usr/bin:{other.parent}:{own.parent}", f"'{own}'"),
        ("/usr/bin", f"'{own}'"),
    ):
        environ = {"HOME": str(tmp_path), "PATH": folders}
        assert typed_command.name_command("agent-memory undo", environ) == f"{command} undo"


@pytest.mark.parametrize("home", ["", "relative", "/nonexistent"])
def test_without_a_file_the_command_has_its_name(home: str) -> None:
    assert typed_command.name_command(TEXT, {"HOME": home}) == TEXT


def test_commands_and_hooks_print_it(person: Person) -> None:
    note(person.sandbox.home, f"{PATH}\n")
    assert f"Undo with: {PATH} undo " in person.run("add", "engineer", ITEM).stderr
    assert f"({PATH} install)" in person.run("status").stdout
    assert f"{PATH} doctor --fix" in person.run("doctor").stdout
    assert f"  {PATH} doctor\n" in person.run("doctor", "--help").stdout
    assert f"All commands: {PATH} help --all" in person.run().stdout
    assert f"{PATH} status lists" in person.run("show", "nobody").stderr
    assert person.sandbox.run_hook("post_tool_use", person.make_sample("post")).status == 0
    shown = person.sandbox.run_hook("pre_tool_use", person.make_sample("pre")).stdout.decode()
    assert f"({PATH} undo " in shown


def list_texts(tree: ast.AST) -> Iterator[str]:
    """Yield the texts in a piece of code, without docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node.body[:1] for node in ast.walk(tree) if isinstance(node, documented)]
    docstrings = {id(one.value) for body in bodies for one in body if isinstance(one, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            yield str(node.value)


def test_texts_use_the_name_before_a_word_for_commands_only() -> None:
    """Else `name_command` would put the path into a sentence about the product."""
    known = {*TARGETS, *ALIASES}
    texts = {path: list_texts(ast.parse(path.read_text())) for path in PACKAGE.rglob("*.py")}
    pairs = ((path.name, text) for path in texts for text in texts[path])
    found = {(name, word) for name, text in pairs for word in COMMAND.findall(text)}
    assert len(found) > 50
    assert {(name, word) for name, word in found if word not in known} == set()


def test_no_command_is_printed_without_the_rule() -> None:
    bare = []
    for path in PACKAGE.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            name = getattr(call, "func", None)
            if isinstance(name, ast.Name) and name.id in PLAIN:
                shown = [one for one in ast.iter_child_nodes(call) if not isinstance(one, ast.Call)]
                said = [text for one in shown for text in list_texts(one)]
                bare += [path.name for text in said if COMMAND.search(text)]
    for path in PACKAGE.glob("dashboard/templates/*.html"):
        rest = re.sub(r'(command\(|== |startswith\()"[^"]+', "", path.read_text())
        bare += [path.name] * len(COMMAND.findall(rest))
    assert bare == []


def test_pages_tools_and_prompts_print_it(person: Person, sandbox: Sandbox) -> None:
    note(sandbox.home, f"{PATH}\n")
    with Dashboard(sandbox) as served:
        served.enter()
        for page in ("", "/explain?agent=engineer", "/events", "/tasks", "/agents/PM"):
            assert COMMAND.search(served.get(f"/dashboard{page}").body) is None, page
        assert f"{PATH} add PM guideline" in served.get("/dashboard/agents/PM").body
    sandbox.switch_selection_on()
    rules = [f"Rule {number} says {'long words ' * 9}{number}" for number in range(60)]
    sandbox.write_memory("engineer", *rules)
    project = sandbox.open_project()
    block = recall.build_block(project, "engineer", 4000, lambda: "Say the rule")
    assert f"more rules of people: {PATH} list engineer --mine" in block.text
    app = MemoryServer(ServedProject(str(sandbox.root), person.env))
    prompt = anyio.run(app.get_prompt, "review_memory", {"agent": "engineer"})
    assert f"{PATH} remove engineer ID" in str(prompt)
