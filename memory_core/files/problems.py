"""The message of an error for people; all doors use it."""

from __future__ import annotations

from memory_core.files.safe_files import Refused


def describe_expected(error: BaseException) -> str:
    """Return the message of an error of this code base or of the system, "" for any other."""
    if isinstance(error, OSError) and not isinstance(error, Refused):
        reason = error.strerror or str(error)
        return f"{error.filename}: {reason}" if error.filename else reason
    is_own = isinstance(error, Refused) or hasattr(error, "status")
    return str(error) if is_own else ""
