"""Requests become visits of pages, and what pages return becomes responses.

Open pages also hear of each change of the event log, after which they refresh themselves.
"""

from __future__ import annotations

import os
import secrets
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any
from urllib.parse import parse_qs

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from memory_core.curation import lookup
from memory_core.dashboard import rendering
from memory_core.dashboard.page import PREFIX, Done, Fields, NotFound, Page, View, Visit
from memory_core.dashboard.pages import agent, explain, live_events, overview, review, search, tasks
from memory_core.dashboard.security import FORM_FIELD, Access, guard
from memory_core.delegation import inbox_reports
from memory_core.files.problems import describe_expected
from memory_core.storage import event_log
from memory_core.storage.paths import LevelPaths
from memory_core.storage.project import Project

# Those with a title are in the navigation, in this order.
PAGES = [
    Page("", overview.show_overview, "Overview", "o"),
    Page("/review", review.show_review, "Review", "r"),
    Page("/review/decide", review.decide, method="POST"),
    Page("/agents/{agent}", agent.show_memory),
    Page("/agents/{agent}/history", agent.show_history),
    Page("/agents/{agent}/diff", agent.show_diff),
    Page("/agents/{agent}/items", agent.change_item, method="POST"),
    Page("/agents/{agent}/add", agent.add_item, method="POST"),
    Page("/agents/{agent}/undo", agent.undo_change, method="POST"),
    Page("/explain", explain.show_explanation, "Explain", "x"),
    Page("/search", search.show_hits, "Search", "s"),
    Page("/search/restore", search.restore, method="POST"),
    Page("/tasks", tasks.show_tasks, "Tasks", "t"),
    Page("/tasks/{task}", tasks.show_task),
    Page("/events", live_events.show_events, "Events", "e"),
]

MEDIA_TYPE = "text/event-stream"

POLL_SECONDS = 0.3

MAX_FORM_BYTES = 1_000_000
MAX_FORM_FIELDS = 2_000

# The key of a form's message, in the address of the page that shows it.
MESSAGE_PARAMETER = "done"
MAX_MESSAGES = 20

STATIC = os.path.join(os.path.dirname(__file__), "static")

OTHER_FORM = "This form is of another run of the dashboard: reload the page and try again."


class Site:
    """The pages of one project; they are made one at a time, in a thread.

    `is_stopping` is asked by open streams.
    """

    def __init__(self, project: Project, access: Access) -> None:
        self.is_stopping: Callable[[], bool] = lambda: False
        self._root = root = project.paths.root
        self._environ = project.environ
        self._access = access
        self._messages: dict[str, Done] = {}
        self._limiter = anyio.CapacityLimiter(1)
        self._templates = rendering.make_templates(
            project.environ,
            project_name=os.path.basename(root) or root,
            root=root,
            saved_style="",
            navigation=[page for page in PAGES if page.title],
            form_token=lambda: rendering.make_hidden_field(FORM_FIELD, access.form_token),
        )

    def make_app(self) -> Starlette:
        pages = [
            Route(PREFIX + page.path, self._serve(page), methods=[page.method]) for page in PAGES
        ]
        routes = [
            Route("/", RedirectResponse(PREFIX, 303)),
            *pages,
            Route(f"{PREFIX}/live", self._stream),
            Mount(f"{PREFIX}/static", StaticFiles(directory=STATIC)),
        ]
        handlers = dict.fromkeys((HTTPException, NotFound), self._handle_error)
        app = Starlette(routes=routes, exception_handlers=handlers)
        app.router.redirect_slashes = False
        refuse = partial(self._show_problem, is_known=False)
        app.add_middleware(guard, access=self._access, refuse=refuse)
        return app

    def _open_project(self) -> Project:
        """Return the project with its present settings, never one in a folder further up."""
        if not os.path.isdir(self._root):
            raise NotFound(f"The project's folder is gone: {self._root}")
        return Project(LevelPaths(self._root, self._environ), self._environ)

    def _serve(self, page: Page) -> Callable[[Request], Awaitable[Response]]:
        async def serve(request: Request) -> Response:
            lists = await _read_form(request) if page.method == "POST" else {}
            if page.method == "POST" and not self._access.has_token(lists):
                return self._show_problem(403, OTHER_FORM)
            return await anyio.to_thread.run_sync(
                self._answer, page, request, lists, limiter=self._limiter, abandon_on_cancel=True
            )

        return serve

    def _answer(self, page: Page, request: Request, lists: dict[str, list[str]]) -> Response:
        form = Fields(str, {name: values[-1] for name, values in lists.items()})
        try:
            project = self._open_project()
            if page.method == "GET":  # a form is of a page that did it
                inbox_reports.drain(project)
            query = Fields(str, request.query_params)
            visit = Visit(project, Fields(str, request.path_params), query, form)
            result = page.show(visit)
            if isinstance(result, Done):
                return self._redirect(result)
            message = self._messages.pop(query[MESSAGE_PARAMETER], None)
            return self._render(result, page=page, message=message, query=query)
        except Exception as error:  # noqa: BLE001 - where errors become pages
            return self._show_problem(*_describe(error))

    def _redirect(self, result: Done) -> Response:
        key = secrets.token_hex(4)
        while len(self._messages) >= MAX_MESSAGES:
            del self._messages[next(iter(self._messages))]
        self._messages[key] = result
        sign = "&" if "?" in result.location else "?"
        return RedirectResponse(f"{result.location}{sign}{MESSAGE_PARAMETER}={key}", 303)

    def _render(self, view: View, **own: Any) -> Response:
        page = self._templates.get_template(view.template).render(own, **view.values)
        return HTMLResponse(page, view.status)

    def _show_problem(self, status: int, problem: str, is_known: bool = True) -> Response:
        """Return an error as a page; a visitor that is not known gets no name of the project."""
        values = {"problem": problem, "is_known": is_known}
        return self._render(View("problem.html", values, status))

    async def _handle_error(self, _request: Request, error: Exception) -> Response:
        """Return the page for an error outside of a page, such as an unknown address."""
        response = self._show_problem(*_describe(error))
        response.headers.update(getattr(error, "headers", None) or {})
        return response

    async def _stream(self, _request: Request) -> Response:
        state = self._open_project().paths.state
        read_stamp = partial(state.identify, event_log.FILE_NAME)
        lines = _report_changes(read_stamp, self.is_stopping)
        return StreamingResponse(lines, media_type=MEDIA_TYPE)


async def _report_changes(
    read_stamp: Callable[[], list[int]], is_stopping: Callable[[], bool]
) -> AsyncIterator[str]:
    """Yield a message whenever the log has changed: a page only needs to know that."""
    seen = await anyio.to_thread.run_sync(read_stamp)
    yield "event: ready\ndata:\n\n"
    while not is_stopping():
        before, seen = seen, await anyio.to_thread.run_sync(read_stamp)
        if seen != before:
            yield "data:\n\n"
        await anyio.sleep(POLL_SECONDS)


async def _read_form(request: Request) -> dict[str, list[str]]:
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > MAX_FORM_BYTES:
            raise HTTPException(413, "The form is too large.")
    try:
        text = data.decode("utf-8")
        return parse_qs(text, keep_blank_values=True, max_num_fields=MAX_FORM_FIELDS)
    except ValueError:
        raise HTTPException(400, "The form cannot be read.") from None


def _describe(error: Exception) -> tuple[int, str]:
    """Return the status and the message for an error."""
    if isinstance(error, HTTPException):
        is_unknown = error.status_code == 404
        return error.status_code, "There is no such page." if is_unknown else error.detail
    if isinstance(error, (NotFound, lookup.UnknownAgent)):
        return 404, str(error)
    if problem := describe_expected(error):
        return 500 if isinstance(error, OSError) else 400, problem
    traceback.print_exception(error, file=sys.stderr)
    return 500, f"internal error, {type(error).__name__}: {error}"
