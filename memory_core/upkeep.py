"""What a person does to memory files now and then: bring names up to date, resolve conflicts,
put back what had to leave.

Each change is made under the agent's lock, from what is read under it; without `write`
nothing is touched, not even the lock.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from memory_core import agents, aside, edits, log, markdown, memory, merge, similarity, store

AUTHOR = "agent-memory"  # in the header, as of a new file


class Change(NamedTuple):
    """One file as it was and as it becomes; bytes that are not UTF-8 are lone surrogates."""

    path: str
    before: str
    after: str


def diff(change: Change) -> str:
    """Return a change as a unified diff, empty where there is none."""
    from memory_core import rehearsal

    data = [text.encode("utf-8", "surrogateescape") for text in (change.before, change.after)]
    return rehearsal.Change(change.path, *data).diff()


class Migration(NamedTuple):
    """An agent whose memory has old names, or several files.

    `file` is the one name, `old` are the names that go.  `kept` is what one file has no
    place for (front matter, another title) and goes to the archive.  `refused` says why
    nothing can be done, and is empty else.
    """

    agent: str
    file: str
    old: list[str]
    change: Change
    kept: list[str]
    refused: str


class Resolution(NamedTuple):
    """A file with conflict markers; `refused` says why it cannot be resolved, else empty."""

    agent: str
    change: Change
    refused: str


class Archived(NamedTuple):
    """What left a memory: its number in the archive, the day, the section, the text.

    Lines nested in an item are behind its text, each on a line of its own.
    """

    number: int
    day: str
    section: str
    text: str


class Restored(NamedTuple):
    """What was put back: into which file and section, and which (section, text) left for it.

    `known` says that the memory had it already: then it has only left the archive.
    """

    file: str
    section: str
    text: str
    left: list[tuple[str, str]]
    known: bool


class NotRestored(ValueError):
    """An item that cannot be put back; the message is the reason."""

    status = 1


def level(project: memory.Project, user: bool) -> store.Store:
    """Return the memories of the project, or those of the user."""
    if user:
        return store.Store(project.user or project.place)
    return project.store


# One name.


def migrate(
    project: memory.Project, names: Sequence[str] = (), user: bool = False, write: bool = False
) -> list[Migration]:
    """Bring the memories of these agents, or of all, to one file of today's name."""
    held = level(project, user)
    found = []
    for agent in names or held.agents():
        done = _migrated(held, agent, write)
        if done:
            found.append(done)
    return found


def _migrated(held: store.Store, agent: str, write: bool) -> Migration | None:
    try:
        plan = _planned(held, agent)
        if plan and write:
            with held.locked(agent):
                plan = _planned(held, agent)
                if plan:
                    _carry_out(held, plan)
    except (OSError, ValueError) as error:
        return _refusal(held, agent, _reason(error))
    return plan.told if plan else None


class _Plan(NamedTuple):
    told: Migration
    target: str
    base: str  # becomes the target
    others: list[str]  # taken in by it
    links: list[str]  # to one of the others or the base


def _planned(held: store.Store, agent: str) -> _Plan | None:
    target = os.path.join(held.folder, f"{held.stem(agent)}.md")
    files = held.files(agent)
    if files in ([], [target]):
        return None
    texts = {path: _read(held, path) for path in files}
    links = list(_links_among(files))
    base, *others = [path for path in files if path not in links]
    after, kept = _combined(texts, [base, *others])
    change = Change(held.place.relative(target), texts[base], after)
    old = [held.place.relative(path) for path in files if path != target]
    told = Migration(agent, change.path, old, change, kept, "")
    return _Plan(told, target, base, others, links)


def _read(held: store.Store, path: str) -> str:
    text = held.read_file(path)
    if text is None:
        raise FileNotFoundError(f"{held.place.relative(path)} is a link to nothing")
    return text.text


def _links_among(files: list[str]) -> Iterator[str]:
    """Find the links that lead to another of the files, or where another one leads, too."""
    real = {path for path in files if not os.path.islink(path)}
    led = {os.path.realpath(path) for path in real}
    for path in files:
        if path not in real:
            end = os.path.realpath(path)
            if end in led:
                yield path
            led.add(end)


def _combined(texts: dict[str, str], paths: list[str]) -> tuple[str, list[str]]:
    """Return the text of all files as one, and what of them it has in no form."""
    base, *others = paths
    if not others:
        return texts[base], []
    after = _united_sides(texts[base])
    for path in others:
        after = merge.combine(after, _united_sides(texts[path]).removeprefix(markdown.BOM))
    kept = []
    for path in paths:
        lines = _left_behind(markdown.parse(texts[path]), markdown.parse(after))
        if lines:
            kept.append(aside.label(f"from {os.path.basename(path)}", "\n".join(lines)))
    return after, kept


def _left_behind(source: markdown.Document, after: markdown.Document) -> list[str]:
    """Return the lines of a document that another one has in no form."""
    having = {_bare(line) for line in after.lines}
    said = [item.text for item in after.items if item.text]
    passed = set(source.markers)
    for key in (merge.LIMITS_COMMENT, merge.UPDATED_COMMENT):
        passed |= {at for at in [edits.comment_line(source, key)] if at is not None}
    for section in source.sections:
        if markdown.find_section(after, section.title):
            passed |= set(range(section.line, section.body))
    for item in source.items:
        if item.text and _bare(source.lines[item.line]) not in having and _says(said, item.text):
            passed |= set(range(item.line, item.text_end))
    lines = [(at, line) for at, line in enumerate(source.lines) if _bare(line)]
    return [line.rstrip() for at, line in lines if at not in passed and _bare(line) not in having]


def _bare(line: str) -> str:
    return line.removeprefix(markdown.BOM).strip()


def _says(texts: list[str], text: str) -> bool:
    fold = similarity.fold(text)
    return any(fold == similarity.fold(each) or similarity.same(text, each) for each in texts)


def _carry_out(held: store.Store, plan: _Plan) -> None:
    """Do it in an order in which everything is on disk at each moment."""
    for path in plan.links:
        os.unlink(path)
    if plan.base != plan.target:
        os.rename(plan.base, plan.target)
    if plan.others:
        held.append("archive", plan.told.agent, plan.told.kept, _now())
        held.write_file(plan.target, plan.told.change.after)
    for path in plan.others:
        os.unlink(path)
    store.sync(held.folder)


def _refusal(held: store.Store, agent: str, reason: str) -> Migration:
    target = os.path.join(held.folder, f"{held.stem(agent)}.md")
    path = held.place.relative(target)
    old = [held.place.relative(each) for each in held.files(agent) if each != target]
    return Migration(agent, path, old, Change(path, "", ""), [], reason)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _now() -> str:
    return log.utc(time.time())[:19].replace("T", " ")


# No conflicts.


def resolve(
    project: memory.Project, names: Sequence[str] = (), user: bool = False, write: bool = False
) -> list[Resolution]:
    """Make a union of each file with conflict markers: memories, archive and quarantine."""
    held = level(project, user)
    found = []
    for agent in names or _with_any_file(held):
        for path in _all_files(held, agent):
            done = _resolved(held, agent, path, write)
            if done:
                found.append(done)
    return found


def _with_any_file(held: store.Store) -> list[str]:
    found = set(held.agents())
    for kind in KINDS:
        try:
            names = os.listdir(os.path.join(held.folder, kind))
        except OSError:
            continue
        found |= {memory.PM if name == f"{memory.PM}.md" else agents.owner(name) for name in names}
    return sorted(found - {""})


KINDS = ("archive", "quarantine")


def _all_files(held: store.Store, agent: str) -> list[str]:
    beside = [held.aside(kind, agent) for kind in KINDS]
    return [*held.files(agent), *(path for path in beside if os.path.lexists(path))]


def _resolved(held: store.Store, agent: str, path: str, write: bool) -> Resolution | None:
    name = held.place.relative(path)
    try:
        change = _united(held, path, name)
        if change and write:
            with held.locked(agent):
                change = _united(held, path, name)
                if change:
                    held.write_file(path, change.after)
    except (OSError, ValueError) as error:
        return Resolution(agent, Change(name, "", ""), _reason(error))
    return Resolution(agent, change, "") if change else None


def _united(held: store.Store, path: str, name: str) -> Change | None:
    text = held.read_file(path)
    after = _united_sides(text.text) if text else ""
    return Change(name, text.text, after) if text and after != text.text else None


def _united_sides(text: str) -> str:
    """Return the union of both sides; what stood as code in one may be a marker after it."""
    for _attempt in range(UNIONS):
        if not markdown.parse(text).markers:
            break
        text = merge.union(text)
    return text


UNIONS = 10  # two were enough for all that was tried


# What had to leave.


def archived(project: memory.Project, agent: str) -> list[Archived]:
    """Return what is in an agent's archive, in the order of the file."""
    return _listed(_entries(project, agent)[1])


def _entries(project: memory.Project, agent: str) -> tuple[str, list[aside.Entry]]:
    text = project.store.read_file(project.store.aside("archive", agent))
    content = text.text if text else ""
    return content, aside.entries(content)


def _listed(entries: list[aside.Entry]) -> list[Archived]:
    return [
        Archived(number, entry.day, *aside.unlabelled(entry.text))
        for number, entry in enumerate(entries, 1)
    ]


def restore(project: memory.Project, agent: str, item: str) -> Restored:
    """Put an item of the archive back into its section, within the limits.

    It is named by its text, a part of it, or its number.  What leaves for it goes to the
    archive.  Raises NotRestored.
    """
    found_in(archived(project, agent), item)  # before anything is made, were it only a lock
    held = project.store
    with held.locked(agent):
        found = found_in(archived(project, agent), item)
        put = _put_back(project, agent, found)
        if put.left:
            lines = [aside.label(section, whole) for section, whole in put.left]
            held.append("archive", agent, lines, _now())
        if put.text is not None:
            held.write(agent, put.text)
        _take_out(project, agent, found)
        file = held.place.relative(held.path(agent))
    return Restored(file, put.section, found.text, put.left, put.text is None)


def found_in(entries: list[Archived], item: str) -> Archived:
    """Return the entry that a person means; raises NotRestored where it is not one."""
    fold = similarity.fold(item)
    part = item.casefold()
    ways: list[Callable[[Archived], bool]] = [
        lambda each: item in (each.text, each.text.split("\n")[0]),
        lambda each: similarity.fold(each.text.split("\n")[0]) == fold,
        lambda each: item == str(each.number),
        lambda each: bool(part) and part in each.text.casefold(),
    ]
    for way in ways:
        found = [each for each in entries if way(each)]
        if len({(each.section, each.text) for each in found}) == 1:
            return found[-1]  # the last of several times that it left
        if found:
            numbers = ", ".join(str(each.number) for each in found)
            raise NotRestored(f"several items are {item!r}: name one by its number, {numbers}")
    raise NotRestored(f"no item {item!r} in the archive")


class _Put(NamedTuple):
    text: str | None  # None: it was there already
    section: str
    left: list[tuple[str, str]]


def _put_back(project: memory.Project, agent: str, found: Archived) -> _Put:
    now, limits = _now(), memory.limits_of(project, agent)
    held = project.store.read(agent)
    text = held.text if held else merge.new(agents.title(agent), project.name, limits, now)
    document = markdown.parse(text)
    if "\n" not in found.text and _is_there(document, found.text):
        return _Put(None, found.section, [])
    try:
        document, section = _home(document, found.section, limits)
        after, key = _inserted(document, section, found.text, limits.line)
    except ValueError as error:
        raise NotRestored(f"it cannot be put back: {error}") from None
    stamped = merge.stamp(markdown.render(after), limits, now, AUTHOR)
    put = merge.trim(stamped, limits, now, AUTHOR, frozenset([key]))
    stays = _count(markdown.parse(put.text), key) == _count(after, key)
    if not stays or merge.byte_count(put.text) > limits.size:
        raise NotRestored(f"it cannot be put back: {limits.size} bytes have no room for it")
    return _Put(put.text, section.title if section else "", put.evicted)


def _is_there(document: markdown.Document, text: str) -> bool:
    fold = similarity.fold(text)
    return any(similarity.fold(item.text) == fold for item in document.items if item.text)


def _count(document: markdown.Document, text: str) -> int:
    return [item.text for item in document.items].count(text)


def _home(
    document: markdown.Document, title: str, limits: merge.Limits
) -> tuple[markdown.Document, markdown.Section | None]:
    """Return the section of that title: made anew if there may be one more, else another."""
    if not title:
        return document, None
    section = markdown.find_section(document, title)
    if section is None and len(document.sections) < limits.sections:
        suffix = f"(Max: {limits.items} items)"
        document = edits.add_section(document, title, suffix, merge.ORDER)
        section = markdown.find_section(document, title)
    if section is None:
        section = markdown.find_section(document, merge.RECENT) or document.sections[-1]
    return document, section


def _inserted(
    document: markdown.Document, section: markdown.Section | None, item: str, longest: int
) -> tuple[markdown.Document, str]:
    """Insert an item with what is nested in it; return its text in the document as well."""
    for block, key in _blocks(item):
        if max(map(len, block)) > longest:
            raise ValueError(f"a line of more than {longest} characters is not allowed")
        try:
            one_line = section is not None and len(block) == 1 and key
            after = (
                edits.insert_item(document, section, key)
                if section is not None and one_line
                else edits.insert_block(document, section, block)
            )
        except ValueError:
            continue
        if _gained(document, after) == (key, len(block)):
            return after, key
    raise ValueError("there it would be read in another way; copy it by hand")


def _blocks(item: str) -> Iterator[tuple[list[str], str]]:
    """Give the lines that can hold an archived item, each with the text that is read there."""
    lines = item.split("\n")
    first, *nested = lines
    inner = min((len(line) - len(line.lstrip()) for line in nested if line), default=2)
    shifted = [" " * (2 - inner) + line[max(inner - 2, 0) :] for line in nested]
    written = markdown.BULLET + markdown.escape(first)
    # An item without a text of its own (code, say) is archived with its bullet.
    for block, key in ((lines, ""), ([written, *nested], first), ([written, *shifted], first)):
        if _gained(markdown.parse(""), markdown.parse("\n".join(block))) == (key, len(block)):
            yield block, key


def _gained(before: markdown.Document, after: markdown.Document) -> tuple[str, int] | None:
    """Return text and length of the one item that is new, or None if more has changed."""
    old = [(item.text, item.end - item.line) for item in before.items]
    new = [(item.text, item.end - item.line) for item in after.items]
    if [each.title for each in before.headings] != [each.title for each in after.headings]:
        return None
    if len(new) != len(old) + 1:
        return None
    at = next((at for at, each in enumerate(old) if each != new[at]), len(old))
    return new[at] if old[at:] == new[at + 1 :] else None


def _take_out(project: memory.Project, agent: str, found: Archived) -> None:
    """Take an entry from the archive; what left meanwhile stands behind it."""
    path = project.store.aside("archive", agent)
    text, entries = _entries(project, agent)
    rest = aside.without(text, entries[found.number - 1])
    if rest:
        project.store.write_file(path, rest)
    else:
        os.unlink(path)
