"""Explain which items of its memory an agent receives for a task, and why.

The decisions are those of the block that a hook builds, `memory.recall.build_block`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from memory_core.claude_code import agent_names, events, transcripts
from memory_core.curation import agent_context
from memory_core.document import markdown
from memory_core.history import item_history
from memory_core.memory import index_building, recall
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.selection import choosing
from memory_core.selection.choosing import Choice
from memory_core.selection.passages import SHORTEST_ID, ItemNote, Passage
from memory_core.selection.scoring import Score
from memory_core.storage.project import Project
from memory_core.text import fastjson, sanitize, subject_words
from memory_core.text.subject_words import CODE

NOT_ALLOWED = "your user-level memory is not given here: agent-memory allow"


class Explanation(NamedTuple):
    """The decisions about an agent's passages, the chosen ones first, and the block with these.

    `budget` is in tokens, 0 if selection is off.
    `forms` has the words of the task as they are written, by the words that are compared, and
    `tiers` has the tiers of items of the project and of the user, by their texts.
    """

    agent: str
    budget: int
    choices: Sequence[Choice]
    block: recall.MemoryBlock
    forms: dict[str, str]
    tiers: Mapping[tuple[bool, str], str]

    @property
    def tokens(self) -> int:
        """The tokens of the chosen passages, as selection estimates them."""
        return sum(choice.tokens for choice in self.choices if choice.is_chosen)


def explain(project: Project, agent: str, task: str, room: int = 0) -> Explanation:
    """Explain what a hook would give an agent now for this task, "" for none.

    `room` is as for `preview_block`.  An agent without memory has no choices.
    """
    block = agent_context.preview_block(project, agent, task, room)
    settings = project.config["selection"]
    choices = [*block.choices]
    if block.index:
        choices += choosing.list_others(block.index.passages, choices)
        choices += _list_left_out(project, agent, {one.passage.item for one in choices})
    budget = settings["budget_tokens"] if settings["enabled"] else 0
    forms = subject_words.list_forms(task)
    return Explanation(agent, budget, choices, block, forms, _list_tiers(project, agent))


def _list_left_out(project: Project, agent: str, listed: set[str]) -> Iterator[Choice]:
    """Yield the items of the agent's files that it does not receive for any task."""
    for is_users in (False, True) if project.user_paths else (False,):
        store = project.level(is_users)
        with suppress(OSError):
            reasons = text_origins.list_held(project, store, agent)
            notes = index_building.read_notes(project, store, agent)
            snapshot = store.read(agent)
            text = scanner.redact(snapshot.text) if snapshot else ""
            for item in markdown.parse_document(text).items:
                if item.text and item.text not in listed:
                    note = notes.get(item.text) or ItemNote(item_history.id_of(item.text))
                    passage = Passage("", item.text, -1, item.text, note)
                    passage.short_id, passage.is_users = note.id[:SHORTEST_ID], is_users
                    choice = Choice(passage, Score({}))
                    is_kept_back = is_users and not project.gives_user_level()
                    choice.reason = NOT_ALLOWED if is_kept_back else reasons.get(item.text, "")
                    choice.reason = choice.reason or _find_reason(project, note)
                    yield choice


def _find_reason(project: Project, note: ItemNote) -> str:
    """Return why an item that nobody holds is in no index."""
    if note.is_doubted:
        return "reported as wrong: agent-memory review"
    if note.confidence < project.config["min_confidence"]:
        return "below memory.min_confidence"
    return "another item repeats or contradicts it"


def _list_tiers(project: Project, agent: str) -> dict[tuple[bool, str], str]:
    """Return the tiers of texts; the keys say whether they are of the user's level, and the text.

    The texts of a file that cannot be read have none.
    """
    tiers: dict[tuple[bool, str], str] = {}
    for is_users in (False, True):
        try:
            texts = text_origins.list_texts(project, project.level(is_users), agent)
        except OSError:
            continue
        tiers |= {(is_users, scanner.redact(item.text)): item.tier for item in texts}
    return tiers


def find_tier(choice: Choice, explanation: Explanation) -> str:
    passage = choice.passage
    return explanation.tiers.get((passage.is_users, passage.item or passage.text), "")


def explain_reply(project: Project, event: Any, reply: object) -> Explanation | None:
    """Explain the memory in a hook's reply to an event; None if the reply has none."""
    try:
        valid = events.validate(event, "")
    except events.InvalidEvent:
        valid = None
    if valid is None or not reply or not sanitize.has_block(fastjson.dumps(reply)):
        return None
    name = events.name(valid, "")
    if name == "PreToolUse" and events.is_delegation(valid):
        agent = agent_names.id_of(events.called_agent(valid))
        return explain(project, agent, events.prompt(valid))
    if name == "SubagentStart":
        agent = agent_names.id_of(events.own_agent(valid))
        task = transcripts.find_last_prompt(events.transcript_path(valid), agent)
        return explain(project, agent, task, recall.CONTEXT_LIMIT)
    return explain(project, agent_names.PM, "") if name == "SessionStart" else None


def list_words(choice: Choice, forms: dict[str, str]) -> list[str]:
    """Return the words that a passage shares with the task, best first, without pairs.

    They are written as in `forms`.
    """
    words = (word for word in choice.score.words if " " not in word)
    return list(dict.fromkeys(forms.get(word, word.removeprefix(CODE)) for word in words))


def to_json(explanation: Explanation) -> dict[str, Any]:
    """Return the fields of docs/json.md."""
    return {
        "agent": explanation.agent,
        "budget_tokens": explanation.budget or None,
        "tokens": explanation.tokens,
        "items": [_choice_to_json(choice, explanation) for choice in explanation.choices],
    }


def _choice_to_json(choice: Choice, explanation: Explanation) -> dict[str, Any]:
    passage, score = choice.passage, choice.score
    return {
        "id": passage.note.id or None,
        "text": passage.item or passage.text,
        "section": passage.section or None,
        "given": choice.is_chosen,
        "reason": choice.reason,
        "score": round(choice.total, 3),
        "own": round(float(score.own), 3),
        "run": round(score.subject, 3),
        "factor": round(choice.factor, 3),
        "words": list_words(choice, explanation.forms),
        "tokens": choice.tokens,
        "stale": passage.stale or None,
        "tier": find_tier(choice, explanation) or None,
    }
