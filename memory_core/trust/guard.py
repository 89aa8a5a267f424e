"""Find the parts of a memory file that agents do not receive before a person has decided."""

from __future__ import annotations

from memory_core.trust import checking, ledger, new_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from memory_core.files.safe_files import SafeFiles

# The most texts of a file that are checked at once, in less than a second; a hook has five.  Texts
# that were checked before are not counted.  Agents receive the others from the next delivery on.
MAX_CHECKED = 2_000
TOO_MANY = f"{checking.REASON}: the file has too many texts to check"

# Why agents do not receive a text with these settings.
STRICT_REASON, OUTSIDE_REASON = "trust: strict", "hold_outside"


class Guard:
    """The check of an agent's texts by their origins on this machine.

    Texts on which a person decided here pass.  Of the others it stops those of other tiers than
    `given`, if there are any, and those that may be poisoned.  `default` is the origin of a text
    without one.
    """

    def __init__(
        self, state: SafeFiles, stem: str, given: Collection[str] = (), default: str = ""
    ) -> None:
        self.find_origin = ledger.Origins(state, stem, default).find
        self.given = given
        self._state = state
        self._inside: tuple[str, ...] = ()
        self._left = MAX_CHECKED

    @property
    def is_exhausted(self) -> bool:
        """Whether there were too many texts to check all of them."""
        return self._left < 0

    def find_reason(self, text: str, nested: str = "") -> str:
        """Return why agents do not receive a text with its nested lines, "" if they may."""
        tier = self.find_tier(text, nested)
        if self.given and tier not in self.given:
            return OUTSIDE_REASON if ledger.AGENT in self.given else STRICT_REASON
        if tier in ledger.DECIDED:
            return ""
        self._left -= 1
        if self._left < 0:
            return TOO_MANY
        if not self._inside:
            new = () if new_lines.may_be_foreign(self._state) else ("",)
            self._inside = (ledger.AGENT, ledger.UNKNOWN, *new)
        is_inside = self.find_origin(text, nested) in self._inside
        return checking.find_reason(f"{text}\n{nested}", not is_inside)

    def is_decided(self, text: str, nested: str = "") -> bool:
        """Return whether a person wrote or accepted the text on this machine."""
        return self.find_origin(text, nested) in ledger.DECIDED

    def find_tier(self, text: str, nested: str = "", is_tainted: bool = False) -> str:
        """Return the tier of a text; `is_tainted`: its history says so."""
        return ledger.find_tier(self.find_origin(text, nested), is_tainted)
