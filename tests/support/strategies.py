"""Hypothesis strategies for documents (valid and broken), learnings and limits."""

from hypothesis import strategies as st

from memory_core.document import template
from memory_core.document.merge_learnings import Learning

WORDS = ["queue", "bank", "price", "order", "stock", "test", "cache", "login", "mail", "bus"]
LINES = [
    *["- " + word for word in WORDS],
    *[f"* {one} {other}" for one in WORDS[:3] for other in WORDS[3:6]],
    *["## Project Architecture (Max: 15 items)", "## Recent Learnings", "## Mine", "# Title"],
    *["### Deeper", "prose of a person", "    code", "  nested", "<!-- comment -->", "<!-- lost"],
    *["```", "---", "<<<<<<< HEAD", "=======", ">>>>>>> other", "| a | b |", *[""] * 8],
]

contents = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=2, max_size=6).map(" ".join),
    st.text("-*+#>`~<![]_:=|\\ 12.)ab\n", max_size=20),
    st.text(max_size=130),
)
TYPES = [*template.SECTION_TITLES, *template.CATEGORY_TYPES, "tip", " Pattern ", ""]
learnings = st.lists(st.builds(Learning, st.sampled_from(TYPES), contents), max_size=8)


def build_documents(lines: list[str], most: int, least: int = 0) -> st.SearchStrategy[str]:
    """Return texts of some of these lines, with each kind of line end."""
    return st.builds(
        lambda chosen, end, last: end.join(chosen) + last * end,
        st.lists(st.sampled_from(lines), min_size=least, max_size=most),
        st.sampled_from(["\n", "\r\n", "\r"]),
        st.booleans(),
    )


documents = build_documents(LINES, 24)
small_limits = st.builds(
    template.Limits,
    size=st.integers(300, 1200),
    sections=st.integers(1, 4),
    items=st.integers(1, 4),
    line=st.integers(20, 80),
)
