"""The full-screen view of `agent-memory review`; the keys call what those of the line view call."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from typing import ClassVar

import typer
from textual.app import App, ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, OptionList, Static

from memory_core.cli.change import review_session
from memory_core.cli.change.review_session import ReviewSession
from memory_core.cli.errors import CommandRefused, describe_error
from memory_core.cli.output import clean_text, make_safe
from memory_core.curation.review import WaitingItem
from memory_core.text import word_search

HELP = f"""\
{review_session.HELP}
/  search: list only the learnings with these words; Escape lists all
?  this help; any key closes it

Arrows and Page Up, Page Down move in the list.  Tab changes between the
list and the details."""

STYLES = {"broken": "$text-error", "ok": "$text-success", "warning": "$text-warning"}
STYLES |= {"note": "$text-accent", "bold": "bold"}

FILTER, AGENT = "Words to search for", "Agent"
NARROW = 70  # cells; below, the details are under the list


def make_content(text: str, style: str = "") -> Content:
    """Return a text as it is, without markup and control characters."""
    return Content.styled(make_safe(clean_text(text)), STYLES.get(style, ""))


class HelpScreen(ModalScreen[None]):
    """The keys; any key closes it."""

    CSS = "HelpScreen { align: center middle; } #help { width: auto; height: auto; padding: 1 2;"
    CSS += " background: $panel; }"

    def compose(self) -> ComposeResult:
        yield Static(make_content(HELP), id="help")

    def on_key(self) -> None:
        self.dismiss()


class ReviewApp(App[None]):
    """The learnings on the left, one of them on the right, and a line for messages."""

    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-wide")]  # noqa: RUF012 - as in App
    CSS = """
    #panes { layout: horizontal; height: 1fr; }
    #list { width: 40%; height: 100%; text-wrap: nowrap; text-overflow: ellipsis; }
    #details { width: 1fr; height: 100%; padding: 0 1; }
    .-narrow #panes { layout: vertical; }
    .-narrow #list { width: 100%; height: 40%; }
    .-narrow #details { width: 100%; height: 1fr; }
    #message { height: auto; max-height: 3; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a,A", "decide('accept')", "accept"),
        Binding("e,E", "edit", "edit"),
        Binding("r,R", "decide('reject')", "reject"),
        Binding("m,M", "ask('Agent')", "move"),
        Binding("s,S", "skip", "skip"),
        Binding("u,U", "undo", "undo"),
        Binding("slash", f"ask({FILTER!r})", "search", key_display="/"),
        Binding("question_mark", "help", "help", key_display="?"),
        Binding("q,Q,ctrl+d", "quit", "quit", key_display="q"),
        Binding("ctrl+c", "quit", show=False, priority=True),
        Binding("escape", "close", show=False),
    ]

    def __init__(self, session: ReviewSession) -> None:
        super().__init__()
        self.session = session
        self.words: list[str] = []
        self.shown: list[WaitingItem] = []
        self.place = 0  # of the learning to highlight after a decision

    def compose(self) -> ComposeResult:
        with Container(id="panes"):
            yield OptionList(id="list", markup=False)
            with VerticalScroll(id="details"):
                yield Static(id="text", markup=False)
        yield Input(id="prompt")
        yield Static(id="message", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:  # not under nohup
                loop = asyncio.get_running_loop()
                loop.add_signal_handler(number, self.exit, None, 128 + number)
        self._close_prompt()
        self._list(0)

    @property
    def current(self) -> WaitingItem | None:
        at = self.query_one(OptionList).highlighted
        return self.shown[at] if at is not None and at < len(self.shown) else None

    def _list(self, at: int) -> None:
        """List the learnings with the searched words, and highlight one of them."""
        self.shown = [
            item
            for item in self.session.items
            if word_search.contains_all(f"{item.agent} {item.text}", self.words)
        ]
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options(
            [make_content(f"{item.agent}  {' '.join(item.text.split())}") for item in self.shown]
        )
        if self.shown:
            options.highlighted = min(at, len(self.shown) - 1)  # which shows the details
        else:
            self._show_details()

    def on_option_list_option_highlighted(self) -> None:
        self._show_details()

    def _show_details(self) -> None:
        item = self.current
        if item is None:
            has_any = self.session.items and self.words
            text = make_content(f"No learning {'has these words' if has_any else 'waits for you'}.")
        else:
            head = f"{item.agent}  {self.shown.index(item) + 1} of {len(self.shown)}"
            head += f", with: {' '.join(self.words)}" if self.words else ""
            lines = [make_content(head, "bold")]
            lines += [
                make_content(line.indent[2:] + line.text, line.style)
                for line in self.session.describe(item)
            ]
            text = Content("\n").join(lines)
        self.query_one("#text", Static).update(text)

    def _say(self, message: str) -> None:
        self.query_one("#message", Static).update(make_content(message))

    def _apply(self, decide: Callable[[], str]) -> None:
        """Decide, and list what is left; show the message, or why nothing was decided."""
        self.place = self.query_one(OptionList).highlighted or 0
        try:
            message = decide()
        except (CommandRefused, ValueError, OSError) as error:
            message = describe_error(error)[0]
        self._list(self.place)
        self._say(message)

    def action_decide(self, name: str) -> None:
        if item := self.current:
            decide: Callable[[WaitingItem], str] = getattr(self.session, name)
            self._apply(lambda: decide(item))

    def action_edit(self) -> None:
        if item := self.current:
            self._apply(lambda: self._edit(item))

    def _edit(self, item: WaitingItem) -> str:
        try:
            with self.suspend():
                text = review_session.edit_text(item)
        except SuspendNotSupported:
            raise CommandRefused("this terminal cannot start an editor: use --lines") from None
        except KeyboardInterrupt:
            raise CommandRefused("nothing was changed") from None
        return self.session.accept(item, text)

    def action_skip(self) -> None:
        options = self.query_one(OptionList)
        at = options.highlighted
        options.highlighted = at if at is None else min(at + 1, len(self.shown) - 1)

    def action_undo(self) -> None:
        self._apply(self._undo)

    def _undo(self) -> str:
        item, self.words = self.session.undo(), []
        self.place = self.session.items.index(item)
        return f"Undone: {item.id} waits again."

    def action_help(self) -> None:
        self.push_screen(HelpScreen())

    def action_ask(self, question: str) -> None:
        """Show the prompt; its placeholder is the question."""
        prompt = self.query_one(Input)
        prompt.placeholder, prompt.value = question, ""
        prompt.display, prompt.disabled = True, False
        prompt.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.input.placeholder == FILTER:
            self.words = word_search.fold_text(event.value).split()
            self._list(0)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        item, name, is_move = self.current, event.value.strip(), event.input.placeholder == AGENT
        self._close_prompt()
        if is_move and item and name:
            self._apply(lambda: self.session.move(item, name))

    def action_close(self) -> None:
        """Close the prompt, and list all learnings again."""
        self._close_prompt()
        self.words = []
        self._list(0)

    def _close_prompt(self) -> None:
        prompt = self.query_one(Input)
        prompt.display, prompt.disabled = False, True
        self.query_one(OptionList).focus()


def run(session: ReviewSession) -> None:
    """Show the session until the person quits."""
    app = ReviewApp(session)
    app.run()
    if app.return_code == 1:
        raise CommandRefused("the full-screen view has failed: use --lines", 1)
    if app.return_code:
        raise typer.Exit(app.return_code)
