"""Documentation that cannot go stale: tables equal the code, links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import REPO, Sandbox

from memory_core import config, models, places

PAGES = [REPO / "README.md", REPO / "CHANGELOG.md", *sorted((REPO / "docs").glob("*.md"))]


def config_table() -> str:
    rows = [f"| `{key}` | `{default}` | {told} |" for key, default, told in models.described()]
    return "\n".join(["| key | default | what it is |", "| --- | --- | --- |", *rows])


def test_the_table_of_settings_is_that_of_the_models() -> None:
    page = (REPO / "docs" / "config.md").read_text(encoding="utf-8")
    assert config_table() in page, f"docs/config.md lacks this table:\n{config_table()}"


def test_the_example_settings_are_valid(sandbox: Sandbox) -> None:
    page = (REPO / "docs" / "config.md").read_text(encoding="utf-8")
    sandbox.configure(page.split("```yaml\n")[1].split("```")[0])
    assert config.load(places.Place(str(sandbox.root)), None, {}).problems == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)[^):]*\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
