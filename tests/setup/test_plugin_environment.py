"""The plugin's Python environment.

One is built for real, with pip from the package index; the others use the packages of the tests.
"""

import json
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory_core.setup import plugin_environment
from support.command_line import ITEM, read_stderr, read_stdout
from support.files import write
from support.paths import REPO
from support.plugin import BORROWING_UV, Plugged, borrow_environment, copy_plugin
from support.processes import wait_until
from support.sandbox import Sandbox


def test_it_is_built_in_the_background_and_sessions_say_so(plugged: Plugged) -> None:
    plugged.install_builder(f'while [ ! -e "$HOME/go" ]; do sleep 0.05; done\n{BORROWING_UV}')
    began = time.monotonic()
    assert plugged.start_session() == plugin_environment.BUILD_STARTED
    assert plugged.start_session() == plugin_environment.BUILD_STARTED  # it is still built
    assert time.monotonic() - began < 30
    assert plugged.learns_report()
    (plugged.sandbox.home / "go").touch()
    plugged.await_build()
    (left,) = (plugged.data / "environments").iterdir()
    assert (plugged.data / "venv").resolve() == left.resolve()
    assert (left / "packages").is_dir()
    assert len((plugged.sandbox.home / "uv").read_text().splitlines()) == 2  # one built
    assert plugged.start_session() == ""
    done = plugged.run_shell('"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" list', CLAUDE_PLUGIN_DATA="")
    assert read_stdout(done).startswith("engineer")


# Also pip, which is tried where uv fails, finds nothing.
NO_INDEX = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}


@pytest.mark.slow
def test_a_failure_is_reported_and_each_session_tries_again(plugged: Plugged) -> None:
    plugged.install_builder('echo >> "$HOME/uv"; echo no network; exit 1')
    assert plugged.start_session(**NO_INDEX) == plugin_environment.BUILD_STARTED
    plugged.await_build()
    message = plugged.start_session(**NO_INDEX)
    assert "could not build" in message
    assert str(plugged.data / "build.log") in message
    assert message.endswith("Trying again.")
    plugged.await_build()
    assert "no network" in (plugged.data / "build.log").read_text()
    assert plugged.learns_report()
    assert not (plugged.data / "environments").exists()
    done = plugged.run_shell('sh "$CLAUDE_PLUGIN_ROOT/hooks/plugin.sh" mcp', **NO_INDEX)
    said = read_stderr(done, 1)
    assert "could not build its Python environment: pip failed: ERROR: No match" in said
    plugged.add_program("uv", BORROWING_UV)
    plugged.start_session()
    wait_until(lambda: plugin_environment.is_ready(str(plugged.data)))
    plugged.await_build()


def test_a_command_retries_a_failed_build_and_waits_for_it(plugged: Plugged) -> None:
    write(plugged.data / "build.log", "x.\n")
    plugged.install_builder(f"sleep 1\n{BORROWING_UV}")
    done = plugged.run_shell('"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" --version')
    assert (done.returncode, done.stderr) == (0, "")


def test_parallel_sessions_report_the_build_that_a_shell_waits_for(
    plugged: Plugged,
) -> None:
    """A shell has no CLAUDE_PLUGIN_DATA, but must use the data folder of the running build."""
    plugged.install_builder(f"sleep 1\n{BORROWING_UV}")
    with ThreadPoolExecutor(8) as pool:
        messages = list(pool.map(lambda _: plugged.start_session(), range(8)))
    assert set(filter(None, messages)) == {plugin_environment.BUILD_STARTED}
    command = '"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" --version'
    done = plugged.run_shell(command, CLAUDE_PLUGIN_DATA="")
    assert (done.returncode, done.stderr) == (0, "")
    assert os.listdir(plugged.data.parent) == [plugged.data.name]


def test_files_of_a_killed_build_are_removed(plugged: Plugged) -> None:
    torn_one = plugged.data / "environments" / f"{plugin_environment.hash_dependencies()}-1-1"
    (torn_one / "bin").mkdir(parents=True)
    (plugged.data / "build.lock").touch()
    used = borrow_environment(plugged.data, key="other")
    plugged.install_builder()
    assert plugged.start_session() == plugin_environment.BUILD_STARTED
    assert ITEM not in plugged.receive_prompt()  # the environment in use still works meanwhile
    plugged.await_build()
    names = {path.name for path in (plugged.data / "environments").iterdir()}
    assert used.name in names  # a hook may be running in it
    assert torn_one.name not in names
    assert len(names) == 2


def test_changed_dependencies_start_a_build(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    copy_plugin(folder)
    plugged = Plugged(sandbox, tmp_path, folder)
    plugged.install_builder()
    borrow_environment(plugged.data)
    assert plugged.start_session() == ""
    project = folder / "pyproject.toml"
    project.write_text(project.read_text().replace('"jinja2>=3.1"', '"jinja2>=3.1.1"'))
    assert plugged.start_session() == plugin_environment.BUILD_STARTED
    wait_until(lambda: plugged.start_session() == "")
    assert '"' not in (sandbox.home / "uv").read_text().splitlines()[-1]
    assert "jinja2>=3.1.1" in (sandbox.home / "uv").read_text()


def test_there_is_no_build_if_memory_is_off(plugged: Plugged) -> None:
    plugged.install_builder()
    assert plugged.start_session(AGENT_MEMORY="off") == ""
    assert not (plugged.data / "environments").exists()


@pytest.mark.slow
def test_it_is_built_for_real(sandbox: Sandbox, tmp_path: Path) -> None:
    """By pip from the package index, without the packages of the tests."""
    plugged = Plugged(sandbox, tmp_path)
    inherited = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    done = plugged.run_shell('"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" status --json', **inherited)
    assert done.returncode == 0, done.stderr + (plugged.data / "build.log").read_text()
    assert json.loads(done.stdout)["agents"] == []
    plugged.sandbox.configure("memory:\n  limits:\n    default_size_kb: 40\n")
    plugged.sandbox.write_memory("engineer", ITEM)
    assert ITEM in plugged.receive_prompt()


def test_the_merge_driver_names_the_plugin_by_a_link(plugged: Plugged) -> None:
    """The folder of the plugin has its version in its path, so each session renews the link."""
    borrow_environment(plugged.data)
    link = plugged.data / "plugin"
    link.symlink_to("/nowhere/older/version")
    assert plugged.start_session() == ""
    install = '"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" git install'
    command = f"git init -q && {install} && git config merge.agent-memory.driver"
    done = plugged.run_shell(command, CLAUDE_PLUGIN_DATA="", PATH=os.environ["PATH"])
    assert done.stderr == ""
    script = link / "memory_core" / "cli" / "merge_file.py"
    driver = f"{plugged.data / 'venv' / 'bin' / 'python'} -I -S {script} %O %A %B %P"
    assert done.stdout.splitlines()[-1].partition(" || ")[0] == driver
    assert script.resolve() == REPO / "memory_core" / "cli" / "merge_file.py"


def test_notices_name_the_path_of_the_command_while_no_shell_has_it(plugged: Plugged) -> None:
    borrow_environment(plugged.data)
    note = plugged.sandbox.home / ".local" / "share" / "agent-memory" / "command"
    command = plugged.data / "plugin" / "bin" / "agent-memory"
    folder = plugged.sandbox.home / "bin"
    for has_link in (False, True, False):
        if has_link:
            folder.mkdir()
            (folder / "agent-memory").symlink_to(command)
        else:
            shutil.rmtree(folder, ignore_errors=True)
        plugged.start_session(PATH=f"{folder}:{REPO / 'bin'}:/usr/bin:/bin")
        assert note.exists() is not has_link
    assert note.read_text() == f"{command}\n"
    done = plugged.run_shell(f"{command} status")
    assert done.returncode == 0, done.stderr
    assert f"{command} " in done.stdout + done.stderr
