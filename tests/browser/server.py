"""A real process of `agent-memory dashboard`."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any
from urllib.parse import urlsplit

from .shop import Shop

COMMAND = [sys.executable, "-m", "memory_core.cli", "dashboard", "--port", "0"]


class Dashboard:
    """Serves a project on a free port; a context manager.

    `address` has the token, `origin` is the part before the path.
    """

    def __init__(self, place: Shop) -> None:
        self.place = place

    def __enter__(self) -> Dashboard:
        self._process: Any = subprocess.Popen(
            COMMAND,
            cwd=self.place.root,
            env=self.place.env,
            stdout=subprocess.PIPE,
            text=True,
        )
        line = self._process.stdout.readline()
        (self.address,) = re.findall(r"http://\S+", line)
        parts = urlsplit(self.address)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        assert self._process.wait(30) is not None
        self._process.stdout.close()
