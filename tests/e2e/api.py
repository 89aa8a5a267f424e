"""A Messages API on loopback that answers from a script and records every request.

A script has the answers of each speaker, turn by turn:

    {"MAIN": [delegate("engineer", "TASK-1 go"), say("done")], "TASK-1": [say("found it")]}

The first mark in a speaker's user messages (`MAIN` or `TASK-something`) is its name. Its turn
is the number of answers in its conversation, and its last line is repeated. A script therefore
has no state, and parallel agents, retries and repeated requests cannot disturb the order.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Block = dict[str, Any]
MARK = re.compile(r"\b(MAIN|TASK-\w+)\b")
PATIENCE = 60  # seconds; the longest wait of a test

USAGE = {"input_tokens": 10, "output_tokens": 10}
USAGE |= {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}

_ids = iter(range(1, 1_000_000))


class Refusal(NamedTuple):
    """An answer with an error status."""

    status: int
    message: str


class Request:
    """One POST to /v1/messages, with the properties that scripts and tests use."""

    def __init__(self, body: dict[str, Any]) -> None:
        self.body = body
        self.messages: list[dict[str, Any]] = body.get("messages", [])
        self.tools: list[str] = [tool.get("name", "") for tool in body.get("tools") or []]
        self.turn = sum(message["role"] == "assistant" for message in self.messages)

    @property
    def speaker(self) -> str:
        """Return the speaker of this conversation, "" for a request of the client itself."""
        found = MARK.search("\n".join(self.user_texts)) if self.tools else None
        return found[1] if found else ""

    @property
    def said(self) -> str:
        """Return everything that the model reads: system prompt and messages."""
        return "\n".join(_strings([self.body.get("system"), self.messages]))

    @property
    def user_texts(self) -> list[str]:
        """Return the texts of the role `user`, without tool results."""
        asked = [message for message in self.messages if message["role"] == "user"]
        return [block["text"] for block in _list_blocks(asked, "text")]

    @property
    def results(self) -> list[Block]:
        """Return the tool results of the conversation up to now."""
        return _list_blocks(self.messages, "tool_result")

    def __repr__(self) -> str:
        return f"<{self.speaker or 'client'} turn {self.turn}: {self.said[-400:]!r}>"


def _list_blocks(messages: list[dict[str, Any]], kind: str) -> list[Block]:
    contents = [message["content"] for message in messages]
    lists = [say(content) if isinstance(content, str) else content for content in contents]
    return [block for blocks in lists for block in blocks if block["type"] == kind]


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


Reply = list[Block] | Refusal
Line = Reply | Callable[[Request], Reply]
Script = dict[str, list[Line]]


def say(text: str) -> list[Block]:
    return [{"type": "text", "text": text}]


def use(name: str, **arguments: Any) -> list[Block]:
    """Return a call of a tool."""
    identity = f"toolu_{next(_ids):020}"
    return [{"type": "tool_use", "id": identity, "name": name, "input": arguments}]


def delegate(agent: str, prompt: str, **more: Any) -> Callable[[Request], Reply]:
    """Return a call that starts an agent, with the tool name of this client version."""
    arguments = {"description": "a job", "prompt": prompt, "subagent_type": agent, **more}
    return lambda request: use("Agent" if "Agent" in request.tools else "Task", **arguments)


def call_engineer(*answers: Line | str, in_background: bool = False, **more: Any) -> Script:
    """Return a script in which the main agent calls the engineer, who answers this."""
    lines = [say(answer) if isinstance(answer, str) else answer for answer in answers]
    call = delegate("engineer", "TASK-1 go", run_in_background=in_background, **more)
    return {"MAIN": [call, say("waiting"), say("done")], "TASK-1": lines}


def together(*lines: Line) -> Callable[[Request], Reply]:
    """Return several blocks as one answer."""
    return lambda request: [block for line in lines for block in _answer(line, request)]


def after(event: threading.Event | threading.Barrier, line: Line) -> Callable[[Request], Reply]:
    """Delay the answer until the event is set, or all speakers at the barrier have asked."""

    def wait(request: Request) -> Reply:
        event.wait(PATIENCE)
        return _answer(line, request)

    return wait


def _answer(line: Line, request: Request) -> Any:
    return line(request) if callable(line) else line


class Api(ThreadingHTTPServer):
    """The API server; use it as `with Api(script) as api`."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.requests: list[Request] = []
        self.elsewhere: list[str] = []
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,))
        self.url = f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> "Api":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.socket.close()
        self._thread.join()

    def requests_by(self, speaker: str) -> list[Request]:
        return [request for request in self.requests if request.speaker == speaker]

    def reply(self, request: Request) -> Reply:
        self.requests.append(request)
        if request.speaker in self.script:
            lines = self.script[request.speaker]
            return _answer(lines[min(request.turn, len(lines) - 1)], request)
        # The client itself asks for a title, a topic or a safety check.
        checked = "<severity>0</severity>" if "<severity>" in request.said else "<block>no</block>"
        return say(checked)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Api

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._json(200, {"input_tokens": 100})
        elif path.endswith("/v1/messages"):
            self._answer(body, self.server.reply(Request(body)))
        else:
            self._json(200, {})

    def do_GET(self) -> None:
        self._json(200, {})

    def do_HEAD(self) -> None:
        self._send(200, "application/json", b"")

    def do_CONNECT(self) -> None:
        """Refuse proxy requests: the client uses this server as its proxy, so nothing leaves."""
        self.server.elsewhere.append(self.path)
        self.close_connection = True
        self._send(403, "text/plain", b"")

    def _answer(self, body: dict[str, Any], reply: Reply) -> None:
        if isinstance(reply, Refusal):
            error = {"type": "invalid_request_error", "message": reply.message}
            self._json(reply.status, {"type": "error", "error": error})
            return
        message = _message(body, reply)
        if body.get("stream"):
            self._send(200, "text/event-stream", "".join(_events(message)).encode())
        else:
            self._json(200, message)

    def _json(self, status: int, value: object) -> None:
        self._send(status, "application/json", json.dumps(value).encode())

    def _send(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.send_header("request-id", f"req_{next(_ids)}")
        self.end_headers()
        self.wfile.write(data)

    def handle(self) -> None:
        with suppress(ConnectionError):  # the client was killed while it waited for the answer
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        pass


def _message(body: dict[str, Any], blocks: list[Block]) -> dict[str, Any]:
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    return {
        "id": f"msg_{next(_ids):020}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": blocks,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        **_verdict(body, calls),
        "usage": USAGE,
    }


def _verdict(body: dict[str, Any], calls: list[str]) -> dict[str, Any]:
    """Return the answer of the safety check of auto mode for these calls."""
    if not body.get("safeguards"):
        return {}
    verdicts = {call: {"type": "evaluated", "outcome": "not_flagged"} for call in calls}
    status = {"type": "available", "tool_uses": verdicts}
    return {"safeguard_results": [{"type": "dangerous_tool_use", "status": status}]}


def _events(message: dict[str, Any]) -> Iterator[str]:
    first = {name: value for name, value in message.items() if name != "safeguard_results"}
    yield _event("message_start", message={**first, "content": [], "stop_reason": None})
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("content_block_start", index=index, content_block=start)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    last = ("stop_reason", "stop_sequence", "safeguard_results")
    stop = {name: message[name] for name in last if name in message}
    yield _event("message_delta", delta=stop, usage={"output_tokens": 10})
    yield _event("message_stop")


def _event(kind: str, **fields: object) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"
