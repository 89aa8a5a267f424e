"""Memories to a file and back: what `agent-memory export` writes and `import` takes in.

docs/sharing.md says what the file holds; `models.Export` is its schema.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memory_core import (
    agents,
    aside,
    edits,
    fastjson,
    insertion,
    log,
    markdown,
    memory,
    merge,
    past,
    preferences,
    rewind,
    similarity,
    store,
    union,
    upkeep,
    writing,
)

FORMAT = "agent-memory"
VERSION = 1

KINDS = ("archive", "quarantine")

# Bytes of a file: a hundred agents with the largest memory and history that anybody has.
LARGEST = 64 * 1024 * 1024

Found = dict[str, dict[str, Any]]  # of each agent what `models.AgentExport` has
Signed = tuple[str, str]  # a section's title, an item's text with its nested lines


class Imported(NamedTuple):
    """What an import did, or would do, to one agent's memory.

    `kept` are the entries that go to the archive since they left the memory, `records` is
    how many of the history are new here, `entries` how many of archive and quarantine.
    """

    agent: str
    change: upkeep.Change
    kept: list[str]
    records: int
    entries: int


class Malformed(ValueError):
    """A file that is no export of memories; the message names the place."""

    status = 2


# To a file.


def everybody(held: store.Store) -> list[str]:
    """Return the ids of all agents of whom there is anything to export."""
    return sorted({*upkeep.with_any_file(held), *held.with_history()})


def exported(
    project: memory.Project,
    held: store.Store,
    names: Sequence[str],
    along: writing.Along = iter,
) -> dict[str, Any]:
    """Return the memories of these agents as one value for JSON; raises OSError."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "exported": log.utc(time.time()),
        "project": project.name,
        "agents": {name: _exported(project, held, name) for name in along(names)},
    }


def _exported(project: memory.Project, held: store.Store, agent: str) -> dict[str, Any]:
    from memory_core import models

    # What a person did to the file since the last write is a part of its history.
    work = writing.Memory(project, agent, held)
    text = work.text if work.read else ""
    records = past.ordered(work.past.records)
    beside = {kind: _text(held, held.aside(kind, agent)) for kind in KINDS}
    return {
        "document": text,
        "preferences": preferences.listed(markdown.parse(text)),
        "history": [each for each in records if models.is_record(each)],
        **beside,
    }


def _text(held: store.Store, path: str) -> str:
    read = held.read_file(path)
    return read.text if read else ""


def save(path: str, text: str) -> None:
    """Put a text into a file, seen whole or not at all; raises OSError."""
    if os.path.exists(path) and not os.path.isfile(path):  # a terminal, a pipe
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    path = os.path.realpath(path)
    # Not `store.replace`, which clears up: this folder is not ours.
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "x", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


# From a file.


def parsed(data: bytes) -> Found:
    """Return what an export holds by agent; raises Malformed, and nothing of it is taken."""
    if len(data) > LARGEST:
        raise Malformed(f"an export has at most {LARGEST} bytes, this has more")
    from memory_core import models

    try:
        value = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_once, parse_constant=_none)
        problem = models.problem_of_export(value) or _problem(value["agents"])
    except UnicodeDecodeError as error:
        raise Malformed(f"this is no UTF-8, from byte {error.start} on") from None
    except json.JSONDecodeError as error:
        raise Malformed(f"this is no JSON: {error}") from None
    except RecursionError:
        raise Malformed("this is nested too deeply") from None
    except Malformed:
        raise
    except ValueError as error:  # a number of more digits than Python takes
        raise Malformed(f"this is no JSON: {error}") from None
    if problem:
        raise Malformed(problem)
    return {agent: _own(agent, each) for agent, each in value["agents"].items()}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise Malformed(f"the key {fastjson.dumps(key)} stands twice in one object")
        found[key] = value
    return found


def _none(name: str) -> float:
    raise Malformed(f"this is no JSON: {name}")


def _problem(found: Found) -> str:
    """Return what no schema says of the agents and texts, with the place; "" for nothing."""
    for agent, each in found.items():
        if agent != memory.PM and agents.agent_id(agent) != agent:
            known = agents.agent_id(agent)
            return f"agents.{fastjson.dumps(agent)}: this is no agent's id, but {known!r} is"
        for field in ("document", *KINDS):
            if not _is_bytes(each[field]):
                return f"agents.{agent}.{field}: no file can hold this text"
        for number, record in enumerate(each["history"]):
            if "packed" in record:
                return f"agents.{agent}.history.{number}: records stand one by one, not packed"
    return ""


def _is_bytes(text: str) -> bool:
    """Say whether a file can hold a text; lone surrogates stand for bytes that are no UTF-8."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _own(agent: str, found: dict[str, Any]) -> dict[str, Any]:
    """Have the records be of the agent whose they are: what undoes a change goes by that."""
    return {**found, "history": [{**each, "agent": agent} for each in found["history"]]}


def take_in(
    project: memory.Project,
    held: store.Store,
    found: Found,
    replace: bool = False,
    write: bool = False,
    along: writing.Along = iter,
) -> list[Imported]:
    """Merge an export, as `parsed` gives it, into these memories, or put it in their place.

    What is beyond the limits, and what was there and is not in what takes its place, goes
    to the archive.  All of it is one change.  Raises Malformed, then nothing is done, and
    OSError.
    """
    told = [_taken_in(project, held, agent, found[agent], replace) for agent in along(found)]
    if not write:
        return told
    change = writing.new_change("import")
    writing.check_free(held, found)
    return [
        _taken_in(project, held, agent, found[agent], replace, change) for agent in along(found)
    ]


def _taken_in(
    project: memory.Project,
    held: store.Store,
    agent: str,
    found: dict[str, Any],
    replace: bool,
    change: str = "",
) -> Imported:
    def work(work: writing.Memory) -> Imported:
        before = work.text if work.read else ""
        try:
            text, kept = (_replaced if replace else _merged)(work, found)
        except preferences.Unfit as error:
            raise Malformed(f"agents.{agent}.preferences: {error}") from None
        fresh = work.take_over(text, found["history"], kept)
        gone = [aside.label(*each) for each in work.evicted]
        after = work.text if work.read or work.text != work.before else ""
        path = held.place.relative(held.path(agent))
        entries = sum(len(_fresh(held, kind, agent, found[kind])) for kind in KINDS)
        return Imported(agent, upkeep.Change(path, before, after), gone, fresh, entries)

    if not change:
        return work(writing.Memory(project, agent, held))
    done = writing.changing(project, agent, work, held, change)
    with held.locked(agent):
        for kind in KINDS:
            _add_aside(held, kind, agent, found[kind])
    return done


def _fresh(held: store.Store, kind: str, agent: str, text: str) -> list[aside.Entry]:
    """Return the entries that are not in archive or quarantine yet."""
    here = {(each.day, each.text) for each in aside.entries(_text(held, held.aside(kind, agent)))}
    return [each for each in aside.entries(text) if (each.day, each.text) not in here]


def _add_aside(held: store.Store, kind: str, agent: str, text: str) -> None:
    path = held.aside(kind, agent)
    if text and not os.path.lexists(path):
        held.make_folder()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        held.write_file(path, text, None)
    for entry in _fresh(held, kind, agent, text):
        held.append(kind, agent, [entry.text], entry.day)


# Merged.


def _merged(work: writing.Memory, found: dict[str, Any]) -> tuple[str, list[Signed]]:
    """Return the two documents as one; of a preference that has two values ours stays."""
    document = found["document"]
    if not (work.read and document):
        return _preferring(work, document or work.text, found), []
    own = preferences.listed(markdown.parse(work.text))
    for key in own:
        document = preferences.without(document, key)
    text = _with_nested(work.text, document)
    done = union.combine(text, _without_twice_evicted(work, document), work.limits.sections)
    titles = _titles(markdown.parse(document))  # they say whose memory it is
    left = [each for each in done.left if each not in titles]
    return _preferring(work, done.text, found), [_rest(work, each) for each in left]


def _titles(document: markdown.Document) -> list[str]:
    return [
        "\n".join(line.rstrip("\r\n") for line in document.lines[each.line : each.body])
        for each in document.headings[:1]
        if each.level == 1
    ]


def _with_nested(text: str, other: str) -> str:
    """Give the items of a document what is nested in those of another one as well."""
    document = markdown.parse(text)
    for words, _section, theirs in writing.items(markdown.parse(other)):
        twins = rewind.standing(document, words)
        nested = [_nested(document, each) for each in twins]
        if not theirs or not twins or any(_holds(each, theirs) for each in nested):
            continue
        ours = nested[0]
        both = theirs if not ours or _holds(theirs, ours) else f"{ours}\n{theirs}"
        try:
            document = insertion.swapped(document, twins[0], twins[0].text, both)
        except ValueError:
            pass  # it comes as an item of its own
    return markdown.render(document)


def _nested(document: markdown.Document, item: markdown.Item) -> str:
    return "\n".join(line.rstrip() for line in document.lines[item.text_end : item.end])


def _holds(lines: str, others: str) -> bool:
    return f"\n{others}\n" in f"\n{lines}\n"


def _without_twice_evicted(work: writing.Memory, text: str) -> str:
    """Leave out what an import brought, or let leave, already: it had to leave for the limits.

    Else a second import of a file would change again what did not fit at the first.
    """
    imports = {
        past.change_of(each) for each in work.past.records if each.get("origin") == writing.IMPORT
    }
    last: dict[str, past.Record] = {}
    for each in past.ordered(work.past.records):
        if each["kind"] in (*past.ARRIVALS, *past.DEPARTURES):
            last[each["id"]] = each
    document = markdown.parse(text)
    told = [(item, last.get(past.identity(item.text))) for item in document.items]
    out = [
        item
        for item, each in told
        if each and each["kind"] == "evicted" and past.change_of(each) in imports
    ]
    return markdown.render(edits.remove_items(document, out)) if out else text


def _preferring(work: writing.Memory, text: str, found: dict[str, Any]) -> str:
    for key, value in found["preferences"].items():
        there = preferences.get(markdown.parse(text), key)
        own = preferences.get(markdown.parse(work.text), key) if work.read else None
        if there is None or (there != value and own != there):
            text = preferences.put(text, key, value, work.limits)
    return text


# Replaced.


def _replaced(work: writing.Memory, found: dict[str, Any]) -> tuple[str, list[Signed]]:
    """Return the other text; of ours all that it lacks is kept: items, and other text."""
    text = found["document"]
    if not text or not work.read:
        return _preferring(work, text or work.text, found), []
    for key, value in found["preferences"].items():
        if preferences.get(markdown.parse(text), key) != value:
            text = preferences.put(text, key, value, work.limits)
    if _headed(work, text) == _headed(work, work.text):
        return work.text, []
    document, own = markdown.parse(text), markdown.parse(work.text)
    there = {(similarity.fold(each[0]), each[2]) for each in writing.items(document)}
    has = [each for each in writing.items(own) if (similarity.fold(each[0]), each[2]) not in there]
    kept = [
        (section, "\n".join([item, nested] if nested else [item])) for item, section, nested in has
    ]
    return text, [*kept, *(_rest(work, each) for each in _prose(own, document))]


def _headed(work: writing.Memory, text: str) -> str:
    return merge.stamp(text, work.limits, work.now, work.agent)


def _prose(own: markdown.Document, document: markdown.Document) -> Iterator[str]:
    """Give the parts of a document, but for items and headings, that another one lacks."""
    whole = [line.strip() for line in document.lines]
    for part in _parts(own):
        lines = [line.strip() for line in part]
        spots = range(len(whole) - len(lines) + 1)
        if not any(whole[at : at + len(lines)] == lines for at in spots):
            yield "\n".join(line.rstrip() for line in part)


def _parts(document: markdown.Document) -> Iterator[list[str]]:
    """Give the lines that are no item, heading or comment of the header, as parted by blanks."""
    inside = {at for item in document.items if item.text for at in range(item.line, item.end)}
    inside |= {at for each in document.headings for at in range(each.line, each.body)}
    for key in (merge.LIMITS_COMMENT, merge.UPDATED_COMMENT):
        at = edits.comment_line(document, key)
        inside |= {at} if at is not None else set()
    part: list[str] = []
    for at, line in enumerate([*document.lines, ""]):
        if at in inside or not line.strip():
            if part:
                yield part
            part = []
        else:
            part.append(line)


def _rest(work: writing.Memory, text: str) -> Signed:
    name = os.path.basename(work.store.path(work.agent))
    return aside.from_file(name), text
