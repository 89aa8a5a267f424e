"""What the dashboard refuses: raw HTTP to a real server."""

import re
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from memory_core.dashboard.security import HEADERS
from memory_core.dashboard.site import MAX_FORM_BYTES, PAGES
from support.command_line import ITEM
from support.dashboard import Answer, Dashboard
from support.sandbox import Sandbox

HOSTILE = "<script>document.title='owned'</script> \"'><img src=x onerror=alert(1)> {{ 7*7 }}"
POSTS = [re.sub(r"\{\w+\}", "engineer", page.path) for page in PAGES if page.method == "POST"]
STATIC_TYPES = {"style.css": "text/css", "icon.svg": "image/svg+xml"}
STATIC_TYPES |= dict.fromkeys(("dashboard.js", "theme.js"), "text/javascript")
WITHOUT_NAMES = [page.path for page in PAGES if page.method == "GET" and "{" not in page.path]


def fill(sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", ITEM, HOSTILE)


# --- who may come in ---


def test_the_address_sets_a_cookie_and_leads_to_a_page_without_token(dashboard: Dashboard) -> None:
    answer = dashboard.send("GET", f"/dashboard?{dashboard.query}", {"Cookie": ""})
    assert (answer.status, answer.headers["location"]) == (303, "/dashboard")
    name, value, *attributes = re.split("[=;] ?", answer.headers["set-cookie"], maxsplit=2)
    assert name == f"agent_memory_{dashboard.port}"
    assert len(value) == 43
    assert value not in dashboard.address
    assert attributes == ["Path=/dashboard; HttpOnly; SameSite=Strict"]
    others = ('{"theme": "dark"}', "a b=c", "x", f"{name}=old")  # of servers on other ports
    own = f"{name}={value}"
    for cookies in ([own], [*others, own], [own, *others]):
        page = dashboard.send("GET", "/dashboard", {"Cookie": "; ".join(cookies)})
        assert page.status == 200
        assert "engineer" in page.body


def test_another_server_has_other_secrets(dashboard: Dashboard, sandbox: Sandbox) -> None:
    sandbox.write_memory("engineer", ITEM)
    with Dashboard(sandbox) as other:
        assert other.query != dashboard.query
        other.enter()
        both = f"{dashboard.cookie}; {other.cookie}"
        for served in (dashboard, other):  # one browser has the cookies of both
            assert served.send("GET", "/dashboard", {"Cookie": both}).status == 200
        name, _, value = other.cookie.partition("=")
        assert name != dashboard.cookie.partition("=")[0]
        stolen = dashboard.cookie.partition("=")[0] + "=" + value
        assert dashboard.send("GET", "/dashboard", {"Cookie": stolen}).status == 403


CLOSED = [f"/dashboard{path}" for path in (*WITHOUT_NAMES, "/agents/engineer", "/live", "/nothing")]
CLOSED += ["/nothing", "/dashboard?token=", "/dashboard?token=wrong", "/dashboard?token=%ff%00"]
CLOSED += ["/dashboard?token=TOKEN&token=TOKEN", "/dashboard?Token=TOKEN"]
CLOSED += ["/dashboard/?token=TOKEN", "/dashboard/events?token=TOKEN", "//example.org?token=TOKEN"]
COOKIES = ["", "NAME=", "NAME=wrong", "other=VALUE", "NAME=VALUEx", ';,="']


@pytest.mark.parametrize("cookie", COOKIES)
def test_without_the_token_or_cookie_nothing_is_shown(dashboard: Dashboard, cookie: str) -> None:
    name, _, value = dashboard.cookie.partition("=")
    cookie = cookie.replace("NAME", name).replace("VALUE", value)
    wrong = []
    for target in CLOSED:
        sent = target.replace("TOKEN", dashboard.query.partition("=")[2])
        answer = dashboard.send("GET", sent, {"Cookie": cookie})
        known = ("shop", "engineer", value, dashboard.query)
        shown = [text for text in known if text in answer.body]
        advised = "Open the address that agent-memory dashboard printed" in answer.body
        if answer.status != 403 or "set-cookie" in answer.headers or shown or not advised:
            wrong.append((target, answer))
    assert not wrong


def test_the_token_opens_nothing_but_the_start(dashboard: Dashboard) -> None:
    for method in ("POST", "HEAD", "PUT"):
        answer = dashboard.send(method, f"/dashboard?{dashboard.query}", {"Cookie": ""})
        assert answer.status == 403, method


HOSTS = ["", "example.org", "example.org:PORT", "127.0.0.1", "127.0.0.1:1", "[::1]:PORT"]
HOSTS += ["127.0.0.1:PORT.example.org", "127.0.0.1.example.org:PORT", "0.0.0.0:PORT"]
HOSTS += ["localhost.:PORT", "user@127.0.0.1:PORT", "127.0.0.1:PORT, example.org", "LOCALHOST:PORT"]
TARGETS = ["/", "/dashboard", "/dashboard/static/style.css", "/x", "START"]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("target", TARGETS)
def test_another_host_is_refused(dashboard: Dashboard, host: str, target: str) -> None:
    target = target.replace("START", f"/dashboard?{dashboard.query}")
    answer = dashboard.send("GET", target, {"Host": host.replace("PORT", str(dashboard.port))})
    assert answer.status in (400, 403)
    assert "set-cookie" not in answer.headers
    assert "engineer" not in answer.body


@pytest.mark.parametrize("hosts", [["OWN", "example.org"], ["example.org", "OWN"], ["OWN", "OWN"]])
def test_two_hosts_are_refused(dashboard: Dashboard, hosts: list[str]) -> None:
    lines = [f"Host: {host.replace('OWN', dashboard.host)}" for host in hosts]
    head = "\r\n".join(["GET /dashboard HTTP/1.1", *lines, f"Cookie: {dashboard.cookie}"])
    assert dashboard.send_raw(f"{head}\r\n\r\n".encode()).status in (400, 403)


def test_a_whole_address_as_target_is_not_followed(dashboard: Dashboard) -> None:
    answer = dashboard.send("GET", "http://example.org/dashboard", {"Host": "example.org"})
    assert answer.status == 403
    answer = dashboard.send("GET", "http://example.org/dashboard")
    assert answer.status in (200, 404)  # the host is the one of the header, and no other is asked
    assert "example.org" not in answer.body
    other_name = {"Host": f"localhost:{dashboard.port}"}
    assert dashboard.send("GET", "/dashboard", other_name).status == 200


# --- other sites in the same browser ---

SITES = [
    ({"Sec-Fetch-Site": "cross-site"}, 403),
    ({"Sec-Fetch-Site": "same-site"}, 403),
    ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
    ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, 403),
    ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}, 200),  # a link
    ({"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}, 200),
    ({"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}, 200),
    ({"Origin": "http://example.org"}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": "http://127.0.0.1:1"}, 403),
    ({"Origin": "https://HOST"}, 403),
    ({"Origin": "http://HOST"}, 200),
]


@pytest.mark.parametrize(("headers", "status"), SITES)
def test_no_other_site_reads_it(dashboard: Dashboard, headers: dict[str, str], status: int) -> None:
    sent = {name: value.replace("HOST", dashboard.host) for name, value in headers.items()}
    answer = dashboard.send("GET", "/dashboard", sent)
    assert answer.status == status
    assert not [name for name in answer.headers if name.startswith("access-control")]


FORGED: list[tuple[str, dict[str, str]]] = [
    *((token, {}) for token in ("", "wrong", "COOKIE", "URL")),
    *(("OWN", {"Cookie": ""}), ("OWN", {"Origin": "http://example.org"})),
    *(("OWN", {"Origin": "null"}), ("OWN", {"Sec-Fetch-Site": "cross-site"})),
    ("OWN", {"Sec-Fetch-Site": "same-site"}),
    ("OWN", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}),
    ("OWN", {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}),
]


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(("token", "headers"), FORGED)
def test_a_change_needs_the_token_of_a_form_of_this_server(
    dashboard: Dashboard, path: str, token: str, headers: dict[str, str]
) -> None:
    tokens = {
        "COOKIE": dashboard.cookie.partition("=")[2],
        "URL": dashboard.query.partition("=")[2],
        "OWN": dashboard.find_form_token(),
    }
    form = {"form_token": tokens.get(token, token)} if token else {}
    answer = dashboard.send("POST", f"/dashboard{path}", headers, urlencode({**form, "x": "1"}))
    assert answer.status == 403
    # In the address, in two copies, or as JSON it does not count.
    own = tokens["OWN"]
    for target, body in [
        (f"/dashboard{path}?form_token={own}", "x=1"),
        (f"/dashboard{path}", f"form_token=wrong&form_token={own}"),
        (f"/dashboard{path}", f'{{"form_token": "{own}"}}'),
    ]:
        assert dashboard.send("POST", target, body=body).status == 403


@pytest.mark.parametrize("path", POSTS)
def test_a_link_changes_nothing(dashboard: Dashboard, path: str) -> None:
    for method in ("GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        query = f"form_token={dashboard.find_form_token()}"
        assert dashboard.send(method, f"/dashboard{path}?{query}").status in (404, 405), method


def test_a_large_or_broken_form_is_refused(dashboard: Dashboard) -> None:
    path = f"/dashboard{POSTS[0]}"
    assert dashboard.send("POST", path, body="a" * (MAX_FORM_BYTES + 1)).status == 413
    assert dashboard.send("POST", path, body="\xff\xfe=1").status == 400
    assert dashboard.send("POST", path, body="a=1&" * 5000).status == 400


# --- paths ---

STATIC = ["../server.py", "..%2fserver.py", "%2e%2e/server.py", "..%5cserver.py", "%2fetc%2fpasswd"]
STATIC += ["/etc/passwd", "style.css%00.js", "style.css/../../server.py", "", "base.html"]
NAMES = ["..%2f..%2fsecret", "../../secret", "%2e%2e%2f%2e%2e%2fsecret", "engineer.md", "%00"]
NAMES += ["%ff%fe", "..%2fmemories%2fengineer", "a%0d%0aSet-Cookie:%20x=y"]
PATHS = [f"/dashboard/static/{name}" for name in STATIC]
PATHS += [f"/dashboard/agents/{name}" for name in NAMES]
PATHS += ["/dashboard/static", "/dashboard/templates/base.html", "/dashboard/../../../etc/passwd"]
PATHS += ["/etc/passwd", "/dashboard/tasks/..%2f..%2fsecret", "/dashboard/tasks/%2fetc%2fpasswd"]
PATHS += ["//etc/passwd", "/dashboard/nothing"]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_of_a_request_reaches_the_disk(dashboard: Dashboard, path: str) -> None:
    secret = Path(dashboard.sandbox.root) / "secret.md"
    secret.write_text("- TOP SECRET\n", encoding="utf-8")
    answer = dashboard.send("GET", path)
    assert answer.status in (400, 404)
    assert "set-cookie" not in answer.headers
    for text in ("root:", "TOP SECRET", "def serve", "{% block"):
        assert text not in answer.body


# --- every response ---


def list_answers(dashboard: Dashboard) -> Iterator[Answer]:
    """Yield a response of each kind."""
    for path in WITHOUT_NAMES:
        yield dashboard.send("GET", f"/dashboard{path}")
    for name, kind in STATIC_TYPES.items():
        yield (answer := dashboard.send("GET", f"/dashboard/static/{name}", {"Cookie": ""}))
        assert (answer.status, answer.headers["content-type"].split(";")[0]) == (200, kind)
    yield dashboard.send("GET", f"/dashboard?{dashboard.query}")
    for path in ("/", "/dashboard/nothing", "/dashboard/agents/nobody"):
        yield dashboard.send("GET", path)
    yield dashboard.send("HEAD", "/dashboard")
    yield dashboard.send("GET", "/dashboard", {"Cookie": ""})
    yield dashboard.send("GET", "/dashboard", {"Host": "example.org"})
    for name in ("nothing", "../site.py", "..%2Fsite.py", ""):
        yield dashboard.send("GET", f"/dashboard/static/{name}")
    yield dashboard.send("DELETE", "/dashboard")
    yield dashboard.send("POST", "/dashboard", body="x=1")


def test_every_response_has_the_headers(dashboard: Dashboard) -> None:
    statuses = set()
    for answer in list_answers(dashboard):
        statuses.add(answer.status)
        for name, value in HEADERS.items():
            assert answer.headers[name.lower()] == value
        assert "server" not in answer.headers
    assert statuses == {200, 303, 403, 404, 405}
    policy = HEADERS["Content-Security-Policy"]
    assert not [word for word in ("unsafe", "*", "http") if word in policy]


@pytest.mark.parametrize("path", [*WITHOUT_NAMES, "/agents/engineer"])
def test_no_page_has_inline_code_or_addresses_elsewhere(dashboard: Dashboard, path: str) -> None:
    body = dashboard.get(f"/dashboard{path}").body
    assert not re.search(r"<[^>]+\s(style|on\w+)=", body)
    assert not re.search(r"<style|javascript:", body)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", body))
    tags = " ".join(re.findall(r"<[^>]+>", body))  # texts may look like attributes
    addresses = re.findall(r"""(?:src|href|action)\s*=\s*["']?([^"' >]*)""", tags)
    assert [one for one in addresses if not one.startswith(("/dashboard", "#"))] == []


@pytest.mark.parametrize("path", ["/events", "/search", "/explain", "/nothing"])
def test_the_text_of_an_address_is_escaped(dashboard: Dashboard, path: str) -> None:
    names = ("events", "agent", "text", "task", "q", "done", "since")
    answer = dashboard.get(f"/dashboard{path}", **dict.fromkeys(names, HOSTILE))
    assert "<script>document" not in answer.body
    assert "<img" not in answer.body
    answer = dashboard.send("GET", f"/dashboard{path}/{quote(HOSTILE, safe='')}")
    assert "<script>document" not in answer.body


# --- sockets ---


def list_own_sockets(pid: int) -> set[str]:
    """Return the addresses on which a process listens, as /proc has them: hex address:port."""
    links = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
    inodes = {link[len("socket:[") : -1] for link in links if link.startswith("socket:")}
    tables = [Path(f"/proc/net/{name}") for name in ("tcp", "tcp6", "udp", "udp6")]
    texts = [table.read_text(encoding="ascii") for table in tables if table.exists()]
    rows = [line.split() for text in texts for line in text.splitlines()[1:]]
    return {row[1] for row in rows if row[9] in inodes and row[3] in ("0A", "07")}


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs /proc")
def test_only_the_loopback_address_is_bound(dashboard: Dashboard) -> None:
    assert list_own_sockets(dashboard.process.pid) == {f"0100007F:{dashboard.port:04X}"}
    with socket.socket(socket.AF_INET6) as probe:
        assert probe.connect_ex(("::1", dashboard.port)) != 0
