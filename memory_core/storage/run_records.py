"""Records of delegations, on this machine: receipts of calls, records of runs.

    receipts/SESSION/CALL.json     the prompt of a call carries the memory; SubagentStart takes it
    runs/SESSION/RUN.jsonl         the route of its memory, its learnings, its end
    runs/SESSION/RUN-launch.jsonl  the task of a run in the background
    notices/SESSION                lines for the person of a session, which the next hook prints
    notices/undecided              those about texts without a decision, for any session
    route.json                     rewritten prompts do not reach the agents of this project

A call is Claude Code's `tool_use_id`, a run its `agent_id`.  Every write is a single append or
rename, so hooks that run in parallel need no lock here.
"""

from __future__ import annotations

import posix
import time

from memory_core.text import fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_core.files.safe_files import SafeFiles
    from memory_core.storage.paths import LevelPaths

# Seconds.  A receipt lives from the call to the start of its agent: seconds, or as long as a
# person takes to answer a permission prompt.  Half a day covers a long lunch.
RECEIPT_LIFE = 12 * 3600

# Seconds for which SubagentStart serves a project after a rewritten prompt was lost.  Trying
# again costs one delegation its memory; staying with SubagentStart only costs its larger budget.
ROUTE_LIFE = 30 * 86400

ROUTE_FILE = "route.json"

VIA_PROMPT = "prompt"  # the memory was added to the prompt
VIA_START = "start"  # SubagentStart gave the memory

MAX_NAME_LENGTH = 128

NOTICES, UNDECIDED = "notices", "undecided"
MAX_NOTICES_BYTES, MOST_NOTICES = 20_000, 10


def launch_id_of(run: str) -> str:
    """Return the id for the record of a run's launch, which may be written before its start."""
    return f"{run}-launch" if run else ""


def is_safe_id(name: str) -> bool:
    """Check whether an id from an event may be part of a path, as all ids seen so far may."""
    plain = name.replace("-", "").replace("_", "")
    return plain.isascii() and plain.isalnum() and len(name) <= MAX_NAME_LENGTH


def file_name_of(name: str) -> str:
    """Return an id as part of a path: unchanged or, if it is not safe, as hexadecimal bytes."""
    return name if is_safe_id(name) else name.encode("utf-8", "replace").hex()[:MAX_NAME_LENGTH]


class SessionRuns:
    """The records of one session."""

    def __init__(self, paths: LevelPaths, session: str) -> None:
        self.paths = paths
        self.session = file_name_of(session) or "none"
        self.files = paths.state
        self.receipts = f"receipts/{self.session}"
        self._runs = f"runs/{self.session}"
        self.notices = f"{NOTICES}/{self.session}"

    # Receipts

    def add_receipt(self, call: str, agent: str, **facts: Any) -> bool:
        """Record that the prompt of a call carries the memory; return whether that worked.

        `facts` may have the caller, the ids of the given items, what they name, and what was
        asked.
        """
        if not call:
            return False
        record = {"agent": agent, **facts, "time": time.time()}
        try:
            write_record(self.files, self.receipt_path(call), record)
        except OSError:
            return False
        return True

    def find_open_receipts(self, agent: str, run: str) -> list[tuple[str, dict[str, Any]]]:
        """Return (call, receipt) of the agent that `run` may take, the run's own one first."""
        now = time.time()
        receipts = []
        for name in self.files.list_names(self.receipts):
            call = name.removesuffix(".json")
            record = read_record(self.files, self.receipt_path(call)) if call != name else None
            if record and record.get("agent") == agent and self._is_open(record, run, now):
                receipts.append((call, record))
        return sorted(receipts, key=lambda pair: (pair[1].get("launched") != run, pair[1]["time"]))

    def _is_open(self, record: dict[str, Any], run: str, now: float) -> bool:
        owner = record.get("launched")
        # An owner that has a record started with the receipt of another call.
        is_claimable = not owner or owner == run or bool(self.record(str(owner)))
        return is_claimable and bool(now - record["time"] < RECEIPT_LIFE)

    def take_receipt(self, call: str, run: str) -> bool:
        """Claim a receipt for `run`; return False if another run was quicker."""
        path = self.receipt_path(call)
        is_settled = "launched" in (read_record(self.files, path) or {})
        try:
            self.files.rename(path, f"{path}.{file_name_of(run)}")
        except OSError:
            return False
        if is_settled:  # nobody asks for it any more
            self.files.remove(f"{path}.{file_name_of(run)}")
        return True

    def drop_receipts(self) -> None:
        """Remove all receipts of a session that starts again: no call of it is open."""
        for name in self.files.list_names(self.receipts):
            self.files.remove(f"{self.receipts}/{name}")

    def receipt_path(self, call: str) -> str:
        return f"{self.receipts}/{file_name_of(call)}.json"

    # Notices

    def take_notices(self, is_start: bool = False) -> list[str]:
        """Return the lines for the person, once; at a start also those of ended sessions."""
        names = self.files.list_names(NOTICES) if is_start else [UNDECIDED, self.session]
        lines = []
        for file in (f"{NOTICES}/{name}" for name in names):
            taken = f"{file}.{posix.getpid()}"
            try:
                self.files.rename(file, taken)  # so that no other hook prints them, too
            except OSError:
                continue  # there is none
            lines += self.files.read_text(taken, MAX_NOTICES_BYTES).split("\n")
            self.files.remove(taken)
        return list(dict.fromkeys(filter(None, lines)))[-MOST_NOTICES:]

    # Runs

    def begin(self, run: str) -> bool:
        """Create the record of a run; return False if the run is resumed and has a record."""
        if not run:
            return True
        try:
            self.files.create(self._run(run))
        except FileExistsError:
            return False
        except OSError:
            pass  # a read-only disk: better to give the memory twice than never
        return True

    def note(self, run: str, **fields: Any) -> None:
        """Add fields to the record of a run: agent, route, keys (of learnings), ended ...

        Raises OSError.
        """
        if run:
            self.files.append(self._run(run), f"{fastjson.dumps(fields)}\n".encode())

    def try_note(self, run: str, **fields: Any) -> None:
        """Add fields as `note` does, but log a failure: the delegation must go on."""
        try:
            self.note(run, **fields)
        except OSError as error:
            from memory_core.storage import event_log

            event_log.write(self.paths, "agent.memory.error", error=str(error), run=run)

    def record(self, run: str) -> dict[str, Any]:
        """Return all that was noted about a run as one dict, {} for an unknown run."""
        record: dict[str, Any] = {}
        keys: list[str] = []
        for line in self.files.read_text(self._run(run)).split("\n") if run else ():
            fields = fastjson.load_object(line)  # {} if it is incomplete after a crash
            keys += fields.get("keys", [])
            record |= fields
        if keys:
            record["keys"] = keys
        return record

    def _run(self, run: str) -> str:
        return f"{self._runs}/{file_name_of(run)}.jsonl"


# Routes


def are_prompts_lost(paths: LevelPaths) -> bool:
    """Check whether a rewritten prompt of this project was lost recently."""
    record = read_record(paths.state, ROUTE_FILE)
    return record is not None and bool(time.time() - record["time"] < ROUTE_LIFE)


def write_record(files: SafeFiles, path: str, record: dict[str, Any]) -> None:
    """Replace a record that need not survive a power failure; raises OSError."""
    files.replace(path, fastjson.dumps(record).encode(), durable=False)


def read_record(files: SafeFiles, path: str) -> dict[str, Any] | None:
    """Return a receipt or route, None if it does not exist or is damaged."""
    record = fastjson.load_object(files.read_text(path))
    return record if type(record.get("time")) is float else None
