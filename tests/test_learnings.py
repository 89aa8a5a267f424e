"""Text in, learnings out: tables of cases, and what holds for all texts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core import judging, learnings
from memory_core.learnings import Found, Learning, Rejected, clean, extract, may_teach, strip

HERE = Path(__file__).parent
DOCUMENTS = [HERE / "cases" / "learnings.md", HERE.parent / "docs" / "learnings.md"]


class Case(NamedTuple):
    """One heading with its blocks."""

    title: str
    info: str
    text: str
    found: str
    left: str | None

    def extract(self) -> Found:
        return extract(self.text, natural_language="natural" in self.info)


def cases(path: Path) -> Iterator[Case]:
    """Read a document's cases: headings, each with blocks fenced by four backticks or more."""
    for part in path.read_text("utf-8").split("\n## ")[1:]:
        title, _, rest = part.partition("\n")
        blocks = dict(fenced(rest.splitlines(keepends=True)))
        text = next((info for info in blocks if info.startswith("text")), None)
        if text is not None:
            end = "\r\n" if "crlf" in text else "\n"
            body = blocks[text].replace("\n", end)
            left = blocks["left"].replace("\n", end) if "left" in blocks else None
            yield Case(title, text, body, blocks["found"], left)


def fenced(lines: list[str]) -> Iterator[tuple[str, str]]:
    fence, info, body = "", "", ""
    for line in lines:
        if not fence and line.startswith("````"):
            info = line.strip().lstrip("`")
            fence, body = line.strip()[: -len(info)], ""
        elif fence and line.strip() == fence:
            yield info, body
            fence = ""
        else:
            body += line


def told(each: Learning) -> str:
    if isinstance(each, Rejected):
        return f"rejected {each.type}: {each.content} ({each.reason})\n"
    return f"{each.type}: {each.content}\n"


CASES = [case for path in DOCUMENTS for case in cases(path)]
CORPUS = "".join(case.text for case in CASES)


def test_there_are_cases() -> None:
    assert all(len(list(cases(path))) >= 5 for path in DOCUMENTS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_case(case: Case) -> None:
    found = case.extract()
    wanted = case.found.splitlines(keepends=True)
    assert [told(each) for each in found.learnings] == [w for w in wanted if w[:8] != "rejected"]
    assert [told(each) for each in found.rejected] == [w for w in wanted if w[:8] == "rejected"]
    assert strip(case.text, found.spans) == (case.text if case.left is None else case.left)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_nothing_is_taken_out_that_was_not_kept(case: Case) -> None:
    found = case.extract()
    kept = " ".join(each.content for each in found.learnings + found.rejected)
    for start, end in found.spans:
        assert start == 0 or case.text[start - 1] == "\n"
        assert end == len(case.text) or case.text[end - 1] == "\n"
        if '"remember"' not in case.text[start:end]:
            assert all(
                is_form(line) or said(line) in kept for line in case.text[start:end].split("\n")
            )


def is_form(line: str) -> bool:
    """Tell what belongs to the form of a block: its marks and its type."""
    bare = line.strip("\r> \t*-").lower()
    return (
        not bare.strip("#`~") or bare.startswith(("#", "type:", "```", "~~~")) or bare == "content:"
    )


def said(line: str) -> str:
    return clean(
        line.strip("\r> \t-").removeprefix("**").partition(":")[2].removeprefix("**") or line
    )


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_a_report_that_quotes_these_documents_teaches_nothing(path: Path) -> None:
    quoted = f"I wrote this file:\n\n``````markdown\n{path.read_text('utf-8')}\n``````\n\nDone.\n"
    found = extract(quoted)
    assert found.learnings == []
    assert strip(quoted, found.spans) == quoted


def test_the_documentation_itself_teaches_nothing() -> None:
    text = DOCUMENTS[1].read_text("utf-8")
    assert extract(text, natural_language=True).learnings == []


INTRODUCTIONS = [
    ("", True),
    ("Information worth keeping:", True),
    ("What I learned from this example:", True),
    ("My learnings, in the required format:", True),
    ("For example, the cache. Recorded:", True),
    ("**Learnings**", True),
    ("For example:", False),
    ("Agents write, e.g. this:", False),
    ("**Format:**", False),
    ("I documented the hook as follows:", False),
    ("The docs now say:", False),
    ("All is done. The template looks like this", False),
]


@pytest.mark.parametrize(("introduction", "is_own"), INTRODUCTIONS)
def test_an_introduction_tells_an_example(introduction: str, is_own: bool) -> None:
    shown = f"Report.\n\n{introduction}\n\n```\n{block('Handlers return Result')}```\n\nEnd.\n"
    plain = f"{introduction}\n{block('Handlers return Result')}"
    assert bool(extract(shown).learnings) is is_own
    assert bool(extract(shown).rejected) is not is_own
    assert extract(plain).learnings


def block(content: str, kind: str = "pattern") -> str:
    return f"# Add To Memory:\nType: {kind}\nContent: {content}\n#\n"


@pytest.mark.parametrize("kind", judging.TYPES)
def test_every_type(kind: str) -> None:
    assert extract(block("Handlers return Result", kind.upper())).learnings == [
        Learning(kind, "Handlers return Result")
    ]


@pytest.mark.parametrize(("length", "kept"), [(5, 0), (6, 1), (100, 1), (101, 0)])
def test_the_limits_of_length(length: int, kept: int) -> None:
    found = extract(block("x" * (length - 1) + "y"))
    assert (len(found.learnings), len(found.rejected)) == (kept, 1 - kept)
    assert found.spans


def test_the_limit_can_be_another() -> None:
    assert extract(block("x" * 149 + "y"), max_length=150).learnings
    assert extract(block("Handlers return"), max_length=10).rejected


CLEANED = [
    ("  a \t b  ", "a b"),
    ("done.", "done"),
    ("done ...", "done ..."),
    ("done..", "done.."),
    ("a\0b\x07c", "a b c"),
    ("\x1b[31mred\x1b[0m text", "red text"),
    ("\x9b1;2Hred", "red"),
    ("\x1b]0;title\x07text", "text"),
    ("\x1b]8;;no end", "8;;no end"),
    ("\x1bcreset", "reset"),
    ("a\u202eb\u2066c\u200bd\ufeffe", "abcde"),
    ("a\u2028b\u0085c\u00a0d\re", "a b c d e"),
    ("a\ud800b", "a\ufffdb"),
    ("a\U000e0041b\U000e0100c\u3164d", "abcd"),
    ("naïve 工程师 😀", "naïve 工程师 😀"),
]


@pytest.mark.parametrize(("text", "line"), CLEANED)
def test_content_is_cleaned(text: str, line: str) -> None:
    assert clean(text) == line


@given(st.text())
def test_a_cleaned_text_is_one_harmless_line(text: str) -> None:
    line = clean(text)
    assert line.splitlines() in ([line], [])
    assert line.encode().decode() == line
    assert not any(char in line for char in "\0\x1b\u202e\u200b\u2066\r")
    assert line == line.strip()


LINES = st.sampled_from(
    [
        *CORPUS.splitlines(keepends=True),
        "\n",
        "#\n",
        "```\n",
        "{\n",
        "}\n",
        "> ",
        "    ",
        "\t",
        "İ",
        "\ud800",
        '{"remember": ["',
        '"]}\n',
        "\\",
        '"',
        "# Add To Memory:\n",
        "Content: x",
    ]
)
TEXTS = st.lists(st.one_of(LINES, st.text(max_size=5)), max_size=25).map("".join)


@given(TEXTS, st.booleans())
def test_no_text_is_too_strange(text: str, natural_language: bool) -> None:
    found = extract(text, natural_language)
    starts = [start for start, _ in found.spans]
    assert starts == sorted(starts)
    assert all(0 <= start < end <= len(text) for start, end in found.spans)
    assert all(one[1] <= two[0] for one, two in zip(found.spans, found.spans[1:], strict=False))
    for each in found.learnings:
        assert each.type in judging.TYPES
        assert 5 < len(each.content) <= 100
        assert each.content == clean(each.content) or each.content.endswith(".")
    assert bool(found.spans) <= bool(found.learnings + found.rejected)


@given(TEXTS)
def test_what_is_left_is_what_stood_there(text: str) -> None:
    spans = extract(text).spans
    left = strip(text, spans)
    outside, at = "", 0
    for start, end in spans:
        outside += text[at:start]
        at = end
    outside += text[at:]
    assert "".join(left.split()) == "".join(outside.split())
    assert spans or left == text


@given(TEXTS, st.booleans())
def test_the_first_look_misses_nothing(text: str, natural_language: bool) -> None:
    found = extract(text, natural_language)
    if found.learnings or found.rejected:
        assert may_teach(text.encode("utf-8", "surrogatepass"), natural_language)
        assert may_teach(json.dumps({"text": text}).encode(), natural_language)
        nested = json.dumps(json.dumps(text, ensure_ascii=False), ensure_ascii=False)
        assert may_teach(nested.encode("utf-8", "surrogatepass"), natural_language)


def test_the_first_look_sends_most_texts_away() -> None:
    assert not may_teach(b'{"cwd": "/home/me/agent-memory", "text": "The memory is full"}')
    assert not may_teach(b"Best practice: none", natural_language=False)
    assert may_teach(b"Best practice: none", natural_language=True)


def test_no_small_form_moves_the_text() -> None:
    every = "".join(map(chr, range(0x110000)))
    assert len(learnings._lowered(every)) == len(every)


def test_positions_hold_behind_a_letter_that_grows() -> None:
    text = "İİİ\n" + block("Handlers return Result")
    assert strip(text, extract(text).spans) == "İİİ\n"


HOSTILE: dict[str, Callable[[int], str]] = {
    "markers without end": lambda n: "# Add To Memory:\n" * n,
    "markers with a type": lambda n: "# Remember:\nType: pattern\n" * n,
    "markers on one line": lambda n: "# Remember: " * n,
    "one block of many lines": lambda n: "# Remember:\nContent: long enough\n" + "more\n" * n,
    "one block of many keys": lambda n: "# Remember:\n" + "Content: long enough\n" * n,
    "one long line": lambda n: "# Remember:\nContent: " + "é\u200b" * n,
    "one long bare line": lambda n: "# Remember:\n" + "x " * n + "\n#",
    "escapes": lambda n: "# Remember:\nContent: " + "\x1b[" * n,
    "braces": lambda n: '"remember"' + "{" * n,
    "lines of braces": lambda n: '"remember"\n' + "{\n" * n,
    "nested objects": lambda n: '"remember"\n' + '{"a":\n' * n,
    "nested and closed": lambda n: '{"a":' * n + '"remember"' + "}" * n,
    "nested lists": lambda n: '{"remember":' + "[" * n + "]" * n + "}",
    "open strings": lambda n: '{"remember": "x\n' * n,
    "far quotes": lambda n: '{"remember"\n' + "{ \n" * n + '"',
    "strings of escaped quotes": lambda n: '"remember"\n' + '{\\"\n' * n,
    "backslashes": lambda n: '{"remember": "' + "\\" * n + '"}',
    "escaped quotes": lambda n: '{"remember": "' + '\\"' * n + '"}',
    "small objects": lambda n: '{"remember": ["long enough"]}\n' * n,
    "objects on a line": lambda n: '{"remember": []}' * n,
    "open fences": lambda n: "```x\n" * n + block("long enough"),
    "fences": lambda n: "```\n" * n + block("long enough"),
    "fences with blocks": lambda n: "```\n# Remember:\nContent: long enough\n```\n" * n,
    "backticks": lambda n: "`" * n + "\n" + block("long enough"),
    "quotation marks": lambda n: ">" * n + "# Remember:\n" + block("long enough"),
    "blank lines": lambda n: block("long enough") + " \n" * n + block("long enough"),
    "blanks": lambda n: block("long enough") + " " * n + block("long enough"),
    "open tags": lambda n: "<agent-memory>\n" * n + block("long enough"),
    "tags": lambda n: "<agent-memory>\n</agent-memory>\n" * n + block("long enough") * 10,
    "tags and blocks": lambda n: ("<agent-memory>\n</agent-memory>\n" + block("long enough")) * n,
    "sentences": lambda n: "Mistake: long enough\n" * n,
    "sentences on a line": lambda n: "Mistake: long enough " * n,
}


class Counted(str):
    """A text that counts the characters over which its searches and slices go."""

    __slots__ = ()
    seen = 0

    def find(self, word: str, start: int = 0, end: int | None = None) -> int:  # type: ignore[override]
        end = len(self) if end is None else end
        place = super().find(word, start, end)
        Counted.seen += max(0, (end if place < 0 else place) - start) + 1
        return place

    def rfind(self, word: str, start: int = 0, end: int | None = None) -> int:  # type: ignore[override]
        end = len(self) if end is None else end
        place = super().rfind(word, start, end)
        Counted.seen += end - (start if place < 0 else place) + 1
        return place

    def __getitem__(self, key: int | slice) -> str:  # type: ignore[override]
        part = super().__getitem__(key)
        Counted.seen += len(part)
        return part

    def lower(self) -> Counted:
        Counted.seen += len(self)
        return Counted(super().lower())

    def replace(self, old: str, new: str) -> Counted:  # type: ignore[override]
        Counted.seen += len(self)
        return Counted(super().replace(old, new))


def work(text: str) -> int:
    """Count the characters that are looked at, and the lines of code that are executed."""
    lines = 0

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal lines
        lines += 1
        return trace

    Counted.seen = 0
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        found = extract(Counted(text), natural_language=True)
        strip(Counted(text), found.spans)
    finally:
        sys.settrace(before)
    return lines + Counted.seen


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_twice_the_text_is_at_most_twice_the_work(hostile: Callable[[int], str]) -> None:
    # Quadratic work would be four times as much; some lines run once only, whatever the text.
    assert work(hostile(1600)) <= 2.5 * work(hostile(800)) + 1000


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_a_large_hostile_text_comes_to_an_end(hostile: Callable[[int], str]) -> None:
    """The C functions, too, must be linear: a quadratic one would take minutes here."""
    text = hostile(500_000 // len(hostile(1)))
    found = extract(text, natural_language=True)
    assert len(strip(text, found.spans)) <= len(text)


def test_ordinary_text_is_not_parsed() -> None:
    text = "All tests pass; the memory of the agent was not changed.\n" * 1000
    assert work(text) < 3 * len(text) + 100


def test_importing_costs_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); from memory_core import learnings\n"
        "found = learnings.extract('# Remember:\\nType: pattern\\nContent: long enough\\n')\n"
        "assert found.learnings and found.spans\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split()) - {"bisect", "_bisect"}
    ours = {"blocks", "fences", "judging", "learnings", "lines", "trust"}
    assert loaded == {"__future__", "memory_core"} | {f"memory_core.{name}" for name in ours}
