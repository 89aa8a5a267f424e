"""An agent receives the items that fit its task, best first, and judges them by their ids."""

import sys

import pytest

from memory_core.history.item_history import id_of
from memory_core.origin import text_origins
from support import database
from support.paths import REPO

from .api import call_engineer, delegate, say, use
from .client import Desk
from .product import assert_quiet, assert_unseen, lesson, versions

RULES = [
    "Amounts are integer cents, never floats",
    "Ask before you add a dependency",
    "German texts live in locales/de.json, never in templates",
]


@pytest.mark.parametrize("mode", ["foreground", "background", "auto"])
def test_rules_by_hand_arrive_with_tasks_that_share_no_word(desk: Desk, mode: str) -> None:
    if mode == "auto" and not desk.claude.since("2.1.280"):
        pytest.skip("it has no auto mode")
    desk.switch_selection_on()
    desk.run({"MAIN": [say("hello")]})  # the first session looks at an empty project
    desk.write_memory("engineer", *RULES)
    options = ["--permission-mode", "auto"] if mode == "auto" else []
    background = mode == "background"
    for task in ["Speed up the product listing", "Rename the button", "Parse the Excel file"]:
        call = delegate("engineer", f"TASK-1 {task}", run_in_background=background)
        main = [call, say("waiting"), say("done")]
        script = {"MAIN": main, "TASK-1": [say("Done."), say("Done.")]}
        run = desk.watch(script, lambda api: background and api.requests_by("TASK-1"), *options)
        first = run.requests_by("TASK-1")[0].said
        assert [rule for rule in RULES if rule in first] == RULES, task
    assert {*list_origins(desk).values()} == {"hand"}


def test_an_agent_does_not_become_a_person(desk: Desk) -> None:
    """It edits the file, appends to it, and runs the commands of a person."""
    desk.write_memory("engineer", RULES[0])
    desk.run({"MAIN": [say("hello")]})
    file = str(desk.root / ".claude-mpm" / "memories" / "engineer.md")
    command = f"cd {desk.root} && PYTHONPATH={REPO} {sys.executable} -m memory_core.cli"
    added = [f"Line number {at} of an agent" for at in range(3)]
    edit = {"old_string": f"- {RULES[0]}", "new_string": f"- {RULES[0]}\n- {added[0]}"}
    work = [
        use("Read", file_path=file),
        use("Edit", file_path=file, **edit),
        use("Bash", command=f"printf -- '- {added[1]}\\n' >> {file}", description="x"),
        use("Bash", command=f"{command} add engineer '{added[2]}'", description="x"),
        use("Bash", command=f"{command} pin engineer cents", description="x"),
    ]
    run = desk.run(call_engineer(*work, say("Done.")), "--allowedTools", "Bash,Read,Edit")
    assert "only a person may pin items" in str(run.requests_by("TASK-1")[-1].results)
    assert {*added} <= {*desk.list_known_items("engineer")}
    assert dict.fromkeys(added, "agent").items() <= list_origins(desk).items()


@versions("2.1.329")  # 2.1.63 does not print it
def test_the_person_reads_one_line_that_no_model_reads(desk: Desk) -> None:
    options, script = ("--output-format", "stream-json", "--verbose"), {"MAIN": [say("done")]}
    first = call_engineer(say(lesson(RULES[0])))
    runs = [desk.run(first, *options), desk.run(script, *options)]
    # The next hook says it: of this session, or of the next one if the worker was later.
    # The client may print the line of a hook in two of its events.
    assert sum("engineer: 1 learned (agent-memory undo " in run.out for run in runs) == 1
    for run in runs:
        assert_unseen(run.requests_by("MAIN"), "agent-memory undo")


@pytest.mark.parametrize("in_background", [False, True])
def test_used_and_wrong_items_are_counted(desk: Desk, in_background: bool) -> None:
    desk.claude.skip_unawaited(in_background)
    desk.switch_selection_on()
    used, called = "A payment is retried three times", "A failed payment is in src/retry.py"
    wrong = "A retry of a payment waits an hour"
    desk.write_memory("engineer", used, called, wrong)
    desk.write("src/retry.py", "LIMIT = 3\n")
    call = delegate("engineer", "TASK-1 retry a payment", run_in_background=in_background)
    read = use("Read", file_path=str(desk.root / "src" / "retry.py"))
    report = f"Done.\n\nUsed: {short(used)}\nWrong: {short(wrong)} because it is a second"
    script = {"MAIN": [call, say("done")], "TASK-1": [read, say(report)]}
    run = desk.watch(script, lambda _api: in_background and wrong in desk.read_review())
    assert_quiet(run)
    if not in_background and desk.claude.since("2.1.121"):
        assert_unseen(run.requests_by("MAIN"), "Wrong:", "Used:")
    script = {"MAIN": [call, say("done")], "TASK-1": [say("Done.")]}
    second = desk.watch(script, lambda api: in_background and api.requests_by("TASK-1"))
    assert wrong in second.requests_by("TASK-1")[0].said, "it may be a person's: a person decides"
    assert wrong in desk.read_review()
    rows = database.execute(desk.state, "SELECT used FROM runs")
    keys = {key for (found,) in rows for key in (found or "").split()}
    # In the background 2.1.63 may write the last tool call after the event of the run's end.
    late = {id_of(called)} if in_background else set()
    assert keys | late == {id_of(used), id_of(called)}


def short(text: str) -> str:
    return id_of(text)[:4]


def list_origins(desk: Desk) -> dict[str, str]:
    project = desk.open_project()
    texts = text_origins.list_texts(project, project.store, "engineer")
    return {text.text: text.origin for text in texts}
