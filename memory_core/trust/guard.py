"""Find the parts of a memory file that may be poisoned, and on which no person decided here."""

from __future__ import annotations

from memory_core.trust import checking, ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.files.safe_files import SafeFiles

# So many texts of a file are scored at once, in less than a second; a hook has five.  Texts that
# were scored before are not counted.  Agents do not receive those beyond before the next delivery.
MAX_SCORED = 2_000
TOO_MANY = f"{checking.REASON}: the file has too many texts to check"

# Why agents do not receive a text with this setting.
STRICT_REASON = "trust: strict"


class Guard:
    """The check of an agent's texts; the decisions of people are read when one is needed.

    If it is strict, it stops all texts on which no person decided here.
    """

    def __init__(self, state: SafeFiles, stem: str, is_strict: bool = False) -> None:
        self._state = state
        self._stem = stem
        self.is_strict = is_strict
        self._origins: dict[str, str] | None = None
        self._left = MAX_SCORED

    @property
    def is_exhausted(self) -> bool:
        """Whether there were too many texts to score all of them."""
        return self._left < 0

    def find_reason(self, text: str, nested: str = "") -> str:
        """Return why agents do not receive a text with its nested lines, "" if they may."""
        if self.is_strict:
            return "" if self.is_decided(text, nested) else STRICT_REASON
        whole = f"{text}\n{nested}"
        if not checking.may_mislead(whole):
            return ""
        self._left -= 1
        reason = checking.find_reason(whole) if self._left >= 0 else TOO_MANY
        return "" if reason and self.is_decided(text, nested) else reason

    def is_decided(self, text: str, nested: str = "") -> bool:
        """Return whether a person wrote or accepted the text on this machine."""
        return self.find_origin(text, nested) in ledger.DECIDED

    def find_origin(self, text: str, nested: str = "") -> str:
        """Return the origin of a text that is recorded on this machine, "" without one."""
        if self._origins is None:
            self._origins = ledger.read(self._state, self._stem)
        return self._origins.get(ledger.make_key(text, nested), "")
