"""Learnings that wait for a person."""


def make_waiting(
    content: str, type: str = "pattern", reason: str = "why", **fields: str
) -> dict[str, str]:
    """Return an entry as `Store.add_to_review` takes it."""
    return {"type": type, "content": content, "reason": reason, **fields}
