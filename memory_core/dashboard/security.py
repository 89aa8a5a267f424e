"""Who may ask the dashboard for what, and the headers of every response.

Other users of this machine and web pages in the same browser can reach the port.  So every
request names this server as its host, has the cookie that only the address with the token sets,
and does not come from another site; every change has the token of a form as well.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Mapping

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memory_core.dashboard.page import PREFIX

TOKEN_PARAMETER = "token"  # noqa: S105 - a name
FORM_FIELD = "form_token"

STATIC_PREFIX = f"{PREFIX}/static/"

HOST_NAMES = ("127.0.0.1", "localhost")

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not "no-referrer", with which browsers send "Origin: null" with the forms of this server.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

NO_ACCESS = "Open the address that agent-memory dashboard printed: it has a token."


class Access:
    """The secrets of one server: for its address, its cookie and its forms."""

    def __init__(self, port: int) -> None:
        self._tokens: dict[str, bool] = {}  # of addresses; True if it is valid for one request
        self.form_token = secrets.token_urlsafe()
        # A browser sends the cookies of all ports of a host to each of them.
        self.cookie = f"agent_memory_{port}={secrets.token_urlsafe()}"
        self.hosts = [f"{name}:{port}" for name in HOST_NAMES]

    def find_foreign(self, scope: Scope) -> str:
        """Return why this request does not come from a page of this server, "" if it may."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in self.hosts or len(headers.getlist("host")) != 1:
            return f"Unknown host: use {self.hosts[0]}."
        # People may follow a link from elsewhere; anything else is not for other sites.
        is_visit = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate"
        is_own = headers.get("sec-fetch-site", "none") in ("same-origin", "none")
        has_own_origin = headers.get("origin", f"http://{host}") == f"http://{host}"
        is_refused = not (is_own or is_visit) or not has_own_origin
        return "Requests from other sites are refused." if is_refused else ""

    def knows(self, scope: Scope) -> bool:
        """Return whether a request needs no cookie, or has it."""
        path = scope["path"]
        # Cookies of other servers of this host come along, in any syntax.
        cookies = Headers(scope=scope).get("cookie", "").split(";")
        has_cookie = any(is_same(cookie.strip(), self.cookie) for cookie in cookies)
        return has_cookie or path == "/" or path.startswith(STATIC_PREFIX)

    def make_address(self, once: bool = False) -> str:
        """Return an address that lets a browser in, at any time or only `once`."""
        token = secrets.token_urlsafe()
        self._tokens[token] = once
        return f"http://{self.hosts[0]}{PREFIX}?{TOKEN_PARAMETER}={token}"

    def opens(self, scope: Scope) -> bool:
        """Return whether this is an address of `make_address`."""
        values = QueryParams(scope["query_string"]).getlist(TOKEN_PARAMETER)
        if scope["method"] != "GET" or scope["path"] != PREFIX or len(values) != 1:
            return False
        matching = [token for token in self._tokens if is_same(values[0], token)]
        if matching and self._tokens[matching[0]]:
            del self._tokens[matching[0]]
        return bool(matching)

    def has_token(self, form: Mapping[str, list[str]]) -> bool:
        """Return whether a form is from a page of this server."""
        values = form.get(FORM_FIELD, [])
        return len(values) == 1 and is_same(values[0], self.form_token)

    def make_cookie(self) -> str:
        return f"{self.cookie}; Path={PREFIX}; HttpOnly; SameSite=Strict"


def is_same(given: str, secret: str) -> bool:
    """Compare in a time that does not depend on how many characters are right."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def guard(app: ASGIApp, access: Access, refuse: Callable[[int, str], Response]) -> ASGIApp:
    """Return an app that answers only requests that `access` allows; all responses have HEADERS.

    `refuse` makes the page of a refusal, from its status and the reason.
    """

    def choose(scope: Scope) -> ASGIApp:
        if problem := access.find_foreign(scope):
            return refuse(403, problem)
        if access.opens(scope):
            return RedirectResponse(PREFIX, 303, {"Set-Cookie": access.make_cookie()})
        return app if access.knows(scope) else refuse(403, NO_ACCESS)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await choose(scope)(scope, receive, send_with_headers)

    return answer
