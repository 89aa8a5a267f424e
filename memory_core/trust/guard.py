"""Find the parts of a memory file that may be poisoned, and on which no person decided here."""

from __future__ import annotations

from memory_core.trust import checking, ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from memory_core.files.safe_files import SafeFiles

# So many texts of a file are scored at once, in less than a second; a hook has five.  Texts that
# were scored before are not counted.  Agents do not receive those beyond before the next delivery.
MAX_SCORED = 2_000
TOO_MANY = f"{checking.REASON}: the file has too many texts to check"

# Why agents do not receive a text with these settings.
STRICT_REASON, OUTSIDE_REASON = "trust: strict", "hold_outside"


class Guard:
    """The check of an agent's texts; the decisions of people are read when one is needed.

    It stops texts of other tiers than `given`, if there are any.  `default` is the origin of a text
    without one.
    """

    def __init__(
        self, state: SafeFiles, stem: str, given: Collection[str] = (), default: str = ""
    ) -> None:
        self._state = state
        self._stem = stem
        self._default = default
        self.given = given
        self._origins: dict[str, str] | None = None
        self._left = MAX_SCORED

    @property
    def is_exhausted(self) -> bool:
        """Whether there were too many texts to score all of them."""
        return self._left < 0

    def find_reason(self, text: str, nested: str = "") -> str:
        """Return why agents do not receive a text with its nested lines, "" if they may."""
        tier = self.find_tier(text, nested) if self.given else ""
        if self.given and tier not in self.given:
            return OUTSIDE_REASON if ledger.AGENT in self.given else STRICT_REASON
        if tier in ledger.DECIDED:
            return ""
        whole = f"{text}\n{nested}"
        if not checking.may_mislead(whole):
            return ""
        self._left -= 1
        reason = checking.find_reason(whole) if self._left >= 0 else TOO_MANY
        return "" if reason and self.is_decided(text, nested) else reason

    def is_decided(self, text: str, nested: str = "") -> bool:
        """Return whether a person wrote or accepted the text on this machine."""
        return self.find_origin(text, nested) in ledger.DECIDED

    def find_tier(self, text: str, nested: str = "", is_tainted: bool = False) -> str:
        """Return the tier of a text; `is_tainted`: its history says so."""
        return ledger.find_tier(self.find_origin(text, nested) or self._default, is_tainted)

    def find_origin(self, text: str, nested: str = "") -> str:
        """Return the origin of a text that is recorded on this machine, "" without one."""
        if self._origins is None:
            self._origins = ledger.read(self._state, self._stem)
        return self._origins.get(ledger.make_key(text, nested), "")
