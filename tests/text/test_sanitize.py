"""No text can imitate a tag, and ordinary text stays the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.text import sanitize


@given(st.text(st.sampled_from("<>/!agent-memory system:reminder\u200b\u202e\n")))
@settings(max_examples=500)
def test_cleaned_text_has_no_tag_of_claude_code(text: str) -> None:
    safe = sanitize.escape_tags(text).casefold()
    for tag in ("agent-memory", "system-reminder", "system", "antml:x"):
        assert f"<{tag}" not in safe
        assert f"</{tag}" not in safe


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"], exclude_characters="<")))
def test_ordinary_text_is_not_changed(text: str) -> None:
    plain = "".join(char for char in text if char.isprintable())
    assert sanitize.escape_tags(plain) == plain
