"""The words by which items and tasks are compared: stems, code words, and pairs."""

import pytest
from hypothesis import given, strategies as st

from memory_core.text import code_names, subject_words
from support.tables import for_each

WORDS = {
    "Retries of the payment": ["retry", "payment"],
    "payments retried": ["payment", "retry", "payment retry"],
    "caching cached caches": ["cach", "cach", "cach cach", "cach", "cach cach"],
    "the of and": [],
    "fix the bug": [],
    "bus, class, status": ["bus", "class", "bus class", "status", "class status"],
    "retry_count": ["=retry_count", "retry", "count", "retry count"],
    "RetryCount": ["=retrycount", "retry", "count", "retry count"],
    "--dry-run": ["=dry-run", "dry", "run", "dry run"],
    "src/pay.py": [
        *("=src/pay.py", "=pay.py", "src/pay.py", "=pay"),
        *("src", "pay", "src pay"),
    ],
    "os.path.join": [
        *("=os.path.join", "=path", "=join"),
        *("os", "path", "os path", "join", "path join"),
    ],
    "net/http.Client": [
        *("=net/http.client", "=http.client", "net/http.client", "=http", "=client"),
        *("net", "http", "net http", "client", "http client"),
    ],
    "run the tests": ["run", "test"],
    "Postgres 15": ["postgr", "=15", "15"],
    "(see `x`)": [],
    "": [],
    "...": [],
}  # fmt: skip


@for_each("text", WORDS)
def test_words_of_a_text(text: str) -> None:
    assert subject_words.list_words(text) == WORDS[text]


def test_words_are_shown_as_they_are_written() -> None:
    forms = code_names.list_forms("Charged twice: see `retry_count` in src/Pay.py, charges")
    words = subject_words.list_words("charging the Retries of retry_count in src/pay.py")
    assert [forms[word] for word in words if word in forms] == [
        *("Charged", "retry", "retry_count", "retry", "count", "src/Pay.py", "src", "pay")
    ]


SAME = [("retry", "retries"), ("invoice", "invoices"), ("import", "imported")]
SAME += [("import", "importing"), ("stop", "stopped"), ("write", "writer"), ("quick", "quickly")]
SAME += [("setting", "settings"), ("class", "classes"), ("process", "processes")]
SAME += [("status", "statuses")]


def test_forms_of_a_word_have_one_stem() -> None:
    stem = subject_words.stem_word
    assert [pair for pair in SAME if stem(pair[0]) != stem(pair[1])] == []
    assert not any(stem(one) == stem(two) for one, two in (("bus", "but"), ("cost", "cast")))


def test_a_word_in_a_code_block_of_a_task_counts_a_third() -> None:
    task = "Payments hang\n```\nTraceback: payments.py, server\n```\nand the inbox"
    weights = subject_words.weigh_task(task)
    assert weights["inbox"] == 1
    assert weights["serv"] == subject_words.CODE_BLOCK_SHARE == pytest.approx(1 / 3, abs=0.04)
    assert weights["payment"] == 1 + subject_words.CODE_BLOCK_SHARE
    assert subject_words.weigh_task("~~~\nserver")["serv"] == subject_words.CODE_BLOCK_SHARE


@given(st.text())
def test_any_text_has_words_without_upper_case_ascii_or_spaces_around(text: str) -> None:
    for word in subject_words.list_words(text):
        assert word
        assert word == word.strip()
        assert word.count(" ") <= 1


def test_a_single_letter_is_common() -> None:
    assert [subject_words.is_common(word) for word in ("q", "qa", "The")] == [True, False, True]
