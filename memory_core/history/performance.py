"""Compute the performance of an agent and its common errors from its history records.

Two kinds of records are about runs.  Others are skipped, except learnings that resolve an
error:

    task    id of the run; type, outcome; duration_ms, tokens, tool_uses if they are known
    error   id of what went wrong; text, tool; resolution if a program reported it

The result does not depend on the order of the records, and a record may come twice.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Record = dict[str, Any]

DONE, FAILED, STOPPED = OUTCOMES = ("done", "failed", "stopped")
MEASURES = ("duration_ms", "tokens", "tool_uses")

# The largest possible number of a run: thirty years in milliseconds.
MAX_NUMBER = 10**12

# Maximum number of common errors to keep, and to show.
MAX_ERRORS_KEPT = 20
MAX_ERRORS_SHOWN = 5

# Failures of a delegation itself; agents see failures of other tools every day.
DELEGATION_TOOLS = ("", "Agent", "Task")
COMMON_COUNT = 2

LEARNING_KINDS = ("learned", "merged", "reinforced")

OTHER_TYPE = "other"

# The first of these words in a task says what type it is.
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

# These say little ("add tests" is not a feature): they count if none of the others is there.
VAGUE_TYPE_WORDS = {"feature": "add create write make build introduce extend support"}

# The maximum length of a task's first sentence.
MAX_SENTENCE = 300


def classify_task(description: str, prompt: str = "") -> str:
    """Return the type of a task: a key of TYPE_WORDS, or "other".

    `description` is the name of the delegation, mostly three to five words; if these say
    nothing, the first sentence of the prompt counts.
    """
    for text in (description[:MAX_SENTENCE], _sentence(prompt)):
        words = _words(text)
        for table in (TYPE_WORDS, VAGUE_TYPE_WORDS):
            types = {word: name for name, listed in table.items() for word in listed.split()}
            kind = next((types[word] for word in words if word in types), "")
            if kind:
                return kind
    return OTHER_TYPE


def _sentence(text: str) -> str:
    text = text.lstrip()[:MAX_SENTENCE].partition("\n")[0]
    ends = [at for at in (text.find(end) for end in (". ", "! ", "? ")) if at >= 0]
    return text[: min(ends)] if ends else text


def _words(text: str) -> list[str]:
    return "".join(char if char.isalnum() else " " for char in text.lower()).split()


def parse_count(value: object) -> int | None:
    """Return a count from outside, None if it is not valid."""
    return value if type(value) is int and 0 <= value <= MAX_NUMBER else None


# Records


def make_task_record(key: str, outcome: str, **fields: Any) -> Record:
    """Return the history record of a finished run, without time and agent.

    `key` is the id of the run, or of its call.  `fields` may have type, run, session and the
    MEASURES; None and invalid values are left out.
    """
    from memory_core.text import digests

    texts = {name: fields[name] for name in ("run", "session") if fields.get(name)}
    numbers = {name: fields[name] for name in MEASURES if parse_count(fields.get(name)) is not None}
    valid = {"type": fields.get("type") or OTHER_TYPE, "outcome": outcome, **texts, **numbers}
    return {"v": digests.RECORD_VERSION, "kind": "task", "id": digests.hash_text(key), **valid}


def make_error_record(text: str, tool: str = "", **details: str) -> Record | None:
    """Return the history record of an error, without time and agent; None without a text.

    `details` may have run, session, and the resolution.
    """
    from memory_core.history import error_text
    from memory_core.text import digests

    line = error_text.summarize(text)
    if not line:
        return None
    fields = {
        "tool": tool,
        **details,
        "resolution": error_text.clean_line(details.get("resolution", "")),
    }
    present = {name: value for name, value in fields.items() if value}
    key = error_text.id_of(line)
    return {"v": digests.RECORD_VERSION, "kind": "error", "id": key, "text": line, **present}


# Statistics


class MeasureTotal:
    """The total of a measure, and the number of runs for which it is known."""

    def __init__(self, numbers: list[int]) -> None:
        self.total, self.count = sum(numbers), len(numbers)

    @property
    def mean(self) -> int | None:
        """The mean, rounded half up; None without a run."""
        return (2 * self.total + self.count) // (2 * self.count) if self.count else None

    def data(self) -> dict[str, int | None]:
        return {"total": self.total, "known": self.count, "mean": self.mean}


class Tally:
    """Finished runs: the number of runs by outcome, and what they took."""

    def __init__(self, runs: list[Record]) -> None:
        outcomes = [run["outcome"] for run in runs]
        self.finished = len(runs)
        self.done, self.failed, self.stopped = map(outcomes.count, OUTCOMES)
        self.duration_ms, self.tokens, self.tool_uses = (
            MeasureTotal([run[name] for run in runs if name in run]) for name in MEASURES
        )

    @property
    def success(self) -> tuple[int, int]:
        """The success rate, exactly: done runs of finished runs."""
        return self.done, self.finished

    def data(self) -> dict[str, Any]:
        """Return it as values for JSON; `success` is a percentage, null without a run."""
        counts = {name: getattr(self, name) for name in ("finished", *OUTCOMES)}
        sums = {name: getattr(self, name).data() for name in MEASURES}
        return {**counts, "success": format_percent(*self.success) or None, **sums}


class Performance:
    """An agent's finished runs: all of them, and by type of task, most frequent first."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        runs = list_runs(records)
        self.total = Tally(runs)
        types: dict[str, list[Record]] = {}
        for run in runs:
            types.setdefault(run["type"], []).append(run)
        order = sorted(types, key=lambda name: (-len(types[name]), name))
        self.types = {name: Tally(types[name]) for name in order}

    def data(self) -> dict[str, Any]:
        """Return it as values for JSON."""
        return {**self.total.data(), "types": {name: t.data() for name, t in self.types.items()}}


def format_performance(performance: Performance) -> list[str]:
    """Return lines of a Markdown list: one for all tasks, then one for each type of task."""
    if not performance.total.finished:
        return []
    from memory_core.document import markdown
    from memory_core.history import error_text

    lines = [f"- all tasks: {_format_tally(performance.total)}"]
    for name, tally in performance.types.items():
        label = error_text.shorten(error_text.clean_line(name)) or OTHER_TYPE
        lines.append(f"- {markdown.escape(label)}: {_format_tally(tally)}")
    return lines


def _format_tally(tally: Tally) -> str:
    counts = [(getattr(tally, name), name) for name in OUTCOMES]
    shown = ", ".join(f"{count} {name}" for count, name in counts if count)
    seconds = tally.duration_ms.mean
    means = [] if seconds is None else [f"{seconds / 1000:,.1f} s"]
    for measure, unit in ((tally.tokens, "tokens"), (tally.tool_uses, "tool uses")):
        means += [] if measure.mean is None else [f"{measure.mean:,} {unit}"]
    average = f", on average {', '.join(means)}" if means else ""
    return f"{tally.finished} finished ({shown}; {format_percent(*tally.success)} success){average}"


def format_percent(part: int, whole: int) -> str:
    """Return a rate as a percentage with a decimal at most, rounded half up; "" of nothing.

    Only all is 100% and only none 0%.
    """
    if not whole:
        return ""
    tenths = (2000 * part + whole) // (2 * whole)
    if 0 < part < whole:
        tenths = min(max(tenths, 1), 999)
    return f"{tenths // 10}.{tenths % 10}%".replace(".0%", "%")


def list_runs(records: Iterable[Record]) -> list[Record]:
    """Return each finished run once, with the fields of all its records; the latest count.

    A sweep may call a run stopped that is still at work, so any other outcome counts more.
    """
    groups: dict[str, list[Record]] = {}
    for record in records:
        if record.get("kind") == "task" and record.get("outcome") in OUTCOMES:
            groups.setdefault(record["id"], []).append(record)
    return [_join_records(key, groups[key]) for key in sorted(groups)]


def _join_records(key: str, records: list[Record]) -> Record:
    def find_last(values: Iterable[tuple[Any, ...]]) -> Any:
        return max(values)[-1]

    run = {
        "id": key,
        "time": max(record["time"] for record in records),
        "outcome": find_last(
            (record["outcome"] != STOPPED, record["time"], record["outcome"]) for record in records
        ),
        "type": find_last(
            (_type(record) != OTHER_TYPE, record["time"], _type(record)) for record in records
        ),
    }
    for name in MEASURES:
        timed = [(record["time"], parse_count(record.get(name))) for record in records]
        numbers = [(time, number) for time, number in timed if number is not None]
        if numbers:
            run[name] = find_last(numbers)
    return run


def _type(record: Record) -> str:
    kind = record.get("type")
    return kind if isinstance(kind, str) and kind else OTHER_TYPE


# Common errors


class CommonError:
    """A frequent error: its text, the resolution or "", the number of runs, the last time."""

    def __init__(
        self, key: str, records: list[Record], learned: dict[str, list[TimedText]]
    ) -> None:
        from memory_core.history import error_text

        latest = max(records, key=_place)
        self.id = key
        self.text = error_text.summarize(latest["text"])
        self.tool = str(latest.get("tool") or "")
        self.last = str(latest["time"])
        self.count = len({_occurrence(record) for record in records})
        resolutions = [(_place(record), _resolution(record, learned)) for record in records]
        self.resolution = max((pair for pair in resolutions if pair[1]), default=((), ""))[1]

    @property
    def is_common(self) -> bool:
        """Whether agents should know it: a command that failed once is everyday work."""
        return bool(self.tool in DELEGATION_TOOLS or self.resolution or self.count >= COMMON_COUNT)

    def data(self) -> dict[str, Any]:
        """Return it as values for JSON."""
        return dict(sorted(vars(self).items()))


TimedText = tuple[str, str]  # (time, text) of what a run taught


def find_common_errors(records: Iterable[Record]) -> list[CommonError]:
    """Return the errors that are common, at most KEPT: the most frequent first, then the latest."""
    from memory_core.history import error_text

    records = list(records)
    groups: dict[str, list[Record]] = {}
    keys: dict[str, str] = {}  # of each text that was seen: most come again and again
    for record in records:
        text = str(record.get("text") or "") if record.get("kind") == "error" else ""
        if text not in keys:
            line = error_text.summarize(text)
            keys[text] = error_text.id_of(line) if line else ""
        if keys[text]:
            groups.setdefault(keys[text], []).append(record)
    if not groups:
        return []
    learned = _learned(records)
    errors = [CommonError(key, group, learned) for key, group in groups.items()]
    errors.sort(key=lambda error: error.id)
    errors.sort(key=lambda error: (error.count, error.last), reverse=True)
    return [error for error in errors if error.is_common][:MAX_ERRORS_KEPT]


def format_errors(errors: list[CommonError]) -> list[str]:
    """Return the first MAX_ERRORS_SHOWN errors as items of a Markdown list, one line per error."""
    from memory_core.document import markdown

    lines = [
        error.text + (f" → {error.resolution}" if error.resolution else "") for error in errors
    ]
    return [f"- {markdown.escape(line)}" for line in lines[:MAX_ERRORS_SHOWN]]


def _learned(records: list[Record]) -> dict[str, list[TimedText]]:
    """Return (time, text) of what each run taught, by run and in order of time."""
    texts = {
        record["id"]: record["text"] for record in sorted(records, key=_place) if record.get("text")
    }
    learned: dict[str, list[TimedText]] = {}
    for record in records:
        text, run = record.get("text") or texts.get(record["id"]), record.get("run")
        if record["kind"] in LEARNING_KINDS and run and text:
            learned.setdefault(run, []).append((_clock(record), text))
    return {run: sorted(texts_of_run) for run, texts_of_run in learned.items()}


def _clock(record: Record) -> str:
    """Return when a record was made: its change begins with the time by the clock.

    Times of versions run ahead of that where several are written within a second.
    """
    change = str(record.get("change") or "")
    return f"{change[:23]}Z" if change[4:5] == "-" else str(record["time"])


def _resolution(record: Record, learned: dict[str, list[TimedText]]) -> str:
    """Return what the record says that helped, else what its run learned first from then on."""
    from memory_core.history import error_text

    resolution = record.get("resolution")
    taught = learned.get(record.get("run") or "", [])
    if not isinstance(resolution, str) or not resolution:
        resolution = next((text for time, text in taught if time >= record["time"]), "")
    return error_text.shorten(error_text.clean_line(resolution))


def _occurrence(record: Record) -> tuple[str, str, str]:
    """Return what two records of one occurrence have in common."""
    run = record.get("run") or ""
    return (run, "", "") if run else ("", record["time"], record.get("session") or "")


def _place(record: Record) -> tuple[str, ...]:
    """Return what orders records: their time, and what differs between those of one time."""
    keys = ("time", "kind", "text", "run", "session", "tool", "resolution", "section")
    return tuple(str(record.get(key) or "") for key in keys)
