"""Merge two versions of a memory file, or of an archive or review file, into one text.

A block of the common ancestor is removed if one version has removed it and the other version has
not changed it.  All other blocks stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from memory_core.document import markdown, preferences, template
from memory_core.document.version_blocks import (
    BLANK,
    CODE,
    FRONT,
    HEADER,
    HEADER_COMMENTS,
    HEADING,
    LISTED,
    PREFERENCE,
    TEXT,
    Block,
    Key,
    Lines,
    read_blocks,
)
from memory_core.text import markdown_lines

Path = tuple[tuple[int, str, int], ...]  # of a heading: (level, title, number) from the top
Table = dict[Key, list[Block]]


class MergedText(NamedTuple):
    """The merged text, and the parts that do not fit into it, such as a second title."""

    text: str
    left: list[str]


class VersionMerge:
    """Two versions of a file and their ancestor, while their blocks are put into groups.

    A group is a heading with the blocks below it; a path names it.  `add_blocks` fills the
    groups, and `render` returns their lines.

    - base, ours, theirs: the blocks of each text by key
    - neighbours: the keys of all pairs of blocks that follow each other in one of the versions
    - is_theirs_newer: whether the header of their version has the later time
    - left: the texts that do not fit into the groups
    - groups: heading and blocks by path, in the order of the merged file
    - new: the paths of groups that our version lacks
    - grown: the paths of groups with new blocks at their ends
    """

    def __init__(self, base: list[Block], ours: list[Block], theirs: list[Block]) -> None:
        self.base, self.ours, self.theirs = (_tabulate(blocks) for blocks in (base, ours, theirs))
        self.neighbours = {
            (above.key, block.key) for blocks in (ours, theirs) for above, block in pairwise(blocks)
        }
        self.is_theirs_newer = bool(base) and _read_time(theirs) > _read_time(ours)
        self.left: list[str] = []
        self.groups: dict[Path, list[Block]] = {(): []}
        self.new: set[Path] = set()
        self.grown: set[Path] = set()

    def add_blocks(
        self, blocks: list[Block], is_second: bool = False, is_of_both: bool = False
    ) -> None:
        """Put the blocks of our version, of the second one or of both into groups.

        The blocks of the second version, and those below the second heading of one title, are
        added to the first heading of this title.
        """
        rest = Counter(block.key for block in blocks if is_of_both)
        path: Path = ()
        seen: dict[Key, int] = {}  # how often a block with this key came until now
        is_adding = is_second  # the group of `path` has blocks from an earlier place
        has_gap = is_second  # the block does not directly follow the one before
        for block in blocks:
            if block.kind == HEADING:
                seen[block.key] = seen.get(block.key, 0) + 1
                path, is_old = self._open(path, block, seen[block.key], is_second)
                is_adding = is_second or is_old
                has_gap = True
                continue
            if block.kind == BLANK:
                has_gap = True
                if not is_adding:
                    self.groups[path].append(block)
                continue
            rest[block.key] -= 1
            is_elsewhere = rest[block.key] > 0 and self._is_moved_from(path, block.key)
            kept = None if is_elsewhere else self._keep(block, seen, is_second)
            if kept:
                self._put(path, kept, is_adding, has_gap)
            has_gap = False

    def _open(self, path: Path, block: Block, number: int, is_second: bool) -> tuple[Path, bool]:
        """Return the path of a heading, and whether its group exists already."""
        most = max(len(table.get(block.key, ())) for table in (self.ours, self.theirs))
        name = (block.level, block.text, number if number <= most else 1)
        parents = tuple(part for part in path if part[0] < block.level) if block.level > 2 else ()
        wanted = (*parents, name)
        if is_second and block.level > 2:
            deeper = (path for path in self.groups if path and path[-1][:2] == name[:2])
            wanted = next((path for path in deeper if path[: len(parents)] == parents), wanted)
        if wanted in self.groups:
            return wanted, True
        self.groups[wanted] = [block]
        if is_second:
            self._move_up(wanted)
        if is_second or block.key not in self.ours:
            self.new.add(wanted)
        return wanted, False

    def _move_up(self, new: Path) -> None:
        """Move new preferences above other sections, and a deeper heading out of all sections."""
        is_preferences = preferences.is_title(new[0][1])
        if is_preferences or new[0][0] > 2:
            paths = [path for path in self.groups if path != new]
            above = [
                not path or path[0][0] > 2 or (is_preferences and preferences.is_title(path[0][1]))
                for path in paths
            ]
            place = above.index(False) if False in above else len(paths)
            paths.insert(place, new)
            self.groups = {path: self.groups[path] for path in paths}

    def _is_moved_from(self, path: Path, key: Key) -> bool:
        """Check whether one version has moved a block from this section to another one."""
        versions = [table.get(key, []) for table in (self.base, self.ours, self.theirs)]
        if any(len(blocks) != 1 for blocks in versions):
            return False
        base, ours, theirs = (blocks[0].section for blocks in versions)
        here = path[0][1] if path and path[0][0] <= 2 else ""
        return here != (theirs if ours == base else ours)

    def _keep(self, block: Block, seen: dict[Key, int], is_second: bool) -> Block | None:
        """Return the block to keep in place of this one, None if it is removed."""
        key = block.key
        base, ours, theirs = (table.get(key, []) for table in (self.base, self.ours, self.theirs))
        number = seen[key] = seen.get(key, 0) + 1
        if is_second and block.kind == HEADER and block.text in HEADER_COMMENTS:
            return None  # the header of our version is used
        if is_second and block.kind == PREFERENCE and ours:
            if not any(_is_same(block, other) for other in ours):
                self.left.append("\n".join(block.whole))
            return None
        if not (ours and theirs):
            is_changed = block.whole not in [old.whole for old in base]
            return block if is_changed else None
        if len(ours) == len(theirs) == 1:
            is_repeated = is_second or number > 1
            return None if is_repeated else self._choose(base[0] if base else None, *ours, *theirs)
        if number > max(len(ours), len(theirs)) or is_second:
            return None if block.nested in [other.nested for other in ours] else block
        return block

    def _choose(self, old: Block | None, ours: Block, theirs: Block) -> Block:
        """Return one block with the changes of both versions."""
        if ours.text in HEADER_COMMENTS and ours.kind == HEADER:
            return theirs if self.is_theirs_newer else ours
        if ours.whole == theirs.whole or (old and theirs.whole == old.whole):
            return ours
        if old and ours.whole == old.whole:
            return theirs
        if ours.kind == FRONT and old:
            return replace(ours, lines=_merge_lines(old.lines, ours.lines, theirs.lines))
        if ours.kind in (FRONT, HEADER, PREFERENCE):
            if ours.kind != PREFERENCE and not _is_same(ours, theirs):
                self.left.append("\n".join(theirs.whole))
            return ours
        lines = theirs.lines if old and ours.lines == old.lines else ours.lines
        nested = _merge_lines(old.nested if old else (), ours.nested, theirs.nested)
        return replace(ours, lines=lines, nested=nested)

    def _put(self, path: Path, block: Block, is_adding: bool, has_gap: bool) -> None:
        """Append a block to a group; with `is_adding`, put it behind the group's like blocks.

        Blank lines or an empty comment are added where it would else become a part of the block
        above.
        """
        group = self.groups[path]
        if not is_adding:
            is_new_pair = group and (group[-1].key, block.key) not in self.neighbours
            if is_new_pair and _would_join(group[-1], block):
                group.append(Block(BLANK, ("",)))
            group.append(block)
            return
        at = len(group)
        listed = [at for at, other in enumerate(group, 1) if other.kind in LISTED]
        if block.kind in (FRONT, HEADER):
            at = len([other for other in group if other.kind == FRONT])
            if block.kind == HEADER:
                group.insert(at, Block(BLANK, ("",)))
        elif block.kind in LISTED and listed:
            at = listed[-1]
            block = _dedent(block)
        else:
            block = _dedent(block) if block.kind in LISTED else block
            while at and group[at - 1].kind == BLANK:
                at -= 1
            above = group[at - 1] if at else None
            is_below_heading = above and above.kind == HEADING and block.kind in LISTED
            is_paragraph = above and {above.kind, block.kind} == {TEXT} and not has_gap
            if above and not is_below_heading and not is_paragraph:
                # Without the comment, indented code would belong to the item above.
                is_nested = listed and _is_indented(block)
                parts = ["", markdown.EMPTY_COMMENT, ""] if is_nested else [""]
                group[at:at] = [Block(BLANK, (part,)) for part in parts]
                at += len(parts)
            if at == len(group):
                self.grown.add(path)
        group.insert(at, block)

    def render(self, is_dated: bool) -> list[str]:
        """Return the lines of the merged text."""
        lines: list[str] = []
        needs_blank = False
        for path in sorted(self.groups) if is_dated else _sort_paths(self.groups):
            blocks = self.groups[path]
            if path and self._is_removed(path, blocks, is_dated):
                continue
            if (path in self.new or needs_blank) and lines and lines[-1].strip():
                lines.append("")
            for block in blocks:
                lines += block.whole
            needs_blank = path in self.new or path in self.grown
        return lines

    def _is_removed(self, path: Path, blocks: list[Block], is_dated: bool) -> bool:
        """Say whether one version removed a heading, and nothing is left below it."""
        key = blocks[0].key
        is_empty = all(block.kind == BLANK for block in blocks[1:])
        has_deeper = any(other != path and other[: len(path)] == path for other in self.groups)
        is_gone = key in self.base and not (key in self.ours and key in self.theirs)
        return is_empty and (is_gone or is_dated) and not has_deeper


def _would_join(above: Block, block: Block) -> bool:
    """Say whether a block directly below another one would become a part of it."""
    if above.kind == TEXT:
        is_number = block.kind in LISTED and block.lines[0].lstrip()[:1].isdecimal()
        return is_number or _is_indented(block)
    return (above.kind in LISTED and block.kind == TEXT) or above.kind == block.kind == CODE


def _is_indented(block: Block) -> bool:
    return block.kind == CODE and block.lines[0][:1] in (" ", "\t")


def _tabulate(blocks: Iterable[Block]) -> Table:
    table: Table = {}
    for block in blocks:
        table.setdefault(block.key, []).append(block)
    return table


def _read_time(blocks: Iterable[Block]) -> str:
    comments = (block for block in blocks if block.kind == HEADER)
    times = (block.lines[0] for block in comments if block.text == template.UPDATED_COMMENT)
    return next(times, "")


def _merge_lines(base: Lines, ours: Lines, theirs: Lines) -> Lines:
    """Return our lines without those that they removed, then the lines that they added."""
    if theirs in (base, ours):
        return ours
    if ours == base:
        return theirs
    old, own, others = ({line.strip() for line in lines} for lines in (base, ours, theirs))
    stay = [line for line in ours if line.strip() in others or line.strip() not in old]
    added = [line for line in theirs if line.strip() not in own and line.strip() not in old]
    closing = stay[-1:] if stay[-1:] == ["---"] else []  # front matter
    keys = {line.partition(":")[0] for line in stay} if closing else set()
    added = [line for line in added if line.partition(":")[0] not in keys]
    return (*stay[: len(stay) - len(closing)], *added, *closing)


def _is_same(ours: Block, theirs: Block) -> bool:
    """Say whether two titles, or two preferences with one key, have the same text."""
    if ours.kind == PREFERENCE:
        values = [block.lines[0].partition(":")[2].strip(" *") for block in (ours, theirs)]
        return values[0] == values[1] and theirs.nested in ((), ours.nested)
    titles = [markdown.normalize_title(block.lines[0].lstrip("# ")) for block in (ours, theirs)]
    return ours.kind == HEADER and titles[0] == titles[1]


def _dedent(block: Block) -> Block:
    """Move an item to the left margin."""
    indent = len(block.lines[0]) - len(block.lines[0].lstrip(" \t"))
    lines, nested = (
        tuple(line[min(indent, len(line) - len(line.lstrip(" \t"))) :] for line in part)
        for part in (block.lines, block.nested)
    )
    return replace(block, lines=lines, nested=nested)


def _sort_paths(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield each path, directly followed by the deeper ones."""
    paths = list(paths)
    tops = [path for path in paths if len(path) < 2]
    for top in tops:
        yield top
        if top:
            yield from (path for path in paths if len(path) > 1 and path[:1] == top)


def merge_versions(
    base: str,
    ours: str,
    theirs: str,
    order: Callable[[list[Block], list[Block], list[Block]], list[Block] | None] | None = None,
    is_dated: bool = False,
) -> MergedText:
    """Merge two versions of a text and their common ancestor, which may be empty.

    `order` returns the blocks of both versions in a better order than ours, then theirs, or None
    if it cannot.
    """
    if ours == theirs or theirs == base:
        return MergedText(ours, [])
    if ours == base or not ours.strip(f"{markdown_lines.BOM} \t\r\n"):
        return MergedText(theirs, [])
    blocks, own, others = (read_blocks(text, is_dated) for text in (base, ours, theirs))
    merge = VersionMerge(blocks, own, others)
    both = order(blocks, own, others) if order else None
    if both is None:
        merge.add_blocks(own)
        merge.add_blocks(others, is_second=True)
    else:
        merge.add_blocks(both, is_of_both=True)
    lines = merge.render(is_dated)
    if lines == [line for block in own for line in block.whole]:
        return MergedText(ours, merge.left)
    return MergedText(_join_lines(lines, ours), merge.left)


def _join_lines(lines: list[str], ours: str) -> str:
    """Return the text of the lines, with the line ends and the byte order mark of our version."""
    first = markdown_lines.split_lines(ours)[0]
    end = first[len(first.rstrip("\r\n")) :] or "\n"
    while lines and not lines[-1].strip() and ours.rstrip("\r\n") + end == ours:
        lines.pop()
    bom = markdown_lines.BOM if ours.startswith(markdown_lines.BOM) else ""
    return bom + end.join(lines) + (end if ours.endswith(("\n", "\r")) else "")
