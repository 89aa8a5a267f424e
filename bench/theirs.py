"""The rows of the rivals: other tools for the same work, if they are installed."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
from collections.abc import Iterator
from typing import NamedTuple

import ours
import samples
import scene
from ours import Maker, Row
from scene import Case, Scene, Unmeasured

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(os.path.dirname(HERE), "build", "bench")
PACKAGES = {
    "models": ("pydantic>=2.7,<3", "filelock>=3.12"),
    "cchooks": ("cchooks==0.1.5",),
    "claude-mpm": ("claude-mpm==5.9.10",),
}


class Rival(NamedTuple):
    name: str
    argv: list[str | None]  # the first is None where it is not installed
    captures: bool = True
    works: bool = True  # seen to do the work; claude-mpm's hook is timed as it is


def environment(python: str, name: str) -> str:
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    version = subprocess.run([python, "-I", "-c", ask], check=True, capture_output=True, text=True)
    return os.path.join(BUILD, f"{name}-{version.stdout.strip()}")


def install(python: str) -> None:
    """Put the rivals that are packages into environments of their own, to be thrown away."""
    for name, packages in PACKAGES.items():
        folder = environment(python, name)
        subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
        pip = [os.path.join(folder, "bin", "python"), "-m", "pip", "install", "-q"]
        if subprocess.run([*pip, *packages]).returncode:
            shutil.rmtree(folder)  # half an environment would be timed as a whole one


def rivals(python: str) -> Iterator[Rival]:
    models, cchooks, mpm = (environment(python, name) for name in PACKAGES)
    yield Rival(
        f"pydantic models{_version(models, 'pydantic')}",
        [_in(models, "python"), "-I", _script("pydantic_hook.py")],
    )
    yield Rival(
        f"cchooks{_version(cchooks, 'cchooks')}",
        [_in(cchooks, "python"), "-I", _script("cchooks_hook.py")],
    )
    yield Rival(
        f"sh + jq{_asked('jq')}",
        [shutil.which("jq") and "/bin/sh", _script("inject.sh")],
        captures=False,
    )
    yield Rival(f"Node script{_asked('node')}", [shutil.which("node"), _script("node_hook.js")])
    yield Rival(
        f"claude-mpm's claude-hook{_version(mpm, 'claude_mpm')}",
        [_in(mpm, "claude-hook")],
        works=False,
    )


def rows(python: str) -> Iterator[Row]:
    for rival in rivals(python):
        yield _inject(rival)
        if rival.captures:
            yield _capture(rival)


def _inject(rival: Rival) -> Row:
    def row(maker: Maker) -> Case:
        place = maker.scene()
        check = scene.prompt_with_memory if rival.works else scene.ran
        event = samples.pre_tool_use(place.project)
        return _case(maker, f"{rival.name}: inject", rival, place, event, check)

    return row


def _capture(rival: Rival) -> Row:
    def row(maker: Maker) -> Case:
        place, text = maker.scene(ours.ROOMY), samples.result(10_000, samples.LEARNED)
        event = samples.post_tool_use(place.project, maker.prompt(), text)
        check = scene.taught if rival.works else scene.ran
        return _case(maker, f"{rival.name}: capture", rival, place, event, check)

    return row


def _case(maker: Maker, name: str, rival: Rival, place: Scene, event: dict, check) -> Case:
    argv = [word for word in rival.argv if word]
    if len(argv) < len(rival.argv):
        raise Unmeasured(name, "not installed")
    place.put("event", event)
    if not rival.works:
        maker.spawner.run(place.job(argv))  # its caches, as ours are warmed up
    place.freeze()
    return Case(name, argv, place, check)


def did_it(case: Case) -> str:
    """Describe the last run of a command whose result is not checked."""
    for check, verb in ((scene.prompt_with_memory, "injects"), (scene.taught, "learns")):
        try:
            check(case.scene)
        except (scene.Broken, KeyError, TypeError, ValueError):
            continue
        return verb
    return "does neither here"


def _script(name: str) -> str:
    return os.path.join(HERE, "rivals", name)


def _in(folder: str, command: str) -> str | None:
    path = os.path.join(folder, "bin", command)
    return path if os.path.exists(path) else None


def _version(folder: str, package: str) -> str:
    folders = glob.glob(f"{folder}/lib/python*/site-packages/{package}-*.dist-info")
    return " " + folders[0].removesuffix(".dist-info").rpartition("-")[2] if folders else ""


def _asked(command: str) -> str:
    if not shutil.which(command):
        return ""
    answer = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    return " " + answer.stdout.strip().removeprefix("jq-").removeprefix("v")
