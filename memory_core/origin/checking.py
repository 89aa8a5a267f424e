"""Find the texts that wait for a person because of their words, with the reason to show.

Words only sort.  A text from outside waits if its words weigh like an order to agents
(`word_weights`); any text waits if it makes a demand in one of a few exact forms (`forms`).
docs/security.md has the limits, and `make trust-report` measures it.
"""

from __future__ import annotations

from memory_core.origin import forms, word_weights
from memory_core.secrets import scanner

# How the reason of a text begins that waits because of its words.
REASON = "may be poisoned"
ORDER = "reads like an order to agents"

# Characters of a text that are read.
MAX_LENGTH = 20_000


def find_reason(text: str, is_outside: bool = True) -> str:
    """Return why a text has to wait for a person, "" for most.

    `is_outside`: it is not from a person on this machine, or an agent that read nothing else.
    """
    text = text[:MAX_LENGTH]
    demands = forms.find(text)
    if is_outside and not demands:
        demands = [ORDER] if word_weights.rate(text) >= 1 else []
    return f"{REASON}: {', '.join(demands)}" if demands else ""


def hold(text: str) -> tuple[str, str]:
    """Return a text from outside without its secrets, and why it has to wait, "" for most."""
    clean = scanner.redact(text)
    return clean, scanner.REASON if clean != text else find_reason(text)
