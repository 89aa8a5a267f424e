"""A memory in a person's hands: taken out as a text, looked through, and put back.

Whoever edits has a copy.  The file stays as it is until the person is done, so no hook reads
what is half written, nothing has to be restored where the person thinks better of it, and it
does not matter how an editor saves.  What others wrote meanwhile is merged with it, item by
item, as git merges two branches.  It comes back as one change, under the lock, like that of
any command: the history has it, and undo takes it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memory_core import (
    edits,
    markdown,
    memory,
    merge,
    past,
    preferences,
    store,
    threeway,
    trust,
    writing,
)


class Taken(NamedTuple):
    """A memory's text as a person is given it; `is_new` where there is no file so far."""

    text: str
    is_new: bool


class Finding(NamedTuple):
    """What is odd in a text: the line, from 1, or 0 for all of it, and a sentence."""

    line: int
    what: str


class Kept(NamedTuple):
    """What an edit came to: texts of items, and whether others wrote meanwhile.

    `other` says whether the person changed text that is no item, which undo does not know.
    """

    added: list[str]
    changed: list[str]
    removed: list[str]
    meanwhile: bool
    other: bool


def take(project: memory.Project, agent: str, held: store.Store) -> Taken:
    """Return what a person is to edit: the memory, or a new one with the usual headings."""
    read = held.read(agent)
    if read:
        return Taken(read.text, is_new=False)
    # Without a file it is the head of a new one.
    head = writing.Memory(project, agent, held).text
    limits = project.limits(agent)
    headings = "".join(f"\n## {title} {merge.suffix(limits)}\n" for title in merge.ORDER)
    return Taken(head + headings, is_new=True)


def is_untouched(taken: Taken, text: str) -> bool:
    """Say whether the person has left a text as it was, or a new one without a word."""
    if taken.is_new:
        return _without_empty(text).split() == _without_empty(taken.text).split()
    return text == taken.text


def _without_empty(text: str) -> str:
    """Leave out the usual headings below which nothing was written."""
    document = markdown.parse(text)
    usual = {markdown.title_key(title) for title in merge.ORDER}
    lines = list(document.lines)
    for section in reversed(document.sections):
        is_empty = not "".join(lines[section.body : section.end]).strip()
        if is_empty and markdown.title_key(section.title) in usual:
            del lines[section.line : section.end]
    text = "".join(lines)
    return text if lines == document.lines else f"{text.rstrip()}\n"


# What is odd.


def findings(project: memory.Project, agent: str, text: str) -> list[Finding]:
    """Return what a person may not have meant: nothing of it keeps a text from being used."""
    document, limits = markdown.parse(text), project.limits(agent)
    found = [Finding(line, what) for line, what in document.warnings]
    return sorted([*found, *_unseen(document.lines), *_beyond(document, limits)])


def _unseen(lines: list[str]) -> Iterator[Finding]:
    """Point out what an agent is given otherwise than it stands there."""
    for number, line in enumerate(lines, 1):
        bare = line.rstrip("\r\n").removeprefix(markdown.BOM if number == 1 else "")
        given = trust.defuse(bare)
        if any("\udc80" <= char <= "\udcff" for char in bare):
            yield Finding(number, "bytes that are not UTF-8: agents get replacement characters")
        elif given.count(trust.HARMLESS) != bare.count(trust.HARMLESS):
            yield Finding(number, f"a tag that reads like the harness: agents get {given.strip()}")
        elif given != bare:
            yield Finding(number, "signs that nobody sees: agents get the line without them")


def _beyond(document: markdown.Document, limits: merge.Limits) -> Iterator[Finding]:
    """Say what is more than the limits allow, and what the next learning does about it."""
    size = merge.byte_count(markdown.render(document))
    if size > limits.size:
        yield Finding(0, f"{size} bytes, {limits.size} are allowed: {_LEAVE}")
    own = [each for each in document.sections if not preferences.is_title(each.title)]
    for section in own[limits.sections :]:
        told = f"{len(own)} sections, {limits.sections} are allowed: no new one can be added"
        yield Finding(section.line + 1, told)
    for section in own:
        if len(section.items) > limits.items:
            told = f"{len(section.items)} items, {limits.items} are allowed: {_LEAVE}"
            yield Finding(section.line + 1, told)


_LEAVE = "the next learning lets some leave for the archive"


# The way back.


def keep(
    project: memory.Project, agent: str, taken: Taken, text: str, held: store.Store | None = None
) -> Kept:
    """Put an edited text into the place of the memory it was taken from, as one change.

    What others did since then to items, headings and prose stays done.  Raises OSError where
    the memory cannot be locked, read or written: then it is as it was.
    """
    if taken.is_new:
        text = _without_empty(text)
    return writing.changing(project, agent, lambda work: _edited(work, taken, text), held)


def _edited(work: writing.Memory, taken: Taken, text: str) -> Kept:
    base, other = "" if taken.is_new else taken.text, _has_other(taken, text)
    # Where there is no file all of it is the person's, also if there was one.
    if work.read and work.text != base:
        text = threeway.merge(base, work.text, text)
    document = markdown.parse(text)
    told = past.compare(work.past, writing.items(document), past.LATEST, "", past.LATEST)
    kept = _kept(work.past, told, work.read is not None and work.read.text != base, other)
    work.edit(document, told)
    return kept


def _has_other(taken: Taken, text: str) -> bool:
    """Say whether more than items is changed; a new text lacks headings that were offered."""
    before, after = (_other_lines(markdown.parse(each)) for each in (taken.text, text))
    if taken.is_new:
        return not set(after) <= set(before)
    return before != after


def _other_lines(document: markdown.Document) -> list[str]:
    """Return the lines that are no item's, nor blank, nor our own header's."""
    ours = {at for item in document.items if item.text for at in range(item.line, item.end)}
    ours |= {
        at
        for name in (merge.LIMITS_COMMENT, merge.UPDATED_COMMENT)
        if (at := edits.comment_line(document, name)) is not None
    }
    lines = enumerate(document.lines)
    return [line.strip() for at, line in lines if at not in ours and line.strip()]


def _kept(known: past.Past, told: past.Difference, meanwhile: bool, other: bool) -> Kept:
    """Tell what becomes of items, before the past knows it."""
    changed = [text for text, _, _, was in told.new if was or known.find(text)]
    added = [text for text, _, _, was in told.new if not (was or known.find(text))]
    back = [text for text, _, _ in told.back]
    return Kept([*added, *back], changed, [each.text for each in told.gone], meanwhile, other)
