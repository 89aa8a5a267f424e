"""What may stand next on a command line, told to a shell that asks.

An error here is nobody's: whoever presses the Tab key gets no suggestion then.
"""

from __future__ import annotations

from typing import Any

from memory_core.cli import COMPLETE, NAME, ours

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_core.memory import Project

# Characters of an item's text that are shown beside its id.
SHOWN = 60

# All that a suggestion may have beside letters and digits: names come out of other people's
# files, and bash puts them on the command line as they are.
SIGNS = frozenset("-_.+@:=")

# Where bash parts words, whoever they belong to.
BREAKS = ":="


def answer(arguments: list[str], shell: str) -> None:
    """Print what may stand in the place of the last word: on each line one, a tab, what it is."""
    from memory_core.cli.output import out

    words, kept = _words(arguments or [""], shell)
    for word, meaning in _suggested(words[:-1], words[-1]):
        if all(char.isalnum() or char in SIGNS for char in word):
            out(f"{word.removeprefix(kept)}\t{_plain(meaning)}")


def _words(arguments: list[str], shell: str) -> tuple[list[str], str]:
    """Return the words as they were typed, and what of the last one the shell keeps itself."""
    words: list[str] = []
    kept = ""
    for argument in arguments:
        is_break = bool(argument) and not argument.strip(BREAKS)
        if shell == "bash" and words and (is_break or words[-1].endswith(tuple(BREAKS))):
            kept = words[-1] + (argument if is_break else "")
            words[-1] += argument
        else:
            words.append(argument)
            kept = ""
    return words, kept


def _suggested(before: list[str], word: str) -> Iterator[tuple[str, str]]:
    from typer._completion_classes import BashComplete

    from memory_core.cli.app import SHARED, command

    option, is_given, _value = word.partition("=")
    is_option = word.startswith("-")
    so_far = [*before, "-" if is_option else ""]
    if ours(so_far) != so_far or "--project" in (*before[-1:], option):
        return  # another command's words, or a folder: both are the shell's
    asked = BashComplete(command(), {}, NAME, COMPLETE)
    for found in asked.get_completions([*before], word):
        yield f"{option}=" * bool(is_option and is_given) + found.value, found.help or ""
    for name, meaning in SHARED.items():
        if is_option and name.startswith(word) and name not in before:
            yield name, meaning


def _plain(meaning: str) -> str:
    """Return a text on one line that no terminal takes for a command to it."""
    return "".join(filter(str.isprintable, " ".join(meaning.split())))


def agents(ctx: Any) -> Iterator[tuple[str, str]]:
    """Give each agent with something here, and those Claude Code has."""
    from memory_core.agents import agent_id
    from memory_core.cli.common import defined, project_of

    project = project_of(ctx)
    held = _level(project, ctx)
    having = {*held.agents(), *held.with_history()} - {""}
    for name in sorted(having):
        yield name, "has a memory"
    for name in sorted({agent_id(each) for each in defined(project)} - having):
        yield name, "has no memory yet"


def items(ctx: Any) -> Iterator[tuple[str, str]]:
    """Give the ids of an agent's items, with the beginning of their texts."""
    from memory_core import people, writing
    from memory_core.cli.common import agent_named, project_of

    project = project_of(ctx)
    level = _level(project, ctx)
    agent = agent_named(project, ctx.params["agent"], level)
    for each in people.told(writing.Memory(project, agent, level)):
        yield each.id, each.text[:SHOWN]


def _level(project: Project, ctx: Any) -> Any:
    return project.level(bool(ctx.params.get("user")))


def types() -> Iterator[tuple[str, str]]:
    """Give the types that a learning may have, with the sections they go to."""
    from memory_core import judging, merge

    for name in judging.TYPES:
        yield name, merge.section_of(name)


def tasks(ctx: Any, archived: bool | None = None) -> Iterator[tuple[str, str]]:
    """Give the tasks with a memory, with their titles: all, only archived or only open ones."""
    from memory_core import tasks
    from memory_core.cli.common import project_of

    for told in tasks.listed(project_of(ctx)):
        if archived in (None, told.state == tasks.ARCHIVED):
            yield told.id, told.title[:SHOWN]


def task_files(ctx: Any) -> Iterator[tuple[str, str]]:
    """Give the open tasks of Backlog.md, with the titles in the names of their files."""
    from memory_core import backlog, backlog_format
    from memory_core.cli.common import project_of

    folder = backlog.Folder(project_of(ctx).place.root)
    for name in sorted(entry.name for entry in folder.files()):
        title = name.partition(" - ")[2].rpartition(".")[0]
        yield backlog_format.stem(name), title[:SHOWN]


def templates(ctx: Any) -> Iterator[tuple[str, str]]:
    """Give the templates for memories of tasks."""
    from memory_core import task_life, task_templates
    from memory_core.cli.common import project_of

    for name, path in task_templates.names(task_life.levels(project_of(ctx))).items():
        yield name, path or "built in"
