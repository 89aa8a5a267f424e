"""Find the learnings that may be poisoned, with the reasons to show to a person."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# How the reason of a learning begins that waits because of its score.
REASON = "may be poisoned"

# A text that is shorter, without spaces for the words of an order, misleads nobody.
MIN_LENGTH = 8


def find_reasons(texts: Sequence[str], is_tainted: bool = False) -> list[str]:
    """Return for each learning of one run why it has to wait for a person, "" for most.

    `is_tainted`: the run has read texts of strangers, so less is needed.
    """
    if not any(map(may_mislead, texts)):
        return [""] * len(texts)
    from memory_core.text import secrets
    from memory_core.trust import scoring

    threshold = scoring.TAINTED_THRESHOLD if is_tainted else scoring.THRESHOLD
    return [
        f"{REASON}: {', '.join(reasons)}" if total >= threshold else ""
        # The reasons are saved, so they must not quote a secret.
        for total, reasons in scoring.score_all(list(map(secrets.redact, texts)))
    ]


def find_reason(text: str) -> str:
    """Return why one text has to wait for a person, "" for most."""
    return find_reasons([text])[0]


def hold(text: str) -> tuple[str, str]:
    """Return a text without its secrets, and why it has to wait for a person, "" for most."""
    from memory_core.text import secrets

    clean = secrets.redact(text)
    return clean, secrets.REASON if clean != text else find_reason(text)


def may_mislead(text: str) -> bool:
    """Return False for a text that is too short to be scored; it needs no score."""
    return len(text) >= MIN_LENGTH
