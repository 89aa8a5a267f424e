"""Run a program and write down each path below a folder that it uses.

    python -I tests/support/recorder.py LIST FOLDER SCRIPT [ARGUMENT...]

The functions of `os` that take a path, and `open`, are replaced by functions that append a line to
LIST, "read PATH" or "write PATH" with PATH relative to FOLDER, and then call the original.  A path
relative to a descriptor is resolved by /proc/self/fd.
"""

import builtins
import functools
import io
import os
import posix
import runpy
import shutil  # before the functions are replaced: it asks which of them take descriptors
import sys
import tempfile
from collections.abc import Callable
from typing import Any

READERS = ("access", "listdir", "lstat", "readlink", "scandir", "stat", "statvfs")
WRITERS = (
    *("chmod", "chown", "lchown", "mkdir", "mkfifo", "remove", "rmdir", "truncate", "unlink"),
    *("utime",),
)
MOVERS = ("link", "rename", "replace", "symlink")
MODULES = (shutil, tempfile)


class Recorder:
    """Writes the paths below `folder` to the open file `output`, each once."""

    def __init__(self, output: int, folder: str) -> None:
        self.output = output
        self.prefix = folder.rstrip("/") + "/"
        self.lines: set[str] = set()
        # The original functions, which this class itself uses.
        self.readlink, self.getcwd = os.readlink, os.getcwd

    def add(
        self, is_write: bool, path: Any = ".", *_: Any, dir_fd: int | None = None, **_more: Any
    ) -> None:
        """Write down a path that is relative to an open folder, or to the current one."""
        whole = self.locate(path, dir_fd)
        if whole.startswith(self.prefix):
            line = f"{'write' if is_write else 'read'} {whole[len(self.prefix) :]}\n"
            if line not in self.lines:
                self.lines.add(line)
                os.write(self.output, line.encode("utf-8", "surrogateescape"))

    def locate(self, path: Any, folder: int | None) -> str:
        """Return the absolute path, without following the links in it."""
        if isinstance(path, int):
            return self.readlink(f"/proc/self/fd/{path}") if path >= 0 else ""
        text = os.fsdecode(path)
        if not os.path.isabs(text):
            base = self.getcwd() if folder is None else self.readlink(f"/proc/self/fd/{folder}")
            text = os.path.join(base, text)
        return os.path.normpath(text)

    def wrap(self, function: Callable[..., Any], record: Callable[..., None]) -> Any:
        """Return a function that is static as an attribute, and first records its arguments."""

        @functools.wraps(function)
        def call(*words: Any, **more: Any) -> Any:
            record(*words, **more)
            return function(*words, **more)

        return staticmethod(call)

    def add_moved(self, source: Any, target: Any, *_: Any, **more: Any) -> None:
        self.add(True, source, dir_fd=more.get("src_dir_fd"))
        self.add(True, target, dir_fd=more.get("dst_dir_fd", more.get("dir_fd")))

    def add_opened(self, path: Any, flags: int, *_: Any, dir_fd: int | None = None) -> None:
        self.add(bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)), path, dir_fd=dir_fd)

    def add_file(self, file: Any, mode: str = "r", *_: Any, **_more: Any) -> None:
        """Record an argument of the built-in `open`, which also takes open files."""
        if not isinstance(file, int):
            self.add(mode.strip("bt") != "r", file)


def install(recorder: Recorder) -> None:
    """Replace the functions by recording ones, in this process.

    They stay static as attributes of a class: pathlib of Python 3.10 has them as such.
    """
    records = {
        **dict.fromkeys(READERS, functools.partial(recorder.add, False)),
        **dict.fromkeys(WRITERS, functools.partial(recorder.add, True)),
        **dict.fromkeys(MOVERS, recorder.add_moved),
        "open": recorder.add_opened,
    }
    for module in (os, posix):
        for name, record in records.items():
            setattr(module, name, recorder.wrap(getattr(module, name), record))
    builtins.open = io.open = recorder.wrap(builtins.open, recorder.add_file)


def main() -> None:
    """Record the program in the arguments."""
    _self, output, folder, script, *arguments = sys.argv
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    recorder = Recorder(os.open(output, flags, 0o600), folder)
    sys.argv = [script, *arguments]
    install(recorder)
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
