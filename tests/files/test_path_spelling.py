"""Paths on disks as those of macOS, where letter case and Unicode form make no difference."""

import sys
from pathlib import Path
from unicodedata import normalize

import pytest

from memory_core.files import path_spelling
from memory_core.storage.paths import StateFiles


def test_a_path_that_needs_no_change_stays(tmp_path: Path) -> None:
    (tmp_path / "Cafe").mkdir()
    for name in ("Cafe", "missing/cafe", "."):
        assert path_spelling.find_spelling(f"{tmp_path}/{name}") == f"{tmp_path}/{name}"
    assert path_spelling.find_spelling("/") == "/"


def test_each_spelling_of_a_project_has_one_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Code" / "Café").mkdir(parents=True)
    if not (tmp_path / "code").exists():
        pytest.skip("the disk of the tests distinguishes letter case")
    monkeypatch.setattr(sys, "platform", "darwin")
    spellings = [f"{tmp_path}/{name}" for name in ("Code/Café", "code/CAFÉ", "CODE/café")]
    spellings += [normalize("NFD", path) for path in spellings]
    states = {StateFiles(path, str(tmp_path)).root for path in spellings}
    (path,) = {path_spelling.find_spelling(path) for path in spellings}
    assert normalize("NFC", path) == f"{tmp_path}/Code/Café"
    assert len(states) == 1
