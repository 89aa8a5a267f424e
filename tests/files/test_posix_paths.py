"""The paths of hooks are those of `os.path`."""

import os
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from memory_core.files import posix_paths

NAMES = st.sampled_from(["a", "b", "link", "up", "dead", "file", "none", "a b", "..", ".", "é"])


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with links: to a folder, to one above, to nothing, and through another link."""
    root = tmp_path_factory.mktemp("tree").resolve()
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "file").touch()
    (root / "link").symlink_to("a/b")
    (root / "a" / "b" / "up").symlink_to(root / "a")
    (root / "a" / "link").symlink_to("../link/up")
    (root / "dead").symlink_to("nowhere")
    return root


@given(names=st.lists(NAMES, min_size=1, max_size=6), is_absolute=st.booleans())
def test_paths_are_those_of_the_standard_library(
    tree: Path, names: list[str], is_absolute: bool
) -> None:
    path = "/".join([str(tree), *names] if is_absolute else names)
    assert posix_paths.resolve(path) == os.path.realpath(path)
    assert posix_paths.resolve(path, follows_links=False) == os.path.abspath(path)
    assert posix_paths.split(path) == os.path.split(path)
    assert posix_paths.join(str(tree), *names, path) == os.path.join(str(tree), *names, path)


@pytest.mark.parametrize("path", ["", "/", "/..", "a\0b"])
def test_other_paths_are_absolute_too(path: str) -> None:
    assert posix_paths.resolve(path) == os.path.abspath(path)


def test_links_that_lead_to_each_other_end(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert posix_paths.resolve(str(tmp_path / "loop")) == str(tmp_path.resolve() / "loop")


def test_variables_are_those_of_the_standard_library() -> None:
    assert posix_paths.read_environ().items() >= {"PATH": os.environ["PATH"]}.items()
