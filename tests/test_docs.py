"""Checks that keep the documentation current: tables match the code, links work."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

import memory_core
from memory_core.claude_code import headless
from memory_core.storage import record_models
from memory_core.storage.config_yml import config_merge, default_settings
from support.command_line import UNDO_HINT, Person, hide_change
from support.git import git
from support.pages import Session, read_sessions, read_turns
from support.paths import REPO
from support.processes import run
from support.sandbox import Sandbox
from support.tables import for_each

PAGES = [REPO / "README.md", REPO / "CHANGELOG.md", *sorted((REPO / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", ["README.md", "docs/install.md", "docs/getting-started.md"])
def test_the_oldest_claude_code_is_the_constant(page: str) -> None:
    assert f"{headless.OLDEST_CLAUDE} or newer" in (REPO / page).read_text(encoding="utf-8")


def test_the_table_of_settings_is_that_of_the_models() -> None:
    settings = default_settings.SETTINGS.items()
    rows = [f"| `{key}` | `{row.default}` | {row.meaning} |" for key, row in settings]
    table = "\n".join(["| key | default | meaning |", "| --- | --- | --- |", *rows])
    page = (REPO / "docs" / "config.md").read_text(encoding="utf-8")
    assert table in page, f"docs/config.md lacks this table:\n{table}"


def test_the_example_settings_are_valid(sandbox: Sandbox) -> None:
    page = (REPO / "docs" / "config.md").read_text(encoding="utf-8")
    sandbox.configure(page.split("```yaml\n")[1].split("```")[0])
    assert config_merge.load(sandbox.paths, None, {}).problems == []


@for_each("page", PAGES)
def test_links_work(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)[^):]*\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_sessions_of_the_readme_run_as_shown(sandbox: Sandbox) -> None:
    """From a clone, with the command on PATH; the installation has separate tests."""
    path = f"{Path(sys.executable).parent}:{sandbox.env['PATH']}"
    check, ran = doctest.OutputChecker().check_output, 0
    for command, expected in read_turns("README.md"):
        if command.startswith(("git clone", "cd ")):
            continue
        done = run(["sh", "-c", command], cwd=REPO, env={**sandbox.env, "PATH": path})
        shown = done.stdout.decode().strip("\n")
        assert done.returncode == 0, done.stderr
        is_shown = not expected or check(expected.strip("\n"), shown, doctest.ELLIPSIS)
        assert is_shown, f"$ {command}\n{shown}"
        ran += 1
    assert ran >= 3


def test_files_named_in_the_readme_exist() -> None:
    """The install commands are those that tests/setup runs."""
    text = (REPO / "README.md").read_text(encoding="utf-8")
    for command in ("./install.sh ~/code/shop", "agent-memory uninstall --all ~/code/shop"):
        assert command in text
    assert "`make test`" in text
    command = ["sh", str(REPO / "install.sh"), "--help"]
    help_text = subprocess.check_output(command, text=True)
    for option in ("--all", "--uninstall"):
        assert option in help_text


def test_pages_that_the_code_names_exist() -> None:
    sources = [path for top in ("memory_core", "hooks") for path in (REPO / top).rglob("*.py")]
    texts = "".join(path.read_text(encoding="utf-8") for path in sources)
    pages = set(re.findall(r"\bdocs/[\w-]+\.md", texts))
    assert len(pages) > 5
    assert not [page for page in sorted(pages) if not (REPO / page).is_file()]


def test_the_python_of_the_docs_runs(sandbox: Sandbox) -> None:
    page = (REPO / "docs" / "python.md").read_text(encoding="utf-8")
    code = page.split("```python\n")[1].split("```")[0].replace("~/code/shop", str(sandbox.root))
    sandbox.memories.mkdir(parents=True)
    command = [sys.executable, "-c", code]
    shown = subprocess.check_output(command, env=sandbox.env, text=True)
    assert "0.5\n<agent-memory" in shown
    assert shown.endswith("{'coding-style': 'short functions'}\n1 0\n")
    methods = re.findall(r"`(\w+)\(", page.split("| method |")[1])
    public = {name for name in vars(memory_core.Memories) if not name.startswith("_")} - {"root"}
    assert set(methods) == public


TABLE = re.compile(r"^\| k\w+[^|]* \| meaning \|\n\| --- \| --- \|\n((?:\|.*\n)+)", re.MULTILINE)


def test_the_tables_of_exports_and_histories_have_the_keys_of_the_models() -> None:
    page = (REPO / "docs" / "json.md").read_text(encoding="utf-8")
    *keys, kinds = [re.findall(r"^\| `?(\w+)", table, re.M) for table in TABLE.findall(page)]
    models = (record_models.Export, record_models.AgentExport, record_models.WaitingLearning)
    assert keys == [[*model.model_fields] for model in (*models, record_models.HistoryRecord)]
    assert sorted(kinds) == sorted(set(record_models.RECORD_KINDS))


# The console sessions of the pages that tell a story, line by line.

STORY_PAGES = ["everyday", "experiment", "knowledge", "tasks"]


STORIES = {
    f"{page}-{number}": session
    for page in STORY_PAGES
    for number, session in enumerate(read_sessions(f"docs/{page}.md"), 1)
}


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_a_page_shows_the_real_output(settled: Person, story: Session) -> None:
    """In a project in git, with the default settings."""
    git(settled.sandbox.root, "init", "-q")
    del settled.env["AGENT_MEMORY_SELECTION"]
    real: dict[str, str] = {}  # id of a change by its id on the page
    for line, told in story:
        done = settled.run_shell(UNDO_HINT.sub(lambda change: real[change[0]], line))
        said = f"{(done.stdout + done.stderr).rstrip()}\n"
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        real.update(zip(UNDO_HINT.findall(told), UNDO_HINT.findall(said), strict=False))
        shown, told = hide_change(said), hide_change(told)
        assert doctest.OutputChecker().check_output(told or "\n", shown, flags), f"$ {line}\n{said}"


def test_each_page_has_a_story() -> None:
    assert {name.partition("-")[0] for name in STORIES} == set(STORY_PAGES)
