"""Extraction of learnings: tables of cases, and properties of any text."""

import itertools
import json
import re
from collections.abc import Callable, Iterator
from math import isqrt
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, strategies as st

from memory_core.document.merge_learnings import Learning
from memory_core.learning import extraction
from memory_core.learning.blocks import remove_spans
from memory_core.learning.extraction import clean
from memory_core.learning.lines import may_teach
from memory_core.learning.type_names import TYPES
from memory_core.memory import recall
from memory_core.text.sanitize import clean_line
from support.lessons import Extracted, extract
from support.paths import CASES, REPO
from support.sandbox import Sandbox
from support.tables import for_each

DOCUMENTS = [CASES / name for name in ("learnings.md", "reports.md", "styles.md")]
DOCUMENTS += [REPO / "docs" / "learnings.md"]

# Whole reports whose introduction to a block shows whether the block is a real learning.
GENUINE, EXPLAINING = CASES / "genuine.md", CASES / "explaining.md"

# Reports that show, quote or mention a block, or have an empty one.
NOT_LEARNED = CASES / "not_learned.md"

# Sentences that may say nothing about the project, and learnings that deny something about it.
EMPTY = (CASES / "empty_sentences.txt").read_text("utf-8")
DENIALS = (CASES / "denials.txt").read_text("utf-8")


class Case(NamedTuple):
    """One heading of a case document, with its blocks."""

    title: str
    info: str
    text: str
    found: str
    left: str | None

    def extract(self) -> Extracted:
        return extract(self.text, natural_language="natural" in self.info)


def cases(path: Path) -> Iterator[Case]:
    """Read the cases of a document: headings with blocks fenced by four or more backticks."""
    for title, blocks in sections(path.read_text("utf-8").splitlines(keepends=True)):
        text = next((info for info in blocks if info.startswith("text")), None)
        if text is not None:
            end = next((end for word, end in ENDS.items() if word in text), "\n")
            left = blocks["left"].replace("\n", end) if "left" in blocks else None
            yield Case(title, text, blocks[text].replace("\n", end), blocks.get("found", ""), left)


# Words of an info string that select other line ends.
ENDS = {"crlf": "\r\n", "cr": "\r"}


def sections(lines: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each heading with its blocks by info string; text inside a block is ignored."""
    title, fence, info, blocks = "", "", "", dict[str, str]()
    for line in lines:
        if fence and line.strip() == fence:
            fence = ""
        elif fence:
            blocks[info] += line
        elif line.startswith("````"):
            info = line.strip().lstrip("`")
            fence, blocks[info] = line.strip()[: -len(info)], ""
        elif line.startswith("## "):
            yield title, blocks
            title, blocks = line[3:].strip(), {}
    yield title, blocks


def told(each: Learning) -> str:
    nested = f"{each.nested}\n" if each.nested else ""
    if each.reason:
        return f"rejected {each.type}: {each.content} ({each.reason})\n{nested}"
    return f"{each.type}: {each.content}\n{nested}"


CASES = [case for path in DOCUMENTS for case in cases(path)]
CORPUS = "".join(case.text for case in CASES)


def test_each_document_has_cases() -> None:
    assert all(len(list(cases(path))) >= 5 for path in DOCUMENTS)


@for_each("case", CASES)
def test_case(case: Case) -> None:
    found = case.extract()
    assert "".join(map(told, found.learnings + found.rejected)) == case.found
    assert remove_spans(case.text, found.spans) == (case.text if case.left is None else case.left)


@for_each("case", CASES)
def test_only_learned_text_is_removed(case: Case) -> None:
    found = case.extract()
    kept = "".join(map(told, found.learnings + found.rejected))
    for start, end in found.spans:
        assert start == 0 or case.text[start - 1] in "\r\n"
        assert end == len(case.text) or case.text[end - 1] in "\r\n"
        cut = words_of(re.sub(r"\[.*\]|\(for .*\)|N/A", "", case.text[start:end]))
        assert cut <= {*words_of(kept), *MARKUP.split(), *TYPES}


# Words of a block that are no part of a learning.
MARKUP = """
add to memory memorize remember end type category content why see markdown md text json yaml bash
patterns mistakes strategies anti_patterns learnings
"""


def words_of(text: str) -> set[str]:
    return set(re.findall(r"\w+", clean_line(text).lower())) - set("0123456789")


@for_each("case", list(cases(GENUINE)))
def test_real_learnings_are_extracted(case: Case) -> None:
    found = case.extract()
    assert len(found.learnings) == (case.text.count("Content:") or case.text.count('"remember"'))
    assert found.rejected == []
    assert found.spans


@for_each("case", list(cases(EXPLAINING)))
def test_explanations_of_the_format_teach_nothing(case: Case) -> None:
    found = case.extract()
    assert found.learnings == []
    assert {each.reason for each in found.rejected} <= {extraction.EXAMPLE_REASON}
    assert found.spans == []


@for_each("case", list(cases(NOT_LEARNED)))
def test_a_report_without_a_learning_teaches_nothing(case: Case) -> None:
    assert case.extract().learnings == []


def test_there_are_many_reports_of_both_kinds() -> None:
    ordinary = [case for path in DOCUMENTS[1:3] for case in cases(path)]
    assert len(ordinary) >= 100
    assert len(list(cases(GENUINE))) >= 35
    assert len([*cases(EXPLAINING), *cases(NOT_LEARNED)]) >= 40


# Ways to quote a whole page in a report.
QUOTING: dict[str, Callable[[str], str]] = {
    "plain": lambda page: page,
    "plain, among other text": lambda page: f"I wrote this page.\n\n{page}\nAll tests pass.\n",
    "quoted": lambda page: "The page:\n\n" + indented(page, "> "),
    "indented": lambda page: "The page:\n\n" + indented(page, "    "),
    "fenced": lambda page: f"It reads\n\n```markdown\n{page}```\n\nAll tests pass.\n",
    "in a longer fence": lambda page: f"It reads\n\n``````\n{page}``````\n\nAll tests pass.\n",
    "nothing but a fence": lambda page: f"``````markdown\n{page}``````\n",
    "with CRLF": lambda page: page.replace("\n", "\r\n"),
}

PAGES = [path.read_text("utf-8") for path in (*REPO.glob("*.md"), *REPO.glob("docs/*.md"))]


def indented(text: str, margin: str) -> str:
    return "".join(margin + line for line in text.splitlines(keepends=True))


@for_each(("quoting", "page"), itertools.product(QUOTING.values(), PAGES))
def test_a_quoted_page_teaches_nothing(page: str, quoting: Callable[[str], str]) -> None:
    report = quoting(page)
    found = extract(report, natural_language=True)
    assert found.learnings == []
    assert len(found.rejected) <= extraction.MAX_EXAMPLES + 1
    assert found.spans == []


@pytest.mark.parametrize("quoting", QUOTING.values(), ids=QUOTING)
@pytest.mark.parametrize("brackets", ["[]", ""])
def test_the_recording_note_teaches_nothing(
    sandbox: Sandbox, brackets: str, quoting: Callable[[str], str]
) -> None:
    block = recall.build_block(sandbox.open_project(), "engineer", 4_000).text
    _opening, *note, _closing = block.splitlines(keepends=True)
    page = "".join(note) if brackets else "".join(note).replace("[", "").replace("]", "")
    assert "# Add To Memory:" in page
    assert len(page.split()) <= 90
    assert extract(quoting(page)).learnings == []
    assert extract(quoting(block)).learnings == []


def test_a_manual_does_not_fill_the_review() -> None:
    blocks = "".join(block(f"Fact number {at}") for at in range(30))
    text = "For example:\n" + indented(blocks, "> ")
    told = extract(text + "\nThe end.\n" + block("Nothing new")).rejected
    assert told[0].reason == extraction.EMPTY_REASON
    assert [each.content for each in told[1:3]] == ["Fact number 0", "Fact number 1"]
    assert len(told) == 1 + extraction.MAX_EXAMPLES


# The line before a block: whether a fenced or quoted block below it is learned, or is an example.
OWN = ["", "Information worth keeping:", "For example, the cache. Recorded:", "**Learnings**"]
OWN += ["### Memory Updates", "Memory update:", "docs/learnings.md says:"]
OWN += ["The formatter runs first:", "I updated the example of the login in the README."]
OWN += ["3. Updated the e-mail template", "- the docs have a new example of the format"]
OWN += ["I fixed the format of the dates!", "See the following example."]
OWN += ["The format is shown below."]
EXAMPLE = ["For example:", "Examples:", "**Format:**", "**Template**", "1. The format:"]
EXAMPLE += ["## Format", "All is done. The template looks like this:"]
EXAMPLE += ["The findings in the required format:", "Agents record what they learn in this format:"]
EXAMPLE += ["## How it works: an example", "End your report with a block in the following format:"]
EXAMPLE += ["<example>", "EXAMPLE：", "**Here is the template:**"]
INTRODUCTIONS = [*((line, True) for line in OWN), *((line, False) for line in EXAMPLE)]

SHAPES: dict[str, Callable[[str], str]] = {
    "fenced": lambda block: f"```\n{block}```\n",
    "fenced, with text": lambda block: f"```markdown\nDone.\n\n{block}```\n",
    "quoted": lambda block: indented(block, "> "),
    "quoted, with text": lambda block: indented(f"Done.\n\n{block}", "> "),
    "indented": lambda block: indented(block, "    "),
    "fenced in a list": lambda block: indented(f"```\n{block}```\n", "   "),
    "fenced twice": lambda block: f"````\n```\n{block}```\n````\n",
}


ROWS = [(*row, shape) for row in INTRODUCTIONS for shape in SHAPES.values()]


@for_each(("introduction", "is_own", "shape"), ROWS)
def test_an_introduction_can_mark_a_block_as_an_example(
    introduction: str, is_own: bool, shape: Callable[[str], str]
) -> None:
    shown = f"Report.\n\n{introduction}\n\n{shape(block('Handlers return Result'))}\nEnd.\n"
    assert bool(extract(shown).learnings) is is_own
    assert bool(extract(shown).rejected) is not is_own


@for_each("introduction", [line for line, _ in INTRODUCTIONS])
def test_a_block_without_fence_or_quote_is_learned(introduction: str) -> None:
    assert extract(f"{introduction}\n\n{block('Handlers return Result')}").learnings


def block(content: str, kind: str = "pattern") -> str:
    return f"# Add To Memory:\nType: {kind}\nContent: {content}\n#\n"


def test_every_type_and_its_spellings() -> None:
    kinds = {kind.upper(): kind for kind in TYPES}
    spellings = ("Patterns", "**pattern**", "[pattern]", "pattern (naming)")
    for spelling, kind in (kinds | dict.fromkeys(spellings, "pattern")).items():
        learned = extract(block("Handlers return Result", spelling)).learnings
        assert learned == [Learning(kind, "Handlers return Result")]


def test_the_limits_of_length() -> None:
    rows = [(6, 300, 1), (300, 300, 1), (301, 300, 0), (150, 150, 1), (15, 10, 0)]
    for length, most, kept in rows:
        found = extract(block("x" * (length - 1) + "y"), max_length=most)
        assert (len(found.learnings), len(found.rejected)) == (kept, 1 - kept)
        assert found.spans
    for length, kept in ((290, 1), (300, 0)):
        text = f"# Add To Memory:\nContent: Workers are single threaded\nWhy: {'x' * length}\n#\n"
        found = extract(text)
        assert (len(found.learnings), len(found.rejected)) == (kept, 1 - kept)
        assert "x" * length in (found.learnings + found.rejected)[0].nested


@for_each("content", EMPTY.splitlines())
def test_a_sentence_without_a_learning_waits_for_review(content: str) -> None:
    for text in (block(content), f"## Add To Memory\n\n{content}.\n"):
        found = extract(text)
        assert found.learnings == []
        assert [each.reason for each in found.rejected] == [extraction.EMPTY_REASON]


@for_each("content", DENIALS.splitlines())
def test_a_denial_about_the_project_is_learned(content: str) -> None:
    assert extract(block(content)).learnings == [Learning("pattern", content)]


# The words of the recording note, or a short word, in place of a learning.
FILLERS = ["one sentence", "One sentence.", "[one sentence]", "...", "- None"]
FILLERS += ["[your learning here]", "[Describe the mistake and its reason]", "[what went wrong]."]
FILLERS += ["[A short description of what you learned]", "(one of the patterns of the module)"]
FILLERS += ["[one sentence of at most 100 characters]", "[files, commands or symbols, optional]"]


@pytest.mark.parametrize("content", FILLERS)
def test_the_words_of_the_note_are_no_learning(content: str) -> None:
    found = extract(block(content))
    assert found.learnings + found.rejected == []


# A content in the brackets of the note, and how it is learned.
BRACKETED = [("[Integration tests need LocalStack]", "Integration tests need LocalStack")]
BRACKETED += [("[The export reads `vat_id[0]`].", "The export reads `vat_id[0]`")]
BRACKETED += [("[Run make before tests.]", "Run make before tests"), ("[src/a.py]", "src/a.py")]
BRACKETED += [("[You must run make proto first]", "You must run make proto first")]
BRACKETED += [("[a-z] misses é, use [[:alpha:]]", "[a-z] misses é, use [[:alpha:]]")]
BRACKETED += [("[The guide][1] lists all limits in [2]", "[The guide][1] lists all limits in [2]")]


@for_each(("content", "line"), BRACKETED)
def test_brackets_around_a_learning_are_removed(content: str, line: str) -> None:
    assert extract(block(content)).learnings == [Learning("pattern", line)]
    text = f"# Add To Memory:\nContent: Workers are single threaded\nWhy: {content}\n#\n"
    assert extract(text).learnings[0].nested == f"  - Why: {line}"


REFUSED = ["# Remember:\nContent: {}\n#\n", '{{"remember": ["{}", "Handlers return Result"]}}\n']


@pytest.mark.parametrize("form", REFUSED)
def test_rejected_learnings_keep_their_text(form: str) -> None:
    for length, is_whole in ((400, True), (3900, True), (50_000, False)):
        words = " ".join(f"word{at}" for at in range(length // 8))
        found = extract(form.format(words))
        kept = " ".join(f"{each.type} {each.content}" for each in map(clean, found.rejected))
        assert len(kept) < 4100
        assert (words in kept) is is_whole
        assert (words in remove_spans(form.format(words), found.spans)) is not is_whole


ITEMS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab c"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "Type", "content", "text"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.lists(ITEMS, max_size=4))
def test_no_word_of_a_json_object_is_lost(items: list[object]) -> None:
    text = json.dumps({"remember": items})
    found = extract(text)
    kept = [f"{each.type} {each.content}" for each in found.learnings + found.rejected]
    everything = clean_line(" ".join([remove_spans(text, found.spans), *kept]))
    assert [leaf for leaf in leaves(items) if clean_line(leaf) not in everything] == []


def leaves(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from leaves(each)
    elif isinstance(value, dict):
        yield from leaves(list(value.values()))
    elif value is not None:
        yield value if isinstance(value, str) else json.dumps(value)


CLEANED = [("  a \t b  ", "a b"), ("done.", "done"), ("done ...", "done ..."), ("done..", "done..")]
CLEANED += [("\x9b1;2Hred", "red"), ("\x1b]8;;no end", "8;;no end"), ("\x1bcreset", "reset")]
CLEANED += [("a\u2028b\u0085c\u00a0d\re", "a b c d e"), ("a\ud800b", "a\ufffdb")]
CLEANED += [("naïve 工程师 😀", "naïve 工程师 😀")]


@for_each(("text", "line"), CLEANED)
def test_content_is_cleaned(text: str, line: str) -> None:
    assert clean_line(text) == line


@given(st.text())
def test_cleaned_text_is_one_harmless_line(text: str) -> None:
    line = clean_line(text)
    assert line.splitlines() in ([line], [])
    assert line.encode().decode() == line
    assert not any(char in line for char in "\0\x1b\u202e\u200b\u2066\r")
    assert line == line.strip()


ODD_LINES = ["\n", "#\n", "```\n", "{\n", "}\n", "> ", "    ", "\t", "İ", "\ud800", "\r", "- "]
ODD_LINES += ["~~~\n", "For example:\n", "- # Add To Memory:\n", "# Remember: long enough\n", "\\"]
ODD_LINES += ['"', '"]}\n', '{"remember": ["long enough", ["a"]]}\n', '{"remember": ["']
ODD_LINES += ["# Add To Memory:\n", "Content: x"]
LINES = st.sampled_from([*CORPUS.splitlines(keepends=True), *ODD_LINES])
TEXTS = st.lists(st.one_of(LINES, st.text(max_size=5)), max_size=25).map("".join)


@given(TEXTS, st.booleans())
def test_any_text_can_be_extracted(text: str, natural_language: bool) -> None:
    found = extract(text, natural_language)
    starts = [start for start, _ in found.spans]
    assert starts == sorted(starts)
    assert all(0 <= start < end <= len(text) for start, end in found.spans)
    assert all(one[1] <= two[0] for one, two in zip(found.spans, found.spans[1:], strict=False))
    for each in found.learnings:
        assert 5 < len(each.content) <= 300
        assert each.content == clean_line(each.content) or each.content.endswith(".")
    assert bool(found.spans) <= bool(found.learnings + found.rejected)


@given(TEXTS)
def test_remaining_lines_are_unchanged(text: str) -> None:
    spans = extract(text).spans
    left = remove_spans(text, spans)
    outside, at = "", 0
    for start, end in spans:
        outside += text[at:start]
        at = end
    outside += text[at:]
    assert "".join(left.split()) == "".join(outside.split())
    assert spans or left == text


@given(TEXTS)
def test_the_quick_check_misses_no_learning(text: str) -> None:
    extraction = extract(text)
    if extraction.learnings or extraction.rejected:
        assert may_teach(text)
        assert may_teach(json.dumps({"text": text}))
        assert may_teach(json.dumps(json.dumps(text, ensure_ascii=False), ensure_ascii=False))


def test_the_quick_check_rejects_most_texts() -> None:
    assert not may_teach("The memory is full")
    assert not may_teach('{"cwd": "/home/me/notes", "text": "# Done"}')
    assert may_teach("# Add To Memory:")


def test_positions_are_right_after_a_letter_that_grows_in_lower_case() -> None:
    text = "İİİ\n" + block("Handlers return Result")
    assert remove_spans(text, extract(text).spans) == "İİİ\n"


HOSTILE: dict[str, Callable[[int], str]] = {
    "markers without end": lambda n: "# Add To Memory:\n" * n,
    "markers with a type": lambda n: "# Remember:\nType: pattern\n" * n,
    "one block of many lines": lambda n: "# Remember:\nContent: long enough\n" + "more\n" * n,
    "one long line": lambda n: "# Remember:\nContent: " + "é\u200b" * n,
    "escapes": lambda n: "# Remember:\nContent: " + "\x1b[" * n,
    "braces": lambda n: '"remember"' + "{" * n,
    "nested objects": lambda n: '"remember"\n' + '{"a":\n' * n,
    "nested lists": lambda n: '{"remember":' + "[" * n + "]" * n + "}",
    "far quotes": lambda n: '{"remember"\n' + "{ \n" * n + '"',
    "backslashes": lambda n: '{"remember": "' + "\\" * n + '"}',
    "open fences": lambda n: "```x\n" * n + block("long enough"),
    "backticks": lambda n: "`" * n + "\n" + block("long enough"),
    "quotation marks": lambda n: ">" * n + "# Remember:\n" + block("long enough"),
    "blank lines": lambda n: block("long enough") + " \n" * n + block("long enough"),
    "tags and blocks": lambda n: ("<agent-memory>\n</agent-memory>\n" + block("long enough")) * n,
    "sentences": lambda n: "Mistake: long enough\n" * n,
    "introductions": lambda n: ("In the end, the cache of it all:\n\n" + block("long enough")) * n,
    "blank quotations": lambda n: ">\n" * n + "> # Remember:\n> Content: long enough\n",
    "blank carriage returns": lambda n: block("long enough") + "\r" * n + block("long enough"),
    "fences that grow": lambda n: (
        block("long enough") + "".join("`" * at + "\n" for at in range(3, isqrt(2 * n)))
    ),
    "tags around": lambda n: "<pre>\n# Remember:\nContent: long enough\n" * n,
    "markers without a blank": lambda n: "#Remember: long enough\n" * n,
    "types in a block": lambda n: "# Remember:\n" + "Content: x\n" * n + "Type:\n" * n,
    "braces before a key": lambda n: '{ "' * n + '"remember"',
    "deep objects": lambda n: '{"remember": ' * n,
    "markers in a list": lambda n: "1. # Remember: long enough\n" * n,
    "objects in a marker": lambda n: "# Remember:\n" + '{"remember": ["long enough"]}\n' * n,
    "a deep item": lambda n: '{"remember": [' + "[" * (n % 3000) + "]" * (n % 3000) + "]}",
    "an item of odd letters": lambda n: '{"remember": [{"text": "' + "é\\ud800" * n + '"}]}',
}


@pytest.mark.slow
@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_large_hostile_text_is_processed_in_linear_time(hostile: Callable[[int], str]) -> None:
    """The C functions must be linear too: quadratic time would take minutes here."""
    text = hostile(500_000 // len(hostile(1)))
    assert len(remove_spans(text, extract(text, natural_language=True).spans)) <= len(text)
