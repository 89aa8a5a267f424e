"""An agent receives the items that fit its task, best first, and judges them by their ids."""

import re

from .api import delegate, say
from .client import Desk
from .product import assert_quiet, lesson, remember

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
    block = request.said.split("<agent-memory ")[1].split("</agent-memory>")[0]
    given = re.findall(r"^- \[(\w{4,})\]✓ (.+)$", block, re.MULTILINE)
    assert [text for _id, text in given] == ITEMS[:2]
    assert f"`Used: {given[0][0]}`" in block
