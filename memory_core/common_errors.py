"""state/errors/AGENT: an agent's common errors as it is given them, ready to be read.

They come of the whole history, which takes longer to read than a hook has time.  So who
writes an error to a history, or what may resolve one, also writes this; where it is
missing, no error is given until then.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_core.past import Record
    from memory_core.places import Place

FOLDER = ("state", "errors")

# What an agent is given of them, in characters; a longer file is none of ours.
LARGEST = 4000

# A hook that writes an error brings them up to date up to this size of a history, in bytes:
# some 40,000 records, packed.  Beyond, a learning of that run or `context` does.
LARGEST_HISTORY = 1_000_000


def given(place: Place, stem: str) -> list[str]:
    """Return the common errors of an agent as lines of a Markdown list."""
    try:
        with open(_path(place, stem), encoding="utf-8") as file:
            text = file.read(LARGEST + 1)
    except (OSError, UnicodeDecodeError):
        return []
    return (
        [line for line in text.split("\n") if line.startswith("- ")] if len(text) <= LARGEST else []
    )


def keep(place: Place, stem: str, records: Sequence[Record]) -> None:
    """Keep what an agent's records come to; where that fails, what was there counts."""
    known = given(place, stem)
    if not known and not any(record["kind"] == "error" for record in records):
        return
    from memory_core import performance, store

    lines = performance.rendered(performance.common(records))
    if lines == known:
        return
    text = "".join(f"{line}\n" for line in lines)
    try:
        path = os.path.join(place.made(*FOLDER), stem)
        store.replace(path, text.encode("utf-8", "replace"))
    except OSError:
        pass  # the history has them


def _path(place: Place, stem: str) -> str:
    return os.path.join(place.folder, *FOLDER, stem)
