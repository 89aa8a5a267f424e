"""An agent receives the items that fit its task, best first, and judges them by their ids."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from memory_core.delegation import experiment, hold_out
from memory_core.history.item_history import id_of
from memory_core.memory.project import Project, find_project

from .api import Request, delegate, say, use
from .client import Desk
from .product import assert_quiet, assert_unseen, lesson, list_known_items, remember, state_folder

ITEMS = [
    "Payments are retried three times with one message id",
    "A refund of a payment needs the id of its invoice",
    "Stock is booked by the warehouse service",
    "Invoices are rendered from templates in the blob store",
    "Search uses trigrams, not a dictionary",
]


def test_an_agent_receives_what_fits_its_task(desk: Desk) -> None:
    desk.switch_selection_on()
    remember(desk, "engineer", *ITEMS)
    call = delegate("engineer", "TASK-1 retry a failed payment", run_in_background=False)
    run = desk.run({"MAIN": [call, say("done")], "TASK-1": [say(lesson("Retries wait a second"))]})
    assert_quiet(run)
    (request,) = run.requests_by("TASK-1")
    block = request.said.split("<agent-memory-")[1].split("</agent-memory-")[0]
    given = re.findall(r"^- \[(\w{4,})\]✓ (.+)$", block, re.MULTILINE)
    assert [text for _id, text in given] == ITEMS[:2]
    assert f"`Used: {given[0][0]}`" in block


@pytest.mark.parametrize("in_background", [False, True])
def test_used_and_wrong_items_are_counted(desk: Desk, in_background: bool) -> None:
    desk.switch_selection_on()
    used, called = "A payment is retried three times", "A failed payment is in src/retry.py"
    wrong = "A retry of a payment waits an hour"
    remember(desk, "engineer", used, called, wrong)
    desk.write("src/retry.py", "LIMIT = 3\n")
    call = delegate("engineer", "TASK-1 retry a payment", run_in_background=in_background)
    read = use("Read", file_path=str(desk.project / "src" / "retry.py"))
    report = f"Done.\n\nUsed: {short(used)}\nWrong: {short(wrong)} because it is a second"
    run = desk.run({"MAIN": [call, say("done")], "TASK-1": [read, say(report)]})
    assert_quiet(run)
    if not in_background and desk.claude.since("2.1.121"):
        assert_unseen(run.requests_by("MAIN"), "Wrong:", "Used:")
    second = desk.run({"MAIN": [call, say("done")], "TASK-1": [say("Done.")]})
    assert wrong not in second.requests_by("TASK-1")[0].said
    folder = desk.project / ".claude-mpm" / "memories" / "history"
    lines = (folder / "engineer.jsonl").read_text(encoding="utf-8").splitlines()
    spooled = [path.read_text() for path in state_folder(desk).glob("spool/engineer/*.json")]
    records = [json.loads(line) for line in lines]
    records += [record for text in spooled for record in json.loads(text)["records"]]
    tasks = [record for record in records if record["kind"] == "task"]
    keys = {key for task in tasks for key in task.get("used", "").split()}
    # In the background 2.1.63 may write the last tool call after the event of the run's end.
    late = {id_of(called)} if in_background else set()
    assert keys | late == {id_of(used), id_of(called)}


def short(text: str) -> str:
    return id_of(text)[:4]


@pytest.mark.parametrize("in_background", [False, True])
def test_a_held_out_run_gets_the_recording_note_and_still_teaches(
    desk: Desk, in_background: bool
) -> None:
    desk.switch_selection_on()
    remember(desk, "engineer", *ITEMS)
    experiment.set_share(find_shop(desk), 0.1)
    find_shop(desk)  # compiles the settings: the hooks of these tests have no YAML parser
    calls = [f"toolu_{number:020}" for number in range(10**6, 10**6 + 100)]
    held_out = next(call for call in calls if hold_out.is_held_out(call, 0.1))
    given = next(call for call in calls if not hold_out.is_held_out(call, 0.1))
    answers = [say(lesson("Retries wait a second")), say("Done.")]
    for call, answer in zip((held_out, given), answers, strict=True):
        task = delegate("engineer", "TASK-1 retry a payment", run_in_background=in_background)
        run = desk.run({"MAIN": [name_call(task, call), say("done")], "TASK-1": [answer]})
        assert_quiet(run)
        (request,) = run.requests_by("TASK-1")
        assert "# Add To Memory:" in request.said
        assert (ITEMS[0] in request.said) == (call == given)
    assert "Retries wait a second" in list_known_items(desk, "engineer")
    assert experiment.read_state(find_shop(desk)) == (0.1, 1, 1)


def find_shop(desk: Desk) -> Project:
    return find_project(str(desk.project), {"HOME": str(desk.home)})


def name_call(line: Callable[[Request], Any], call: str) -> Callable[[Request], Any]:
    """Return the line of a call with this id."""
    return lambda request: [{**block, "id": call} for block in line(request)]
