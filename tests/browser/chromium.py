"""A real Chromium without access to any network, and its tabs."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

HEIGHT = 800
TIMEOUT_MS = 20_000

# Names are not looked up, and addresses of other machines are not reached.
OPTIONS = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--no-proxy-server"]

WIDTHS = (360, 768, 1280)
THEMES = ("light", "dark")

# What an attack would do; scripts of the dashboard are files.
FIND_EXECUTED = """() => {
  const made = 'script:not([src]), iframe, object, embed, base, img:not([src^="/"]), [autofocus]';
  const named = [...document.querySelectorAll('*')].filter(element =>
    [...element.attributes].some(({name, value}) =>
      name.startsWith('on') || /^\\s*javascript:/i.test(value) && name !== 'value'));
  return ['pwned' in window ? 'executed' : '', ...document.querySelectorAll(made), ...named]
    .map(found => found.outerHTML || found).join(' ');
}"""

# Elements that stick out of the window, and are not in a box that scrolls.
FIND_WIDE = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  const wide = [...document.querySelectorAll('body *')].filter(
    element => element.getBoundingClientRect().right > width + 1);
  return wide.slice(-5).map(element => element.outerHTML.slice(0, 200)).concat(['wide page']);
}"""

# Faults that axe-core found: impact, rule, explanation, elements.
RUN_AXE = """async () => {
  const {violations} = await axe.run(document, {resultTypes: ['violations']});
  const serious = violations.filter(one => ['serious', 'critical'].includes(one.impact));
  return serious.map(one => [one.impact, one.id, one.help,
    ...one.nodes.slice(0, 4).map(node => node.html.slice(0, 200))]);
}"""


class Chromium:
    """A running browser; a context manager."""

    def __init__(self, program: str) -> None:
        self._program = program

    def __enter__(self) -> Chromium:
        from playwright.sync_api import sync_playwright

        self._driver = sync_playwright().start()
        self._browser = self._driver.chromium.launch(executable_path=self._program, args=OPTIONS)
        return self

    def __exit__(self, *_: object) -> None:
        self._browser.close()
        self._driver.stop()

    def open_tab(self, width: int = 1280, theme: str = "light", height: int = HEIGHT) -> Tab:
        """Open a tab with its own cookies."""
        size = {"width": width, "height": height}
        still = {"color_scheme": theme, "reduced_motion": "reduce"}
        context = self._browser.new_context(viewport=size, **still)
        context.set_default_timeout(TIMEOUT_MS)
        return Tab(context)


class Tab:
    """A tab; `problems` has errors of scripts, failed requests, dialogs and requests elsewhere."""

    def __init__(self, context: Any) -> None:
        self.page = context.new_page()
        self.problems: list[str] = []
        self._context = context
        self.page.on("console", self._note_message)
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("request", self._note_request)
        self.page.on("requestfailed", self._note_failure)
        self.page.on("response", self._note_response)
        self.page.on("dialog", self._note_dialog)

    def _note_message(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text}")

    def _note_request(self, request: Any) -> None:
        if urlsplit(request.url).hostname != "127.0.0.1":
            self.problems.append(f"elsewhere: {request.url}")

    def _note_failure(self, request: Any) -> None:
        if request.failure != "net::ERR_ABORTED":  # the page was left
            self.problems.append(f"failed: {request.url}: {request.failure}")

    def _note_response(self, response: Any) -> None:
        if response.status >= 400:
            self.problems.append(f"{response.status}: {response.url}")

    def _note_dialog(self, dialog: Any) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def visit(self, url: str) -> None:
        answer = self.page.goto(url, wait_until="load")
        if answer.status >= 400:
            self.problems.append(self.page.inner_text("main"))
        self.check()

    def set_width(self, width: int) -> None:
        self.page.set_viewport_size({"width": width, "height": HEIGHT})

    def find_faults(self, axe: str) -> list[list[str]]:
        """Return the serious and critical faults that axe-core finds; `axe` is its source."""
        self.page.evaluate(axe)
        return list(self.page.evaluate(RUN_AXE))

    def check(self) -> None:
        """Note if a text of the page was executed or became an element, or is too wide for it."""
        if found := self.page.evaluate(FIND_EXECUTED):
            self.problems.append(f"{self.page.url}: {found}")
        if wide := self.page.evaluate(FIND_WIDE):
            width = self.page.viewport_size["width"]
            self.problems.append(f"{self.page.url}: too wide for {width}: {wide}")

    def close(self) -> None:
        """Close the tab; it must not have had a problem."""
        self._context.close()
        assert not self.problems, "\n".join(self.problems)
