"""How agents do: what finished delegations and errors in a history come to.

Of an agent's records two kinds tell of its runs.  Every other is passed over, but for
learnings that resolve an error:

    task    id of the run; type, outcome; duration_ms, tokens, tool_uses where known
    error   id of what went wrong; text, tool; resolution where it is told

What records come to does not depend on their order, and a record may come twice.
Numbers are whole: counts, totals and how many runs they are of; a rate is two of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Record = dict[str, Any]

DONE, FAILED, STOPPED = OUTCOMES = ("done", "failed", "stopped")
MEASURES = ("duration_ms", "tokens", "tool_uses")

# A larger number is none that a run came to: thirty years in milliseconds.
LARGEST = 10**12

# Of common errors so many are kept, and so many shown.
KEPT = 20
SHOWN = 5

# A delegation's own failure; by other tools an agent sees failures every day.
DELEGATION = ("", "Agent", "Task")
OFTEN = 2

TAUGHT = ("learned", "merged", "reinforced")

OTHER = "other"

# The first of these words in a task says what type it is.
TYPES = {
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

# These say little: "add tests" is no feature.  They count where none of the others is there.
VAGUE = {"feature": "add create write make build introduce extend support"}

# A task's first sentence is no longer than that.
SENTENCE = 300


def task_type(description: str, prompt: str = "") -> str:
    """Return the type of a task: a key of TYPES, or "other".

    `description` is what the delegation is called, three to five words as a rule; the
    first sentence of the prompt counts where these say nothing.
    """
    for text in (description[:SENTENCE], _sentence(prompt)):
        words = _words(text)
        for table in (TYPES, VAGUE):
            types = {word: kind for kind, listed in table.items() for word in listed.split()}
            found = next((types[word] for word in words if word in types), "")
            if found:
                return found
    return OTHER


def _sentence(text: str) -> str:
    text = text.lstrip()[:SENTENCE].partition("\n")[0]
    ends = [at for at in (text.find(end) for end in (". ", "! ", "? ")) if at >= 0]
    return text[: min(ends)] if ends else text


def _words(text: str) -> list[str]:
    return "".join(char if char.isalnum() else " " for char in text.lower()).split()


def count(value: object) -> int | None:
    """Return a number from outside, or None for what is no count."""
    return value if type(value) is int and 0 <= value <= LARGEST else None


# Records


def task(key: str, outcome: str, **told: Any) -> Record:
    """Return what a history keeps of a finished run, without time and agent.

    `key` is the run's id, or the call's where no run is known.  Of `told` (type, run,
    session and the MEASURES) only what is known and of its kind is taken.
    """
    from memory_core import digests

    texts = {name: told[name] for name in ("run", "session") if told.get(name)}
    numbers = {name: told[name] for name in MEASURES if count(told.get(name)) is not None}
    known = {"type": told.get("type") or OTHER, "outcome": outcome, **texts, **numbers}
    return {"v": digests.VERSION, "kind": "task", "id": digests.digest(key), **known}


def error(text: str, tool: str = "", **told: str) -> Record | None:
    """Return what a history keeps of an error, without time and agent; None for no text.

    `told` may have run, session, and the resolution.
    """
    from memory_core import digests, error_text

    line = error_text.one_line(text)
    if not line:
        return None
    fields = {"tool": tool, **told, "resolution": error_text.cleaned(told.get("resolution", ""))}
    known = {name: value for name, value in fields.items() if value}
    key = error_text.identity(line)
    return {"v": digests.VERSION, "kind": "error", "id": key, "text": line, **known}


# What they come to


class Sum:
    """A total, and of how many runs it is: of the others the number is not known."""

    __slots__ = ("known", "total")

    def __init__(self) -> None:
        self.total = 0
        self.known = 0

    def add(self, number: int | None) -> None:
        if number is not None:
            self.total += number
            self.known += 1

    @property
    def mean(self) -> int | None:
        """The mean, rounded half up; None of nothing."""
        return (2 * self.total + self.known) // (2 * self.known) if self.known else None

    def data(self) -> dict[str, int | None]:
        return {"total": self.total, "known": self.known, "mean": self.mean}


class Tally:
    """Finished runs: how many came to which outcome, and what they took."""

    __slots__ = (*OUTCOMES, *MEASURES)

    def __init__(self) -> None:
        self.done = self.failed = self.stopped = 0
        self.duration_ms, self.tokens, self.tool_uses = Sum(), Sum(), Sum()

    def add(self, run: Record) -> None:
        setattr(self, run["outcome"], getattr(self, run["outcome"]) + 1)
        for name in MEASURES:
            getattr(self, name).add(run.get(name))

    @property
    def finished(self) -> int:
        return self.done + self.failed + self.stopped

    @property
    def success(self) -> tuple[int, int]:
        """The success rate, exactly: so many done of so many finished."""
        return self.done, self.finished

    def data(self) -> dict[str, Any]:
        """Return it as values for JSON; `success` is a percentage, null of nothing."""
        counts = {name: getattr(self, name) for name in ("finished", *OUTCOMES)}
        sums = {name: getattr(self, name).data() for name in MEASURES}
        return {**counts, "success": percent(*self.success) or None, **sums}


class Performance:
    """An agent's finished runs: `all` of them, and by type of task, most frequent first."""

    __slots__ = ("all", "types")

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.all = Tally()
        types: dict[str, Tally] = {}
        for run in runs(records):
            self.all.add(run)
            types.setdefault(run["type"], Tally()).add(run)
        order = sorted(types, key=lambda name: (-types[name].finished, name))
        self.types = {name: types[name] for name in order}

    def data(self) -> dict[str, Any]:
        """Return it as values for JSON."""
        return {**self.all.data(), "types": {name: t.data() for name, t in self.types.items()}}


def told(of: Performance) -> list[str]:
    """Return how an agent does as lines of a Markdown list: all of it, then by type of task."""
    if not of.all.finished:
        return []
    from memory_core import error_text, markdown

    types = [
        f"- {markdown.escape(error_text.short(error_text.cleaned(name)) or OTHER)}: {_tally(tally)}"
        for name, tally in of.types.items()
    ]
    return [f"- all tasks: {_tally(of.all)}", *types]


def _tally(tally: Tally) -> str:
    counts = [f"{getattr(tally, name)} {name}" for name in OUTCOMES]
    shown = [count for count in counts if not count.startswith("0 ")]
    rate = percent(*tally.success)
    return f"{tally.finished} finished ({', '.join(shown)}; {rate} success){_means(tally)}"


def _means(tally: Tally) -> str:
    means = [(tally.tokens.mean, "tokens"), (tally.tool_uses.mean, "tool uses")]
    told = [f"{mean:,} {unit}" for mean, unit in means if mean is not None]
    if tally.duration_ms.mean is not None:
        told.insert(0, f"{tally.duration_ms.mean / 1000:,.1f} s")
    return f", on average {', '.join(told)}" if told else ""


def percent(part: int, whole: int) -> str:
    """Return a rate as a percentage with a decimal at most, rounded half up; "" of nothing.

    Only all is 100% and only none 0%.
    """
    if not whole:
        return ""
    tenths = (2000 * part + whole) // (2 * whole)
    if 0 < part < whole:
        tenths = min(max(tenths, 1), 999)
    return f"{tenths // 10}.{tenths % 10}%".replace(".0%", "%")


def runs(records: Iterable[Record]) -> list[Record]:
    """Return each finished run once, with all that is known of it, the latest first to say.

    A run that was found dead may have been at work after all: any other outcome counts more.
    """
    found: dict[str, list[Record]] = {}
    for record in records:
        if record.get("kind") == "task" and record.get("outcome") in OUTCOMES:
            found.setdefault(record["id"], []).append(record)
    return [_joined(key, found[key]) for key in sorted(found)]


def _joined(key: str, told: list[Record]) -> Record:
    outcomes = [(each["outcome"] != STOPPED, each["time"], each["outcome"]) for each in told]
    run: Record = {"id": key, "time": max(each["time"] for each in told)}
    run["outcome"] = max(outcomes)[2]
    types = [(_type(each) != OTHER, each["time"], _type(each)) for each in told]
    run["type"] = max(types)[2]
    for name in MEASURES:
        known = [(each["time"], count(each.get(name))) for each in told]
        numbers = [(time, number) for time, number in known if number is not None]
        if numbers:
            run[name] = max(numbers)[1]
    return run


def _type(record: Record) -> str:
    kind = record.get("type")
    return kind if isinstance(kind, str) and kind else OTHER


# Common errors


class Error:
    """An error that came up: its text, the resolution or "", in how many runs, when last."""

    __slots__ = ("count", "id", "last", "resolution", "text", "tool")

    def __init__(self, key: str, told: list[Record], learned: dict[str, list[Learned]]) -> None:
        from memory_core import error_text

        latest = max(told, key=_place)
        self.id = key
        self.text = error_text.one_line(latest["text"])
        self.tool = str(latest.get("tool") or "")
        self.last = str(latest["time"])
        self.count = len({_occurrence(each) for each in told})
        resolved = [(_place(each), text) for each in told if (text := _resolution(each, learned))]
        self.resolution = max(resolved)[1] if resolved else ""

    @property
    def is_common(self) -> bool:
        """Whether it is worth telling: a command that failed once is everyday work."""
        return bool(self.tool in DELEGATION or self.resolution or self.count >= OFTEN)

    def data(self) -> dict[str, Any]:
        """Return it as values for JSON."""
        return {name: getattr(self, name) for name in sorted(self.__slots__)}


Learned = tuple[str, str]  # (time, text) of what a run taught


def common(records: Iterable[Record]) -> list[Error]:
    """Return the errors that are common, at most KEPT: the most frequent first, then the latest."""
    from memory_core import error_text

    records = list(records)
    found: dict[str, list[Record]] = {}
    keys: dict[str, str] = {}  # of each text that was seen: most come again and again
    for record in records:
        text = str(record.get("text") or "") if record.get("kind") == "error" else ""
        if text not in keys:
            line = error_text.one_line(text)
            keys[text] = error_text.identity(line) if line else ""
        if keys[text]:
            found.setdefault(keys[text], []).append(record)
    if not found:
        return []
    learned = _learned(records)
    errors = [Error(key, told, learned) for key, told in found.items()]
    errors.sort(key=lambda each: each.id)
    errors.sort(key=lambda each: (each.count, each.last), reverse=True)
    return [each for each in errors if each.is_common][:KEPT]


def rendered(errors: list[Error]) -> list[str]:
    """Return the first SHOWN errors as items of a Markdown list, one line each."""
    from memory_core import markdown

    lines = [each.text + (f" → {each.resolution}" if each.resolution else "") for each in errors]
    return [f"- {markdown.escape(line)}" for line in lines[:SHOWN]]


def _learned(records: list[Record]) -> dict[str, list[Learned]]:
    """Return what each run taught, in order of time; a reinforced item has its text elsewhere."""
    texts = {each["id"]: each["text"] for each in sorted(records, key=_place) if each.get("text")}
    learned: dict[str, list[Learned]] = {}
    for record in records:
        text, run = record.get("text") or texts.get(record["id"]), record.get("run")
        if record["kind"] in TAUGHT and run and text:
            learned.setdefault(run, []).append((_clock(record), text))
    return {run: sorted(told) for run, told in learned.items()}


def _clock(record: Record) -> str:
    """Return when a record was made: its change begins with the time by the clock.

    Times of versions run ahead of that where several are written within a second.
    """
    change = str(record.get("change") or "")
    return f"{change[:23]}Z" if change[4:5] == "-" else str(record["time"])


def _resolution(record: Record, learned: dict[str, list[Learned]]) -> str:
    """Return what the record says that helped, else what its run learned first from then on."""
    from memory_core import error_text

    told = record.get("resolution")
    taught = learned.get(record.get("run") or "", [])
    if not isinstance(told, str) or not told:
        told = next((text for time, text in taught if time >= record["time"]), "")
    return error_text.short(error_text.cleaned(told))


def _occurrence(record: Record) -> tuple[str, str, str]:
    """Return what two records of one occurrence have in common."""
    run = record.get("run") or ""
    return (run, "", "") if run else ("", record["time"], record.get("session") or "")


def _place(record: Record) -> tuple[str, ...]:
    """Return what orders records: their time, and what differs between those of one time."""
    keys = ("time", "kind", "text", "run", "session", "tool", "resolution", "section")
    return tuple(str(record.get(key) or "") for key in keys)
