"""What is known of each delegation, in state/: receipts of calls, records of runs.

    receipts/SESSION/CALL.json   a prompt was given its memory; SubagentStart claims it
    runs/SESSION/RUN.jsonl       how the run got its memory, what it taught, that it ended
    runs/SESSION/RUN-launch.jsonl  what a run in the background was asked to do
    route.json                   that prompts of this project do not arrive as rewritten

A call is Claude Code's `tool_use_id`, a run its `agent_id`.  All writes are single
appends or renames, so parallel hooks need no lock here.
"""

from __future__ import annotations

import errno
import os
import time

from memory_core import fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.places import Place

# A receipt lives from the call to the start of its agent: seconds, or as long as a
# person takes to answer a permission prompt.  Half a day covers a long lunch.
RECEIPT_LIFE = 12 * 3600

# Records only serve to tell events of one run apart; sessions are resumed within days.
RUN_LIFE = 30 * 86400

# How long a project is served by SubagentStart after a rewrite was lost.  Trying again
# costs one delegation its memory, staying costs only the larger budget.
ROUTE_LIFE = 30 * 86400

PROMPT = "prompt"  # the memory went with the prompt
START = "start"  # the memory went with SubagentStart

# How the name of a file ends that is being written.  One that is older than this, in
# seconds, was left by a hook that was killed.
TEMPORARY = ".tmp"
LEFT_OVER = 3600


def launch(run: str) -> str:
    """Return under which name a run's launch is noted, which may come before its start."""
    return f"{run}-launch" if run else ""


def safe(name: str) -> bool:
    """Say whether an id from an event may be part of a path, as all seen so far may."""
    plain = name.replace("-", "").replace("_", "")
    return plain.isascii() and plain.isalnum() and len(name) <= 128


def file_name(name: str) -> str:
    """Return an id as part of a path: as it is, else by its bytes; empty for no id."""
    return name if safe(name) else name.encode("utf-8", "replace").hex()[:128]


class Runs:
    """The records of one session; a class because every question needs its two folders."""

    def __init__(self, place: Place, session: str) -> None:
        self.place = place
        self.session = file_name(session) or "none"
        self._receipts = os.path.join(place.state, "receipts", self.session)
        self._runs = os.path.join(place.state, "runs", self.session)

    # Receipts

    def leave_receipt(self, call: str, agent: str, caller: str) -> bool:
        """Note that a call's prompt carries the memory; False where that cannot be noted."""
        if not call:
            return False
        record = {"agent": agent, "caller": caller, "time": time.time()}
        try:
            self.place.made("state", "receipts", self.session)
            replace(self._receipt(call), record)
        except OSError:
            return False
        return True

    def open_receipts(self, agent: str, run: str) -> list[tuple[str, dict[str, Any]]]:
        """Return (call, receipt) of the agent that `run` may claim, its own first."""
        now = time.time()
        found = []
        for name in _names(self._receipts):
            call = name.removesuffix(".json")
            record = _read(self._receipt(call))
            if record and record.get("agent") == agent and self._is_open(record, run, now):
                found.append((call, record))
        return sorted(found, key=lambda pair: (pair[1].get("launched") != run, pair[1]["time"]))

    def _is_open(self, record: dict[str, Any], run: str, now: float) -> bool:
        owner = record.get("launched")
        # One whose run has started all the same took another call's receipt for its own.
        mine = not owner or owner == run or bool(self.record(str(owner)))
        return mine and bool(now - record["time"] < RECEIPT_LIFE)

    def claim(self, call: str, run: str) -> bool:
        """Take a receipt for `run`; False where another run was quicker."""
        path = self._receipt(call)
        settled = "launched" in (_read(path) or {})
        try:
            os.rename(path, f"{path}.{file_name(run)}")
        except OSError:
            return False
        if settled:  # nobody will ask for it any more
            _unlink(f"{path}.{file_name(run)}")
        return True

    def settle(self, call: str, run: str, launched: bool) -> bool:
        """Close a call's receipt after the fact; say whether there was one.

        In the background the answer may come before the agent's start, and of two
        runs of one agent either may have claimed the other's receipt: then this
        one stays, for whichever starts without one.
        """
        if not call:
            return False
        claimed = bool(self._drop_claims(call))
        record = _read(self._receipt(call))
        if record is None:
            return claimed
        known = self.record(run)
        if launched and (not known or known.get("call")):
            replace(self._receipt(call), {**record, "launched": run})
        else:
            self.drop_receipt(call)
        return True

    def _drop_claims(self, call: str) -> list[str]:
        prefix = f"{file_name(call)}.json."
        names = [name for name in _names(self._receipts, "") if name.startswith(prefix)]
        claims = [name for name in names if not name.endswith(TEMPORARY)]
        for name in claims:
            _unlink(os.path.join(self._receipts, name))
        return claims

    def drop_receipt(self, call: str) -> str:
        """Forget a call that came to nothing; return the run that had begun all the same."""
        if not call:
            return ""
        claims = self._drop_claims(call)
        _unlink(self._receipt(call))
        return claims[0].rpartition(".json.")[2] if claims else ""

    def drop_receipts(self) -> None:
        """Forget all calls of this session: it begins anew, so none can be under way."""
        for name in _names(self._receipts, ""):
            _unlink(os.path.join(self._receipts, name))

    def _receipt(self, call: str) -> str:
        return os.path.join(self._receipts, f"{file_name(call)}.json")

    # Runs

    def begin(self, run: str) -> bool:
        """Open a run's record; False where it has one: it is resumed, or another hook was first."""
        if not run:
            return True
        try:
            self.place.made("state", "runs", self.session)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            os.close(os.open(self._run(run), flags, 0o666))
        except FileExistsError:
            return False
        except OSError:
            pass  # a read-only project: better twice than not at all
        return True

    def note(self, run: str, **fields: Any) -> None:
        """Add to what is known of a run: agent, route, keys (of learnings), ended, told, ..."""
        if not run:
            return
        self.place.made("state", "runs", self.session)
        # On a line of its own even behind one that was torn.
        line = f"\n{fastjson.dumps(fields)}\n".encode()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        descriptor = os.open(self._run(run), flags, 0o666)
        try:
            if os.write(descriptor, line) < len(line):
                raise OSError(errno.ENOSPC, "only part of a line could be written", self._run(run))
        finally:
            os.close(descriptor)

    def try_note(self, run: str, **fields: Any) -> None:
        """Note something of a run; where that fails, the delegation must still go on."""
        try:
            self.note(run, **fields)
        except OSError as error:
            from memory_core import log

            log.write(self.place, "agent.memory.error", error=str(error), run=run)

    def record(self, run: str) -> dict[str, Any]:
        """Return all that was noted of a run, in one dict; empty for an unknown one."""
        known: dict[str, Any] = {}
        keys: list[str] = []
        for line in _text(self._run(run)).split("\n") if run else ():
            try:
                fields = fastjson.loads(line)
                keys += fields.get("keys", [])
                known.update(fields)
            except (ValueError, AttributeError, TypeError):
                continue  # torn by a crash, or edited
        if keys:
            known["keys"] = keys
        return known

    def _run(self, run: str) -> str:
        return os.path.join(self._runs, f"{file_name(run)}.jsonl")


def prompts_are_lost(place: Place) -> bool:
    """Say whether a rewritten prompt of this project was lost lately."""
    record = _read(os.path.join(place.state, "route.json"))
    return record is not None and bool(time.time() - record["time"] < ROUTE_LIFE)


def prefer_start(place: Place) -> None:
    """Have the next delegations served by SubagentStart."""
    place.made("state")
    replace(os.path.join(place.state, "route.json"), {"route": START, "time": time.time()})


def clear_old(place: Place) -> None:
    """Remove the records of sessions that nobody will resume."""
    idle = _idle(place)
    for path in outdated(place):
        _unlink(path)
    for folder, _before in idle:
        try:
            os.rmdir(folder)
        except OSError:
            pass  # something in it is younger


def outdated(place: Place) -> list[str]:
    """Return the files that nobody will ask for: of sessions, and of hooks that were killed."""
    found = [path for folder, before in _idle(place) for path in _older(folder, before)]
    spool = os.path.join(place.state, "spool")
    for folder in (place.state, *(os.path.join(spool, stem) for stem in _names(spool, ""))):
        # X.json.PID, with or without our ending
        older = _older(folder, time.time() - LEFT_OVER)
        found += [path for path in older if ".json." in os.path.basename(path)]
    return found


def _idle(place: Place) -> list[tuple[str, float]]:
    """Return the folders of sessions in which no file came or went for long, and since when."""
    found = []
    for kind, life in (("receipts", RECEIPT_LIFE), ("runs", RUN_LIFE)):
        folder, before = os.path.join(place.state, kind), time.time() - life
        sessions = (os.path.join(folder, name) for name in _names(folder, ""))
        found += [(path, before) for path in sessions if _is_older(path, before)]
    return found


def _older(folder: str, before: float) -> list[str]:
    paths = (os.path.join(folder, name) for name in _names(folder, ""))
    return [path for path in paths if _is_older(path, before)]


def _is_older(path: str, before: float) -> bool:
    try:
        return os.stat(path).st_mtime < before
    except OSError:
        return False  # another hook was quicker


def replace(path: str, record: dict[str, Any]) -> None:
    """Put a record in place of the file at `path`, seen whole or not at all."""
    temporary = f"{path}.{os.getpid()}{TEMPORARY}"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(fastjson.dumps(record))
        os.replace(temporary, path)
    except BaseException:
        _unlink(temporary)
        raise


def _read(path: str) -> dict[str, Any] | None:
    """Return a record of ours, or None for one that is not there or not whole."""
    try:
        record = fastjson.loads(_text(path))
    except ValueError:
        return None
    return record if isinstance(record, dict) and type(record.get("time")) is float else None


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _names(folder: str, suffix: str = ".json") -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name.endswith(suffix)]
    except OSError:
        return []


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass  # another hook was quicker
