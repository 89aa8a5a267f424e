"""Names of agents: one id for every spelling, one safe file for every id."""

import unicodedata
from itertools import chain

from hypothesis import example, given, strategies as st

from memory_core.claude_code import agent_names, agent_spelling
from support.tables import for_each

SPELLINGS = {
    "engineer": [
        *("Engineer", "ENGINEER", "engineer-agent", "Engineer Agent", "engineer_agent"),
        *("engineer.md", "Engineer.MD", "engineer_agent.md", "engineer_memories.md"),
        *("  engineer\n", "ｅｎｇｉｎｅｅｒ", "engi\u00adneer", "\u202eengineer"),
        "engineer-agent-agent",
    ],
    "code-reviewer": [
        *("code_reviewer", "Code Reviewer", "code-reviewer", "code  -_reviewer"),
        *("code\u2011reviewer", "code\u00a0reviewer", "Code Reviewer Agent", "-code-reviewer-"),
    ],
    "plugin-a:reviewer": ["plugin-a:reviewer", "Plugin A: Reviewer", "plugin_a:reviewer-agent"],
    "agent": ["agent", "Agent", "agent-agent", "agent.md"],
    "agent-manager": ["agent-manager", "Agent Manager", "agent_manager.md"],
    "jos\u00e9": ["Jos\u00e9", "Jose\u0301", "JOSÉ agent"],
    "strasse": ["Straße", "STRASSE"],
    "工程师": ["工程师", "工程师 agent"],
    agent_names.EMPTY_ID: ["", "  ", "---", "_", "\n", ":", "\u200b"],
}

APART = [
    *(("agent-manager", "manager"), ("plugin-a:reviewer", "reviewer")),
    *(("plugin-a:reviewer", "plugin-b:reviewer"), ("plugin-a:reviewer", "plugin-a-reviewer")),
    *(("plugin-a:agent", "plugin-a"), ("工程师", "工程師"), ("инженер", "engineer"), ("с", "c")),
    *(("..", "."), ("..", ""), ("a/b", "a-b"), ("a/b", "a\\b"), ("c", "c++"), ("c#", "c")),
    *(("pm", "agent-pm"), ("con", "con.x"), ("agents", "agent"), ("x" * 10_000, "x" * 10_001)),
    *(("ß" * 300, "ß" * 301), ("ı", "i")),
]

STEMS = {
    "engineer": "engineer",
    "Code Reviewer": "code-reviewer",
    "plugin-a:reviewer": "plugin-a--reviewer",
    "node.js-expert": "node.js-expert",
    "c++": "c++",
    "工程师": "工程师",
    "pm": "pm=agent",
    "README": "readme=agent",
    "CON": "con=agent",
    "nul.txt": "nul=agent.txt",
    "com¹": "com1=agent",
    "conin$": "conin=24",
    "team/reviewer": "team=2freviewer",
    "..": "=2e=2e",
    ".env": "=2eenv",
    "ends.": "ends=2e",
    "": "=2d",
    "ı": "=c4=b1",
}

HOSTILE = [
    *("../../etc/passwd", "..", ".", "", "/", "\\", "C:\\x", "a\0b", "a\nb", "\ud800", "x\udcff"),
    *("x" * 10_000, "é" * 10_000, "工" * 10_000, "\u202egpj.exe", "😀", "👩\u200d💻", "CON"),
    *("con.md", "Lpt1", "README", "readme.md", "pm", "PM", "PM.md", "~", "~root", "$HOME"),
    *("%PATH%", "a*?b", "a|b", '<"a">', "-rf", "--", "trailing. ", "=2f", "=agent", "pm=agent"),
    *("=h0123456789abcdef", "archive", "aux.h", "/\u0338", "=\u0338", "/\u0307", ".\u0300"),
    *(".git", ".md", ".md.md", "a:.md", "::"),
]

PARTS = ["engineer", "Agent", "memories", ".md", "-", "_", " ", ":", "pm", "con", "."]
NAMES = st.one_of(
    st.text(max_size=40),
    st.text(alphabet="aAeE .-_:/\\md=2f\u0301\u200d\u00ad\u0130ıſſßΣς\ud800", max_size=12),
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from(PARTS), max_size=6).map("".join),
)


@for_each(("name", "agent"), [(name, agent) for agent in SPELLINGS for name in SPELLINGS[agent]])
def test_every_spelling_is_one_agent(name: str, agent: str) -> None:
    assert agent_names.id_of(name) == agent


@for_each(("name", "other"), APART)
def test_different_agents_stay_apart(name: str, other: str) -> None:
    assert agent_names.id_of(name) != agent_names.id_of(other)
    assert agent_names.file_stem_of(name).casefold() != agent_names.file_stem_of(other).casefold()


@for_each(("name", "stem"), STEMS.items())
def test_the_file_name_is_readable(name: str, stem: str) -> None:
    assert agent_names.file_stem_of(name) == stem


@given(NAMES)
@example("a\u0345")
@example("e\u00ad\u0301")
def test_ids_are_stable_plain_lines(name: str) -> None:
    agent = agent_names.id_of(name)
    assert agent
    assert agent_names.id_of(agent) == agent
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in agent)
    assert " " not in agent


def list_disk_forms(stem: str) -> set[str]:
    """Return the forms in which a file system may store or compare a name."""
    forms = {unicodedata.normalize(form, stem) for form in ("NFC", "NFD")}
    return {
        unicodedata.normalize("NFD", change) for f in forms for change in (f.upper(), f.lower())
    }


@given(NAMES, NAMES)
def test_two_agents_never_share_a_file(name: str, other: str) -> None:
    if agent_names.id_of(name) != agent_names.id_of(other):
        one, two = agent_names.list_file_names(name), agent_names.list_file_names(other)
        for file_name in one:
            assert agent_names.find_file([file_name], two) == ""
            assert all(list_disk_forms(file_name).isdisjoint(list_disk_forms(f)) for f in two)


def test_no_two_characters_share_a_file() -> None:
    seen: dict[str, str] = {}
    cased = ((0, 0x3400), (0xA640, 0xAC00), (0xF900, 0x10600), (0x1E900, 0x1E960))
    codes = [*chain(*(range(*ends) for ends in cased)), *range(0x3400, 0x110000, 64)]
    for code in codes:
        agent = agent_names.id_of(chr(code))
        for form in list_disk_forms(agent_names.file_stem_of(agent)):
            assert seen.setdefault(form, agent) == agent


@given(NAMES)
def test_a_file_name_is_safe(name: str) -> None:
    stem = agent_names.file_stem_of(name)
    assert 0 < len(stem.encode()) <= 120
    assert not set(stem) & set('/\\:*?"<>|%$~\0\n\r ')
    assert stem.isprintable() or unicodedata.normalize("NFC", stem) == stem
    assert stem[0] not in ".-"
    assert stem[-1] not in ". "
    device = stem.split(".")[0].casefold()
    assert device not in {"con", "prn", "aux", "nul", "readme", "pm", "com1", "lpt9"}
    assert stem == stem.lower()


LISTINGS = [
    (["engineer.md", "engineer_agent.md"], "engineer", "engineer.md"),
    (["engineer_agent.md", "engineer_memories.md"], "engineer", "engineer_memories.md"),
    (["Engineer_Agent.md", "qa.md"], "engineer", "Engineer_Agent.md"),
    (["CODE_REVIEWER.MD"], "code-reviewer", "CODE_REVIEWER.MD"),
    (["Code Reviewer.md"], "code-reviewer", "Code Reviewer.md"),
    (["code_reviewer.md", "code-reviewer.md"], "code-reviewer", "code-reviewer.md"),
    (["code_reviewer.md", "CODE-REVIEWER.md"], "code-reviewer", "CODE-REVIEWER.md"),
    (["plugin_a__reviewer.md"], "plugin-a:reviewer", "plugin_a__reviewer.md"),
    (["jose\u0301.md"], "jos\u00e9", "jose\u0301.md"),
    (["reviewer.md"], "plugin-a:reviewer", ""),
    *((["PM.md", "README.md", "pm_agent.md"], "pm", ""), (["README.md"], "readme", "")),
    *((["engineer.md.lock", "engineer"], "engineer", ""), ([], "engineer", "")),
]


@for_each(("listing", "agent", "name"), LISTINGS)
def test_existing_files_are_found_in_any_spelling(
    listing: list[str], agent: str, name: str
) -> None:
    wanted = agent_names.list_file_names(agent)
    assert wanted == [f"{agent_names.file_stem_of(agent)}{end}" for end in ENDS]
    assert agent_names.find_file(listing, wanted) == name
    assert agent_names.find_file(reversed(listing), wanted) == name


ENDS = (".md", "_memories.md", "_agent.md")


def test_the_main_session_has_its_own_file() -> None:
    listing = ["pm=agent.md", "pm_memories.md", "engineer.md"]
    assert agent_names.find_file(listing, agent_names.PM_FILE_NAMES) == "pm_memories.md"
    assert agent_names.find_file(["PM.md", *listing], agent_names.PM_FILE_NAMES) == "PM.md"
    assert agent_spelling.agent_of_file("PM.md") == agent_names.PM


@given(NAMES)
def test_a_file_name_gives_its_agent(name: str) -> None:
    agent = agent_names.id_of(name)
    if "=h" not in agent_names.file_stem_of(agent):
        first, *old = map(agent_spelling.agent_of_file, agent_names.list_file_names(agent))
        assert first == agent
        assert old == [agent, agent] or agent == agent_names.EMPTY_ID


@for_each("name", ["README.md", "pm_memories.md", "x.lock", ".md", "", "a=zz.md"])
def test_some_files_are_not_agents(name: str) -> None:
    assert agent_spelling.agent_of_file(name) == ""


@given(st.text(max_size=20))
def test_any_file_name_has_one_owner_or_none(file_name: str) -> None:
    agent = agent_spelling.agent_of_file(file_name)
    names = agent_names.list_file_names(agent)
    assert not agent or agent_names.find_file([file_name], names) == file_name


TITLES = [
    ("code-reviewer", "Code Reviewer"),
    ("qa", "QA"),
    ("plugin-a:reviewer", "Plugin A: Reviewer"),
    ("node.js-expert", "Node.js Expert"),
    ("<!-- x", "X"),
    ("", "Unnamed"),
    ("*", "Unnamed"),
    ("a" * 1000, "A" + "a" * 59),
]


@for_each(("name", "title"), TITLES)
def test_titles_fit_into_a_heading(name: str, title: str) -> None:
    assert agent_spelling.format_title(name) == title
