"""`agent-memory dashboard`: the memories in a browser."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from memory_core.cli import output
from memory_core.cli.app import find_project
from memory_core.cli.common.arguments import flag, option
from memory_core.cli.common.scopes import require_person
from memory_core.cli.errors import CommandRefused
from memory_core.curation import export_import

Port = Annotated[
    int | None,
    option("N", "Port on 127.0.0.1; 0: any.", default="5000 or the next free", min=0, max=65535),
]


def dashboard(
    port: Port = None,
    opens: Annotated[bool, flag("--open", "Open it in your browser.")] = False,
    save: Annotated[str | None, option("FILE", "Only write the overview to this file.")] = None,
) -> None:
    """Show and edit memories in your browser.

    The printed address contains a token that gives access: do not pass it on.

    \b
    Example:
      agent-memory dashboard --open
    """
    project = find_project()
    if save is not None:
        if opens or port is not None:
            raise CommandRefused("--save starts no server: leave out --open and --port")
        from memory_core.dashboard.pages import overview

        export_import.save_file(project, save, overview.make_page(project))
        output.print_note(f"Wrote {save}")
        return
    require_person(project, "open the dashboard")
    from memory_core.dashboard import server

    def say(address: str) -> None:
        output.print_token(address)
        output.end_page()
        output.print_note(f"Dashboard of {project.paths.root}; Ctrl-C ends it.")

    with suppress(KeyboardInterrupt):
        server.serve(project, port, say, opens)
