"""No wrong clock makes undo a silent no-op, loses a learning, or brings a removed line back."""

from pathlib import Path

import pytest

from memory_core.storage.project import find_project
from support.lessons import learn
from support.machine import AGENT, HOUR, YEAR, Machine

FACTS = ["Cranes lift forty containers in an hour", "Customs close at noon", "Pilots come by radio"]
FACTS += ["The tide table is in the cellar", "Ropes break below zero", "Invoices need signatures"]
MINE = "Ask Ann before a release"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "ann")


# The clock of each writer, in seconds ahead of the right time.
CLOCKS = pytest.mark.parametrize("clocks", [[0, YEAR, 0, 0], [HOUR, HOUR, 0, 0]])


def teach(machine: Machine, shifts: list[int], facts: list[str] = FACTS) -> None:
    for number, (shift, fact) in enumerate(zip(shifts, facts, strict=False)):
        machine.shift = shift
        if number % 2:
            machine.run("add", AGENT, "pattern", fact)
        else:
            machine.report(fact)


@CLOCKS
def test_each_undo_goes_one_change_back(machine: Machine, clocks: list[int]) -> None:
    teach(machine, clocks[:3])
    for left in (2, 1, 0):
        machine.run("undo")
        assert sorted(machine.list_items()) == sorted(FACTS[:left])
    assert "nothing" in machine.run("undo", status=1).stderr
    for count in (1, 2, 3):
        machine.run("redo")
        assert sorted(machine.list_items()) == sorted(FACTS[:count])


@pytest.mark.parametrize("opened", [1, 2])
@CLOCKS
def test_a_stale_save_loses_nothing(machine: Machine, clocks: list[int], opened: int) -> None:
    """An editor opens the file after `opened` writes and saves after all of them."""
    teach(machine, clocks[:opened])
    text = machine.read()
    for shift, fact in list(zip(clocks, FACTS, strict=False))[opened:]:
        machine.shift = shift
        machine.report(fact)
    machine.save(text.replace(f"- {FACTS[0]}\n", f"- {MINE}\n"))
    machine.shift = 0
    machine.report(FACTS[4])
    assert sorted(machine.list_items()) == sorted([*FACTS[1:5], MINE])
    machine.run("undo")
    assert sorted(machine.list_items()) == sorted([*FACTS[1:4], MINE])


@CLOCKS
def test_removed_lines_stay_removed(machine: Machine, clocks: list[int]) -> None:
    teach(machine, clocks)
    machine.save(machine.read().replace(f"- {FACTS[1]}\n", ""))
    machine.report(FACTS[4])
    assert sorted(machine.list_items()) == sorted([FACTS[0], *FACTS[2:5]])
    machine.shift = clocks[0]
    machine.run("remove", AGENT, FACTS[0])
    machine.shift = 0
    machine.report(FACTS[5])
    assert sorted(machine.list_items()) == sorted(FACTS[2:])
    machine.run("restore", AGENT, FACTS[0])
    assert sorted(machine.list_items()) == sorted([FACTS[0], *FACTS[2:]])


@pytest.mark.slow
def test_a_stale_save_after_many_writes(machine: Machine) -> None:
    project = find_project(str(machine.root), machine.env)

    def write(text: str, run: str = "a1") -> None:
        learn(project, AGENT, text, kind="context", run=run)

    write(FACTS[0])
    for number in range(330):
        write(FACTS[1], run=f"a{number}")
        if number == 320:
            text = machine.read()
    write(FACTS[2])
    machine.save(text + f"- {MINE}\n")
    write(FACTS[3])
    assert sorted(machine.list_items()) == sorted([*FACTS[:4], MINE])


# Two machines with a clone of one repository.

Pair = tuple[Machine, Machine]


@pytest.fixture(params=[-5 * 60, YEAR])
def pair(machine: Machine, tmp_path: Path, request: pytest.FixtureRequest) -> Pair:
    """Return Ann's machine, and Bob's with a wrong clock and a clone; both have the first fact."""
    machine.report(FACTS[0])
    machine.run("git", "install")
    machine.commit()
    other = Machine(tmp_path / "bob", machine)
    other.run("git", "install")
    other.shift = request.param
    return machine, other


def test_a_line_of_another_machine_stays_removed(pair: Pair) -> None:
    ann, bob = pair
    bob.report(FACTS[1])
    bob.run("add", AGENT, "pattern", FACTS[2])
    ann.report(FACTS[3])
    ann.pull(bob)
    assert sorted(ann.list_items()) == sorted(FACTS[:4])
    ann.save(ann.read().replace(f"- {FACTS[1]}\n", ""))
    ann.report(FACTS[4])
    bob.pull(ann)
    bob.report(FACTS[5])
    assert sorted(bob.list_items()) == sorted([FACTS[0], *FACTS[2:]])
    ann.pull(bob)
    ann.run("confirm", AGENT, FACTS[0])
    assert sorted(ann.list_items()) == sorted([FACTS[0], *FACTS[2:]])


def test_a_line_is_removed_right_after_a_merge(pair: Pair) -> None:
    """The next write follows only after the removal, and the header may be the other machine's."""
    ann, bob = pair
    for fact in FACTS[1:3]:
        bob.report(fact)
    ann.pull(bob)
    ann.save(ann.read().replace(f"- {FACTS[2]}\n", ""))
    ann.report(FACTS[3])
    assert sorted(ann.list_items()) == sorted([*FACTS[:2], FACTS[3]])
    ann.run("undo")
    assert sorted(ann.list_items()) == sorted(FACTS[:2])


def test_undo_reverts_changes_of_this_machine(pair: Pair) -> None:
    ann, bob = pair
    ann.report(FACTS[1])
    bob.report(FACTS[2])
    ann.pull(bob)
    ann.run("undo")
    assert sorted(ann.list_items()) == sorted([FACTS[0], FACTS[2]])
    ann.run("redo")
    assert sorted(ann.list_items()) == sorted(FACTS[:3])
    records = ann.read_json("log", AGENT)
    (change,) = {record["change"] for record in records if record["text"] == FACTS[2]}
    assert "another machine made it" in ann.run("undo", change, status=1).stderr
    ann.run("undo", "2")
    assert ann.list_items() == [FACTS[2]]
    assert "other machines are undone with git" in ann.run("undo", status=1).stderr
