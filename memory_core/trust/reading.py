"""What a run read that strangers may have written: web pages, MCP tools, files outside the project.

A tool call counts by its name and, in a shell, by the first words of each command.  Installing
packages and reading from the same machine do not count.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Call = tuple[str, dict[str, Any]]  # the name of a tool, and its input

# Entries of a list, and characters of an entry.
MOST = 5
LONGEST = 80

# How the names of the tools begin whose calls may read from outside.
MCP_PREFIX = "mcp__"
MCP_RESOURCE = "ReadMcpResourceTool"
FILE_TOOLS = {"Read": "file_path", "Grep": "path", "Glob": "path"}
TOOLS = ("WebFetch", "WebSearch", "Bash", *FILE_TOOLS, MCP_PREFIX, MCP_RESOURCE)

# MCP servers that read what belongs to the project: its memory, its tasks, its editor.
OWN_SERVERS = ("agent-memory__", "plugin_agent-memory_", "backlog__", "ide__")

# Folders with what a run, or Claude Code, wrote itself, and those of no files.
OWN_FOLDERS = (
    *("/tmp/", "/private/tmp/", "/var/folders/", "/private/var/folders/"),  # noqa: S108
    *("/dev/", "/proc/"),
)
OWN_PART = "/.claude/"

PROGRAMS = frozenset(
    {
        *("curl", "wget", "http", "https", "aria2c", "lynx", "w3m", "ftp", "sftp", "scp", "ssh"),
        *("nc", "ncat", "telnet", "gh", "glab"),
    }
)
# Programs that print files; the first word for grep or sed may be a pattern that looks like a path.
READERS = frozenset({"cat", "head", "tail", "less", "more", "bat"})
REGISTRY_WORDS = ("view", "info", "show", "v", "search")
# What fetches only with one of these words.
COMMANDS = {
    "git": ("clone", "fetch", "pull"),
    **dict.fromkeys(("npm", "pnpm", "yarn"), REGISTRY_WORDS),
    **dict.fromkeys(("pip", "pip3"), ("download", "index")),
    "cargo": ("search", "info"),
}
OWN_REMOTE = "origin"
GIT_FOLDER = "-C"

# Words in front of the name of a program.
WRAPPERS = frozenset(
    {
        *("sudo", "env", "time", "timeout", "nohup", "xargs", "command", "exec", "sh", "bash"),
        *("if", "then", "else", "elif", "while", "until", "do", "!"),
    }
)
SEPARATORS = ";|&()`{}\n"
LOCAL_HOSTS = ("localhost", "127.0.0.1", "0.0.0.0", "[::1]", "::1")  # noqa: S104


def list_reading(calls: Iterable[Call], folders: Iterable[str]) -> list[str]:
    """Return what these calls of a run read from outside, for people; [] for nothing.

    `folders` are those of the project.
    """
    own = tuple(f"{folder.rstrip('/')}/" for folder in folders if folder)
    texts = dict.fromkeys(text for call in calls if (text := _describe(*call, own)))
    return [text[:LONGEST] for text in texts][:MOST]


def _describe(tool: str, given: dict[str, Any], own: tuple[str, ...]) -> str:
    """Return what a call read from outside, "" for nothing."""
    if tool == "WebSearch":
        return tool
    if tool == "WebFetch":
        return f"{tool} {_find_host(_get_text(given, 'url'))}".rstrip()
    if tool.startswith(MCP_PREFIX):
        is_own = tool.startswith(OWN_SERVERS, len(MCP_PREFIX))
        return "" if is_own or not tool.isprintable() else tool
    if tool == MCP_RESOURCE:
        server = _get_text(given, "server")
        is_own = f"{server}__".startswith(OWN_SERVERS)
        return "" if is_own or not server.isprintable() else f"MCP resource of {server}"
    if tool in FILE_TOOLS:
        path = _get_text(given, FILE_TOOLS[tool])
        return f"{tool} {_get_name(path)}" if _is_outside(path, own) else ""
    names = dict.fromkeys(_list_readers(_get_text(given, "command"), own)) if tool == "Bash" else {}
    return f"Bash: {', '.join(names)}" if names else ""


def _get_text(given: dict[str, Any], name: str) -> str:
    value = given.get(name)
    return value if isinstance(value, str) else ""


def _find_host(url: str) -> str:
    """Return the host in a URL, as far as it has only the characters of one."""
    host = url.partition("://")[2].partition("/")[0].partition("?")[0].rpartition("@")[2]
    return "".join(char for char in host if char.isalnum() or char in ".-:[]")


def _is_outside(path: str, own: tuple[str, ...]) -> bool:
    """Check for an absolute path, or one in the home folder, that is not in the project."""
    if path.startswith("~"):
        path = os.path.expanduser(path)
    path = os.path.normpath(path)
    is_inside = not os.path.isabs(path) or f"{path}/".startswith((*own, *OWN_FOLDERS))
    return not (is_inside or OWN_PART in f"{path}/")


def _get_name(path: str) -> str:
    """Return the name of a file; the history is committed, so it has no path of the user."""
    return "".join(filter(str.isprintable, os.path.basename(os.path.normpath(path))))


def _list_readers(script: str, own: tuple[str, ...]) -> Iterator[str]:
    """Yield the programs in a shell script that read from elsewhere."""
    if not any(name in script for name in (*PROGRAMS, *COMMANDS, *READERS)):
        return
    for command in _split_script(_remove_documents(script)):
        words = [word.strip("\"'") for word in command.split()]
        while words and _is_before_name(words[0]):
            words.pop(0)
        program, args = os.path.basename(words[0]) if words else "", words[1:]
        if program in PROGRAMS:
            if not _is_local(args):
                yield program
        elif program in READERS:
            yield from (f"{program} {_get_name(word)}" for word in args if _is_outside(word, own))
        elif program in COMMANDS:
            args = args[2:] if args[:1] == [GIT_FOLDER] else args
            word, *after = [word for word in args if not word.startswith("-")] or [""]
            is_own = program == "git" and word != "clone" and after[:1] in ([], [OWN_REMOTE])
            if word in COMMANDS[program] and not is_own:
                yield f"{program} {word}"


def _is_before_name(word: str) -> bool:
    is_value = "=" in word or word[:1].isdigit()
    return os.path.basename(word) in WRAPPERS or word.startswith("-") or is_value or not word


def _is_local(args: list[str]) -> bool:
    """Check whether all addresses in the arguments of a command are of this machine."""
    urls = [word for word in args if "://" in word]
    hosts = [_find_host(url) for url in urls] or [word for word in args if word[:1] != "-"]
    local = [host for host in hosts if host.partition("/")[0].startswith(LOCAL_HOSTS)]
    return bool(local) and (not urls or len(local) == len(urls))


def _remove_documents(script: str) -> str:
    """Return a script without the lines of its here-documents, which are no commands."""
    lines, end = [], ""
    for line in script.split("\n"):
        if end:
            end = "" if line.strip() == end else end
            continue
        lines.append(line)
        begin = line.partition("<<")[2].lstrip("-~ ")
        end = begin.split()[0].strip("\"'\\;)") if begin.split() and begin[0] != "<" else ""
    return "\n".join(lines)


def _split_script(script: str) -> list[str]:
    """Return the commands of a script; quoted separators divide none, except `$(` and "`"."""
    parts, quote, before = [""], "", ""
    for char in script:
        if char in "\"'" and quote in ("", char):
            quote = "" if quote else char
        is_inner = char == "`" or (char == "(" and before == "$")
        if quote != "'" and char in SEPARATORS and (not quote or is_inner):
            parts.append("")
        else:
            parts[-1] += char
        before = char
    return parts
