#!/usr/bin/env python3
"""Compare our hooks with a bare interpreter, and with rivals doing the same work.

    python bench/run.py                 our rows, and the rivals that are installed
    python bench/run.py --rivals        install the rivals first, under build/
    python bench/run.py --quick         a few rounds, to see that all is well
    python bench/run.py --against DIR   only the hooks of this clone and of another one, by turns

A bare interpreter runs just before every measured process, and the result of every run is
checked.  Exit status 1: a row of agent-memory could not be measured.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from operator import attrgetter
from statistics import median

import commands
import ours
import reads
import tasks
import theirs
from ours import Maker, Row, make_case
from reads import Timed
from report import (
    DELEGATION_MS,
    INJECT_MS,
    RSS_LIMIT,
    Goal,
    Line,
    Report,
    compared,
    data,
    facts,
    text,
    written,
)
from scene import Case, Scene, Unmeasured, ran
from timing import Pair, Sample, Spawner, in_turn, summary, together

ROUNDS, FEWEST, QUICK = 40, 30, 5
BOTH = (ours.INJECT, ours.CAPTURE)
ALL_FOUR = (ours.INJECT, ours.START, ours.STOP, ours.CAPTURE)
Pairs = dict[str, list[Pair]]


def main() -> int:
    args = arguments()
    rounds = QUICK if args.quick else max(args.rounds, FEWEST)
    if args.rivals:
        theirs.install(args.python)
    # not the usual place for temporary files: that is often memory, where fsync costs nothing
    place = "/var/tmp" if os.path.isdir("/var/tmp") else None
    with tempfile.TemporaryDirectory(dir=place) as folder, Spawner(args.python) as spawner:
        try:
            if args.against:
                print(compare(args, folder, spawner, rounds))
                return 0
            report = measure(Maker(args.python, folder, spawner), rounds)
        except Unmeasured as error:  # in the midst of the rounds
            sys.exit(f"bench: {error}")
    output = json.dumps(data(report), indent=2) if args.json else text(report)
    print(output)
    if args.write:
        write(args.write, output)
    return int(any(line.summary is None for line in report.own_hooks + report.commands))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    say = parser.add_argument
    say("--rounds", type=int, default=ROUNDS, help=f"{FEWEST} or more (default {ROUNDS})")
    say("--quick", action="store_true", help=f"{QUICK} rounds; not to be quoted")
    say("--json", action="store_true", help="values instead of tables")
    say("--write", metavar="PAGE", help="put the tables into a page, between its marks, too")
    say("--against", metavar="DIR", help="compare the hooks with those of another clone")
    say("--rivals", action="store_true", help="install the rivals under build/ first")
    say("--python", default=sys.executable, help="the interpreter to measure with")
    return parser.parse_args()


def write(path: str, tables: str) -> None:
    with open(path, encoding="utf-8") as file:
        page = written(tables, file.read())
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)


def measure(maker: Maker, rounds: int) -> Report:
    about = facts(maker.python, rounds)
    floors = bare_cases(maker)
    mine, broken = prepared(maker, itertools.chain(ours.rows(), tasks.rows()))
    shown, unshown = prepared(maker, commands.rows())
    others, absent = prepared(maker, theirs.rows(maker.python))
    bare, tick = floors[0].argv, progress(3 * rounds)
    pairs = in_turn(maker.spawner, floors + mine, bare, rounds, tick)
    pairs |= in_turn(maker.spawner, shown, bare, rounds, tick)
    pairs |= in_turn(maker.spawner, others, bare, rounds, tick)
    served = reads.measured(maker.python, maker.folder, is_quick=rounds < FEWEST)
    return Report(
        facts=about,
        floors=lines(floors, pairs),
        own_hooks=lines(mine, pairs) + broken,
        delegation=list(delegations(pairs)),
        commands=lines(shown, pairs) + unshown,
        rivals=lines(others, pairs, "yes") + absent,
        served=served,
        goals=[*goals(mine, pairs), *goals_of_commands(pairs), *goals_of_reads(served)],
        floor=maker.spawner.floor,
    )


def compare(args: argparse.Namespace, folder: str, spawner: Spawner, rounds: int) -> str:
    """Return a table of the hooks of another clone and of this one, measured in the same rounds."""
    clones = {"then": os.path.join(os.path.abspath(args.against), "hooks"), "now": ours.HOOKS}
    cases = []
    for clone, hooks in clones.items():
        place = os.path.join(folder, clone)
        os.mkdir(place)
        maker = Maker(args.python, place, spawner, hooks)
        cases.append({case.name: case for case in prepared(maker, ours.rows())[0]})
    names = [name for name in cases[1] if name in cases[0]]
    by_turns = [
        cases[at][name]._replace(name=f"{name}, {clone}")
        for name in names
        for at, clone in enumerate(clones)
    ]
    bare = bare_cases(Maker(args.python, folder, spawner))[0].argv
    pairs = in_turn(spawner, by_turns, bare, rounds, progress(rounds))
    results = [summary(pairs[case.name]) for case in by_turns]
    return compared(zip(names, results[::2], results[1::2], strict=True))


def bare_cases(maker: Maker) -> list[Case]:
    place = Scene(os.path.join(maker.folder, "bare"), None)
    place.put("event", {})
    place.freeze()
    commands = {
        "`python -I -c pass` against itself: the noise": ["-I", "-c", "pass"],
        "`python -I -S -c pass`": ["-I", "-S", "-c", "pass"],
    }
    return [Case(name, [maker.python, *argv], place, ran) for name, argv in commands.items()]


def prepared(maker: Maker, rows: Iterable[Row]) -> tuple[list[Case], list[Line]]:
    """Return the cases that do their work, and lines for the others saying why not."""
    cases, failed = [], []
    for row in rows:
        try:
            cases.append(make_case(maker, row))
        except Unmeasured as error:
            failed.append(Line(error.name, None, note=error.reason))
    return cases, failed


def lines(cases: list[Case], pairs: Pairs, note: str = "") -> list[Line]:
    return [
        Line(
            case.name,
            summary(pairs[case.name]),
            case.limit,
            theirs.did_it(case) if case.check is ran and note else note,
        )
        for case in cases
    ]


def delegations(pairs: Pairs) -> Iterable[Line]:
    for name, parts in (
        ("both hooks: PreToolUse, PostToolUse with learnings", BOTH),
        ("all four: with SubagentStart and SubagentStop", ALL_FOUR),
    ):
        if all(part in pairs for part in parts):
            yield Line(name, summary(together(pairs[part] for part in parts)))


def goals(mine: list[Case], pairs: Pairs) -> Iterable[Goal]:
    all_of = {case.name: summary(pairs[case.name]) for case in mine}
    for name, limit in (
        ("inject, slowest row", ours.INJECT_LIMIT),
        ("inject without a memory and capture, slowest row", ours.SMALL_LIMIT),
        ("capture of 1 MB, slowest row", ours.LARGE_LIMIT),
    ):
        rows = [all_of[case.name] for case in mine if case.limit == limit]
        if rows:
            yield Goal(name, max(s.x for s in rows), limit, "x", max(s.cpu_x for s in rows))
    if mine:
        yield Goal(
            "peak memory, largest row", max(s.rss for s in all_of.values()), RSS_LIMIT, "MiB"
        )
    if ours.INJECT in all_of:
        inject = all_of[ours.INJECT]
        yield Goal("inject, whole process", inject.ms, INJECT_MS, "ms", inject.cpu)
    if all(part in all_of for part in BOTH):
        both = summary(together(pairs[part] for part in BOTH))
        name = "both hooks of a delegation, whole processes"
        yield Goal(name, both.ms, DELEGATION_MS, "ms", both.cpu)


def goals_of_commands(pairs: Pairs) -> Iterable[Goal]:
    """Return the cost of a command beyond `import typer`, per round, in bare interpreters."""
    for name in (commands.HELP, commands.STATUS):
        if name in pairs and commands.TYPER in pairs:
            both = list(zip(pairs[name], pairs[commands.TYPER], strict=True))
            x, cpu = (
                median(beyond(getter, own, typer) for own, typer in both)
                for getter in (attrgetter("wall"), attrgetter("cpu"))
            )
            yield Goal(f"{name}, beyond `import typer`", x, commands.LIMIT, "x", cpu)


def goals_of_reads(served: list[Timed]) -> Iterable[Goal]:
    """Give the slowest kind of resource: the first row is the server's start."""
    _start, *rows = served
    median_ms, p99 = max(row.median for row in rows), max(row.p99 for row in rows)
    yield Goal("MCP resource, slowest row, median", median_ms, reads.MEDIAN_MS, "ms")
    yield Goal("MCP resource, slowest row, 99th percentile", p99, reads.WORST_MS, "ms")


def beyond(of: Callable[[Sample], float], own: Pair, typer: Pair) -> float:
    return (of(own.case) - of(typer.case)) / of(own.bare)


def progress(rounds: int):
    """Return a function that counts the rounds on stderr, where a person watches."""
    done = iter(range(1, rounds + 1))

    def tick() -> None:
        if sys.stderr.isatty():
            print(f"\rround {next(done)} of {rounds}", end="", file=sys.stderr)

    return tick


if __name__ == "__main__":
    raise SystemExit(main())
