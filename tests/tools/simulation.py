"""Simulate a team with real git: clones of a project learn, edit, evict and merge.

    python tests/tools/simulation.py [HISTORIES] [FIRST SEED]

All clones have run `git install`. An item counts as missing if one side of a merge has it and
the result does not, unless somebody removed it or another item says the same.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from memory_core.document import block_reader, edits, markdown, merge_learnings, preferences
from memory_core.git import merge_driver
from memory_core.learning.extraction import Extraction, Learning
from memory_core.storage.config_yml import project_rules
from memory_core.storage.project import find_project
from memory_core.text import markdown_lines, similarity
from support.lessons import save_learnings

AGENT = "engineer"
STEPS = 14
KINDS = ["pattern", "architecture", "guideline", "tip"]
THINGS = ["queue", "bank", "price", "order", "stock", "test", "cache", "login", "mail", "bus"]
THINGS += ["retry", "token", "build", "deploy", "invoice", "ledger", "parser", "index", "route"]
VERBS = ["needs", "uses", "breaks", "reads", "writes", "blocks", "holds", "opens"]

CONFIG = "memory: {limits: {max_items_per_section: 6}}\n"
BEGIN = """\
# Engineer Memory - shop

<!-- MEMORY LIMITS: 8KB max | 10 sections max | 6 items per section -->
<!-- Last Updated: 2026-11-20 22:10:05 | Auto-updated by: agent-memory -->

Ask Ann about the bank first.
Ask Eve about the mail then.

## Coding Patterns Learned (Max: 6 items)
- Alpha needs the queue of orders
- Beta reads the ledger at night
- Gamma writes the cache twice

## Project Architecture (Max: 6 items)
Ask Bob about the queue first.

- Delta holds the token for an hour
  - and no longer
- Epsilon opens the route to the bank

## Recent Learnings (Max: 6 items)
- The lift is slow on Mondays
"""


def git(folder: Path, *words: str, may_fail: bool = False) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, check=False)
    if done.returncode and not may_fail:
        told = (done.stdout + done.stderr).decode("utf-8", "replace")
        raise AssertionError(f"git {' '.join(words)}: {told}")
    return done.stdout.decode()


class Clone:
    """A clone of the project, with the actions of its user and its agents."""

    def __init__(self, root: Path, number: int, history: History) -> None:
        self.root = root
        self.number = number
        self.history = history
        self.draw = history.draw
        self.project = find_project(str(root), {"HOME": str(root.parent / "home")})
        self.path = root / ".claude-mpm" / "memories" / f"{AGENT}.md"

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def commit(self, what: str) -> None:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "-m", what, may_fail=True)  # there may be nothing to commit

    def act(self) -> None:
        """Do one random action and commit it."""
        before = items(self.text)
        action = self.draw.choices(list(ACTIONS), list(ACTIONS.values()))[0]
        getattr(self, action)()
        self.history.counts[action] += 1
        self.history.note(before, items(self.text))
        self.commit(action)

    # Actions of agents.

    def learn(self) -> None:
        """Report a new fact, a fact of another clone, or that fact in other words."""
        history = self.history
        text = history.fact()
        if history.facts and self.draw.random() < 0.2:
            text = self.draw.choice(history.facts)
            other = [text, f"Note that {text[0].lower()}{text[1:]}", f"{text} for clarity"]
            text = self.draw.choice(other)
        else:
            history.facts.append(text)
        found = Extraction([Learning(self.draw.choice(KINDS), text)], [])
        save_learnings(self.project, AGENT, [found], f"run{history.number()}")

    # Actions of the user.

    def _save(self, text: str) -> None:
        self.path.write_text(text, encoding="utf-8")

    def _save_document(self, document: markdown.Document) -> None:
        self._save(markdown.render_document(document))

    def _item(self) -> block_reader.Item:
        return self.draw.choice(markdown.parse_document(self.text).items)

    def remove(self) -> None:
        document = markdown.parse_document(self.text)
        self._save_document(edits.remove_items(document, [self._item()]))

    def apply_edit(self) -> None:
        item = self._item()
        words = item.text.split()
        words[self.draw.randrange(len(words))] = self.draw.choice(THINGS)
        document = markdown.parse_document(self.text)
        self._save_document(edits.replace_item(document, item, " ".join(words)))

    def reword(self) -> None:
        """Write an item in other words of the same meaning."""
        item = self._item()
        document = markdown.parse_document(self.text)
        text = item.text.removesuffix(" for clarity")
        text = self.draw.choice([f"{text} for clarity", f"Note that {text[0].lower()}{text[1:]}"])
        self._save_document(edits.replace_item(document, item, text))

    def move(self) -> None:
        item = self._item()
        document = edits.remove_items(markdown.parse_document(self.text), [item])
        section = self.draw.choice(document.sections)
        self._save_document(edits.insert_item(document, section, item.text))

    def write(self) -> None:
        """Insert a new item below another one."""
        self._insert(self._item().end, f"- {self.history.fact()}\n")

    def detail(self) -> None:
        item = self._item()
        self._insert(item.text_end, f"  - see {self.draw.choice(THINGS)} {self.history.number()}\n")

    def _insert(self, at: int, line: str) -> None:
        lines = markdown_lines.split_lines(self.text)
        self._save("".join([*lines[:at], line, *lines[at:]]))

    def prose(self) -> None:
        """Change one of a few lines of prose, so that clones change the same line."""
        lines = markdown_lines.split_lines(self.text)
        asked = [at for at, line in enumerate(lines) if line.startswith("Ask ")]
        if asked:
            who, what = self.draw.choice(THINGS), self.draw.choice(THINGS)
            lines[self.draw.choice(asked)] = f"Ask {who} about the {what}.\n"
            self._save("".join(lines))

    def prefer(self) -> None:
        # With three values for one key, two headers do not show which value is the latest.
        key = "tone" if self.history.size == 2 else f"tone of {self.number}"
        value, limits = self.draw.choice(THINGS), project_rules.find_limits(self.project, AGENT)
        self._save(merge_learnings.put_preference(self.text, key, value, limits))

    # Actions of git.

    def pull(self, other: Clone) -> None:
        sides = items(self.text) | items(other.text)
        git(self.root, "fetch", "-q", str(other.root), "HEAD")
        git(self.root, "merge", "-q", "--no-edit", "FETCH_HEAD")
        self.history.merged(sides, self.text)


# Relative frequency of each action.
ACTIONS = {"learn": 42, "remove": 13, "apply_edit": 13, "reword": 6, "move": 6, "write": 4}
ACTIONS |= {"detail": 5, "prose": 7, "prefer": 4}


def items(text: str) -> set[str]:
    """Return the items that must not get lost; of two values of a preference one must go."""
    document = markdown.parse_document(text)
    pairs = {item.text for item in preferences.list_items(document)}
    return {item.text for item in document.items} - pairs


class History:
    """One simulated history: its clones, and the items that were removed on purpose."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.draw = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.size = 2 + seed % 2
        self.facts: list[str] = []
        self.gone: set[str] = set()
        self.missing: list[str] = []
        self._number = 0
        (folder / "home").mkdir()
        first = Clone(_founded(folder / "shop0"), 0, self)
        self.clones = [first]
        for number in range(1, self.size):
            root = folder / f"shop{number}"
            shutil.copytree(first.root, root)
            self.clones.append(Clone(root, number, self))

    def number(self) -> int:
        self._number += 1
        return self._number

    def fact(self) -> str:
        thing, verb, other = (self.draw.choice(each) for each in (THINGS, VERBS, THINGS))
        return f"The {thing} {verb} the {other} at step {self.number()}"

    def note(self, before: set[str], after: set[str]) -> None:
        """Record the items that an action removed, edited or evicted."""
        self.gone |= before - after
        self.counts["items"] += len(after - before)

    def merged(self, sides: set[str], text: str) -> None:
        document = markdown.parse_document(text)
        assert not document.markers, text
        after = {item.text for item in document.items}
        for lost in sides - after - self.gone:
            if any(similarity.is_same(lost, each) for each in after):
                self.counts["joined"] += 1
                self.gone.add(lost)  # from now on the other wording is tracked instead
            else:
                self.missing.append(lost)

    def play(self) -> None:
        """Run all actions, then merge every clone into the first one."""
        for _step in range(STEPS):
            clone = self.draw.choice(self.clones)
            if self.draw.random() < 0.2:
                others = [other for other in self.clones if other is not clone]
                clone.pull(self.draw.choice(others))
            else:
                clone.act()
        first = self.clones[0]
        for clone in self.draw.sample(self.clones[1:], self.size - 1):
            first.pull(clone)
        for name, option in (("merges", "--merges"), ("commits", "--no-merges")):
            self.counts[name] += int(git(first.root, "rev-list", "--count", option, "HEAD"))
        texts = [item.text for item in markdown.parse_document(first.text).items]
        self.counts["duplicates"] += len(texts) - len(set(texts))


def _founded(root: Path) -> Path:
    """Create the project's repository with a memory, and install the merge driver."""
    path = root / ".claude-mpm" / "memories" / f"{AGENT}.md"
    path.parent.mkdir(parents=True)
    (root / ".claude-mpm" / "config.yml").write_text(CONFIG, encoding="utf-8")
    git(root, "init", "-q", "-b", "main")
    with (root / ".git" / "config").open("a", encoding="utf-8") as file:
        file.write("[user]\n\tname = ann\n\temail = ann@example.org\n[gc]\n\tauto = 0\n")
    path.write_text(BEGIN, encoding="utf-8")
    project = find_project(str(root), {"HOME": str(root.parent / "home")})
    merge_driver.install(project)
    found = Extraction([Learning("tip", "The first fact is in everybody's history")], [])
    save_learnings(project, AGENT, [found], "run0")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "begin")
    return root


def play(seed: int) -> tuple[int, Counter[str]]:
    """Play a history; return its seed and its counts."""
    with tempfile.TemporaryDirectory() as folder:
        history = History(seed, Path(folder))
        history.play()
    history.counts.update(histories=1, clones=history.size, missing=len(history.missing))
    return seed, history.counts


def played(seeds: range) -> Iterator[tuple[int, Counter[str]]]:
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(play, seeds)


def main(histories: int = 200, first: int = 0) -> int:
    total: Counter[str] = Counter()
    for seed, counts in played(range(first, first + histories)):
        total += counts
        if counts["missing"] or counts["duplicates"]:
            print(f"seed {seed}: {dict(counts)}")
    for name in ("histories", "clones", "commits", "merges", "items", "joined"):
        print(f"{name:10} {total[name]}")
    print(", ".join(f"{name} {total[name]}" for name in ACTIONS))
    print(f"{'duplicates':10} {total['duplicates']}")
    print(f"{'missing':10} {total['missing']}")
    return int(total["duplicates"] + total["missing"] > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
