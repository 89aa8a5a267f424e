"""Compute the performance of an agent and its common errors from its history records.

Two kinds of records are about runs; others are skipped:

    task    id of the run; type, outcome; duration_ms, tokens, tool_uses if they are known;
            experiment: GIVEN or HELD_OUT for a run of an experiment
    error   id of the error text; text, tool; resolution if it is known

The result does not depend on the order of the records, and a record may come twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memory_core.document import block_reader
from memory_core.history import error_text
from memory_core.text import digests, sanitize

Record = dict[str, Any]


DONE, FAILED, STOPPED = OUTCOMES = ("done", "failed", "stopped")
GIVEN, HELD_OUT = GROUPS = ("memory", "held_out")
MEASURES = ("duration_ms", "tokens", "tool_uses")

# The largest possible number of a run: thirty years in milliseconds.
MAX_NUMBER = 10**12

# Maximum number of common errors to keep, and to show.
MAX_ERRORS_KEPT = 20
MAX_ERRORS_SHOWN = 5

# Failures of a delegation itself; agents see failures of other tools every day.
DELEGATION_TOOLS = ("", "Agent", "Task")
COMMON_COUNT = 2

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
    """Return a count from an event or a record, None if it is not a valid count."""
    return value if type(value) is int and 0 <= value <= MAX_NUMBER else None


# Records


def make_task_record(key: str, outcome: str, **fields: Any) -> Record:
    """Return the history record of a finished run, without time and agent.

    `key` is the id of the run, or of its call.  `fields` may have type, run, session, given,
    used, experiment and the MEASURES; None and invalid values are left out.
    """
    names = ("run", "session", "given", "used", "experiment")
    texts = {name: fields[name] for name in names if fields.get(name)}
    numbers = {name: fields[name] for name in MEASURES if parse_count(fields.get(name)) is not None}
    valid = {"type": fields.get("type") or OTHER_TYPE, "outcome": outcome, **texts, **numbers}
    return {"v": digests.RECORD_VERSION, "kind": "task", "id": digests.hash_text(key), **valid}


def make_error_record(text: str, tool: str = "", **details: str) -> Record | None:
    """Return the history record of an error, without time and agent; None without a text.

    `details` may have run, session, and the resolution.
    """
    line = error_text.summarize(text)
    if not line:
        return None
    fields = {
        "tool": tool,
        **details,
        "resolution": error_text.clean(details.get("resolution", "")),
    }
    present = {name: value for name, value in fields.items() if value}
    key = error_text.id_of(line)
    return {"v": digests.RECORD_VERSION, "kind": "error", "id": key, "text": line, **present}


# Statistics


class MeasureTotal:
    """The sum of a measure over all runs that have it, and the number of these runs."""

    def __init__(self, numbers: list[int]) -> None:
        self.total, self.count = sum(numbers), len(numbers)

    @property
    def mean(self) -> int | None:
        """Return the mean, rounded half up; None without a run."""
        return (2 * self.total + self.count) // (2 * self.count) if self.count else None

    def data(self) -> dict[str, int | None]:
        return {"total": self.total, "known": self.count, "mean": self.mean}


class Tally:
    """The number of finished runs, by outcome, and the totals of their measures."""

    def __init__(self, runs: list[Record]) -> None:
        outcomes = [run["outcome"] for run in runs]
        self.finished = len(runs)
        self.done, self.failed, self.stopped = map(outcomes.count, OUTCOMES)
        self.duration_ms, self.tokens, self.tool_uses = (
            MeasureTotal([run[name] for run in runs if name in run]) for name in MEASURES
        )

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
    """An agent's finished runs: in total, and by type of task, most frequent first."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        runs = list_runs(records)
        self.total = Tally(runs)
        types: dict[str, list[Record]] = {}
        for run in runs:
            types.setdefault(run["type"], []).append(run)
        order = sorted(types, key=lambda name: (-len(types[name]), name))
        self.types = {name: Tally(types[name]) for name in order}

    def data(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {**self.total.data(), "types": {name: t.data() for name, t in self.types.items()}}


def format_performance(performance: Performance) -> list[str]:
    """Return lines of a Markdown list: one for all tasks, then one for each type of task."""
    if not performance.total.finished:
        return []
    gates = {None: "", True: ", quality gate passed", False: ", quality gate not passed"}
    gate = gates[performance.total.passes]
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


def list_runs(records: Iterable[Record]) -> list[Record]:
    """Return each finished run once, with the fields of all its records; the latest values win.

    `given` and `used` are sets of the ids of items.

    A sweep may record a run as stopped that is still at work, so every other outcome wins.
    """
    groups: dict[str, list[Record]] = {}
    for record in records:
        if record.get("kind") == "task" and record.get("outcome") in OUTCOMES:
            groups.setdefault(record["id"], []).append(record)
    return [_join_records(key, groups[key]) for key in sorted(groups)]


def _join_records(key: str, records: list[Record]) -> Record:
    run: Record = {"id": key, "type": OTHER_TYPE, "given": set(), "used": set()}
    for record in sorted(records, key=lambda one: (one["outcome"] != STOPPED, _place(one))):
        run["outcome"] = record["outcome"]
        if (kind := _type(record)) != OTHER_TYPE:
            run["type"] = kind
        if record.get("experiment") in GROUPS:
            run["experiment"] = record["experiment"]
        for name in ("given", "used"):
            run[name].update(str(record.get(name, "")).split())
        run |= {
            name: record[name] for name in MEASURES if parse_count(record.get(name)) is not None
        }
    return run | {"time": max(record["time"] for record in records)}


def _type(record: Record) -> str:
    kind = record.get("type")
    return kind if isinstance(kind, str) and kind else OTHER_TYPE


# Common errors


class CommonError:
    """A frequent error: text, resolution or "", number of runs, time of the last one."""

    def __init__(self, key: str, records: list[Record]) -> None:
        latest = max(records, key=_place)
        self.id = key
        self.text = error_text.summarize(latest["text"])
        self.tool = str(latest.get("tool") or "")
        self.last = str(latest["time"])
        self.count = len({_occurrence(record) for record in records})
        resolved = [record for record in records if _is_text(record.get("resolution"))]
        resolution = max(resolved, key=_place)["resolution"] if resolved else ""
        self.resolution = error_text.clean(resolution)

    @property
    def is_common(self) -> bool:
        """Return whether people should know it; one failed command is not worth reporting."""
        return bool(self.tool in DELEGATION_TOOLS or self.resolution or self.count >= COMMON_COUNT)

    def data(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return dict(sorted(vars(self).items()))


def find_common_errors(records: Iterable[Record], resolved: bool = False) -> list[CommonError]:
    """Return the common errors, at most MAX_ERRORS_KEPT: the most frequent first, then the latest.

    With `resolved` only those whose resolution is known: what agents may read.
    """
    groups: dict[str, list[Record]] = {}
    keys: dict[str, str] = {}  # cache by text, because most errors are repeated
    for record in records:
        text = str(record.get("text") or "") if record.get("kind") == "error" else ""
        if text not in keys:
            line = error_text.summarize(text)
            keys[text] = error_text.id_of(line) if line else ""
        if keys[text]:
            groups.setdefault(keys[text], []).append(record)
    errors = [CommonError(key, group) for key, group in groups.items()]
    errors.sort(key=lambda error: error.id)
    errors.sort(key=lambda error: (error.count, error.last), reverse=True)
    common = (error for error in errors if (error.resolution if resolved else error.is_common))
    return list(common)[:MAX_ERRORS_KEPT]


def format_errors(errors: list[CommonError]) -> list[str]:
    """Return the first MAX_ERRORS_SHOWN errors as items of a Markdown list, one line per error."""
    lines = map(join_resolution, errors[:MAX_ERRORS_SHOWN])
    return [f"- {block_reader.escape(line)}" for line in lines]


def join_resolution(error: CommonError) -> str:
    """Return an error and its resolution, if it has one, in one line."""
    return f"{error.text} → {error.resolution}" if error.resolution else error.text


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _occurrence(record: Record) -> tuple[str, str, str]:
    """Return a key that is equal for records of the same occurrence of an error."""
    run = record.get("run") or ""
    return (run, "", "") if run else ("", record["time"], record.get("session") or "")


def _place(record: Record) -> tuple[str, str]:
    """Return the sort key of a record: its time, then all fields that may differ."""
    return str(record["time"]), repr(sorted(record.items()))
