"""`agent-memory audit`: search everything that agent-memory has written for secrets."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_core.cli.app import find_project
from memory_core.cli.common.arguments import AsJson, flag
from memory_core.cli.output import print_json, print_line, print_note
from memory_core.doctor import secret_audit
from memory_core.text.phrases import format_count

ADVICE = """
1. Replace each secret where it is used: whoever can read the file or a clone may have it.
2. Remove it from the files: agent-memory edit AGENT (--user for your user-level memory), or
   your editor. In the state folder you may delete files of runs; spool and review have
   learnings that wait.
"""

GIT_ADVICE = """\
3. Remove it from the git history with git-filter-repo, which rewrites all commits:
     git filter-repo --replace-text FILE    # one line for each: SECRET==>removed
   Then push with --force, and everybody clones again. The host may keep old commits: ask it
   to delete them.
"""


def audit(
    git: Annotated[bool, flag("--git", "Also search all commits of the memories.")] = False,
    json: AsJson = False,
) -> None:
    """Search memories, the state and the git history for secrets.

    Reads the memories, histories, archives, task memories and waiting learnings of the project and
    of your user. Prints file, line and kind of each secret, never its value.
    Exit 1 if there is a secret, or a file that cannot be read.

    \b
    Example:
      agent-memory audit --git
    """
    result = secret_audit.search(find_project(), git)
    if json:
        print_json({"leaks": [leak._asdict() for leak in result.leaks], "unread": result.unread})
    else:
        _print(result, git)
    if result.leaks or result.unread:
        raise typer.Exit(1)


def _print(audit: secret_audit.Audit, git: bool) -> None:
    for leak in audit.leaks:
        commit = f"  (commit {leak.commit})" if leak.commit else ""
        print_line(f"{leak.path}:{leak.line}  {leak.kind}{commit}")
    for problem in audit.unread:
        print_note(f"not searched: {problem}")
    if not audit.leaks:
        print_line("No secrets found" + (" in the rest" if audit.unread else ""))
        return
    print_line(f"Secrets found in {format_count(len(audit.leaks), 'place')}.")
    advice = ADVICE + GIT_ADVICE if git else ADVICE
    for line in advice.rstrip().split("\n"):
        print_line(line)
