"""Count how often the people of a team have to decide something about their memories.

    python tests/tools/decisions.py [--share PERCENT] [--signed] [--seed SEED]

Three people, each with a clone, work for ten days on a project with 12 lines of memory.  A day is
a pull, a session, five runs of agents, a commit and a push; of the runs, this share teaches
something, and on one day in five a person adds a rule by hand.  To accept the commits of one author
is a decision, and so is each learning that waits for review; both are made at once.  `--signed`:
all commits are signed, and everybody trusts all keys.  Of the 85 days in 2026 with commits of
bobmatnyc/claude-mpm, 7 changed a memory (8 %); here it is 38 %, and 53 % with `--share 10`.
"""

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from itertools import count
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(REPO), str(REPO / "tests")]

from support import processes
from support.calls import SESSION
from support.git import name_author
from support.machine import Machine

FIRST, NAMES = "dan", ("ann", "bob", "eve")
DAYS, RUNS, OLD_LINES = 10, 5, 12
SECONDS = count(1_795_000_000)  # git's logs have seconds


class Member(Machine):
    """A person with a clone."""

    def __init__(self, folder: Path, name: str, server: Machine) -> None:
        super().__init__(folder / name, server)
        self.name, self.key, self.decisions = name, folder / name / "key", Counter[str]()
        self.env |= name_author(name, f"{name}@example.org")
        processes.run(["ssh-keygen", "-qt", "ed25519", "-N", "", "-f", str(self.key)])
        done = processes.run(["ssh-keygen", "-lf", str(self.key)])
        self.fingerprint = done.stdout.decode().split()[1]

    def git(self, *words: str) -> None:
        self.env["GIT_COMMITTER_DATE"] = f"{next(SECONDS)} +0000"
        super().git(*words)

    def sign(self, fingerprints: list[str]) -> None:
        """Sign all commits, and trust these keys."""
        keys = {"gpg.format": "ssh", "user.signingKey": str(self.key), "commit.gpgSign": "true"}
        for key, value in keys.items():
            self.git("config", key, value)
        self.run("config", "set", "--user", "trusted_signers", json.dumps(fingerprints))

    def begin_session(self) -> None:
        """Start a session, and decide on what it says."""
        command = [sys.executable, str(REPO / "hooks" / "session_start.py")]
        data = json.dumps({**SESSION, "cwd": str(self.root)}).encode()
        done = processes.run(command, data, cwd=self.root, env=self.env)
        said = json.loads(done.stdout or "{}").get("systemMessage", "")
        if "review --new" in said:
            items = self.read_json("review", "--new")["items"]
            for email in {item["email"] for item in items}:
                self.decisions[f"from {email}"] += 1
                self.run("review", "--new", "--accept", *(["--author", email] if email else []))
        if "wait for you" in said:
            self.decisions["learnings"] += len(self.read_json("review", "--list"))
            self.run("review", "--accept", "--all")

    def work(self, share: float, draw: random.Random, texts: list[str]) -> None:
        """Do the work of a day; `share` is the chance that a run teaches something."""
        self.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
        self.run("git", "install")
        self.begin_session()
        for _run in range(RUNS):
            if draw.random() < share:
                self.report(texts.pop())
        if draw.random() < 0.2:
            self.save(f"{self.read()}- {texts.pop()}\n")
        (self.root / f"{self.name}.txt").write_text(str(next(SECONDS)))
        self.commit()
        self.git("push", "-q", "origin", "main")


def play(share: float, is_signed: bool, seed: int, folder: Path) -> dict[str, Counter[str]]:
    """Return the decisions of each person in two weeks, by kind."""
    draw = random.Random(seed)
    notes = json.loads((REPO / "tests" / "cases" / "ordinary_memories.json").read_text())
    texts = [line["text"] for note in notes for line in note["lines"]]
    draw.shuffle(texts)
    server = Machine(folder / "server")
    server.git("config", "receive.denyCurrentBranch", "ignore")
    server.commit()
    first, *team = [Member(folder, name, server) for name in (FIRST, *NAMES)]
    for member in (first, *team) if is_signed else ():
        member.sign([one.fingerprint for one in (first, *team)])
    old = "".join(f"- {texts.pop()}\n" for _line in range(OLD_LINES))
    first.save(f"# Engineer\n\n## Project Architecture\n{old}")
    first.commit()
    first.git("push", "-q", "origin", "main")
    for _day in range(DAYS):
        for member in team:
            member.work(share, draw, texts)
    return {member.name: member.decisions for member in team}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=5)
    parser.add_argument("--signed", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        kinds = play(given.share / 100, given.signed, given.seed, Path(place))
    rate = sum(one.total() for one in kinds.values()) / DAYS / len(kinds)
    print(*kinds.items(), f"{rate:.2f} decisions of a person on a day", sep="\n")
