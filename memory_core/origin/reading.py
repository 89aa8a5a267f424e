"""What a run read that strangers may have written: web pages, MCP tools, files outside the project.

A tool call counts by its name and, in a shell, by the first words of each command and by its
addresses; a file that it opened, by where it is.  A file of the project is from outside if git
ignores it, or if it belongs to another repository, such as a submodule.  Any other file is from
outside, unless it is Claude Code's own, or a call of the same session has written it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from memory_core.claude_code import acting, transcripts
from memory_core.files import git_command, git_log, project_roots
from memory_core.storage.project import Project

Call = tuple[str, dict[str, Any]]  # the name of a tool, and its input


# Entries of a list, and characters of an entry.
MOST = 5
LONGEST = 80

# How the names of the tools begin whose calls may read from outside; of some, the names of what
# says which file or folder they open.
MCP_PREFIX = "mcp__"
MCP_RESOURCE = "ReadMcpResourceTool"
FILE_TOOLS = {"Read": ("file_path",), "Grep": ("path", "glob"), "Glob": ("path", "pattern")}
TOOLS = ("WebFetch", "WebSearch", "Bash", *FILE_TOOLS, MCP_PREFIX, MCP_RESOURCE)

# The MCP servers of the product, and of Claude Code itself.
OWN_SERVERS = ("agent-memory__", "plugin_agent-memory_agent-memory__", "ide__")

PACKAGE_WORDS = (
    *("add", "audit", "ci", "create", "dlx", "download", "fetch", "get", "i", "index", "info"),
    *("install", "outdated", "pip", "require", "search", "show", "sync", "tool", "update"),
    *("upgrade", "v", "view", "x"),
)
# Programs that fetch, and the words behind their names with which they do; () for any.
FETCHING = {
    **dict.fromkeys(("curl", "wget", "http", "https", "aria2c", "lynx", "w3m", "ftp", "sftp"), ()),
    **dict.fromkeys(("scp", "ssh", "nc", "ncat", "telnet", "gh", "glab", "pipx", "uvx"), ()),
    **dict.fromkeys(("npx", "bunx", "pydoc", "pydoc3"), ()),
    "git": ("clone", "fetch", "pull", "submodule", "ls-remote"),
    **dict.fromkeys(("docker", "podman"), ("pull", "run", "search")),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "poetry"), PACKAGE_WORDS),
    **dict.fromkeys(("cargo", "go", "gem", "bundle", "composer", "conda"), PACKAGE_WORDS),
    **dict.fromkeys(("apt", "apt-get", "brew"), PACKAGE_WORDS),
}
# `npx PROGRAM` fetches nothing if the project has installed the program.
RUNNERS = ("npx", "bunx")
INSTALLED = "node_modules/.bin"

# Programs that print files, those of them whose first argument is none, and those that only
# mention an address.
SEARCHERS = frozenset({"sed", "awk", "grep", "egrep", "rg", "jq"})
READERS = SEARCHERS | {
    *("cat", "head", "tail", "less", "more", "bat", "diff", "strings", "nl", "tac", "xxd", "od"),
    *("cut", "sort", "uniq"),
}
MENTIONING = READERS | {"git", "echo", "printf", "tee", "test", "[", "[[", "export"}

# Words in front of the name of a program.
WRAPPERS = frozenset(
    {
        *("sudo", "env", "time", "timeout", "nohup", "xargs", "command", "exec", "sh", "bash"),
        *("if", "then", "else", "elif", "while", "until", "do", "!"),
    }
)
SEPARATORS = ";|&()`{}\n"
LOCAL_HOSTS = ("localhost", "127.0.0.1", "0.0.0.0", "[::1]", "::1")  # noqa: S104
WILDCARDS = "*?[{$"
# Folders with the code of others, where git cannot be asked.
PACKAGE_FOLDERS = frozenset({"node_modules", ".venv", "venv", "vendor", "site-packages"})

# Git has so many seconds.
SECONDS = 1

# A here-document, with the rest of the line in which it begins.
_DOCUMENT = re.compile(
    r"(?<!<)<<(?!<)[-~ ]*['\"\\]?(?P<end>[\w.-]+)['\"]?(?P<rest>[^\n]*)\n"
    r"(?P<text>.*?)(?:^[ \t]*(?P=end)[ \t\r]*$|\Z)",
    re.M | re.S,
)


def read_transcript(project: Project, path: str, folder: str) -> list[str]:
    """Return what the run with this transcript read from outside, for people; [] for nothing.

    `folder` is the one in which it worked.  A file that a call of the session wrote is not from
    outside, unless the call fetches.
    """
    try:
        calls = transcripts.read_calls(path, *TOOLS)
        return list_reading(calls, folder, partial(_find_outside, project, path))
    except OSError:
        return []  # an older version has no transcripts of agents


def list_reading(
    calls: Iterable[Call], folder: str, find_outside: Callable[[set[str]], set[str]]
) -> list[str]:
    """Return what these calls of a run read from outside.

    `find_outside` chooses from absolute paths those of files that are from outside; the paths may
    be of no file.
    """
    entries = [entry for call in calls for entry in _list_read(*call, folder)]
    paths = {path for _text, path in entries if path}
    outside = find_outside(paths) if paths else set()
    texts = dict.fromkeys(text for text, path in entries if not path or path in outside)
    return [text[:LONGEST] for text in texts][:MOST]


def _list_read(tool: str, given: dict[str, Any], folder: str) -> Iterator[tuple[str, str]]:
    """Yield (text, path) of what a call may have read from outside, "" as path of no file."""
    if tool == "WebSearch":
        yield tool, ""
    elif tool == "WebFetch":
        yield f"{tool} {_find_host(_get_text(given, 'url'))}".rstrip(), ""
    elif tool.startswith(MCP_PREFIX):
        if tool.isprintable() and not tool.startswith(OWN_SERVERS, len(MCP_PREFIX)):
            yield tool, ""
    elif tool == MCP_RESOURCE:
        server = _get_text(given, "server")
        if server.isprintable() and not f"{server}__".startswith(OWN_SERVERS):
            yield f"MCP resource of {server}", ""
    elif tool in FILE_TOOLS:
        path = _join(folder, *[_get_text(given, name) for name in FILE_TOOLS[tool]])
        yield f"{tool} {_get_name(path)}", path
    elif tool == "Bash":
        for name, path in _list_in_script(_get_text(given, "command"), folder):
            yield f"{tool}: {name}", path


def _get_text(given: dict[str, Any], name: str) -> str:
    value = given.get(name)
    return value if isinstance(value, str) else ""


def _find_host(url: str) -> str:
    """Return the host in a URL, as far as it has only the characters of one."""
    host = url.partition("://")[2].partition("/")[0].partition("?")[0].rpartition("@")[2]
    return "".join(char for char in host if char.isalnum() or char in ".-:[]")


def _join(*parts: str) -> str:
    """Join the parts of a path; it ends with the folder before a wildcard or a variable."""
    path = os.path.join(*map(os.path.expanduser, parts))
    start = min((path.find(sign) for sign in WILDCARDS if sign in path), default=len(path))
    return os.path.normpath(path if start == len(path) else f"{path[:start].rpartition('/')[0]}/")


def _get_name(path: str) -> str:
    """Return the name of a file; the history is committed, so it has no path of the user."""
    return "".join(filter(str.isprintable, os.path.basename(path)))


def _list_in_script(script: str, folder: str) -> Iterator[tuple[str, str]]:
    """Yield (name, path) of what the commands of a shell script may have read from outside."""
    for command in _split_script(_replace_documents(script)):
        words = [word.strip("\"'") for word in command.split()]
        while words and _is_before_name(words[0]):
            words.pop(0)
        if len(words) > 2 and words[1] == "-m" and "python" in words[0]:
            words = words[2:]
        words = words or [""]
        is_address = "://" in words[0]  # of a here-document for a shell
        program, args = os.path.basename(words[0]), words if is_address else words[1:]
        if program == "cd" and args and "$" not in args[0]:
            folder = _join(folder, args[0])
        elif name := _find_fetch(program, args, folder):
            yield name, ""
        elif program in READERS:
            names = [word for word in args if word[:1] not in ("", "-") and not word.isdigit()]
            for name in names[program in SEARCHERS :]:
                yield f"{program} {_get_name(name)}", _join(folder, name)


def _is_before_name(word: str) -> bool:
    is_value = "=" in word or word[:1].isdigit()
    return os.path.basename(word) in WRAPPERS or word.startswith("-") or is_value or not word


def _find_fetch(program: str, args: list[str], folder: str) -> str:
    """Return the name of a command that fetches from another machine, "" for any other."""
    while program == "git" and args[:1] in (["-C"], ["-c"]):
        args = args[2:]
    word = next((word for word in args if not word.startswith("-")), "")
    if program in FETCHING:
        words = FETCHING[program]
        if word in words:
            return f"{program} {word}"
        if program in RUNNERS and os.path.lexists(os.path.join(folder, INSTALLED, word)):
            return ""
        if not words and not _is_local(args):
            return program
    is_said = program in MENTIONING or program.startswith("#")
    has_address = any("://" in word for word in args)
    return program if has_address and not is_said and not _is_local(args) else ""


def _is_local(args: list[str]) -> bool:
    """Check whether all addresses in the arguments of a command are of this machine."""
    urls = [word for word in args if "://" in word]
    if urls:
        return all(":///" in url or _is_local_host(_find_host(url)) for url in urls)
    return any(_is_local_host(word.partition("/")[0]) for word in args)


def _is_local_host(host: str) -> bool:
    return host in LOCAL_HOSTS or host.startswith(tuple(f"{name}:" for name in LOCAL_HOSTS))


def _replace_documents(script: str) -> str:
    """Return a script with the addresses in its here-documents in place of them."""
    # With a line end each beginning is one of a document: no second try, which takes long.
    return _DOCUMENT.sub(_keep_addresses, script.replace("\\\n", " ") + "\n")


def _keep_addresses(match: re.Match[str]) -> str:
    addresses = (word for word in match["text"].split() if "://" in word)
    added = "".join(f" x://{_find_host(word)}" for word in addresses)
    return f"{added} {match['rest']}\n"


def _split_script(script: str) -> list[str]:
    """Return the commands of a script; quoted separators divide none, except `$(` and "`"."""
    parts, quote, before = [""], "", ""
    for char in script:
        is_escaped, is_comment = before == "\\" and quote != "'", quote == "#"
        if char == "\n" and is_comment:
            quote = ""
        if char == "#" and not quote and not parts[-1].strip():
            quote = "#"
        elif char in "\"'" and quote in ("", char) and not is_escaped:
            quote = "" if quote else char
        is_inner = char == "`" or (char == "(" and before == "$")
        if quote not in ("'", "#") and char in SEPARATORS and (not quote or is_inner):
            parts.append("")
        else:
            parts[-1] += char
        before = "" if is_escaped else char
    return parts


# Files.


def _find_outside(project: Project, transcript: str, opened: Iterable[str]) -> set[str]:
    """Return those of the absolute paths whose files are from outside; some may be of no file.

    `transcript` is the path of the run's.
    """

    def may_write(tool: str, given: dict[str, Any]) -> bool:
        """Return whether what a call of the session writes is not from outside."""
        commands = _list_in_script(_get_text(given, "command"), project.paths.root)
        return tool == "Write" or (tool == "Bash" and all(path for _name, path in commands))

    real = {path: os.path.realpath(path) for path in opened if _find_time(path) is not None}
    outside = _find_foreign(project, {*real.values()})
    if outside:
        times = {path: _find_time(path) or 0.0 for path in outside}
        calls = transcripts.list_of_session(transcript)
        outside -= acting.find_files(calls, times, may_write)
    return {path for path in real if real[path] in outside}


def _find_time(path: str) -> float | None:
    """Return when a file or a folder changed, in seconds; None for anything else."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    is_usual = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    return status.st_mtime if is_usual else None


def _find_foreign(project: Project, files: Iterable[str]) -> set[str]:
    """Return the files, given by real paths, that are neither the project's nor Claude Code's."""
    root = os.path.realpath(project.paths.root)
    tree = git_log.find_tree(root)
    outside, by_tree = set[str](), dict[str, list[str]]()
    for path in files:
        own = git_log.find_tree(path) if tree else ""
        is_other_tree = own not in ("", tree) and project_roots.find_main_tree(own) == tree
        if is_other_tree or (own == tree and f"{path}/".startswith(f"{root}/")):
            by_tree.setdefault(own or root, []).append(path)
        elif not _is_clients(path, project):
            outside.add(path)
    for folder, paths in by_tree.items():
        outside.update(_list_ignored(folder, paths))
    return outside


def _is_clients(path: str, project: Project) -> bool:
    """Check for a file of Claude Code: a plan, a long result, a transcript, ..."""
    environ = project.environ
    config = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(environ.get("HOME", ""), ".claude")
    config = os.path.realpath(config)
    temporary = os.path.realpath(environ.get("CLAUDE_CODE_TMPDIR") or "/tmp")  # noqa: S108
    own = (f"{config}/", f"{temporary}/claude-{os.getuid()}/")
    return path.startswith(own) and not path.startswith(f"{config}/plugins/")


def _list_ignored(tree: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that git ignores; those in folders of packages if git cannot say."""
    asked = [path for path in paths if path != tree]
    if not asked:
        return []
    data = "".join(f"{path}\0" for path in asked).encode("utf-8", "surrogateescape")
    try:
        words = ("check-ignore", "-z", "--stdin")
        status, output = git_command.run_on(tree, words, data, SECONDS)
    except OSError:
        status, output = 128, b""
    if status in (0, 1):
        return output.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return [path for path in asked if PACKAGE_FOLDERS & {*path[len(tree) :].split("/")}]
