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

    def add(self, path: Any, folder: int | None, is_write: bool) -> None:
        """Write down a path that is relative to an open folder, or to the current one."""
        whole = self.locate(path, folder)
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

    def wrap(self, function: Callable[..., Any], is_write: bool) -> Callable[..., Any]:
        """Return a function that also records its first argument."""

        @functools.wraps(function)
        def call(path: Any = ".", *rest: Any, **more: Any) -> Any:
            self.add(path, more.get("dir_fd"), is_write)
            return function(path, *rest, **more)

        return call

    def wrap_mover(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that also records both its arguments."""

        @functools.wraps(function)
        def call(source: Any, target: Any, *rest: Any, **more: Any) -> Any:
            self.add(source, more.get("src_dir_fd"), is_write=True)
            self.add(target, more.get("dst_dir_fd", more.get("dir_fd")), is_write=True)
            return function(source, target, *rest, **more)

        return call

    def wrap_os_open(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a replacement for os.open."""

        @functools.wraps(function)
        def call(path: Any, flags: int, *rest: Any, **more: Any) -> Any:
            is_write = bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
            self.add(path, more.get("dir_fd"), is_write)
            return function(path, flags, *rest, **more)

        return call

    def wrap_open(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a replacement for the built-in open, which also takes open files."""

        @functools.wraps(function)
        def call(file: Any, mode: str = "r", *rest: Any, **more: Any) -> Any:
            if not isinstance(file, int):
                self.add(file, None, mode.strip("bt") != "r")
            return function(file, mode, *rest, **more)

        return call


def install(recorder: Recorder) -> None:
    """Replace the functions by recording ones, in this process.

    They stay static as attributes of a class: pathlib of Python 3.10 has them as such.
    """
    for module in (os, posix):
        for names, is_write in ((READERS, False), (WRITERS, True)):
            for name in names:
                function = getattr(module, name)
                setattr(module, name, staticmethod(recorder.wrap(function, is_write)))
        for name in MOVERS:
            setattr(module, name, staticmethod(recorder.wrap_mover(getattr(module, name))))
        module.open = staticmethod(recorder.wrap_os_open(module.open))
    builtins.open = io.open = staticmethod(recorder.wrap_open(builtins.open))


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
