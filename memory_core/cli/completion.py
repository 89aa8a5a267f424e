"""`agent-memory completion`: commands, agents and items by the Tab key."""

from __future__ import annotations

import os
import shlex
from typing import Annotated, Any

import typer

from memory_core.cli import COMPLETE, NAME, Refused
from memory_core.cli.app import suggestion
from memory_core.cli.output import note, out

# Each hands the words over as they are, and takes what comes back for text: it is made of
# other people's files.  Without an answer the shell offers files.
SCRIPTS = {
    "bash": r"""
_agent_memory() {
    local found
    COMPREPLY=()
    while IFS= read -r found; do
        COMPREPLY+=("${found%%$'\t'*}")
    done < <(COMPLETE=bash "${1/#\~/$HOME}" "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _agent_memory NAME
""",
    "zsh": r"""
#compdef NAME
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_agent_memory() {
    local found
    local -a all
    for found in "${(@f)$(COMPLETE=zsh "${${(Q)words[1]}/#\~/$HOME}" \
            "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -z $found ]] || all+=("${${found%%$'\t'*}//:/\\:}:${found#*$'\t'}")
    done
    if (( $#all )); then _describe NAME all; else _files; fi
}
compdef _agent_memory NAME
""",
    "fish": r"""
function __agent_memory
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set words[1] (string replace -r '^~' $HOME -- $words[1])
    set -l found (env COMPLETE=fish $words "$word" 2>/dev/null)
    if set -q found[1]
        string join \n -- $found
    else
        __fish_complete_path "$word"
    end
end
complete --command NAME --no-files --arguments '(__agent_memory)'
""",
}

# At the end of a line of ours in a person's file.
MARK = "# completion of agent-memory"


def _complete_shells(ctx: Any, args: Any, incomplete: str) -> list[str]:
    return list(SCRIPTS)


def completion(
    shell: Annotated[
        str,
        typer.Argument(
            metavar="|".join(SCRIPTS),
            help="Your shell.",
            show_default="that of $SHELL",
            autocompletion=_complete_shells,
        ),
    ] = "",
    install: Annotated[
        bool,
        typer.Option("--install", help="Write it where the shell reads it at its next start."),
    ] = False,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Take that back.")] = False,
) -> None:
    """Print or install the completion for your shell.

    Printed, it can be tried at once: eval "$(agent-memory completion bash)"

    \b
    Example:
      agent-memory completion bash
    """
    shell = shell or os.path.basename(os.environ.get("SHELL", ""))
    if shell not in SCRIPTS:
        told = (
            f"{shell!r}{suggestion(shell, list(SCRIPTS))}" if shell else "of your shell: no SHELL"
        )
        raise Refused(f"no completion for {told}. There are {', '.join(SCRIPTS)}")
    if install and uninstall:
        raise Refused("--install and --uninstall exclude each other")
    if install:
        _install(shell)
    elif uninstall:
        _uninstall(shell)
    else:
        out(_script(shell), end="")


def _script(shell: str) -> str:
    return SCRIPTS[shell].lstrip().replace("COMPLETE=", f"{COMPLETE}=").replace("NAME", NAME)


def _install(shell: str) -> None:
    from memory_core import store

    path, start = _places(shell)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    store.replace(path, _script(shell).encode())
    out(f"Written: {path}")
    if start and _set_line(start, f"[ ! -f {shlex.quote(path)} ] || . {shlex.quote(path)}  {MARK}"):
        out(f"A line added: {start}")
    note(f"The next {shell} has it.  {NAME} completion {shell} --uninstall takes it back.")


def _uninstall(shell: str) -> None:
    path, start = _places(shell)
    if start and _set_line(start, ""):
        out(f"A line removed: {start}")
    try:
        os.unlink(path)
        out(f"Removed: {path}")
    except FileNotFoundError:
        note(f"No completion for {shell} is installed.")


def _places(shell: str) -> tuple[str, str]:
    """Return where the script goes, and the file that has to name it: fish finds it by itself."""
    from memory_core import installation

    folder, home = installation.data_folder(), os.environ["HOME"]
    if shell == "fish":
        settings = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
        return os.path.join(settings, "fish", "completions", f"{NAME}.fish"), ""
    start = os.environ.get("ZDOTDIR", home) if shell == "zsh" else home
    return os.path.join(folder, "completions", f"{NAME}.{shell}"), f"{start}/.{shell}rc"


def _set_line(path: str, line: str) -> bool:
    """Let a file have this line of ours, or none; say whether that changed it."""
    from memory_core import store

    path = os.path.realpath(path)  # a link, as dotfile managers make, stays a link
    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        text = ""
    others = "".join(each for each in text.splitlines(keepends=True) if MARK not in each)
    if line:
        others += f"{'' if others.endswith(chr(10)) or not others else chr(10)}{line}{chr(10)}"
    if others != text:
        store.replace(path, others.encode("utf-8", "surrogateescape"))
    return others != text
