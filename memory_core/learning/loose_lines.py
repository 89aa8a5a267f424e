"""Read the lines of a marker block that have no key of a field: text, lists, headings with types.

Most blocks have none of them, so hooks rarely load this module.
"""

from __future__ import annotations

from memory_core.learning import lines
from memory_core.learning.lines import Draft
from memory_core.learning.marker_blocks import LEADS, MarkerBlock
from memory_core.learning.type_names import type_of

_ENDS = ("```", "~~~", "</")  # the beginning of a line behind a block
_GROUP_SIGNS = "#*_: 0123456789.)"


def read_line(block: MarkerBlock, number: int, row: str, line: str, key: str, value: str) -> bool:
    """Read a row; return False if the block ends with it.

    `line` has no indentation and no bullet.  Behind a content and a heading a type has to follow,
    unless the block begins with a heading like it.
    """
    bare = lines.strip_indent(row)
    is_item = lines.remove_bullet(bare) != bare
    name, signs = _split_group(line)
    is_first = not block.has_content
    if signs and type_of(name) and (is_first or signs == block.group):
        _start_group(block, number, name, signs)
        return True
    if not block.in_code and lines.is_heading(bare):
        block.group = signs if is_first else block.group
        if not is_first or line[0] != "*":
            block.has_gap, block.is_list = True, False  # only keys can follow
            block.needs_type = signs != block.group
            return True
    if line.startswith(_ENDS) or (
        block.has_gap and not (is_item and (block.is_list or _split_lead(line, key, value)))
    ):
        return False
    _read_text(block, number, line, key, value, row.find(bare) if is_item else -1)
    return True


def _start_group(block: MarkerBlock, number: int, name: str, signs: str) -> None:
    """Start the learnings of a type, which is the heading above them."""
    block.kind, block.group, block.key = name, signs, "content"
    block.add(name, "")
    block.has_gap = False
    block.rows.append(number)


def _read_text(
    block: MarkerBlock, number: int, line: str, key: str, value: str, indent: int
) -> None:
    """Read a line without a key of a block; `indent` is -1 if it is no list item."""
    is_item = indent >= 0
    entry = block.entries[-1] if block.entries else None
    if block.key == "type" and not block.kind:
        block.set_type(line)
        block.rows.append(number)
        return
    is_keyed = block.type_key != "" or block.has_content_key
    in_list = is_item and (block.is_list or block.has_leads)
    is_own = entry and (in_list or not entry.lines)
    before = entry.nested.get(block.key, "") if entry else ""  # with a blank in front: a list
    is_behind = in_list and (before[:1] > " " or indent < block.key_indent)
    places = before if entry and entry.lines and block.key == "see" else ""
    is_below = not is_item and places[-1:] not in ("", ",")  # `See:` ends at its line
    if not is_keyed and (lead := _split_lead(line, key, value)):
        # Another item of its list has a type of its own, or none.
        block.kind, block.key = "" if is_item else lead[0], "content"
        block.add(*lead)
        block.has_leads, block.indent = is_item, indent
    elif is_below or (block.has_keys and not is_own and _is_other_key(line, key)):
        block.key = "other"
        block.others.append((block.kind, key, [line]))
        return
    elif block.key == "other" and not in_list:
        block.others[-1][2].append(line)
        return
    elif entry and block.key in entry.nested and not is_behind:
        entry.nested[block.key] += f", {line}" if is_item and before else f" {line}"
    elif in_list and entry and block.has_content and indent > block.indent:
        block.key = str(number)
        entry.nested[block.key] = line
    elif entry is None or block.key == "type" or in_list or not block.has_content:
        block.add(block.kind, line)
        block.is_list, block.key, block.indent = is_item, "content", indent
    else:
        if is_item and not entry.lines[-1].endswith(LEADS):
            entry.lines[-1] += ","
        entry.lines.append(line)
    block.entries[-1].rows.append(number)


def read_others(block: MarkerBlock) -> list[Draft]:
    """Return the lines with other keys; those of one key are contents."""
    others = [(kind, " ".join(words)) for kind, _key, words in block.others]
    if len({key for _kind, key, _words in block.others}) == 1:
        return [(kind, lines.split_field(text)[1], "", {}) for kind, text in others]
    text = " ".join(text for _kind, text in others)
    return [(block.kind, text, "no Content: line", {})] if others else []


def _split_group(line: str) -> tuple[str, str]:
    """Return the words of `### 1. Patterns` or `**Patterns:**`, and their sign: "###"."""
    name = line.strip(_GROUP_SIGNS)
    before, behind = line[: line.find(name)], line[len(name) :]
    return name, before.strip(" 0123456789.)") or behind.strip()


def _split_lead(line: str, key: str, value: str) -> tuple[str, str] | None:
    """Split `pattern: x`, `[pattern] x` or `pattern - x` into the type and the content."""
    if key and type_of(key):
        return key, value
    bare = line.lstrip("*_`[(")
    for sign in ("]", ")", " - ", " \u2013 ", " \u2014 ", " \u2192 "):
        kind, _sign, content = bare.partition(sign)
        if content and type_of(kind.strip("*_` ")) and kind:
            return kind, content.lstrip("*: ")
    return None


def _is_other_key(line: str, key: str) -> bool:
    """Check for a key such as "Confidence:"; an error such as "TypeError:" is content."""
    return key.isalpha() and key.capitalize() in line.partition(":")[0]
