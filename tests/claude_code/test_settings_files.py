"""Which settings file switches the hooks off."""

from pathlib import Path

import pytest

from memory_core.claude_code import settings_files, settings_json
from support.files import write
from support.paths import REPO

OFF, ON = '{"disableAllHooks": true}', '{"disableAllHooks": false}'
ONLY_MANAGED = '{"allowManagedHooksOnly": true}'
OUR_HOOKS = settings_json.add_hooks(
    ONLY_MANAGED, settings_json.build_hooks((REPO / "settings.template.json").read_text())
)

# The files by level, and the level of the file that decides.
SWITCHES: list[tuple[dict[str, str], str]] = [
    ({}, ""),
    ({"user": OFF}, "user"),
    ({"user": OFF, "project": ON}, ""),
    ({"project": ON, "local": OFF}, "local"),
    ({"project": ONLY_MANAGED}, ""),
    ({"managed": OFF, "local": ON}, "managed"),
    ({"managed": ON, "project": OFF}, ""),
    ({"managed": ONLY_MANAGED}, "managed"),
    ({"managed": ONLY_MANAGED, "local": ON}, "managed"),
    ({"managed": OUR_HOOKS}, ""),
]


@pytest.mark.parametrize(("texts", "expected"), SWITCHES)
def test_a_file_that_switches_the_hooks_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: dict[str, str], expected: str
) -> None:
    root, home, machine = (tmp_path / name for name in ("shop", "home", "machine"))
    monkeypatch.setattr(settings_files, "MANAGED_FOLDER", str(machine))
    paths = {
        "user": home / ".claude" / "settings.json",
        "project": root / ".claude" / "settings.json",
        "local": root / ".claude" / "settings.local.json",
        "managed": machine / "managed-settings.json",
    }
    for level, text in texts.items():
        write(paths[level], text)
    files = settings_files.read_settings(str(root), {"HOME": str(home)})
    assert [file.level for file in files] == [level for level in paths if level in texts]
    off = settings_files.find_disabling_file(files)
    assert (off.level if off else "") == expected
