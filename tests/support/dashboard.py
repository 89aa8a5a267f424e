"""A real process of `agent-memory dashboard`, and raw HTTP to it."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from html import unescape
from http.client import HTTPResponse
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from support.paths import REPO

COMMAND = [sys.executable, "-m", "memory_core.cli", "dashboard"]
FORM_PAGE = "/dashboard/agents/engineer"
PATIENCE = 30  # seconds for an answer on a busy machine


class Answer(NamedTuple):
    """A response; `headers` have lower-case names, of equal ones the last."""

    status: int
    headers: dict[str, str]
    body: str


class Dashboard:
    """Serves a sandbox, or another project with `root` and `env`, on a free port.

    `address` has the token, `origin` is the part before the path.  `cookie` is "NAME=VALUE" once
    `enter` was called.
    """

    def __init__(self, sandbox: Any, *options: str, **env: str) -> None:
        self._command = [*COMMAND, *(options or ("--port", "0"))]
        self.sandbox = sandbox
        self._env = {**sandbox.env, "PYTHONPATH": str(REPO), **env}
        self.cookie = ""
        self._form_token = ""

    def __enter__(self) -> Dashboard:
        place: dict[str, Any] = {"cwd": self.sandbox.root, "env": self._env, "text": True}
        pipes: dict[str, Any] = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
        self.process: subprocess.Popen[str] = subprocess.Popen(self._command, **place, **pipes)
        assert self.process.stdout
        self.address = self.process.stdout.readline().strip()
        assert self.address, self.process.communicate()[1]
        parts = urlsplit(self.address)
        self.port, self.host, self.query = parts.port or 0, parts.netloc, parts.query
        self.origin = f"http://{self.host}"
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """Send a signal; return the exit status and stderr."""
        self.process.send_signal(number)
        _out, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors

    def enter(self) -> Dashboard:
        """Exchange the token for the cookie."""
        answer = self.send("GET", f"/dashboard?{self.query}")
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return self

    def send(
        self, method: str, target: str, headers: Mapping[str, str] | None = None, body: str = ""
    ) -> Answer:
        """Send a request with exactly this target; headers replace or, if "", remove the usual."""
        usual = {"Host": self.host, "Cookie": self.cookie}
        if body:
            usual["Content-Type"] = "application/x-www-form-urlencoded"
            usual["Content-Length"] = str(len(body))
        sent = {**usual, **(headers or {})}
        lines = [f"{name}: {value}" for name, value in sent.items() if value]
        head = "\r\n".join([f"{method} {target} HTTP/1.1", *lines, "Connection: close"])
        return self.send_raw(f"{head}\r\n\r\n{body}".encode("latin-1"))

    def send_raw(self, data: bytes) -> Answer:
        """Send these bytes; return the answer, which ends with the connection."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as connection:
            connection.sendall(data)
            response = HTTPResponse(connection, method=data.partition(b" ")[0].decode())
            response.begin()
            headers = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, headers, response.read().decode("utf-8"))

    def get(self, path: str, **query: str) -> Answer:
        return self.send("GET", quote(path) + (f"?{urlencode(query)}" if query else ""))

    def post(self, path: str, **form: str) -> Answer:
        """Send a form as a page would."""
        body = urlencode({"form_token": self.find_form_token(), **form})
        return self.send("POST", quote(path), body=body)

    def send_form(self, path: str, **form: str) -> tuple[str, str]:
        """Send a form; return the message that it leads to, and the page that shows it."""
        answer = self.post(path, **form)
        assert answer.status == 303, answer
        page = self.send("GET", answer.headers["location"])
        assert page.status == 200
        found = re.search(r'<p class="(?:message|notice bad)"[^>]*>(.*?)</p>', page.body, re.S)
        assert found, page.body
        return unescape(found[1]), page.body

    def find_form_token(self) -> str:
        """Return the hidden field of the forms of this server."""
        if not self._form_token:
            page = self.get(FORM_PAGE).body
            (self._form_token, *_) = re.findall(r'name="form_token" value="([^"]+)"', page)
        return self._form_token
