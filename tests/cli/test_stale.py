"""Items that name what is gone: what `status` and `review` say."""

from __future__ import annotations

import pytest

from support.command_line import Person
from support.git import git

ITEMS = ["Payments are retried in src/pay.py", "Refunds are in src/refunds.py", "Stock is counted"]


@pytest.fixture
def desk(settled: Person) -> Person:
    """Create a user whose agent knows two files in a git repository."""
    root = settled.sandbox.root
    (root / "src").mkdir()
    for name in ("pay", "refunds"):
        (root / "src" / f"{name}.py").write_text(f"{name} = 1\n" * 9, encoding="utf-8")
    settled.sandbox.write_memory("qa", *ITEMS)
    git(settled.sandbox.root, "init", "-q")
    commit(settled)
    return settled


def commit(person: Person) -> None:
    git(person.sandbox.root, "add", "src")
    git(person.sandbox.root, "commit", "-q", "-m", "x")


def list_reasons(person: Person, *words: str) -> list[str]:
    """Return the end of each line of `review --list`."""
    done = person.run("review", "--list", *words)
    return [line.partition("  (")[2].rstrip(")") for line in done.stdout.splitlines()]


def list_gone(person: Person) -> list[list[str]]:
    rows = {row["agent"]: row["stale"] for row in person.read_json("status")["agents"]}
    return [item["gone"] for item in rows["qa"]]


def test_items_that_name_what_is_gone_are_listed(desk: Person) -> None:
    assert list_reasons(desk) == []
    assert "may be out of date" not in desk.run("status").stdout
    git(desk.sandbox.root, "mv", "src/pay.py", "src/payments.py")
    (desk.sandbox.root / "src" / "refunds.py").unlink()
    assert list_reasons(desk) == ["src/pay.py is gone", "src/refunds.py is gone"]
    assert list_reasons(desk, "qa") == list_reasons(desk)
    assert list_reasons(desk, "engineer") == []
    shown = " ".join(desk.run("status").stdout.split())
    assert "2 items may be out of date (agent-memory review --list)" in shown
    assert list_gone(desk) == [["src/pay.py"], ["src/refunds.py"]]


def test_symbols_that_are_gone_are_listed(desk: Person) -> None:
    desk.sandbox.write_memory("qa", "`src/refunds.py::refund` is idempotent", "Stock is counted")
    reasons = ["`refund` is gone from src/refunds.py"]
    assert list_reasons(desk) == reasons
    assert list_gone(desk) == [["refund"]]
    desk.sandbox.switch_selection_on()
    desk.env.pop("AGENT_MEMORY_SELECTION")
    explained = desk.read_json("explain", "qa", "refunds: idempotent")
    assert reasons[0] in {item["stale"] for item in explained["items"]}
