"""Decide whose the texts of memories are that no hook and no command brought here.

A note in the database has the stamps and digests of the memory files at the last look.  The worker
and commands look at the files with other stamps, and record the origin of each new text
once, for `origin.ledger`.  At the first look at a project, and when its database was lost, nobody
knows who wrote what is there: a person is asked.
"""

from __future__ import annotations

import os
import time
from typing import Any

from memory_core.claude_code import acting, agent_spelling, settings_files
from memory_core.files import file_actions, git_log, project_roots
from memory_core.history import item_history, rights
from memory_core.history.rights import Origins
from memory_core.origin import ledger, line_origins
from memory_core.origin.ledger import Text
from memory_core.storage import paths, run_records, state_owner
from memory_core.storage.database import change_table, last_look
from memory_core.storage.project import Project
from memory_core.storage.run_records import SessionRuns
from memory_core.storage.store import FileSnapshot, Store
from memory_core.text import digests
from memory_core.text.phrases import format_count

# In the state, since pins and confirmations count only if this machine has recorded them.
RIGHTS = "rights"

# In the last look: a database was lost since.
LOST = "lost"

# Seconds: of more files, the others are looked at the next time.
SECONDS = 2.0

NEW_TEXTS = (
    "agent-memory: {} in {} came from elsewhere (a clone, a pull, a script)."
    "  agent-memory review --new shows who committed them, and one key accepts them"
    " (what may be poisoned: agent-memory review)"
)
YOURS = (
    "agent-memory: {} in {}: yours?  agent-memory review --new lists them, and"
    " agent-memory review --mine says that you wrote them."
)


def take_news(project: Project) -> list[str]:
    """Return what a person has to decide about the memories with new texts, once."""
    state, store = last_look.read_look(project.paths.state), project.store
    agents, notices = state.get(last_look.NEWS, ()), list[str]()
    for notice, origin in ((YOURS, rights.UNKNOWN), (NEW_TEXTS, rights.IMPORT)):
        try:
            counts = [len(_list_of(store, agent, origin)) for agent in agents]
        except OSError:
            return []  # the next session says it
        # A name in a repository is not repeated in the voice of agent-memory.
        memories = sum(map(bool, counts))
        where = "1 memory" if memories == 1 else f"{memories} memories"
        notices += [notice.format(format_count(sum(counts), "line"), where)] if memories else []
    if notices:
        last_look.write_look(project.paths.state, {**state, last_look.NEWS: []})
    return notices


def count_again(store: Store) -> None:
    """Replace a notice that nobody has read, since a person has decided, in the next session."""
    state, notice = store.paths.state, SessionRuns(store.paths, run_records.UNDECIDED).notices
    if state.is_file(notice):
        state.remove(notice)
        look = last_look.read_look(state)
        last_look.write_look(state, {**look, last_look.NEWS: store.agents()})


def look(project: Project) -> None:
    """Decide on the texts that came since the last look, in files that have changed.

    In the memory of the user, all is a person's but for what tools of Claude Code wrote.
    """
    _look_at(project, project.store)
    users = project.level(user=True)
    if project.user_paths and users.agents():
        _look_at(project, users)


def _look_at(project: Project, store: Store) -> None:
    folder = store.paths.state
    state, now = last_look.read_look(folder), _stamp_files(store)
    is_old = state.get("version") != last_look.VERSION
    before: dict[str, Any] = {} if is_old else state.get("files", {})
    changed = sorted(name for name in now if before.get(name, [])[:-1] != now[name])
    log = _measure_log(project, state, bool(changed) or is_old)
    is_same = state.get(last_look.GIT_LOG) == log
    if is_same and not (changed or is_old) and RIGHTS in state:
        return
    is_first = bool(state.get("first")) or not state
    unclear = _list_unclear(is_first, LOST in state, is_users=store.paths is not project.paths)
    seen = {name: before[name] for name in now if name in before and name not in changed}
    news = {*state.get(last_look.NEWS, ())}
    until, began, is_whole = time.monotonic() + SECONDS, time.time(), True
    try:
        for name in changed:
            if time.monotonic() > until:
                is_whole = False
                break
            agent = agent_spelling.agent_of_file(name)
            digest = before.get(name, [""])[-1]
            if agent:
                since = float(state.get("looked", 0.0))
                is_new, digest = _decide(project, store, agent, digest, unclear, since)
                news |= {agent} if is_new else set()
                if digest is None:
                    is_whole = False
                    continue  # git is at work: the next look decides
            seen[name] = [*now[name], digest]
        _take_rights_over(project, store, state)
    except OSError:
        return  # without a state nothing can be remembered
    state |= {RIGHTS: True, "version": last_look.VERSION, "files": seen}
    state |= {last_look.NEWS: sorted(news), "first": is_first and not is_whole}
    if is_whole:  # else tool calls since then may have written what is not decided yet
        state |= {"looked": began, last_look.GIT_LOG: log}
    last_look.write_look(folder, state)


def _list_unclear(is_first: bool, is_lost: bool, is_users: bool) -> tuple[str, ...] | None:
    """Return the origins that a look cannot tell from others; None: all texts are the user's.

    At the first look at a project a history of runs may be somebody else's, but not when only the
    database was lost.
    """
    if not is_first or (is_users and is_lost):
        return ()
    if is_users:
        return None
    return (rights.HAND,) if is_lost else (rights.HAND, rights.AGENT)


def _measure_log(project: Project, state: dict[str, Any], asks: bool) -> list[str | int] | None:
    """Return git's log of this clone and its size, see `last_look`; None without an answer.

    If it `asks`, a repository may be new.
    """
    root = project.paths.root
    path, size = state.get(last_look.GIT_LOG) or (root, -1)
    if size < 0 and asks and git_log.find_tree(root):
        try:
            path, size = line_origins.locate_log(root), 0
        except line_origins.ERRORS:
            return None
    return [path, size if size < 0 else git_log.measure_log(path)]


def _take_rights_over(project: Project, store: Store, state: dict[str, Any]) -> None:
    """Count the records of an older version of the items that came from this machine.

    `state` is the one before this look; without one, no older version was here.
    """
    for agent in store.agents() if state and RIGHTS not in state else ():
        records = store.history(agent).read()
        weights = item_history.Weights(**project.config["confidence"])
        history = item_history.History(records, weights)
        origins = ledger.read_origins(store, agent, project)
        here = (*rights.DECIDED, rights.AGENT)
        present = (item for item in history if item.is_present)
        own = [item for item in present if origins.find(item.text, item.nested) in here]
        ids = {key for item in own for key in history.list_wordings(item)}
        mine = [one for one in history.records if one["id"] in ids or one["kind"] == "undone"]
        pins = [(item.text, item.nested) for item in own if item.is_pinned]
        ledger.add_origins(store, agent, dict.fromkeys(pins, rights.ACCEPTED), mine)


def _stamp_files(store: Store) -> dict[str, list[int]]:
    return {
        name: _stamp(status)
        for name, status in file_actions.scan(store.files, store.folder)
        if name.endswith(".md")
    }


def _stamp(status: os.stat_result) -> list[int]:
    return [status.st_size, status.st_mtime_ns, status.st_ino]


def has_news(store: Store, agent: str) -> bool:
    """Return whether a memory file has lines since the last look that git did not bring."""
    look, path = last_look.read_look(store.paths.state), store.path(agent)
    status = store.files.status(path)
    if status is None or git_log.may_be_foreign(look.get(last_look.GIT_LOG, ())):
        return False
    seen = look.get("files", {}).get(os.path.basename(path), [])
    return bool(seen[:-1] != _stamp(status))


def _list_of(store: Store, agent: str, *wanted: str) -> list[Text]:
    """Return (text, nested lines) of the parts of a memory file with these origins, "" for none."""
    texts = list_texts(store, agent)
    origins = ledger.read_origins(store, agent) if texts else Origins()
    return [text for text in texts if origins.find(*text) in wanted]


def _decide(
    project: Project,
    store: Store,
    agent: str,
    before: str,
    unclear: tuple[str, ...] | None,
    since: float,
) -> tuple[bool, str | None]:
    """Give an origin to the texts of an agent that have none, UNKNOWN for one that is `unclear`.

    Returns whether a person has to decide about one, and the digest of the file, None if a text
    could not be decided now; `before` is the digest at the last look, which was at `since`.
    """
    snapshot = _read(store, agent)
    text = snapshot.text if snapshot else ""
    digest = digests.hash_text(text)
    stem = store.stem(agent)
    is_known = before and change_table.is_continued(store.paths, stem, before, text)
    if is_known or unclear is None or not (unknown := _list_of(store, agent, "")):
        return False, digest
    elsewhere = _find_elsewhere(project, store, agent, unknown)
    new = [one for one in unknown if one not in elsewhere]
    origins = _find_origins(project, store, agent, new, since) if new else {}
    for one, origin in origins.items():
        origins[one] = rights.UNKNOWN if origin in unclear else origin
    origins |= elsewhere
    decided = {one: origin for one, origin in origins.items() if origin}
    ledger.add_origins(store, agent, decided)
    is_whole = len(decided) == len(origins)
    is_new = not {rights.IMPORT, rights.UNKNOWN}.isdisjoint(decided.values())
    return is_new, digest if is_whole else None


def _find_elsewhere(
    project: Project, store: Store, agent: str, texts: list[Text]
) -> dict[Text, str]:
    """Return the origins that are known in the main work tree, or under a former name.

    Another project may have had the number of this folder: its texts are the person's here, too.
    """
    if store.paths is not project.paths:
        return {}
    root, elsewhere = project.paths.root, dict[Text, str]()
    main = project_roots.find_main_tree(root)
    for other in (*state_owner.list_former(project.paths.state, root), main):
        if other not in ("", root):
            level = paths.LevelPaths(other, project.environ)
            origins = ledger.read_origins(Store(level, project.config["directory"]), agent)
            elsewhere |= {text: origin for text in texts if (origin := origins.find(*text))}
    return elsewhere


def _find_origins(
    project: Project, store: Store, agent: str, texts: list[Text], since: float
) -> dict[Text, str]:
    """Return the origins of texts, "" for one that cannot be decided now.

    What the history calls an agent's or imported is no person's, whatever git says: a history may
    lower a text, never raise it.  What an agent's tool wrote is an agent's.  What a trusted key
    signed is reviewed.
    """
    keys = {rights.make_key(*text): text for text in texts}
    evidence = dict.fromkeys(keys, rights.HAND)
    if store.paths is project.paths:
        evidence = line_origins.find_origins(store.folder, keys)
    own = {key: text for key, (text, _nested) in keys.items() if evidence[key] == rights.HAND}
    written = _list_written(project, store, agent, list(own.values()), since) if own else ()
    learned = dict.fromkeys(written, rights.AGENT) | _list_learned(store, agent)
    outside = [key for key in keys if evidence[key] == rights.IMPORT]
    signers = project.config["trusted_signers"]
    reviewed = line_origins.list_reviewed(store.path(agent), outside, signers)
    evidence |= {key: learned[text] for key, text in own.items() if text in learned}
    evidence |= dict.fromkeys(reviewed, rights.REVIEWED)
    return {text: evidence[key] for key, text in keys.items()}


def _list_learned(store: Store, agent: str) -> dict[str, str]:
    """Return the origins of the items that runs or imports brought, by their texts."""
    history = item_history.History(store.history(agent).read())
    return {
        state.text: rights.BY_SOURCE.get(state.source, rights.AGENT)
        for state in history
        if state.source and state.source not in item_history.HUMAN_SOURCES
    }


def _list_written(
    project: Project, store: Store, agent: str, texts: list[str], since: float
) -> set[str]:
    """Return the texts that tool calls may have written since the last look.

    They are those of this project, and for the memory of the user those of all projects.
    """
    path = store.path(agent)
    status = store.files.status(path)
    root = project.paths.root if store.paths is project.paths else ""
    folders = settings_files.list_transcript_folders(root, project.environ)
    if status is None or not folders:
        return set()
    return acting.find_written(folders, path, status.st_ctime, since, texts)


def list_texts(store: Store, agent: str) -> list[Text]:
    """Return (text, nested lines) of the parts of a memory file; [] if it cannot be read."""
    snapshot = _read(store, agent)
    return ledger.list_texts(snapshot.text) if snapshot else []


def _read(store: Store, agent: str) -> FileSnapshot | None:
    try:
        return store.read(agent)
    except OSError:
        return None  # the doctor reports it
