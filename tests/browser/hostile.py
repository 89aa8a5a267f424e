"""A project in which all that somebody else may write tries to be more than text."""

import json
from urllib.parse import quote

from memory_core.claude_code import agent_names
from support import events
from support.calls import SESSION

from .shop import Shop

RUN = "pwned=1"

TEXTS = [
    f"<script>{RUN}</script>",
    f'"><img src=x onerror="{RUN}">',
    f"' onfocus={RUN} autofocus='",
    f"</textarea></title></style></script><svg onload={RUN}>",
    f"javascript:{RUN}",
    "{{7*7}} {% raw %} ${7*7} <%= 7*7 %>",
    "&lt;script&gt; &#60;b&#62; &amp;",
    "]]> --> <!-- <![CDATA[",
    "W" * 250,
    "/".join(["very", "long", "path"] * 15),
    "שלום עולם, مرحبا بالعالم, right to left",
    "👩‍👩‍👧‍👦 🏳️‍🌈 ✅ é ﷽ ‱",
]
AGENT = f'x"><img src=x onerror={RUN}>'
AGENT_ID = quote(agent_names.id_of(AGENT), safe="")
AGENT_PATH = f"/agents/{AGENT_ID}"
WORDS = quote(TEXTS[1])
# Pages that show these texts, also those of the address.
EXAMPLES = (
    *("/agents/writer", "/agents/writer/history", "/agents/writer/diff?from="),
    *(AGENT_PATH, f"{AGENT_PATH}/history", f"{AGENT_PATH}/diff?from="),
    f"/explain?agent=writer&task={WORDS}",
    f"/search?q={quote('<script')}&agent={AGENT_ID}",
    f"/search?q={quote('<script')}",
    f"/review?q={WORDS}",
    f"/tasks?q={WORDS}",
    f"/events?events={WORDS}&agent={WORDS}",
)
TITLE = f"'\"><img src=x onerror={RUN}> <b>{'long' * 40}'"
TASK = f"---\nid: TASK-1\ntitle: {TITLE}\nstatus: In Progress\n---\n\n<script>{RUN}</script>\n"
BACKLOG = 'project_name: "<b>x"\nstatuses: ["To Do", "In Progress", "Done"]\n'


def fill(place: Shop) -> None:
    """Write these texts into every place of the project, partly through hooks."""
    place.git("init", "-q", "-b", "main")
    place.person.install()
    place.write(".claude-mpm/config.yml", "memory: {agent_overrides: {qa: {learning: ask}}}\n")
    place.write("backlog/config.yml", BACKLOG)
    place.write("backlog/tasks/task-1 - x.md", TASK)
    place.write(".claude-mpm/memories/writer.md", _write_memory())
    records = "".join(f"{json.dumps(record)}\n" for record in _list_records())
    place.write(".claude-mpm/memories/history/writer.jsonl", records)
    for agent in ("engineer", "qa", AGENT):
        _report(place, agent)
    place.run("task", "list")
    place.run("task", "note", "1", TEXTS[1])
    place.run("preference", "set", "writer", "style", TEXTS[1])
    _delegate(place)


def _write_memory() -> str:
    sections = [f"## {text}\n- {text}\n  - Why: {text}\n\n{text}\n" for text in TEXTS]
    return f"# {TEXTS[1]}\n\n" + "\n".join(sections)


def _list_records() -> list[dict[str, object]]:
    fields = ("agent", "section", "nested", "run", "session", "source", "origin", "change", "about")
    records: list[dict[str, object]] = []
    for at, text in enumerate(TEXTS):
        own = {"time": f"2026-11-{at + 1:02}T10:00:00.000Z", "id": f"<b>{at}", "seq": at + 1}
        own |= {"text": f"{at} {text}", "type": text, "reading": [text]}
        records.append(
            {"v": 1, "kind": "learned", "confidence": 0.5, **dict.fromkeys(fields, text), **own}
        )
    return records


def _report(place: Shop, agent: str) -> None:
    run, text = f"a {agent} {TEXTS[0]}", events.make_report(*TEXTS)
    place.run_hook("subagent_stop", events.make_stop_event(run, text, agent))


def _delegate(place: Shop) -> None:
    """Call an agent, let its command fail, and let the delegation fail."""
    place.run_hook("pre_tool_use", events.make_pre_event("toolu_<b>", "writer"))
    place.run_hook("subagent_start", events.make_start_event("a<b>", "writer"))
    for text in TEXTS[:3]:
        failure = events.make_failed_call(text, f"toolu_{text}", "writer")
        place.run_hook("post_tool_use", failure)
    place.run_hook("session_start", {**SESSION, "session_id": TEXTS[0]})
