"""Find the commits that brought texts into a memory file, and those that trusted keys signed.

A text belongs to the commits that have it while their parents do not.  Signatures are checked with
the programs of the user's own git configuration, never with those that a repository names.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from memory_core.files import git_command
from memory_core.origin import ledger, line_origins

# Of a file with more commits, the newest ones count.
MAX_COMMITS = 200

# Git has so many seconds for the signatures of all commits.
SECONDS = 10

FORMAT = "%x00".join(("%H", "%an", "%ae", "%ad", "%ct"))
SIGNATURE = "%x00".join(("%H", "%G?", "%GF", "%GP"))
GOOD = ("G", "U")  # U: git does not know whose key it is, but the settings do

# The settings of git that may be the user's own, and their values without them.
DEFAULTS = {"gpg.program": "gpg", "gpg.ssh.program": "ssh-keygen", "gpg.x509.program": ""}
DEFAULTS["gpg.ssh.allowedsignersfile"] = os.devnull


class Commit(NamedTuple):
    """A commit with its author and day; without a `name`, `author` says why."""

    name: str
    author: str
    email: str = ""
    day: str = ""
    seconds: str = ""


NOT_COMMITTED, UNKNOWN = Commit("", "not committed"), Commit("", "unknown commit")


def find_commits(path: str, keys: Iterable[str]) -> dict[str, list[Commit]]:
    """Return the commits that brought texts into a memory file, the newest first, by their keys."""
    folder, name = os.path.split(path)
    try:
        words = ("log", "--topo-order", "--date=short", f"--format={FORMAT}", f"-n{MAX_COMMITS}")
        lines = line_origins.run(folder, *words, "HEAD", "--", name).decode("utf-8", "replace")
        commits = [Commit(*line.split("\0")) for line in lines.splitlines()]
        brought = _list_brought(folder, name, [commit.name for commit in commits])
    except line_origins.ERRORS:
        return {key: [UNKNOWN] for key in keys}
    missing = UNKNOWN if len(commits) == MAX_COMMITS else NOT_COMMITTED
    rows = {key: [one for one in commits if key in brought[one.name]] for key in keys}
    return {key: row or [missing] for key, row in rows.items()}


def _list_brought(folder: str, name: str, commits: Sequence[str]) -> dict[str, set[str]]:
    """Return the keys of the texts that each commit has, and none of its parents."""
    prefix = line_origins.run(folder, "rev-parse", "--show-prefix").decode().rstrip("\n")
    heads = {
        commit: data.decode("utf-8", "replace").partition("\n\n")[0].split("\n")
        for commit, data in zip(commits, line_origins.read_objects(folder, commits), strict=True)
    }
    parents = {
        commit: [line[7:] for line in lines if line.startswith("parent ")]
        for commit, lines in heads.items()
    }
    names = list(dict.fromkeys([*commits, *chain(*parents.values())]))
    blobs = dict(zip(names, _find_blobs(folder, names, prefix + name), strict=True))
    unique = [*{*blobs.values()} - {""}]
    keys = {
        blob: {*ledger.list_keys(data.decode("utf-8", "surrogateescape"))}
        for blob, data in zip(unique, line_origins.read_objects(folder, unique), strict=True)
    }
    texts = {commit: keys.get(blob, set()) for commit, blob in blobs.items()}
    return {
        one: texts[one].difference(*(texts[parent] for parent in parents[one])) for one in commits
    }


def _find_blobs(folder: str, commits: Sequence[str], path: str) -> list[str]:
    """Return the object at a path in each commit, "" for none, from the commits' own contents."""
    objects = line_origins.read_objects(folder, commits)
    names = [data.partition(b"\n")[0].removeprefix(b"tree ").decode() for data in objects]
    for part in path.split("/"):
        trees = [*{*names} - {""}]
        below = {"": ""}
        for tree, data in zip(trees, line_origins.read_objects(folder, trees), strict=True):
            entries = dict(line_origins.parse_tree(data, len(tree) // 2))
            below[tree] = entries.get(os.fsencode(part), "")
        names = [below[name] for name in names]
    return names


def list_reviewed(path: str, keys: Sequence[str], signers: Sequence[str]) -> set[str]:
    """Return those of these keys whose commits are all signed by one of the signers."""
    rows = find_commits(path, keys) if keys and signers else {}
    names = {key: {commit.name for commit in row} for key, row in rows.items()}
    signed = list_signed(os.path.dirname(path), {*chain(*names.values())}, signers)
    return {key for key, own in names.items() if own <= signed}


def list_signed(folder: str, commits: Iterable[str], signers: Iterable[str]) -> set[str]:
    """Return the commits that have a good signature by one of these keys."""
    names, trusted = sorted({*commits} - {""}), {*signers}
    if not names or not trusted:
        return set()
    options = [word for pair in _read_settings(folder).items() for word in ("-c", "=".join(pair))]
    words = (*options, "log", "--no-walk", f"--format={SIGNATURE}", *names)
    try:
        output = git_command.run_on(folder, words, b"", SECONDS)[1]
    except line_origins.ERRORS:
        return set()
    rows = [line.split("\0") for line in output.decode("utf-8", "replace").splitlines()]
    return {name for name, grade, *keys in rows if grade in GOOD and not trusted.isdisjoint(keys)}


def _read_settings(folder: str) -> Mapping[str, str]:
    """Return the user's own settings for signatures; a path in them is absolute."""
    settings = dict(DEFAULTS)
    for level in ("--system", "--global"):
        listed = git_command.run(folder, "config", level, "--includes", "--list", "-z")[1]
        for entry in listed.split("\0"):
            key, _, value = entry.partition("\n")
            value = os.path.expanduser(value)
            is_name = key.endswith("program") and "/" not in value  # of a program on PATH
            if key in DEFAULTS and (is_name or os.path.isabs(value)):
                settings[key] = value
    return settings
