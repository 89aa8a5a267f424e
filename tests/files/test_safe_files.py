"""Files below one folder: no path leads out of it, waits, or fills the memory."""

import os
import re
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_core.files import file_actions, safe_files
from memory_core.files.safe_files import Refused, SafeFiles, TooLarge

SECRET = "outside"
PLACE = ".claude-mpm/memories/engineer.md"
FOLDER_PLACE = ".claude-mpm/memories"
LINK, PIPE = "is a link, which is not followed", "is a pipe, a socket or a device, not a file"
FOLDER, FILE = "is a folder, not a file", "is a file, not a folder"


class Tree:
    """A project, and a folder outside of it that must stay unchanged."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.outside = folder / "outside"
        self.place = self.root / PLACE
        self.place.parent.mkdir(parents=True)
        for name in ("engineer.md", "memories/engineer.md", ".claude-mpm/memories/engineer.md"):
            path = self.outside / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(SECRET)
            os.utime(path, (1, 1))
        self.files = SafeFiles(str(self.root))
        self.before = self.list_outside()

    def list_outside(self) -> list[tuple[str, int, int, int, bytes]]:
        """Return all that the outside has, with modes, sizes, times and content."""
        paths = [self.outside, *sorted(self.outside.rglob("*"))]
        return [
            (str(path), status.st_mode, status.st_size, status.st_mtime_ns, read_if_file(path))
            for path in paths
            for status in [path.lstat()]
        ]

    def link(self, target: str | Path) -> None:
        (self.root / ".claude-mpm" / "config.yml").write_text(SECRET)
        self.place.symlink_to(target)

    def link_parent(self, level: int) -> None:
        """Replace a folder above the place by a link to a folder outside that looks the same."""
        part = Path(*Path(PLACE).parts[:level])
        folder = self.root / part
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir()
        folder.rmdir()
        folder.symlink_to([self.outside / ".claude-mpm", self.outside / "memories"][level - 1])


def read_if_file(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def make_socket(tree: Tree) -> None:
    os.chdir(tree.place.parent)  # the name of a socket has 108 bytes at most
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(tree.place.name)


def make_device(tree: Tree) -> None:
    try:
        os.mknod(tree.place, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root makes devices")


def replace_folder(tree: Tree, make: Callable[[Path], object]) -> None:
    tree.place.parent.rmdir()
    make(tree.place.parent)


# Each hostile place: how it is made, the path that is refused, and the reason.
Hostile = tuple[Callable[[Tree], object], str, str]
PLACES: dict[str, Hostile] = {
    "link to a file": (lambda tree: tree.link(tree.outside / "engineer.md"), PLACE, LINK),
    "link to a file inside": (lambda tree: tree.link("../config.yml"), PLACE, LINK),
    "link to a folder": (lambda tree: tree.link(tree.outside), PLACE, LINK),
    "link to nothing": (lambda tree: tree.link(tree.outside / "new.md"), PLACE, LINK),
    "link to itself": (lambda tree: tree.link(tree.place.name), PLACE, LINK),
    "pipe": (lambda tree: os.mkfifo(tree.place), PLACE, PIPE),
    "socket": (make_socket, PLACE, PIPE),
    "device": (make_device, PLACE, PIPE),
    "first folder": (lambda tree: tree.link_parent(1), ".claude-mpm", LINK),
    "second folder": (lambda tree: tree.link_parent(2), FOLDER_PLACE, LINK),
    "file of a folder": (lambda tree: replace_folder(tree, Path.touch), FOLDER_PLACE, FILE),
    "pipe of a folder": (lambda tree: replace_folder(tree, os.mkfifo), FOLDER_PLACE, PIPE),
}

READERS: dict[str, tuple[Callable[[SafeFiles, str], object], object]] = {
    "read": (SafeFiles.read, b""),
    "read_with_status": (SafeFiles.read_with_status, None),
    "read_text": (SafeFiles.read_text, ""),
    "read_end": (lambda files, path: files.read_end(path, 100), (b"", True)),
    "status": (SafeFiles.status, None),
    "is_file": (SafeFiles.is_file, False),
    "is_folder": (SafeFiles.is_folder, False),
    "list_older": (lambda files, path: file_actions.list_older(files, path, 2**40), []),
    "is_allowed": (lambda files, path: file_actions.is_allowed(files, path, os.F_OK), False),
    "list_names": (SafeFiles.list_names, []),
    "scan": (file_actions.scan, []),
}

WRITERS: dict[str, Callable[[SafeFiles, str], object]] = {
    "append": lambda files, path: files.append(path, b"new\n"),
    "replace": lambda files, path: files.replace(path, b"new\n"),
    "make_folder": SafeFiles.make_folder,
    "truncate": lambda files, path: file_actions.truncate(files, path, 0),
    "open": lambda files, path: files.open(path, os.O_WRONLY),
    "sync": file_actions.sync,
}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tree]:
    """Return a project; at the end everything outside is as before, and no descriptor is open."""
    monkeypatch.chdir(tmp_path)
    new, opened = Tree(tmp_path), len(os.listdir("/dev/fd"))
    yield new
    assert new.list_outside() == new.before
    assert len(os.listdir("/dev/fd")) == opened


@pytest.fixture
def umask() -> Iterator[None]:
    """Run a test with a umask that takes nothing away."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", READERS)
def test_a_hostile_place_counts_as_absent(tree: Tree, name: str, place: str) -> None:
    PLACES[place][0](tree)
    read, absent = READERS[name]

    began = time.monotonic()
    assert read(tree.files, PLACE) == absent
    assert read(tree.files, str(tree.place)) == absent
    assert time.monotonic() - began < 1

    where, reason = PLACES[place][1:]
    assert {str(error) for error in tree.files.refused.values()} == {f"{where} {reason}"}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", WRITERS)
def test_a_hostile_place_is_not_written(tree: Tree, name: str, place: str) -> None:
    PLACES[place][0](tree)

    with pytest.raises(Refused) as refusal:
        WRITERS[name](tree.files, PLACE)

    assert (refusal.value.path, refusal.value.reason) == PLACES[place][1:]


@pytest.mark.parametrize("place", PLACES)
def test_only_the_entry_itself_is_changed(tree: Tree, place: str) -> None:
    PLACES[place][0](tree)
    is_below = PLACES[place][1] == PLACE

    (tree.root / "new").write_text("new")
    assert tree.files.has_entry(PLACE) == is_below
    file_actions.remove_folder(tree.files, PLACE)
    assert tree.files.has_entry(PLACE) == is_below
    with pytest.raises(FileExistsError if is_below else Refused):
        tree.files.create(PLACE)
    if is_below:
        file_actions.write_once(tree.files, PLACE, "new")
        tree.files.rename(PLACE, "moved")
        assert not os.path.lexists(tree.place)
        tree.files.rename("new", "moved")  # in place of the link, which is gone
        assert tree.root.joinpath("moved").read_text() == "new"
        tree.files.delete("moved")
        assert not os.path.lexists(tree.root / "moved")
    else:
        tree.files.remove(PLACE)
        for change in (
            lambda: file_actions.write_once(tree.files, PLACE, "new"),
            lambda: tree.files.delete(PLACE),
            lambda: tree.files.rename(PLACE, "moved"),
            lambda: tree.files.rename("new", PLACE),
        ):
            with pytest.raises(Refused):
                change()


WRONG_PATHS = ["../outside/engineer.md", "a/../../outside/engineer.md", "..", ".", "./a", "a//b"]
WRONG_PATHS += ["a/", "/etc/passwd", "{outside}/engineer.md", "{root}/../outside/engineer.md"]
WRONG_PATHS += ["{root}2/a", "a\0b", "\0", "half\ud800", "//etc/passwd"]


def assert_absent(files: SafeFiles, path: str) -> None:
    for read, absent in READERS.values():
        assert read(files, path) == absent


@pytest.mark.parametrize("path", WRONG_PATHS)
def test_a_path_that_is_not_below_the_root_is_refused(tree: Tree, path: str) -> None:
    path = path.format(outside=tree.outside, root=tree.root)
    assert_absent(tree.files, path)
    for write in WRITERS.values():
        with pytest.raises(Refused, match="is not a path below"):
            write(tree.files, path)
    assert not tree.files.has_entry(path)
    tree.files.remove(path)
    file_actions.remove_folder(tree.files, path)
    for arguments in ((path, "new"), ("new", path)):
        with pytest.raises((Refused, FileNotFoundError)):
            tree.files.rename(*arguments)


def test_the_root_is_a_folder_that_is_neither_written_nor_deleted(tree: Tree) -> None:
    for path in ("", str(tree.root), f"{tree.root}/"):
        assert tree.files.is_folder(path)
        assert tree.files.list_names(path) == [".claude-mpm"]
        for write in (tree.files.delete, lambda path: tree.files.replace(path, b"new")):
            with pytest.raises((Refused, IsADirectoryError, PermissionError)):
                write(path)
        file_actions.remove_folder(tree.files, path)
    assert tree.root.is_dir()


def test_a_folder_in_place_of_a_file(tree: Tree) -> None:
    tree.place.mkdir()

    assert tree.files.read(PLACE) == b""
    assert str(tree.files.refused[PLACE]) == f"{PLACE} {FOLDER}"
    for name in ("append", "replace", "truncate"):
        with pytest.raises(Refused, match=FOLDER):
            WRITERS[name](tree.files, PLACE)
    with pytest.raises((IsADirectoryError, PermissionError)):
        tree.files.delete(PLACE)
    assert tree.place.is_dir()


def test_a_huge_file_is_refused_and_costs_no_memory(tree: Tree) -> None:
    with tree.place.open("wb") as file:
        file.truncate(1 << 40)

    began = time.monotonic()
    with pytest.raises(TooLarge) as refusal:
        tree.files.read(PLACE)
    assert str(refusal.value) == f"{PLACE} is larger than 1 MB"
    assert tree.files.read_text(PLACE) == ""
    assert list(tree.files.refused) == [PLACE]
    assert tree.files.read_end(PLACE, 10) == (b"\0" * 10, False)
    assert time.monotonic() - began < 1

    tree.place.write_bytes(b"12345")
    assert tree.files.read(PLACE, 5) == b"12345"
    with pytest.raises(TooLarge, match="is larger than 0 KB"):
        tree.files.read(PLACE, 4)


def test_a_folder_with_30000_entries_does_not_stall(tree: Tree) -> None:
    folder = tree.place.parent
    for number in range(30_000):
        os.close(os.open(folder / f"{number}.md", os.O_CREAT))
    path = str(folder)

    for read in (SafeFiles.list_names, file_actions.scan):
        began = time.monotonic()
        assert len(read(tree.files, path)) == safe_files.MAX_ENTRIES
        assert time.monotonic() - began < 1
    assert [str(error) for error in tree.files.refused.values()] == [
        ".claude-mpm/memories has more than 10,000 entries; 10,000 of them are used"
    ]
    began = time.monotonic()
    tree.files.replace(PLACE, b"new")
    assert time.monotonic() - began < 1
    assert tree.files.read(PLACE) == b"new"


@pytest.mark.skipif(sys.platform == "darwin", reason="its names are UTF-8")
def test_names_that_are_long_or_not_utf_8(tree: Tree) -> None:
    (tree.place.parent / os.fsdecode(b"caf\xe9.md")).write_text("text")

    [name] = tree.files.list_names(".claude-mpm/memories")
    path = f".claude-mpm/memories/{name}"

    assert tree.files.read(path) == b"text"
    tree.files.replace(path, b"new")
    [(found, status)] = file_actions.scan(tree.files, FOLDER_PLACE)
    assert (found, status.st_size) == (name, 3)
    tree.files.delete(path)
    assert not tree.files.has_entry(path)
    tree.files.replace("x" * 255, b"new")
    assert tree.files.read("x" * 255) == b"new"


def test_only_regular_files_are_scanned(tree: Tree) -> None:
    tree.place.write_text("text")
    folder = tree.place.parent
    (folder / "folder").mkdir()
    (folder / "link").symlink_to(tree.outside / "engineer.md")
    os.mkfifo(folder / "pipe")

    assert [name for name, _ in file_actions.scan(tree.files, FOLDER_PLACE)] == ["engineer.md"]
    names = ["engineer.md", "folder", "link", "pipe"]
    assert tree.files.list_names(".claude-mpm/memories") == names


def test_a_folder_that_becomes_a_link_between_two_calls(tree: Tree) -> None:
    tree.files.replace(PLACE, b"old")

    def swap() -> None:
        """Put a link in place of the folder just before the file is replaced."""
        tree.place.parent.rename(tree.root / "moved")
        tree.place.parent.symlink_to(tree.outside / "memories")

    tree.files.replace(PLACE, b"new", check=swap)

    assert tree.files.read("moved/engineer.md") == b"new"
    assert os.listdir(tree.root / "moved") == ["engineer.md"]
    with pytest.raises(Refused, match=LINK):
        tree.files.replace(PLACE, b"newer")


# Writing.


def test_a_missing_root_is_absent_until_something_is_written(tmp_path: Path) -> None:
    files = SafeFiles(str(tmp_path / "a" / "b"))
    assert_absent(files, "c")
    assert not files.is_folder("")
    files.append("c", b"line\n")
    assert files.read("c") == b"line\n"

    files = SafeFiles(f"{os.devnull}/state", private=True)
    assert_absent(files, "c")
    assert not files.refused
    for write in WRITERS.values():
        with pytest.raises(NotADirectoryError):
            write(files, "c")


@pytest.mark.parametrize("name", ["append", "truncate", "replace"])
def test_a_hard_link_is_not_written_through(tree: Tree, name: str) -> None:
    """The fixture checks that the other name keeps its text."""
    os.link(tree.outside / "engineer.md", tree.place)
    if name == "truncate":
        file_actions.truncate(tree.files, PLACE, 2)
    else:
        getattr(tree.files, name)(PLACE, b"one\n")
    after = {"append": f"{SECRET}\none\n", "truncate": SECRET[:2], "replace": "one\n"}
    assert tree.place.read_text() == after[name]


def test_modes_are_kept(tree: Tree, umask: None) -> None:
    tree.place.write_text("old")
    tree.place.chmod(0o640)
    tree.files.replace(PLACE, b"new")
    assert stat.S_IMODE(tree.place.stat().st_mode) == 0o640
    assert file_actions.is_allowed(tree.files, PLACE, os.R_OK | os.W_OK)
    assert not file_actions.is_allowed(tree.files, "absent", os.F_OK)


def test_a_temporary_name_cannot_be_prepared(tree: Tree) -> None:
    names = []

    def check() -> None:
        names.extend(os.listdir(tree.place.parent))

    for _ in range(20):
        tree.files.replace(PLACE, b"new", check=check)
    temporary = {name for name in names if name != "engineer.md"}

    assert len(temporary) == 20
    ending = re.escape(safe_files.TEMPORARY)
    assert all(re.fullmatch(rf"\.[0-9a-f]{{16}}{ending}", name) for name in temporary)


@pytest.mark.parametrize("durable", [True, False])
def test_a_killed_writer_leaves_a_file_that_is_removed_later(tree: Tree, durable: bool) -> None:
    tree.place.write_text("old")
    script = (
        "import os, signal, sys\n"
        "from memory_core.files.safe_files import SafeFiles\n"
        "stop = lambda: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"SafeFiles({str(tree.root)!r}).replace({PLACE!r}, b'killed', check=stop)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=False)
    assert tree.place.read_text() == "old"
    [left] = [path for path in tree.place.parent.iterdir() if path.name != "engineer.md"]
    for name in (".engineer.md.swp", "engineer.md~", ".engineer.md.1234"):
        (tree.place.parent / name).write_text("of an editor")
        os.utime(tree.place.parent / name, (1, 1))

    tree.files.replace(PLACE, b"new", durable=durable)
    file_actions.remove_stale(tree.files, os.path.dirname(PLACE))
    assert left.exists()  # its writer may still run

    os.utime(left, (1, 1))
    file_actions.remove_stale(tree.files, os.path.dirname(PLACE))
    assert not left.exists()
    assert len(os.listdir(tree.place.parent)) == 4


# The links of the user.


@pytest.fixture
def user(tmp_path: Path) -> SafeFiles:
    """Return a home directory with links, as people keep their settings files."""
    home, dotfiles = tmp_path / "home", tmp_path / "dotfiles"
    home.mkdir()
    (dotfiles / "memories").mkdir(parents=True)
    (dotfiles / "memories" / "engineer.md").write_text("text")
    (dotfiles / "shared.md").write_text("shared")
    (dotfiles / "memories" / "linked.md").symlink_to("../shared.md")
    (home / ".claude-mpm").symlink_to("../dotfiles")
    return SafeFiles(str(home), follows_links=True, private=True)


def test_links_of_the_user_are_followed(user: SafeFiles, tmp_path: Path) -> None:
    folder, linked = ".claude-mpm/memories", ".claude-mpm/memories/linked.md"

    assert user.list_names(folder) == ["engineer.md", "linked.md"]
    scanned = sorted(name for name, _ in file_actions.scan(user, folder))
    assert scanned == ["engineer.md", "linked.md"]
    assert (user.read(PLACE), user.read(linked)) == (b"text", b"shared")
    assert user.is_file(linked)
    assert user.is_folder(folder)

    user.replace(linked, b"new")
    assert (tmp_path / "dotfiles" / "shared.md").read_text() == "new"
    assert (tmp_path / "dotfiles" / "memories" / "linked.md").is_symlink()

    user.delete(linked)  # the link, not its target
    assert (tmp_path / "dotfiles" / "shared.md").exists()
    assert not user.has_entry(linked)
    assert not user.refused


def test_the_target_of_a_link_of_the_user_is_created(
    user: SafeFiles, tmp_path: Path, umask: None
) -> None:
    (tmp_path / "dotfiles" / "history").symlink_to("../elsewhere/history")

    user.append(".claude-mpm/history/engineer.jsonl", b"{}\n")
    user.replace(".claude-mpm/archive/deep/engineer.md", b"")

    new = [tmp_path / "elsewhere" / "history", tmp_path / "dotfiles" / "archive" / "deep"]
    for folder in [*new, *(folder.parent for folder in new if folder.parent.name != "dotfiles")]:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (new[0] / "engineer.jsonl").read_bytes() == b"{}\n"


@pytest.mark.parametrize("name", READERS)
def test_the_user_cannot_stall_a_hook_either(user: SafeFiles, name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "dotfiles" / "pipe")
    (tmp_path / "dotfiles" / "link").symlink_to("pipe")
    read, absent = READERS[name]

    for path in (".claude-mpm/pipe", ".claude-mpm/link", ".claude-mpm/shared.md/below"):
        assert read(user, path) == absent
    with pytest.raises(Refused, match=PIPE):
        user.append(".claude-mpm/link", b"new\n")
