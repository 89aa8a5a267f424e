"""Which commit brought a text, and whose signature counts as a review, by real git and ssh keys."""

import os
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from support import processes
from support.calls import begin_session
from support.command_line import Person
from support.terminal import Terminal, answer_all
from tools import decisions

BASE, LINE, OTHER = "Orders are numbered", "Amounts are integer cents", "The bank answers in XML"
SECONDS = count(1_795_000_000)
MEMORY = ".claude-mpm/memories/engineer.md"

pytestmark = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="ssh-keygen is missing")


class Team:
    """A repository of a team, the clone of a colleague with two keys, and ours, the sandbox's."""

    def __init__(self, person: Person, place: Path) -> None:
        self.person, self.place, self.theirs = person, place, place / "theirs"
        self.ours, self.home = person.sandbox.root, person.sandbox.home
        self.env = {"PATH": os.environ["PATH"], "HOME": str(place)}
        for name in ("good", "other"):
            self.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", name)
        self.good, self.other = map(self.read_fingerprint, ("good", "other"))
        self.run("git", "init", "-q", "--bare", "-b", "main", "team.git")
        self.run("git", "clone", "-q", "team.git", "theirs")
        self.commit(BASE)
        self.run("git", "clone", "-q", "team.git", str(self.ours))
        (self.home / ".claude-mpm").mkdir()

    def run(self, *words: str, cwd: Path | None = None) -> str:
        done = processes.run([*words], cwd=cwd or self.place, env=self.env)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.decode().strip()

    def read_fingerprint(self, key: str) -> str:
        return self.run("ssh-keygen", "-lf", f"{key}.pub").split()[1]

    def git(self, *words: str, email: str = "ann@example.org") -> str:
        names = ("-c", "user.name=Ann", "-c", f"user.email={email}", "-c", "gpg.format=ssh")
        return self.run("git", *names, *words, cwd=self.theirs)

    def commit(self, *lines: str, key: str = "", email: str = "ann@example.org") -> None:
        """Let the colleague commit a memory of these lines and push it."""
        path = self.theirs / MEMORY
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# Engineer\n\n" + "".join(f"- {line}\n" for line in lines))
        self.git("add", "-A")
        self.env["GIT_COMMITTER_DATE"] = f"{next(SECONDS)} +0000"
        sign = ("-c", f"user.signingKey={self.place / key}.pub") if key else ()
        self.git(*sign, "commit", "-qm", "x", *(["-S"] if key else []), email=email)
        self.push()

    def push(self) -> None:
        self.git("push", "-qf", "origin", "HEAD:main")

    def trust(self, *fingerprints: str, folder: Path | None = None) -> None:
        path = (folder or self.home) / ".claude-mpm" / "config.yml"
        path.write_text(f"memory: {{trusted_signers: [{', '.join(fingerprints)}]}}\n")

    def pull(self) -> None:
        self.run("git", "pull", "-q", "--ff-only", cwd=self.ours)


@pytest.fixture
def team(person: Person, tmp_path: Path) -> Team:
    """Return a team of which our clone has been looked at."""
    place = tmp_path / "place"
    place.mkdir()
    made = Team(person, place)
    assert made.person.list_tiers() == {BASE: "import"}
    made.trust(made.good)
    return made


def sign(team: Team, key: str = "good") -> None:
    team.commit(BASE, LINE, key=key)


def change_what_is_signed(team: Team) -> None:
    """The signature is by the trusted key, of another message."""
    sign(team)
    path = team.place / "commit"
    path.write_text(team.git("cat-file", "commit", "HEAD") + " changed\n")
    name = team.git("hash-object", "-t", "commit", "-w", str(path))
    team.git("reset", "-q", "--hard", name)
    team.push()


def return_it_on_a_branch(team: Team) -> None:
    team.git("branch", "side")
    sign(team)
    team.commit(OTHER, BASE, key="good")
    team.git("checkout", "-q", "side")
    sign(team, "")
    team.git("checkout", "-q", "main")
    team.git("merge", "-q", "side")
    team.push()


def move_it_to_another_agent(team: Team) -> None:
    (team.theirs / MEMORY).with_name("qa.md").write_text(f"# qa\n\n- {LINE}\n")
    team.commit(BASE, key="good")
    team.git("mv", "-f", ".claude-mpm/memories/qa.md", MEMORY)
    team.git("commit", "-qm", "x")
    team.push()


def name_the_key_in_the_project(team: Team) -> None:
    (team.home / ".claude-mpm" / "config.yml").unlink()
    (team.theirs / ".claude-mpm").mkdir(exist_ok=True)
    team.trust(team.good, folder=team.theirs)
    sign(team)


def name_a_program(team: Team, key: str = "good") -> None:
    """The program of the repository says that each signature is good."""
    evil = team.place / "evil"
    said = f'Good "git" signature for a with ED25519 key {team.good}'
    evil.write_text(f"#!/bin/sh\ntouch {team.place}/ran\necho '{said}'\n")
    evil.chmod(0o755)
    names = "gpg.program gpg.openpgp.program gpg.ssh.program gpg.x509.program core.fsmonitor"
    for name in f"{names} core.pager".split():
        team.run("git", "config", name, str(evil), cwd=team.ours)
    team.run("git", "config", "gpg.ssh.allowedSignersFile", str(evil), cwd=team.ours)
    team.run("git", "config", "log.showSignature", "true", cwd=team.ours)
    sign(team, key)


def name_a_program_for_another_key(team: Team) -> None:
    name_a_program(team, "other")


def set_allowed_signers(team: Team) -> None:
    """The user's own file does not list the key, but the settings do."""
    (team.home / "allowed").write_text("bob@example.org " + (team.place / "other.pub").read_text())
    (team.home / ".gitconfig").write_text('[gpg "ssh"]\nallowedSignersFile = ~/allowed\n')
    sign(team)


Lines = tuple[str, ...]
LINES, BELOW = (BASE, LINE), (BASE, f"{LINE}\n  - but for Tuesdays")
# The memory and the key of each commit.
COMMITS: dict[str, list[tuple[Lines, str]]] = {
    "a later signature": [(LINES, ""), ((*LINES, OTHER), "good")],
    "removed and returned": [(LINES, "good"), ((BASE,), "good"), (LINES, "")],
    "other lines below": [(LINES, "good"), (BELOW, "")],
}
OTHERS: list[tuple[Callable[[Team], None], str]] = [
    (set_allowed_signers, "reviewed"),
    (name_a_program, "reviewed"),
    (name_a_program_for_another_key, "import"),
    (change_what_is_signed, "import"),
    (return_it_on_a_branch, "import"),
    (move_it_to_another_agent, "import"),
    (name_the_key_in_the_project, "import"),
]


@pytest.mark.parametrize("name", COMMITS)
def test_only_the_commit_that_brought_a_line_counts(team: Team, name: str) -> None:
    for lines, key in COMMITS[name]:
        team.commit(*lines, key=key)
    team.pull()
    assert team.person.list_tiers()[LINE] == "import"


@pytest.mark.parametrize(("work", "tier"), OTHERS, ids=[row[0].__name__ for row in OTHERS])
def test_a_signature_cannot_be_forged(team: Team, work: Callable[[Team], None], tier: str) -> None:
    work(team)
    team.pull()
    (team.place / "ran").unlink(missing_ok=True)  # plain git runs it
    assert team.person.list_tiers()[LINE] == tier
    assert not (team.place / "ran").exists()


@pytest.mark.slow
def test_with_signatures_nobody_has_to_decide(tmp_path: Path) -> None:
    assert not any(decisions.play(0.05, True, 1, tmp_path).values())


def add_lines_of_two_authors(team: Team) -> None:
    """The base and a line are by Ann, the other line is by Eve."""
    team.commit(BASE, LINE)
    team.commit(BASE, LINE, OTHER, email="eve@example.org")
    team.pull()


def test_a_person_accepts_a_commit_or_an_author(team: Team) -> None:
    add_lines_of_two_authors(team)
    person, path = team.person, team.ours / MEMORY
    path.write_text(f"{path.read_text()}\n- Typed here\n")
    rows = person.read_json("review", "--new")["items"]
    emails = {row["text"]: row["email"] for row in rows}
    assert emails == {BASE: "ann@example.org", LINE: "ann@example.org", OTHER: "eve@example.org"}
    name = next(row["commit"] for row in rows if row["text"] == LINE)
    assert f"(import, {name[:10]} Ann <ann@example.org> " in person.run("review", "--new").stdout
    for words in ("--commit=abc", "--commit=0000000", "--author=", "--author=x"):
        assert person.run("review", "--new", "--accept", words).returncode == 2
    assert person.run("review", "--author", "ann@example.org").returncode == 2
    for choice in (["--commit", name[:7]], ["--author", "eve@example.org"]):
        assert person.run("review", "--new", "--accept", *choice).stdout == "Accepted: 1 item.\n"
    tiers = {BASE: "import", LINE: "reviewed", OTHER: "reviewed", "Typed here": "hand"}
    assert team.person.list_tiers() == tiers


ANSWERS = [("aq", 1), ("saq", 1), ("oq", 2), ("?sso", 1), ("q", 0), ("mq", 0)]


@pytest.mark.parametrize(("keys", "reviewed"), ANSWERS)
def test_one_key_accepts_a_commit_or_an_author(team: Team, keys: str, reviewed: int) -> None:
    add_lines_of_two_authors(team)
    assert answer_all(Terminal(team.person, "agent-memory review --new"), "[?]: ", *keys) == 0
    assert list(team.person.list_tiers().values()).count("reviewed") == reviewed
    assert list(team.person.list_tiers().values()).count("hand") == keys.count("m")


def test_after_the_first_look_a_session_says_how_many_lines_wait(team: Team) -> None:
    """None with a trusted signer."""
    shutil.rmtree(team.person.sandbox.state)
    team.commit(BASE, LINE, key="good")
    team.pull()
    said = begin_session(team.person.sandbox)
    assert "agent-memory: 1 line in 1 memory came from elsewhere" in said
    assert "review --new shows who committed them" in said
    assert team.person.list_tiers() == {BASE: "import", LINE: "reviewed"}


def test_what_a_colleague_typed_has_at_most_the_confidence_of_an_agents_finding(team: Team) -> None:
    team.commit(BASE, LINE, key="good")
    team.commit(BASE, LINE, OTHER)
    team.pull()
    items = team.person.read_json("list", "engineer")
    confidences = {item["text"]: item["confidence"] for item in items}
    assert confidences == {BASE: 0.5, LINE: 0.8, OTHER: 0.5}
