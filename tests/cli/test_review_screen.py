"""The full-screen view of review: driven by textual's Pilot, and on a pseudo-terminal."""

from __future__ import annotations

import asyncio
import signal
import sys

import pytest

from memory_core.cli.change import review_screen
from memory_core.cli.change.review_screen import ReviewApp
from memory_core.cli.change.review_session import ReviewSession
from memory_core.cli.common.scopes import LevelScope
from memory_core.curation import review
from memory_core.document import markdown
from memory_core.memory.project import Project, find_project
from support.command_line import ITEM, Person
from support.review import make_waiting
from support.terminal import Terminal

pytestmark = pytest.mark.slow

CENTS = "Prices are stored in cents as integers"
BUS = "Events are sent after the transaction has ended"
SLOW = "The export takes ten minutes without an index"
WIDE, NARROW = (80, 24), (50, 16)


def project_of(person: Person) -> Project:
    return find_project(str(person.sandbox.root), person.sandbox.env)


def wait(person: Person, agent: str, *contents: str, **fields: object) -> None:
    store = project_of(person).store
    with store.lock(agent):
        entries = [{**make_waiting(text), **fields} for text in contents]
        store.add_to_review(agent, entries, "2026-11-20T10:00:00.000Z")


def list_items(person: Person, agent: str) -> list[str]:
    path = person.sandbox.memories / f"{agent}.md"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [item.text for item in markdown.parse_document(text).items]


@pytest.fixture
def desk(settled: Person, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Create a user for whom three learnings of two agents wait."""
    for name in ("HOME", "CLAUDE_PROJECT_DIR"):
        monkeypatch.setenv(name, settled.sandbox.env[name])
    wait(settled, "engineer", CENTS, BUS, reading=["Bash: gh"], tier="tainted")
    wait(settled, "qa", SLOW)
    return settled


def make_app(person: Person) -> ReviewApp:
    project = project_of(person)
    scope = LevelScope(project, project.store)
    return ReviewApp(ReviewSession(scope, review.list_waiting(project.store), False))


def drive(
    app: ReviewApp,
    *keys: str,
    size: tuple[int, int] = WIDE,
) -> ReviewApp:
    """Run the app, press the keys, and stop it."""

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await pilot.press(*keys)
            await pilot.pause()
            app.seen = read_screen(app)  # type: ignore[attr-defined]

    asyncio.run(run())
    return app


def read_screen(app: ReviewApp) -> str:
    """Return the text of the screen, as the terminal shows it."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


def seen(app: ReviewApp) -> str:
    return str(app.seen)  # type: ignore[attr-defined]


# The keys; the items of the engineer then, and of qa; what still waits; a text on the screen.
KEYS: dict[str, tuple[list[str], list[str], list[str], list[str], str]] = {
    "none": ([], [], [], [CENTS, BUS, SLOW], "engineer  1 of 3"),
    "accept": (["a"], [CENTS], [], [BUS, SLOW], "Accepted: engineer:"),
    "accept all": (["a", "a", "a"], [CENTS, BUS], [SLOW], [], "No learning waits for you."),
    "capital letters": (["A", "R"], [CENTS], [], [SLOW], "Rejected."),
    "reject": (["r"], [], [], [BUS, SLOW], "Rejected."),
    "skip": (["s", "s", "a"], [], [SLOW], [CENTS, BUS], "engineer  2 of 2"),
    "skip at the end": (["s", "s", "s", "s"], [], [], [CENTS, BUS, SLOW], "qa  3 of 3"),
    "arrows": (["down", "a"], [BUS], [], [CENTS, SLOW], "qa  2 of 2"),
    "undo": (["r", "u"], [], [], [CENTS, BUS, SLOW], "waits again."),
    "undo twice": (["a", "r", "u", "u"], [], [], [CENTS, BUS, SLOW], "engineer  1 of 3"),
    "undo the last one": (["a", "a", "a", "u"], [CENTS, BUS], [], [SLOW], "qa  1 of 1"),
    "nothing to undo": (["u"], [], [], [CENTS, BUS, SLOW], "There is no decision to undo."),
    "move": (["m", "q", "a", "enter"], [], [CENTS], [BUS, SLOW], "Accepted: qa:"),
    "move to nobody": (["m", "enter"], [], [], [CENTS, BUS, SLOW], "engineer  1 of 3"),
    "move is closed": (["m", "q", "escape"], [], [], [CENTS, BUS, SLOW], "engineer  1 of 3"),
    "a misspelt agent": (
        ["m", *"enginer", "enter"],
        *([], [], [CENTS, BUS, SLOW], "did you mean engineer?"),
    ),
    "search": (["slash", *"index", "enter", "a"], [], [SLOW], [CENTS, BUS], "has these words"),
    "search an agent": (["slash", *"QA"], [], [], [CENTS, BUS, SLOW], "qa  1 of 1, with: qa"),
    "search nothing": (["slash", *"zzz", "enter", "a"], [], [], [CENTS, BUS, SLOW], "No learning"),
    "search is closed": (["slash", *"zz", "escape", "a"], [CENTS], [], [BUS, SLOW], "1 of 2"),
    "help": (["question_mark"], [], [], [CENTS, BUS, SLOW], "a  accept: add it to the memory"),
    "help is closed": (["question_mark", "x", "a"], [CENTS], [], [BUS, SLOW], "Accepted"),
    "unknown keys": (["x", "1", "space", "f5"], [], [], [CENTS, BUS, SLOW], "engineer  1 of 3"),
    "edit": (["e"], [], [], [CENTS, BUS, SLOW], "cannot start an editor: use --lines"),
}


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize(("keys", "engineer", "qa", "left", "text"), KEYS.values(), ids=KEYS)
def test_keys(
    desk: Person,
    keys: list[str],
    engineer: list[str],
    qa: list[str],
    left: list[str],
    text: str,
    size: tuple[int, int],
) -> None:
    app = drive(make_app(desk), *keys, size=size)
    assert set(list_items(desk, "engineer")) == {ITEM, *engineer}
    assert list_items(desk, "qa") == qa
    waiting = review.list_waiting(project_of(desk).store)
    assert sorted(item.entry["content"] for item in waiting) == sorted(left)
    assert " ".join(text.split()) in " ".join(seen(app).split()), seen(app)


@pytest.mark.parametrize("key", ["q", "Q", "ctrl+c", "ctrl+d"])
def test_quitting_keeps_what_was_decided(desk: Person, key: str) -> None:
    app = drive(make_app(desk), "a", key)
    assert list_items(desk, "engineer") == [CENTS, ITEM]
    assert app._exit


def test_the_details_are_those_of_the_line_view(desk: Person) -> None:
    app = drive(make_app(desk), "s", size=(120, 24))
    for text in (BUS, "why it waits: why", "the run read: Bash: gh", "tier: tainted", "goes to:"):
        assert text in seen(app)


def test_somebody_else_decides_meanwhile(desk: Person) -> None:
    app = make_app(desk)
    desk.run("review", "engineer", "--reject", "--all")
    drive(app, "a")
    assert "does not wait any more" in " ".join(seen(app).split())
    assert list_items(desk, "engineer") == [ITEM]


HOSTILE = [
    *("[bold red]x[/bold red]", "[@click=app.quit]x[/]", "[link=http://a.b]x[/link]", "[/]", "["),
    *(
        "\x1b[31mred\x1b[0m",
        "\x1b]0;title\x07",
        "a\u202eb",
        "x\u200by",
        "\ud800",
        "\t|\tx",
        "注文" * 60,
    ),
    *("$error", ":smile:", "a\nb", "x" * 500, "\x00", "{x}", "%s", "\\[x]", "👍🏽 \u0627\u0644"),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_not_interpreted(desk: Person, text: str) -> None:
    wait(desk, "aa", f"begin {text} end", reason=text, tier=text, reading=[text], other=text)
    app = drive(make_app(desk), size=(200, 60))
    shown = seen(app)
    assert "aa  1 of 4" in shown
    visible = review_screen.make_content(text).plain
    is_wrapped = len(text) > 100  # and next to the list
    assert is_wrapped or "".join(visible.split()) in "".join(shown.split())
    assert not {"\x1b", "\u202e", "\u200b", "\x00", "\x07"} & set(shown)
    assert review_screen.make_content(text).spans == []


def test_an_invalid_name_is_refused(desk: Person) -> None:
    app = drive(make_app(desk), "m", "a", "slash", "b", "enter")
    assert "invalid agent name 'a/b'" in " ".join(seen(app).split())
    assert "engineer  1 of 3" in seen(app)


def test_many_learnings(desk: Person) -> None:
    wait(desk, "ops", *[f"Fact number {number}" for number in range(500)])
    app = drive(make_app(desk), "end", "a", "slash", *"497")
    assert "Fact number 497" in seen(app)
    assert list_items(desk, "qa") == [SLOW]


# --- on a pseudo-terminal ---


def start(person: Person, words: str = "", **env: str) -> Terminal:
    person.add_program("change", "printf 'EDITED\\n' > \"$1\"")
    command = f"{sys.executable} -m memory_core.cli review {words}"
    return Terminal(person, command, VISUAL="change", COLORTERM="", **env)


def test_a_session_on_a_terminal(desk: Person) -> None:
    terminal = start(desk)
    terminal.wait_for("1 of 3")
    terminal.send_keys("e")
    terminal.wait_for("EDITED")
    terminal.send_keys("r")
    terminal.wait_for("Rejected")
    terminal.send_keys("q")
    assert terminal.wait_for_end() == 0
    assert "\x1b[?1049l" in terminal.shown, "the screen is left"
    assert "1 accepted, 1 rejected, 1 learning left." in terminal.lines[-2]
    assert list_items(desk, "engineer") == ["EDITED", ITEM]


def test_hostile_text_on_a_terminal(desk: Person) -> None:
    wait(desk, "aa", "\x1b]0;EVIL\x07\x1b[2J\x9b31mred [link=http://a.b]x[/link]", tier="\x1b[5m")
    terminal = start(desk)
    terminal.wait_for("1 of 4")
    terminal.send_keys("r")
    terminal.wait_for("Rejected")
    terminal.send_keys("q")
    assert terminal.wait_for_end() == 0
    assert "[link=http://a.b]x" in terminal.shown
    for sign in ("\x1b]0;EVIL", "\x9b", "\x1b[5m", "\x1b]8;"):
        assert sign not in terminal.shown


@pytest.mark.parametrize(
    ("words", "env"), [("--lines", {}), ("", {"TERM": "dumb"}), ("", {"TERM": "unknown"})]
)
def test_the_line_view_on_other_terminals(desk: Person, words: str, env: dict[str, str]) -> None:
    terminal = start(desk, words, **env)
    terminal.wait_for(r"\[\?\]: ")
    terminal.send_keys("q")
    assert terminal.wait_for_end() == 0
    assert "\x1b[?1049h" not in terminal.shown


def test_without_textual_one_line_names_it(desk: Person) -> None:
    hidden = "import sys; sys.modules['textual'] = None; sys.argv = ['x', 'review']"
    script = f"{hidden}; from memory_core.cli import program; program()"
    desk.add_program("hidden", f'exec {sys.executable} -c "{script}"')
    terminal = Terminal(desk, "hidden")
    terminal.wait_for(r"\[\?\]: ")
    terminal.send_keys("q")
    assert terminal.wait_for_end() == 0
    hints = [line for line in terminal.lines if "full-screen view" in line]
    assert hints == ["For a full-screen view, run install.sh --tui, or install textual."]


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_screen(desk: Person, sent: signal.Signals) -> None:
    terminal = start(desk)
    terminal.wait_for("1 of 3")
    terminal.child.kill(sent)
    terminal.shown += str(terminal.child.read())
    terminal.child.close()
    assert "\x1b[?1049l" in terminal.shown
    assert terminal.child.exitstatus == 128 + sent
    assert "Traceback" not in terminal.shown
