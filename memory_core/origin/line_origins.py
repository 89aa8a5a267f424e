"""Find out from git whether lines of memory files came from this clone or from elsewhere.

The reflogs of a clone say how each commit came: `commit` made it here, all other entries (`pull`,
`clone`, `rebase`, `merge`, ...) may have brought it.  The first entry whose commit has a text
decides.  A text that no entry has was typed here and is not committed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from memory_core.files import git_command, git_log
from memory_core.files.safe_files import SafeFiles
from memory_core.history.rights import HAND, IMPORT
from memory_core.origin import ledger

# Where a line came from: it was typed in this clone, or brought to it; git may not know.
OWN, OUTSIDE, UNSURE = HAND, IMPORT, ""

FORMAT = "--format=%gD%x00%H%x00%gs"  # of the entries of reflogs
PUSHED = "update by push"  # of a remote branch: nothing came

FETCHED = "FETCH_HEAD"

# Git has so many seconds for each command.
SECONDS = 1

# With more versions of the memory files, or larger ones, lines are not decided.
MAX_VERSIONS = 400
MAX_BYTES = 1_000_000


class Undecided(Exception):
    """Git cannot tell: it failed, or it is at work."""


ERRORS = (OSError, ValueError, IndexError, Undecided)

# A commit that this clone got: the time in seconds, the place and the order of its entry, its name
# and its origin.  Of one time, what was fetched comes first, and of one log the newest entry last.
LoggedCommit = tuple[int, int, int, str, str]


def find_origins(folder: str, keys: Iterable[str]) -> dict[str, str]:
    """Return OWN, OUTSIDE or UNSURE for each key of a text in the memory files of a folder."""
    wanted = dict.fromkeys(keys, OWN)
    if not wanted or not git_log.find_tree(folder):
        return wanted
    try:
        origins: dict[str, str] = {}
        for text, origin in _list_versions(folder):
            for key in ledger.list_keys(text):
                origins.setdefault(key, origin)
    except ERRORS:
        return dict.fromkeys(wanted, UNSURE)
    return {key: origins.get(key, OWN) for key in wanted}


def locate_log(folder: str) -> str:
    """Return the path of git's log of what HEAD was; raises ERRORS."""
    git_folder = run(folder, "rev-parse", "--absolute-git-dir").decode().rstrip("\n")
    return f"{git_folder}/logs/HEAD"


def _list_versions(folder: str) -> Iterator[tuple[str, str]]:
    """Yield the memory files of the commits that this clone has seen, the first ones first.

    Raises Undecided.
    """
    words = ("rev-parse", "--absolute-git-dir", "--git-common-dir", "--show-prefix")
    own, common, prefix = run(folder, *words).decode().split("\n")[:3]
    shared = os.path.join(folder, common)
    if git_log.is_unfinished(own):
        raise Undecided
    commits = sorted([*_list_logged(folder, own), *_list_fetched([own, shared])])
    names = [f"{commit}:{prefix.rstrip('/')}" for *_place, commit, _origin in commits]
    trees = run(folder, "cat-file", "--batch-check", text="\n".join(names)).decode().split("\n")
    versions: dict[str, str] = {}
    for (*_place, origin), line in zip(commits, trees, strict=False):
        tree, _, kind = line.rpartition(" ")[0].partition(" ")
        if kind == "tree":
            versions.setdefault(tree, origin)
    blobs: dict[str, str] = {}
    trees_read = zip(versions.items(), read_objects(folder, versions), strict=True)
    for (tree, origin), data in trees_read:
        for name, blob in parse_tree(data, len(tree) // 2):
            if name.endswith(b".md"):
                blobs.setdefault(blob, origin)
    if len(blobs) > MAX_VERSIONS:
        raise Undecided
    for data, origin in zip(read_objects(folder, blobs), blobs.values(), strict=True):
        yield data.decode("utf-8", "surrogateescape"), origin


def _list_logged(folder: str, git_folder: str) -> Iterator[LoggedCommit]:
    """Yield the commits in the reflogs of HEAD and of branches."""
    before = _find_older(git_folder)
    if before is None:
        if run(folder, "rev-list", "--all", "--max-count=1").strip():
            raise Undecided  # there are commits, but no log of how they came
        return
    if before:
        yield -1, 0, 0, before, UNSURE
    words = ("log", "--walk-reflogs", "--no-show-signature", "--all", "--date=unix")
    lines = run(folder, *words, FORMAT).decode("utf-8", "replace").split("\n")
    for number, line in enumerate(lines):
        name, _, rest = line.partition("\0")
        commit, _, subject = rest.partition("\0")
        ref, _, when = name.rpartition("@{")
        if commit and not ref.startswith("refs/stash") and subject != PUSHED:
            place = 0 if ref.startswith("refs/remotes/") else 1 if ref == "HEAD" else 2
            origin = OWN if subject.startswith(git_log.OWN_ENTRIES) else OUTSIDE
            yield int(when.rstrip("}")), place, -number, commit, origin


def _find_older(git_folder: str) -> str | None:
    """Return the commit before the log of HEAD, "" if the log is whole, None without a log."""
    log = SafeFiles(git_folder).read_text(os.path.join("logs", "HEAD"), MAX_BYTES)
    first = log.split(" ")[0]
    return first.strip("0") and first if log else None


def _list_fetched(folders: Iterable[str]) -> Iterator[LoggedCommit]:
    """Yield what was fetched last."""
    for folder in dict.fromkeys(folders):
        if opened := SafeFiles(folder).read_with_status(FETCHED, MAX_BYTES):
            data, status = opened
            for line in data.decode("utf-8", "replace").split("\n"):
                if name := line.split("\t")[0].strip():
                    yield int(status.st_mtime), 0, 0, name, OUTSIDE


def parse_tree(data: bytes, width: int) -> Iterator[tuple[bytes, str]]:
    """Yield (name, object) of the entries of a tree: "MODE NAME", a zero, the bytes of the id."""
    while data:
        head, _, rest = data.partition(b"\0")
        yield head.partition(b" ")[2], rest[:width].hex()
        data = rest[width:]


def read_objects(folder: str, names: Iterable[str]) -> Iterator[bytes]:
    """Yield the contents of objects; each has a line "NAME TYPE SIZE" before it.

    Git does not check that a file of objects, which may be forged, has the contents of the names.
    """
    import hashlib

    names = list(names)
    data = run(folder, "cat-file", "--batch", text="\n".join(names)) if names else b""
    for name in names:
        head, _, data = data.partition(b"\n")
        _name, kind, size = head.decode().split(" ")
        content = data[: int(size)]
        algorithm = "sha1" if len(name) == 40 else "sha256"
        whole = f"{kind} {size}\0".encode() + content
        if int(size) > MAX_BYTES or hashlib.new(algorithm, whole).hexdigest() != name:
            raise Undecided
        yield content
        data = data[int(size) + 1 :]


def run(folder: str, *words: str, text: str = "") -> bytes:
    """Return what git prints; raises Undecided if it fails, and OSError."""
    data = f"{text}\n".encode() if text else b""
    status, output = git_command.run_on(folder, words, data, SECONDS)
    if status:
        raise Undecided
    return output


# Of a file with more commits, the newest ones count.
MAX_COMMITS = 200

# Git has so many seconds for the signatures of all commits.
SIGNATURE_SECONDS = 10

PARENT = re.compile("^parent (.*)$", re.MULTILINE)
COMMIT_FORMAT = "--format=" + "%x00".join(("%H", "%an", "%ae", "%ad", "%ct"))
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
        words = ("log", "--topo-order", "--date=short", COMMIT_FORMAT, f"-n{MAX_COMMITS}")
        lines = run(folder, *words, "HEAD", "--", name).decode("utf-8", "replace")
        commits = [Commit(*line.split("\0")) for line in lines.splitlines()]
        brought = _list_brought(folder, name, [commit.name for commit in commits])
    except ERRORS:
        return {key: [UNKNOWN] for key in keys}
    missing = UNKNOWN if len(commits) == MAX_COMMITS else NOT_COMMITTED
    rows = {key: [one for one in commits if key in brought[one.name]] for key in keys}
    return {key: row or [missing] for key, row in rows.items()}


def _list_brought(folder: str, name: str, commits: Sequence[str]) -> dict[str, set[str]]:
    """Return the keys of the texts that each commit has, and none of its parents."""
    prefix = run(folder, "rev-parse", "--show-prefix").decode().rstrip("\n")
    parents = {
        commit: PARENT.findall(data.partition(b"\n\n")[0].decode("utf-8", "replace"))
        for commit, data in zip(commits, read_objects(folder, commits), strict=True)
    }
    names = list(dict.fromkeys([*commits, *chain(*parents.values())]))
    blobs = dict(zip(names, _find_blobs(folder, names, prefix + name), strict=True))
    unique = [*{*blobs.values()} - {""}]
    keys = {
        blob: {*ledger.list_keys(data.decode("utf-8", "surrogateescape"))}
        for blob, data in zip(unique, read_objects(folder, unique), strict=True)
    }
    texts = {commit: keys.get(blob, set()) for commit, blob in blobs.items()}
    return {
        one: texts[one].difference(*(texts[parent] for parent in parents[one])) for one in commits
    }


def _find_blobs(folder: str, commits: Sequence[str], path: str) -> list[str]:
    """Return the object at a path in each commit, "" for none, from the commits' own contents."""
    objects = read_objects(folder, commits)
    names = [data.partition(b"\n")[0].removeprefix(b"tree ").decode() for data in objects]
    for part in path.split("/"):
        trees = [*{*names} - {""}]
        below = {"": ""}
        for tree, data in zip(trees, read_objects(folder, trees), strict=True):
            entries = dict(parse_tree(data, len(tree) // 2))
            below[tree] = entries.get(os.fsencode(part), "")
        names = [below[name] for name in names]
    return names


def list_reviewed(path: str, keys: Sequence[str], signers: Sequence[str]) -> set[str]:
    """Return those of these keys whose commits all have a good signature by one of the signers."""
    rows = find_commits(path, keys) if keys and signers else {}
    names = {key: {commit.name for commit in row} for key, row in rows.items()}
    commits = sorted({*chain(*names.values())} - {""})
    if not commits:
        return set()
    folder = os.path.dirname(path)
    options = [word for pair in _read_settings(folder).items() for word in ("-c", "=".join(pair))]
    words = (*options, "log", "--no-walk", f"--format={SIGNATURE}", *commits)
    try:
        output = git_command.run_on(folder, words, b"", SIGNATURE_SECONDS)[1]
    except ERRORS:
        return set()
    lines = [line.split("\0") for line in output.decode("utf-8", "replace").splitlines()]
    good = {name for name, grade, *by in lines if grade in GOOD and not {*signers}.isdisjoint(by)}
    return {key for key, own in names.items() if own <= good}


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
