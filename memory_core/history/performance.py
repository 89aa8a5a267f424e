"""The runs of an agent and its common errors: make a row of each, sum them up, format the results.

The rows are in the database of this machine, see `storage.database`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memory_core.document import block_reader
from memory_core.secrets import scanner
from memory_core.text import digests, sanitize, similarity

Row = dict[str, Any]

DONE, FAILED, STOPPED = OUTCOMES = ("done", "failed", "stopped")
GIVEN, HELD_OUT = GROUPS = ("memory", "held_out")
MEASURES = ("duration_ms", "tokens", "tool_uses")

# How the memory of a run arrived, and what it cost.
DELIVERY, COSTS = ("arrived", "arrived_by"), ("prompt_tokens", "hook_ms")

# The largest possible number of a run: thirty years in milliseconds.
MAX_NUMBER = 10**12

# Maximum number of common errors to show.
MAX_ERRORS_SHOWN = 5

OTHER_TYPE = "other"

# An agent passes if so many of its runs that were not stopped are done.
QUALITY_GATE = 0.8

# The first of these words in a task decides its type.
TYPE_WORDS = {
    "bugfix": "fix fixes fixing fixed bug bugs bugfix hotfix debug debugging repair broken"
    " crash crashes regression",
    "feature": "implement implements implementing implementation develop feature features",
    "test": "test tests testing tested coverage e2e qa verify validate",
    "review": "review reviews reviewing audit critique",
    "refactor": "refactor refactors refactoring restructure simplify rename cleanup deduplicate",
    "docs": "docs doc document documentation documenting docstring docstrings readme changelog"
    " guide tutorial",
    "research": "research investigate investigation explore analyze analyse analysis find search"
    " locate survey compare understand study look inspect",
}

# Weaker words ("add tests" is not a feature), used only if a task has none of the words above.
VAGUE_TYPE_WORDS = {"feature": "add create write make build introduce extend support"}

# Maximum length of the first sentence of a task.
MAX_SENTENCE = 300
_SENTENCE_END = re.compile(r"[.!?] |\n")
_WORD = re.compile(r"[^\W_]+")


def classify_task(description: str, prompt: str = "") -> str:
    """Return the type of a task: a key of TYPE_WORDS, or "other".

    `description` is the name of the delegation, mostly three to five words; if these say
    nothing, the first sentence of the prompt counts.
    """
    sentence = _SENTENCE_END.split(prompt.lstrip()[:MAX_SENTENCE], maxsplit=1)[0]
    for text in (description[:MAX_SENTENCE], sentence):
        words = _WORD.findall(text.lower())
        for table in (TYPE_WORDS, VAGUE_TYPE_WORDS):
            types = {word: name for name, listed in table.items() for word in listed.split()}
            kind = next((types[word] for word in words if word in types), "")
            if kind:
                return kind
    return OTHER_TYPE


def parse_count(value: object) -> int | None:
    """Return a count from an event or a record, None if it is not a valid count."""
    return value if type(value) is int and 0 <= value <= MAX_NUMBER else None


# Rows


def make_run(record: Mapping[str, Any]) -> Row:
    """Return the row of a finished run; invalid numbers are left out.

    `record` has `agent`, `time`, `outcome`, and either `key`, the id of the run or of its call, or
    `id`, the hash of that.  It may have `description` and `prompt`, which decide the type, or
    `type`; run, session, experiment, DELIVERY, COSTS, the MEASURES, and the ids of items in `given`
    and `used`.
    """
    names = ("agent", "time", "outcome", "run", "session", *DELIVERY)
    kind = _read_text(record, "type")
    words = (_read_text(record, name) for name in ("description", "prompt"))
    group = _read_text(record, "experiment")
    given = list(dict.fromkeys(_read_text(record, "given").split()))
    used = set(_read_text(record, "used").split())
    return {
        **{name: _read_text(record, name) for name in names},
        **{name: parse_count(record.get(name)) for name in (*MEASURES, *COSTS)},
        "key": _read_text(record, "id") or digests.hash_text(str(record["key"])),
        "type": kind or classify_task(*words),
        "experiment": group if group in GROUPS else "",
        "given": " ".join(given),
        "used": " ".join(key for key in given if key in used),
    }


def make_error(text: str, tool: str = "", **details: Any) -> Row | None:
    """Return the row of an error, None without a text.

    `details` may have agent, time, run, session, source, and the resolution.
    """
    line = summarize_error(text)
    if not line:
        return None
    names = ("agent", "time", "run", "session", "source")
    fields = {name: _read_text(details, name) for name in names}
    fields |= {"kind": "error", "id": identify_error(line), "text": line, "tool": tool}
    return {**fields, "resolution": clean_error(_read_text(details, "resolution"))}


def _read_text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""


# Statistics


class MeasureTotal(NamedTuple):
    """The sum of a measure over all runs that have it, and the number of these runs."""

    total: int
    runs: int

    @property
    def mean(self) -> int | None:
        """Return the mean, rounded half up; None without a run."""
        return (2 * self.total + self.runs) // (2 * self.runs) if self.runs else None

    def data(self) -> dict[str, int | None]:
        return {"total": self.total, "known": self.runs, "mean": self.mean}


class Tally:
    """The number of finished runs, by outcome, and the totals of their measures."""

    def __init__(self, numbers: Sequence[int]) -> None:
        """Take the numbers of one type that `run_table.list_sums` returns."""
        self.finished, self.done, self.failed, self.stopped, *sums = numbers
        self.duration_ms, self.tokens, self.tool_uses = map(MeasureTotal, sums[::2], sums[1::2])

    @property
    def passes(self) -> bool | None:
        """Whether the agent passes the quality gate, None without a run that was not stopped."""
        ended = self.done + self.failed
        return self.done >= QUALITY_GATE * ended if ended else None

    def data(self) -> dict[str, Any]:
        """Return the fields for JSON; an iteration is a use of a tool."""
        quality = {"average_iterations": self.tool_uses.mean, "quality_gate": self.passes}
        counts = {name: getattr(self, name) for name in ("finished", *OUTCOMES)}
        sums = {name: getattr(self, name).data() for name in MEASURES}
        return {**counts, **sums, **quality}


class Performance:
    """An agent's finished runs: in total, and by type of task, in the order of the numbers."""

    def __init__(self, sums: Mapping[str, Sequence[int]]) -> None:
        self.types = {name: Tally(numbers) for name, numbers in sums.items()}
        self.total = Tally([*map(sum, zip(*sums.values(), strict=True))] or [0] * 10)

    def data(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {**self.total.data(), "types": {name: t.data() for name, t in self.types.items()}}


def format_performance(performance: Performance) -> list[str]:
    """Return lines of a Markdown list: one for all tasks, then one for each type of task."""
    if not performance.total.finished:
        return []
    passes = performance.total.passes
    result = "passed" if passes else "not passed"
    gate = "" if passes is None else f", quality gate ({QUALITY_GATE:.0%} done) {result}"
    lines = [f"- all tasks: {_format_tally(performance.total)}{gate}"]
    for name, tally in performance.types.items():
        label = sanitize.clean_name(name) or OTHER_TYPE
        lines.append(f"- {block_reader.escape(label)}: {_format_tally(tally)}")
    return lines


def _format_tally(tally: Tally) -> str:
    counts = [(getattr(tally, name), name) for name in OUTCOMES]
    shown = ", ".join(f"{count} {name}" for count, name in counts if count)
    seconds = tally.duration_ms.mean
    means = [] if seconds is None else [f"{seconds / 1000:,.1f} s"]
    for measure, unit in ((tally.tokens, "tokens"), (tally.tool_uses, "tool uses")):
        means += [] if measure.mean is None else [f"{measure.mean:,} {unit}"]
    average = f", on average {', '.join(means)}" if means else ""
    return f"{tally.finished} finished ({shown}){average}"


# Common errors


# Maximum number of characters of an error's text.
MAX_ERROR_LENGTH = 200

# What differs between two errors of one kind: ids, hexadecimal numbers, and numbers of more than
# three digits.
_CHANGING = re.compile(
    r"(?<!\w)(?:req_|msg_|toolu_)\w*"
    r"|(?<!\w)(?=[a-fA-F]*[0-9])[0-9a-fA-F]{7,}(?!\w)"
    r"|\d{4,}"
)

# Characters of an output that are looked at: from its beginning, and from its end.
MAX_BEGIN, MAX_END = 4_000, 16_000


def summarize_error(text: str) -> str:
    """Return an error in a line of at most MAX_ERROR_LENGTH characters.

    A command's status alone says nothing, so the last line of its output is added.  Without
    output the result is "": `grep` that finds nothing is not an error to learn from.
    """
    lines = _list_lines(text)
    first = lines[0] if lines else ""
    if not first.removeprefix("Exit code ").isdecimal():
        return sanitize.shorten(first, MAX_ERROR_LENGTH)
    return sanitize.shorten(f"{first}: {lines[-1]}", MAX_ERROR_LENGTH) if lines[-1] != first else ""


def clean_error(text: str) -> str:
    """Return a text as one line of at most MAX_ERROR_LENGTH characters, without secrets."""
    return sanitize.shorten(" ".join(_list_lines(text)), MAX_ERROR_LENGTH)


def _list_lines(text: str) -> list[str]:
    """Return the lines with visible characters.

    Secrets are masked before anything is cut, since half of one would not be recognised.
    """
    if len(text) > MAX_BEGIN + MAX_END:
        _cut_line, newline, end = text[-MAX_END:].partition("\n")
        text = text[:MAX_BEGIN] + newline + end
    lines = map(sanitize.join_visible, text.splitlines())
    masked = scanner.redact("\n".join(filter(None, lines)))
    return masked.split("\n") if masked else []


def identify_error(line: str) -> str:
    """Return the id of an error; errors that differ only in numbers and ids have the same id."""
    return similarity.identify(_CHANGING.sub("#", line))


class CommonError:
    """A frequent error: text, resolution or "", number of runs, time of the last one."""

    def __init__(
        self, id: str, text: str, tool: str, last: str, count: int, resolution: str = ""
    ) -> None:
        self.id = id
        self.text = text
        self.tool = tool
        self.last = last
        self.count = count
        self.resolution = resolution

    def data(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return dict(sorted(vars(self).items()))


def format_errors(errors: list[CommonError]) -> list[str]:
    """Return the first MAX_ERRORS_SHOWN errors as items of a Markdown list, one line per error."""
    lines = map(join_resolution, errors[:MAX_ERRORS_SHOWN])
    return [f"- {block_reader.escape(line)}" for line in lines]


def join_resolution(error: CommonError) -> str:
    """Return an error and its resolution, if it has one, in one line."""
    return f"{error.text} → {error.resolution}" if error.resolution else error.text
