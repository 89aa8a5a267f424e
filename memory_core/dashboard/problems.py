"""The messages for errors of the wings."""

from __future__ import annotations

from memory_core.files.safe_files import Refused


def describe_expected(error: Exception) -> str:
    """Return the message for an error with a text for people; raises any other one again."""
    if isinstance(error, Refused):
        return str(error)
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        return f"{error.filename}: {reason}" if error.filename else reason
    if hasattr(error, "status"):  # raised by this code base
        return str(error)
    raise error
