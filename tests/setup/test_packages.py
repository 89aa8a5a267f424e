"""The packages of the running program, and the versions and ways that a note has."""

import sys
from itertools import pairwise
from pathlib import Path

import pytest

from memory_core.setup import activation, builder, packages, program, upgrade
from support.files import write, write_program
from support.paths import REPO

# The requirements of each package.
REQUIREMENTS = {
    "agent-memory": [
        "Alpha>=1",
        'beta[fast,odd] (<3) ; python_version < "9"',
        'gamma-ray<3,>=2.3; extra == "mcp"',
        "delta ; extra == 'other'",
        'windows-only; sys_platform == "win32"',
    ],
    "alpha": ["agent-memory", "beta"],
    "beta": ['quick; extra == "fast"', 'slow; extra == "slow"'],
    "gamma_ray": ["quick"],
    "delta": [],
    "quick": [],
    "slow": [],
}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of packages, of which agent-memory is the running one."""
    folder = tmp_path / "site"
    for name, requirements in REQUIREMENTS.items():
        needed = "".join(f"Requires-Dist: {one}\n" for one in requirements)
        key = name.replace("-", "_")
        info = folder / f"{key}-1.0.dist-info"
        write(info / "METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{needed}")
        write(info / "RECORD", f"{key}-1.0.dist-info/METADATA,,\n")
    (folder / "memory_core").symlink_to(REPO / "memory_core")
    monkeypatch.syspath_prepend(str(folder))
    add_files(folder, "memory_core/setup/packages.py,sha256=abc,12")
    return folder


def add_files(site: Path, *lines: str) -> None:
    with (site / "agent_memory-1.0.dist-info" / "RECORD").open("a") as record:
        record.write("".join(f"{line}\n" for line in lines))


def test_requirements_are_followed_with_their_extras(site: Path) -> None:
    found = packages.find_packages()
    names = ["agent-memory", "alpha", "beta", "gamma_ray", "quick"]
    assert [package.metadata["Name"] for package in found] == names
    assert packages.list_extra(found[0]) == ["gamma-ray<3,>=2.3"]


def test_what_installers_add_makes_no_difference(site: Path, tmp_path: Path) -> None:
    info = "agent_memory-1.0.dist-info"
    before = packages.hash_packages(packages.find_packages())
    write(site / info / "INSTALLER", "uv")
    add_files(site, f"{info}/INSTALLER,sha256=ghi,2", f"{info}/RECORD,,")
    add_files(site, "../../bin/agent-memory,,", "/etc/passwd,,", "memory_core/__pycache__/x.pyc,,")
    found = packages.find_packages()
    assert packages.hash_packages(found) == before
    packages.copy_packages(found[:1], str(tmp_path / "copy"))
    copied = {path for path in (tmp_path / "copy").rglob("*") if path.is_file()}
    names = sorted(str(path.relative_to(tmp_path / "copy")) for path in copied)
    about = [f"{info}/{name}" for name in ("INSTALLER", "METADATA", "RECORD")]
    assert names == [*about, "memory_core/setup/packages.py"]
    add_files(site, "memory_core/setup/program.py,sha256=def,1")
    assert packages.hash_packages(packages.find_packages()) != before


def test_a_program_that_cannot_be_copied_says_why(site: Path) -> None:
    (site / "beta-1.0.dist-info" / "RECORD").unlink()
    with pytest.raises(builder.InstallRefused, match="beta has no list of its files"):
        packages.find_packages()
    (site / "memory_core").unlink()
    with pytest.raises(builder.InstallRefused, match="runs from a clone"):
        packages.find_packages()


def test_versions_are_compared_as_people_mean_it() -> None:
    versions = ["0.1.0rc1", "0.1.0rc2", "0.1.0", "0.1.0.post1", "0.1.1", "0.9", "0.10", "1"]
    for older, newer in pairwise(versions):
        assert program.parse_version(older) < program.parse_version(newer)
    assert program.parse_version("1.0") <= program.parse_version("1.0.0")


def test_a_downgrade_is_refused() -> None:
    note = program.Note("0.2.0", "", "pipx", "")
    for version in ("0.2.0", "0.3.0"):
        activation.refuse_older(note, version)
    with pytest.raises(builder.InstallRefused, match=r"0\.2\.0 is installed, and 0\.1\.9 is older"):
        activation.refuse_older(note, "0.1.9")


@pytest.mark.parametrize("version", ["x", "-e .", "1.0 --index-url http://x", "../x", "1.0/../.."])
def test_only_a_version_reaches_an_installer(version: str) -> None:
    with pytest.raises(builder.InstallRefused, match="invalid version"):
        upgrade.upgrade(to=version)


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("WARNING: x\nERROR: No matching distribution for y.\nnote: z", "ERROR: No matching dist"),
        ("Retrying: connection broken by 'x'\nERROR: y", "cannot download: no connection. Check"),
        ("error: the cache is closed\nhint: y", "error: the cache is closed."),
        ("", "no error message"),
    ],
)
def test_the_reason_of_a_failed_build(tmp_path: Path, output: str, reason: str) -> None:
    script = tmp_path / "tool"
    write_program(script, f"cat <<'END'\n{output}\nEND\nexit 1")
    with pytest.raises(builder.InstallRefused) as caught:
        builder.run([str(script)])
    assert reason in str(caught.value)


def test_a_missing_venv_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Debian, whose Python has no ensurepip."""
    python = tmp_path / "python"
    write_program(python, 'case "$*" in *ensurepip*) exit 1 ;; esac\nexit 0')
    monkeypatch.setattr(builder, "BASE", str(python))
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(builder.InstallRefused) as caught:
        builder.create(str(tmp_path / "new"), ["x"])
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert f"sudo apt install python{version}-venv. Or install uv." in str(caught.value)
