"""`agent-memory git`: set up or remove the merge driver for memories in a clone."""

from __future__ import annotations

from memory_core.cli.app import find_project
from memory_core.cli.command_types import App
from memory_core.cli.common.notes import note_archived
from memory_core.cli.errors import exit_if
from memory_core.cli.output import print_json, print_line, print_note, select_fields
from memory_core.git import merge_driver
from memory_core.git.merge_driver import DriverChanges

app = App()


@app.callback()
def git() -> None:
    """Make git merge memories by item and section.

    \b
    Example:
      agent-memory git install
    """


def install() -> None:
    """Make git merge memories by item and section, in this clone.

    Writes .gitattributes, for you to commit, and the merge driver into this clone's
    configuration. Exit 1 if a conflict remains.

    \b
    Example:
      agent-memory git install
    """
    changes = merge_driver.install(find_project())
    _print(changes)
    if changes.is_ignored:
        print_note("git ignores the memories here (see .gitignore), so it never merges them")
    exit_if(any(resolution.refused for resolution in changes.resolutions))


def uninstall() -> None:
    """Make git merge memories as text again, in this clone.

    \b
    Example:
      agent-memory git uninstall
    """
    _print(merge_driver.uninstall(find_project()))


def _print(changes: DriverChanges) -> None:
    mended = [
        {**select_fields(resolution, "agent", error="refused"), "file": resolution.change.path}
        for resolution in changes.resolutions
    ]
    fields = select_fields(changes, "config", attributes="attribute_files", ignored="is_ignored")
    print_json({**fields, "mended": mended})
    files = find_project().paths.files
    for path in changes.attribute_files:
        print_line(f"{'changed' if files.is_file(path) else 'removed'} {path}: commit it")
    if changes.config:
        print_line("changed the configuration of this clone")
    for resolution in changes.resolutions:
        if resolution.refused:
            print_note(f"{resolution.change.path} is not changed: {resolution.refused}")
        else:
            print_line(f"resolved {resolution.change.path}")
            note_archived(resolution.agent, len(resolution.archived), True, False)
    if not changes:
        print_note("Nothing to do.")


app.add(install, uninstall)
