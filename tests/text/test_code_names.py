"""The paths, symbols and commands that a text names."""

from memory_core.text.code_names import list_names
from memory_core.text.subject_words import has_name
from support.tables import for_each

NAMES = [
    ("Retries are in src/retry.py", ["src/retry.py"]),
    ("RETRY_LIMIT is read by load_config()", ["RETRY_LIMIT", "load_config"]),
    ("PaymentWorker calls pay.worker.run", ["PaymentWorker", "pay.worker.run"]),
    ("Run `make drain` first", ["make drain"]),
    ("Slow\n  - See: make check, src/slow.py", ["src/slow.py", "make check"]),
    ("The cache is read-only since version 2.1.329", []),
    ("The tests take 300 seconds on the main branch", []),
    ("`", []),
]


@for_each(("text", "names"), NAMES)
def test_list_names(text: str, names: list[str]) -> None:
    assert list_names(text) == names


FOUND = [
    ("/home/u/src/retry.py", "src/retry.py", True),
    ("src/retry.pyi", "src/retry.py", False),
    ("my_RETRY_LIMIT RETRY_LIMIT", "RETRY_LIMIT", True),
    ("my_RETRY_LIMIT", "RETRY_LIMIT", False),
    ("cd x && make drain", "make drain", True),
    ("make drains", "make drain", False),
    ("", "make drain", False),
]


@for_each(("text", "name", "is_in"), FOUND)
def test_has_name(text: str, name: str, is_in: bool) -> None:
    assert has_name(text, name) == is_in
