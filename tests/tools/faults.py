"""Kill hooks and workers at each system call, fail each call, and check the files afterwards.

    python tests/tools/faults.py [--every N | --changes] [--jobs N]
    python tests/tools/faults.py --repeat SCENARIO INJECTION

strace injects one fault per run, into a hook or into a worker alone: SIGKILL at every system
call after the event was read; ENOSPC, EIO, EACCES and EROFS at every call that touches files,
once and (for the files of the project and its state) at all later calls too. With --changes, only
calls that change files, and ENOSPC and EIO at each write. Further runs use a
full disk, a read-only disk, no HOME, no locks, and files with future dates. After each run and
after captures by later runs, nothing may be lost, duplicated or broken. The last line of the
output has the counts.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

REPO = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(REPO), str(REPO / "tests")]

from memory_core.document import markdown
from memory_core.files import safe_files
from memory_core.history import item_history
from memory_core.monitor import log_reading
from memory_core.storage import event_log, history_file, inbox, paths, run_records, store
from memory_core.text.times import format_utc
from support import events
from support.events import LEARNED, make_report
from support.inbox import add_report
from support.workers import await_worker

ERRORS = ("ENOSPC", "EIO", "EACCES", "EROFS")
WRITES = re.compile(r"p?write(64)?|f(data)?sync|ftruncate")
CHANGES = re.compile(
    rf"{WRITES.pattern}|(un)?link(at)?|rename(at2?)?|mkdir(at)?|rmdir|symlink(at)?|f?chmod|fchown"
)
ONLY_CHANGES = 0  # a value of --every
# Names that strace knows on every architecture.
FILE_CALLS = re.compile(
    r"f?access(at2)?|close|f?chmod|fchown|f(data)?sync|flock|f?l?stat(fs|x)?|newfstatat|ftruncate"
    r"|getdents64|ioctl|(un)?link(at)?|lseek|mkdir(at)?|open(at)?|p?(read|write)(64)?"
    r"|readlink(at)?|rename(at2?)?|rmdir|symlink(at)?"
)
# These calls do not touch the disk, and their number varies from run to run.
MEMORY_CALLS = ("brk", "futex", "madvise", "mmap", "mprotect", "mremap", "munmap")

OLD = [f"Module mod_{n}.py owns the table t{n}" for n in range(15)]
WAITING = "Migrations run before the integration tests"
FOLLOWED = "Deployments need the VPN to be up"
MEANWHILE = "The search index is rebuilt on Sundays"
TOO_LONG = "far too " + "long " * 80
PERSONS = "A line that a person wrote."


SESSION = {"hook_event_name": "SessionStart", "session_id": "s2", "source": "startup"}
START, CALL = events.make_start_event(), events.make_pre_event()


# What a worker does, in a process that strace can follow.
WORKER = """
import os, sys
sys.path.insert(0, sys.argv[1])
from memory_core.delegation import inbox_reports
from memory_core.storage.project import find_project
sys.stdin.buffer.read()
try:
    inbox_reports.drain(find_project("", os.environ), with_tried=True)
finally:
    os._exit(0)
"""


class Outcome(NamedTuple):
    """The result of a hook; `hit` says whether the injected fault took place.

    `unheard`: the fault hit the reply itself. Without a reply, Claude Code starts no agent.
    """

    status: int
    stdout: bytes
    stderr: bytes
    hit: bool
    unheard: bool


class Bed:
    """A project and a home at fixed paths, reset to the start of a scenario before each run.

    The paths are fixed because the compiled config.yml contains its path.
    """

    def __init__(self, folder: Path) -> None:
        self.root = folder / "shop"
        self.folder = self.root / ".claude-mpm"
        self.memory = self.folder / "memories" / "engineer.md"
        self.log = folder / "strace"
        self.env = {"HOME": str(folder / "home"), "CLAUDE_PROJECT_DIR": str(self.root)}
        self._templates = folder / "templates"
        self._event = folder / "event"
        (folder / "home").mkdir(parents=True)

    @property
    def paths(self) -> paths.LevelPaths:
        return paths.LevelPaths(str(self.root), self.env)

    @property
    def state(self) -> Path:
        return Path(self.paths.state.root)

    @property
    def has_state(self) -> bool:
        return not self.paths.state.root.startswith(paths.NOWHERE)

    def folders(self) -> list[Path]:
        return [self.root, self.state] if self.has_state else [self.root]

    def prepare(self, scenario: Scenario) -> None:
        """Restore the start of a scenario, which is created at its first use."""
        template = self._templates / f"{scenario.name}{self.has_state}"
        if not template.exists():
            self.clear()
            scenario.prepare(self)
            for folder in self.folders():
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copytree(folder, template / folder.name)
        self.clear()
        for folder in self.folders():
            shutil.copytree(template / folder.name, folder, dirs_exist_ok=True)

    def clear(self) -> None:
        """Empty the project and its state; their folders may be the root of a mounted disk."""
        for folder in self.folders():
            folder.mkdir(parents=True, exist_ok=True)
            for path in folder.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def hook(self, name: str, event: dict[str, Any], injection: str = "") -> Outcome:
        """Run a hook, optionally with an injection in the syntax of strace."""
        self._event.write_text(json.dumps({**event, "cwd": str(self.root)}))
        self.log.write_text("")
        program = [str(REPO / f"hooks/{name}.py")]
        program = ["-c", WORKER, str(REPO)] if name == "worker" else program
        command = [*self._strace(injection), sys.executable, "-I", *program]
        with self._event.open("rb") as stdin:
            place: dict[str, Any] = {"stdin": stdin, "cwd": self.root, "env": self.env}
            done = subprocess.run(command, capture_output=True, timeout=60, check=False, **place)
        await_worker(self.paths)
        lines = [line for line in self.log.read_text().splitlines() if "(INJECTED)" in line]
        hit = done.returncode == -9 or bool(lines)
        unheard = any(" write(1, " in line for line in lines)
        return Outcome(done.returncode, done.stdout, done.stderr, hit, unheard)

    def teach(self, run: str, *facts: str) -> Outcome:
        """End a run with a report that teaches these facts."""
        return self.hook("subagent_stop", events.make_stop_event(run, make_report(*facts)))

    def _strace(self, injection: str) -> list[str]:
        traced = injection.partition(":")[0]
        options = ["-e", f"trace={traced}", "-e", f"inject={injection}"]
        strace = ["strace", "-o", str(self.log), *(options if injection != "all" else [])]
        return strace if injection else []

    def text(self, path: Path | None = None) -> str:
        path = path or self.memory
        return path.read_text() if path.exists() else ""

    def texts(self, *folders: str) -> str:
        """Return the joined text of all files below these folders."""
        paths = [p for folder in folders for p in sorted(self.folder.joinpath(folder).rglob("*"))]
        return "".join(self.text(path) for path in paths if path.is_file())

    def reports(self) -> list[Path]:
        return sorted((self.state / "inbox").glob("*~*"))

    def archived(self) -> str:
        """Return the text of the memory and of everything that waits to be merged into it."""
        return self.text() + "".join(self.text(path) for path in self.reports())

    def logged(self) -> list[str]:
        """Return the problems that the event log reports."""
        told = [event.get("error") or event.get("reason") for event in log_reading.read(self.paths)]
        return [str(problem) for problem in told if problem]

    def temporaries(self) -> list[Path]:
        """Return the temporary files that killed or failed writers left."""
        known = re.compile(
            r"config\.yml|README\.md|[A-Za-z_]+(\.md|\.lock)?|.*\.jsonl?(\.a1)?|(\w*~)?[0-9a-f]{32}(\.\d)?|s\d|state\.db(-journal)?"
        )
        folders = (self.folder, self.state)
        paths = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
        ours = [path for path in paths if path.name not in (".gitignore", ".gitattributes")]
        return [path for path in ours if not known.fullmatch(path.name)]


Texts, Problems = frozenset[str], Iterator[str]


# Scenarios: a starting state, an event, and checks of the final state.


class Scenario(NamedTuple):
    name: str
    hook: str
    event: dict[str, Any]
    prepare: Callable[[Bed], None]
    judge: Callable[[Bed, Scenario, Outcome, Texts], Problems]


def nothing(bed: Bed) -> None:
    """Start without a memory."""


def remembers(bed: Bed) -> None:
    """Start with a full section, prose of a user, settings and an open session."""
    bed.memory.parent.mkdir(parents=True)
    bed.memory.write_text(
        f"# Engineer Memory\n\n{PERSONS}\n\n## Coding Patterns Learned\n\n## Own\n- Own item\n"
    )
    bed.memory.chmod(0o640)
    (bed.folder / "config.yml").write_text("memory: {natural_language: false}\n")
    bed.teach("a8", *OLD)  # creates the history
    bed.hook("pre_tool_use", CALL)  # compiles the settings and writes a receipt


def waits(bed: Bed) -> None:
    """Like `remembers`, with a report in the inbox whose worker was killed."""
    remembers(bed)
    add_report(bed.paths, run="a0", text=make_report(WAITING))


def reported(bed: Bed) -> None:
    """Like `waits`, with another report, before a worker begins."""
    waits(bed)
    add_report(bed.paths, run="a1", text=ENOUGH)


def saved_late(bed: Bed) -> None:
    """Like `remembers`, and an editor has saved a version from before the last learning."""
    remembers(bed)
    text = bed.text()
    bed.teach("a7", MEANWHILE)
    bed.memory.write_text(text.replace(PERSONS, f"{PERSONS}\n\nAnd another one."))


def undelegated(bed: Bed) -> None:
    remembers(bed)
    shutil.rmtree(bed.state / "receipts", ignore_errors=True)


def judge_capture(bed: Bed, scenario: Scenario, outcome: Outcome, whole: Texts) -> Problems:
    """Yield the problems after a capture, and after captures by later runs."""
    waited = scenario.prepare in (waits, reported)
    yield from judge_process(outcome)
    yield from judge_files(bed, whole)
    kept = LEARNED in bed.archived()
    is_safe = scenario.hook == "worker" or is_acknowledged(bed, outcome)
    if is_safe and not kept:
        yield "lost: acknowledged, but neither in the memory nor in the inbox"
    if waited and WAITING not in bed.archived():
        yield "lost: what waited in the inbox"
    yield from judge_old(bed, scenario)
    later = bed.teach("a2", FOLLOWED)
    late = scenario.prepare is saved_late
    expected = [FOLLOWED] + [LEARNED] * kept + [WAITING] * waited + [MEANWHILE] * late
    yield from judge_later(bed, scenario, later, expected)
    again = bed.hook(scenario.hook, scenario.event)
    yield from judge_later(bed, scenario, again, [*expected, LEARNED])
    if TOO_LONG.strip() not in bed.text(bed.state / "review.jsonl") + bed.texts("memories/archive"):
        yield "lost: what waits for a person to look at it"
    yield from judge_guide(bed)
    if bed.temporaries():
        yield from judge_debris(bed)


def judge_process(outcome: Outcome) -> Problems:
    if outcome.status not in (0, -9):
        yield f"broken: exit status {outcome.status}"
    if outcome.stderr and b"Traceback" in outcome.stderr:
        yield f"broken: {outcome.stderr.decode()}"
    if outcome.stdout:
        try:
            {"systemMessage": "", **json.loads(outcome.stdout)}["systemMessage"]
        except (ValueError, LookupError, TypeError):
            yield f"broken: the reply {outcome.stdout!r}"


def judge_files(bed: Bed, whole: Texts) -> Problems:
    if unstamped(bed.text()) not in whole:
        yield f"broken: neither the old memory nor the new one: {bed.text()!r}"
    for path in bed.reports():
        try:
            json.loads(path.read_text())
        except ValueError:
            yield f"broken: a torn report in the inbox, {path.name}"
    for path in (bed.folder / "locks").glob("*.lock"):
        if is_locked(path):
            yield f"broken: the lock {path.name} stays taken"


def judge_old(bed: Bed, scenario: Scenario) -> Problems:
    if scenario.prepare is nothing:
        return
    left, everything = bed.text(), bed.text() + bed.texts("memories/archive")
    lines = everything.splitlines()
    for item in OLD:
        if not any(line.startswith("- ") and line.endswith(item) for line in lines):
            yield f"lost: {item}"
    if PERSONS not in left or "- Own item\n" not in left:
        yield "lost: a person's line"
    if bed.memory.stat().st_mode & 0o777 != 0o640:
        yield "broken: the file's mode"


def judge_later(bed: Bed, scenario: Scenario, outcome: Outcome, expected: list[str]) -> Problems:
    """Yield the problems after a later capture without a fault."""
    if outcome.status or (outcome.stderr and bed.has_state):
        yield f"broken: a later capture: {outcome.status} {outcome.stderr!r}"
    yield from judge_old(bed, scenario)
    lines = Counter(bed.text().splitlines())
    for learned in set(expected):
        if lines[f"- {learned}"] == 0:
            yield f"lost: {learned}, after a later capture"
    for line, count in lines.items():
        if line.startswith("- ") and count > 1:
            yield f"doubled: {line}"
    if bed.reports():
        yield "broken: a later capture leaves the inbox as it is"
    yield from judge_history(bed)


def judge_history(bed: Bed) -> Problems:
    """Yield differences between the items of the history and those of the memory."""
    records = store.Store(bed.paths).history("engineer").read()
    told = {known.id for known in item_history.History(records) if known.is_present}
    listed = markdown.list_items(markdown.parse_document(bed.text()))
    items = {item_history.id_of(text) for text, _section, _nested in listed}
    if told != items:
        texts = {record["id"]: record.get("text") for record in records}
        yield f"broken: the history disagrees about {[texts.get(each) for each in told ^ items]}"


def judge_guide(bed: Bed) -> Problems:
    if not bed.memory.parent.exists():
        return
    names = {path.name for path in bed.memory.parent.iterdir() if not path.name.startswith(".")}
    if not names <= {"engineer.md", "README.md", "archive", "history"}:
        yield f"broken: files in the memory folder: {sorted(names)}"
    if bed.text(bed.folder / "locks" / ".gitignore") != store.GITIGNORE:
        yield "broken: .gitignore is not whole, locks/ would be committed"
    if bed.text(bed.memory.parent / "history" / ".gitattributes") != history_file.GIT_ATTRIBUTES:
        yield "broken: .gitattributes is not whole, histories would not be merged"
    readme = bed.memory.parent / "README.md"
    if readme.exists() and readme.read_text() != store.README_TEXT:
        yield "broken: README.md is not whole"


def judge_debris(bed: Bed) -> Problems:
    """Yield files of a killed writer that are left a day and a session later."""
    age(bed.temporaries())
    bed.teach("a3", "Fixtures are generated by make fixtures", TOO_LONG + "again")
    bed.hook("session_start", SESSION)
    left = [os.path.relpath(path, bed.folder) for path in bed.temporaries()]
    if left:
        yield f"broken: left behind: {left}"


def judge_gift(bed: Bed, scenario: Scenario, outcome: Outcome, whole: Texts) -> Problems:
    """Yield the problems after a delegation began: the memory must be given exactly once."""
    yield from judge_process(outcome)
    yield from judge_files(bed, whole)
    started = bed.hook("subagent_start", START)
    given = (outcome.stdout + started.stdout).decode().count(OLD[0])
    if given > 1:
        yield "doubled: the memory was given twice"
    if not given and outcome.status == 0 and not outcome.stdout and not outcome.unheard:
        yield "lost: a prompt that was left alone, and nothing at the start"
    later = bed.teach("a2", FOLLOWED)
    yield from judge_later(bed, scenario, later, [FOLLOWED])


ENOUGH = make_report(LEARNED, TOO_LONG)
STOP = events.make_stop_event("a1", ENOUGH)
ANSWER = events.make_post_event("Do it.", ENOUGH)
SCENARIOS = [
    Scenario("answer", "post_tool_use", ANSWER, waits, judge_capture),
    Scenario("stop", "subagent_stop", STOP, remembers, judge_capture),
    Scenario("first", "subagent_stop", STOP, nothing, judge_capture),
    Scenario("late", "subagent_stop", STOP, saved_late, judge_capture),
    Scenario("worker", "worker", STOP, reported, judge_capture),
    Scenario("call", "pre_tool_use", CALL, undelegated, judge_gift),
]


def is_acknowledged(bed: Bed, outcome: Outcome) -> bool:
    """Say whether the source of the learning will not be read again."""
    stripped = bool(outcome.stdout) and LEARNED.encode() not in outcome.stdout
    return stripped or bool(run_records.SessionRuns(bed.paths, "s1").record("a1").get("ended"))


def is_locked(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(file, fcntl.LOCK_UN)  # a child that was just forked has the file open too
        except BlockingIOError:
            return True
    return False


def unstamped(text: str) -> str:
    return re.sub(r"Last Updated: [\d: -]+", "Last Updated: ", text)


def age(paths: list[Path]) -> None:
    """Date these files and their folders one day back."""
    for path in (*paths, *(path.parent for path in paths)):
        os.utime(path, (time.time() - 86400, time.time() - 86400))


def whole_texts(bed: Bed, scenario: Scenario) -> Texts:
    """Return the texts of the memory before, during and after a run without faults."""
    texts = []
    for hook, event in (("session_start", SESSION), (scenario.hook, scenario.event)):
        bed.prepare(scenario)
        texts.append(bed.text())
        bed.hook(hook, event)
        texts.append(bed.text())
    # A report that cannot be read waits for the next worker.
    for left_out in (slice(0, 1), slice(1, 2), slice(0, 2)):
        bed.prepare(scenario)
        for path in bed.reports()[left_out]:
            path.unlink()
        bed.hook(scenario.hook, scenario.event)
        texts.append(bed.text())
    # A hook that cannot write its report saves it itself, before what waits.
    bed.prepare(scenario)
    waiting = {path: path.read_bytes() for path in bed.reports()[:1]}
    for path in waiting:
        path.unlink()
    bed.hook(scenario.hook, scenario.event)
    for path, data in waiting.items():
        path.write_bytes(data)
    bed.hook("worker", scenario.event)
    texts.append(bed.text())
    return frozenset(map(unstamped, texts))


# The system calls of a hook.


class Call(NamedTuple):
    """The `number`th call of this name in a process; `ours`: on a file of the project."""

    name: str
    number: int
    own_hooks: bool


LINE = re.compile(r"^(\w+)\((.*?)(?:\) += (-?\d+|\?).*)?$")


def calls(bed: Bed, scenario: Scenario) -> list[Call]:
    """Return the calls of a run without faults, beginning after the event was read."""
    bed.prepare(scenario)
    bed.hook(scenario.hook, scenario.event, "all")
    seen: Counter[str] = Counter()
    found: list[Call] = []
    files: set[str] = set()
    reading = True
    for name, arguments, result in traced(bed.log):
        seen[name] += 1
        is_inside = any(str(folder) in arguments for folder in bed.folders())
        ours = is_inside or arguments.partition(",")[0] in files
        if name == "openat":
            (files.add if ours else files.discard)(result)
        if not reading:
            found.append(Call(name, seen[name], ours))
        reading = reading and not (name == "read" and arguments.startswith("0,") and result == "0")
    return found


def traced(path: Path) -> Iterator[tuple[str, str, str]]:
    for line in path.read_text().splitlines():
        match = LINE.match(line)
        if match:
            yield match[1], match[2], match[3] or ""


class Point(NamedTuple):
    scenario: Scenario
    injection: str
    whole: Texts


def points(bed: Bed, scenario: Scenario, every: int) -> list[Point]:
    """Return all injections for a scenario."""
    whole = whole_texts(bed, scenario)
    found = calls(bed, scenario)
    if every == ONLY_CHANGES:
        injections = changes(found)
    elif every == 1:
        injections = [*kills(found), *faults(found), *lasting(found)]
    else:
        injections = sample(found, every)
    return [Point(scenario, injection, whole) for injection in injections]


def kills(found: list[Call]) -> list[str]:
    return [f"{c.name}:signal=SIGKILL:when={c.number}" for c in found if c.name not in MEMORY_CALLS]


def faults(found: list[Call]) -> list[str]:
    files = [c for c in found if FILE_CALLS.fullmatch(c.name)]
    return [f"{c.name}:error={error}:when={c.number}" for c in files for error in ERRORS]


def lasting(found: list[Call]) -> list[str]:
    files = [c for c in found if FILE_CALLS.fullmatch(c.name) and c.own_hooks]
    return [f"{c.name}:error={error}:when={c.number}+" for c in files for error in ERRORS]


def changes(found: list[Call]) -> list[str]:
    writes = [c for c in found if WRITES.fullmatch(c.name) and c.own_hooks]  # not to stdout
    errors = [f"{c.name}:error={error}:when={c.number}" for c in writes for error in ERRORS[:2]]
    return kills([c for c in found if CHANGES.fullmatch(c.name)]) + errors


def sample(found: list[Call], every: int) -> list[str]:
    """Choose some calls of each kind, always the same ones, with alternating errors."""
    ours = [c for c in found if c.own_hooks and FILE_CALLS.fullmatch(c.name)]
    step = every * len(ERRORS)
    return kills(ours)[::every] + faults(ours)[:: step + 1] + lasting(ours)[:: 2 * step + 1]


# Faults without strace.


def judged(bed: Bed, scenario: Scenario, outcome: Outcome, whole: Texts) -> list[str]:
    """Return the problems, followed by the errors in the event log."""
    problems = list(scenario.judge(bed, scenario, outcome, whole))
    logged = f" (the log: {bed.logged()})" if problems else ""
    return [f"{problem}{logged}" for problem in problems]


def no_home(bed: Bed) -> Iterator[tuple[str, list[str]]]:
    home = bed.env.pop("HOME")
    for value in (None, "", "relative"):
        bed.env.update({} if value is None else {"HOME": value})
        # Without a home there is no inbox in which work waits.
        for scenario in [one for one in SCENARIOS if one.prepare not in (waits, reported)]:
            problems = undisturbed(bed, scenario, lambda _bed: None)
            yield f"{scenario.name}: HOME is {value!r}", problems
    bed.env["HOME"] = home


def undisturbed(bed: Bed, scenario: Scenario, change: Callable[[Bed], None]) -> list[str]:
    """Run a scenario from a changed start; yield problems and a missing learning."""
    bed.prepare(scenario)
    change(bed)
    before = bed.text()
    outcome = bed.hook(scenario.hook, scenario.event)
    whole = frozenset({unstamped(before), unstamped(bed.text())})
    missing = scenario.judge is judge_capture and f"- {LEARNED}\n" not in bed.text()
    return ["lost: not learned"] * missing + judged(bed, scenario, outcome, whole)


def the_future(bed: Bed) -> Iterator[tuple[str, list[str]]]:
    """Simulate a clock that went back: all files are dated years ahead."""
    for scenario in SCENARIOS:
        yield f"{scenario.name}: files from the future", undisturbed(bed, scenario, postdate)


def postdate(bed: Bed) -> None:
    later = time.time() + 10 * 365 * 86400
    if bed.memory.exists():
        header = f"<!-- Last Updated: {format_utc(later)[:19]} | Auto-updated by: qa -->\n"
        bed.memory.write_text(bed.text() + header)
        (bed.memory.parent / f".engineer.md.1{safe_files.TEMPORARY}").write_text("left behind")
        run_records.SessionRuns(bed.paths, "s1").note("a0", agent="engineer", ended=later)
        event_log.write(bed.paths, "agent.memory.loaded", agent_id="engineer")
    for path in bed.reports():
        os.utime(path, (later, later))
    for path in sorted(bed.root.rglob("*")):
        if "config" not in path.name:  # its time stamp is compared for equality, not for age
            os.utime(path, (later, later))


def no_locks(bed: Bed) -> Iterator[tuple[str, list[str]]]:
    """Put the state on a file system that cannot lock, so that two workers work at once."""
    scenario = next(one for one in SCENARIOS if one.hook == "worker")
    whole = whole_texts(bed, scenario)
    bed.prepare(scenario)
    lock = bed.state / inbox.LOCK_FILE
    lock.touch()
    only = ["-P", str(lock), "-e", "trace=flock", "-e", "inject=flock:error=ENOLCK"]
    command = ["strace", "-o", str(bed.log), *only, sys.executable, "-I", "-c", WORKER, str(REPO)]
    place: dict[str, Any] = {"stdin": subprocess.DEVNULL, "cwd": bed.root, "env": bed.env}
    workers = [subprocess.Popen(command, stderr=subprocess.PIPE, **place) for _ in range(2)]
    errors = b"".join(worker.communicate()[1] for worker in workers)
    is_hit = "(INJECTED)" in bed.text(bed.log)
    outcome = Outcome(max(worker.returncode for worker in workers), b"", errors, is_hit, False)
    missed = ["missed: the lock was taken"] * (not is_hit)
    yield "two workers without locks", missed + judged(bed, scenario, outcome, whole)


# Disks are mounted in a private mount namespace, so that nothing stays mounted.


def disks(folder: Path, every: int) -> Iterator[tuple[str, list[str]]]:
    bed = Bed(folder)
    rooms = [(kind, n) for kind in ("pages", "files") for n in range(0, 13, 6 if every > 1 else 1)]
    for scenario in SCENARIOS:
        whole = whole_texts(bed, scenario)
        bed.clear()
        mount(["-t", "tmpfs", "-o", "size=1m,nr_inodes=200", "tmpfs", str(bed.root)])
        for kind, room in rooms:
            bed.prepare(scenario)
            fill(bed.root, kind, room)
            outcome = bed.hook(scenario.hook, scenario.event)
            empty(bed.root)
            yield f"{scenario.name}: room for {room} {kind}", judged(bed, scenario, outcome, whole)
        bed.prepare(scenario)
        mount(["-o", "remount,ro", str(bed.root)])
        outcome = bed.hook(scenario.hook, scenario.event)
        mount(["-o", "remount,rw", str(bed.root)])
        yield f"{scenario.name}: read-only", judged(bed, scenario, outcome, whole)
        subprocess.run(["umount", str(bed.root)], check=True)


def mount(words: list[str]) -> None:
    subprocess.run(["mount", *words], check=True)


def fill(root: Path, kind: str, room: int) -> None:
    """Fill the disk up to this number of free pages, or of free files and folders."""
    status = os.statvfs(root)
    if kind == "files":
        for n in range(status.f_ffree - room):
            (root / f"filler{n}").touch()
    else:
        (root / "filler").write_bytes(b"x" * max(0, status.f_bavail - room) * status.f_bsize)


def empty(root: Path) -> None:
    for path in root.glob("filler*"):
        path.unlink()


def namespace() -> list[str] | None:
    """Return the command that gives the right to mount, or None if that is not allowed."""
    for command in (["unshare", "--mount"], ["unshare", "--mount", "--map-root-user"]):
        probe = [*command, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
        if shutil.which("unshare") and not subprocess.run(probe, capture_output=True).returncode:
            return command
    return None


def on_disks(folder: Path, every: int) -> list[tuple[str, list[str]]]:
    command = namespace()
    if command is None:
        print("full and read-only disks: not run, nothing may be mounted here")
        return []
    words = [*command, sys.executable, __file__, "--disks", str(folder), f"--every={every}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        return [("disks", [f"broken: {done.stderr}"])]
    return [(name, problems) for name, problems in json.loads(done.stdout)]


# The program.


def run(beds: queue.Queue[Bed], point: Point) -> tuple[Point, bool, list[str]]:
    bed = beds.get()
    try:
        hit, problems = inflict(bed, point)
        if "HookInterrupted: out of time" in str(problems):  # the machine was suspended for seconds
            hit, problems = inflict(bed, point)
        return point, hit, problems
    finally:
        beds.put(bed)


def inflict(bed: Bed, point: Point) -> tuple[bool, list[str]]:
    bed.prepare(point.scenario)
    outcome = bed.hook(point.scenario.hook, point.scenario.event, point.injection)
    return outcome.hit, judged(bed, point.scenario, outcome, point.whole)


# The share of calls that may be missing when they are to fail.
MOST_MISSED = 0.05


class Tally:
    """Counts of runs and problems; every part of the program adds to it."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def add(self, kind: str, name: str, problems: list[str]) -> None:
        self.counts[kind] += 1
        self.counts.update({problem.partition(":")[0] for problem in problems})
        for problem in problems:
            print(f"{name}\n    {problem}")

    @property
    def failed(self) -> bool:
        bad = any(self.counts[kind] for kind in ("lost", "doubled", "broken"))
        points = self.counts["kill points"] + self.counts["faults"]
        # How often sqlite reads and writes differs from run to run.
        is_blind = self.counts["missed"] > MOST_MISSED * points
        return bad or is_blind or not self.counts["kill points"] or not self.counts["faults"]

    def __str__(self) -> str:
        kinds = ("kill points", "faults", "other harms", "missed", "lost", "doubled", "broken")
        return ", ".join(f"{self.counts[kind]} {kind}" for kind in kinds)


def inject(folder: Path, jobs: int, every: int, tally: Tally) -> None:
    beds: queue.Queue[Bed] = queue.Queue()
    for n in range(jobs):
        beds.put(Bed(folder / str(n)))
    first = beds.queue[0]
    todo = [point for scenario in SCENARIOS for point in points(first, scenario, every)]
    with ThreadPoolExecutor(jobs) as pool:
        for point, hit, problems in pool.map(lambda point: run(beds, point), todo):
            kind = "kill points" if "SIGKILL" in point.injection else "faults"
            name = f"--repeat {point.scenario.name} {point.injection}"
            tally.add(kind, name, problems if hit else ["missed: no such call"])


def everything(folder: Path, jobs: int, every: int) -> bool:
    tally = Tally()
    inject(folder, jobs, every, tally)
    bed = Bed(folder / "others")
    others = (*no_home(bed), *the_future(bed), *no_locks(bed))
    for name, problems in (*others, *on_disks(folder / "disks", every)):
        tally.add("other harms", name, problems)
    print(tally)
    return tally.failed


def repeat(folder: Path, name: str, injection: str) -> bool:
    """Repeat one run, and keep its files for inspection."""
    scenario = next(each for each in SCENARIOS if each.name == name)
    bed = Bed(folder)
    whole = whole_texts(bed, scenario)
    bed.prepare(scenario)
    outcome = bed.hook(scenario.hook, scenario.event, injection)
    shutil.copytree(bed.root, folder / "left")
    print(outcome, bed.log.read_text(), f"left in {folder / 'left'}", sep="\n")
    problems = judged(bed, scenario, outcome, whole)
    print(*problems, sep="\n")
    return bool(problems)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one of N points")
    parser.add_argument("--changes", dest="every", action="store_const", const=ONLY_CHANGES)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--repeat", nargs=2, metavar=("SCENARIO", "INJECTION"))
    parser.add_argument("--disks", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    given = arguments()
    if given.disks:
        print(json.dumps(list(disks(given.disks, given.every))))
        return 0
    if not shutil.which("strace"):
        sys.exit("strace is not installed (package strace)")
    if given.repeat:
        return int(repeat(Path(tempfile.mkdtemp(prefix="faults-")), *given.repeat))
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        return int(everything(Path(folder), given.jobs, given.every))


if __name__ == "__main__":
    raise SystemExit(main())
