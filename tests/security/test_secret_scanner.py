"""Secrets are replaced by their kind; hashes, placeholders and ordinary words stay."""

import time

import pytest
from hypothesis import given, strategies as st

from memory_core.history import performance
from memory_core.secrets import scanner
from support import secret_samples
from support.growth import measure_growth
from support.paths import CASES
from support.tables import for_each

LETTERS = "aB3dE6gH9kLmN0pQrS2tU4vW5xY7z"
TOKEN = LETTERS + LETTERS

PEM_BEGIN = "-----BEGIN RSA PRIVATE KEY-----"

# Secrets that only their place shows: (text, what is left of it).  `forms.txt` has an example of
# each token.
SECRETS = [
    (f"AWS_SECRET_ACCESS_KEY={TOKEN}", "AWS_SECRET_ACCESS_KEY=[redacted: credential]"),
    (f"Default;AccountKey={TOKEN}==;x", "Default;AccountKey=[redacted: credential];x"),
    (f"{PEM_BEGIN}\n{TOKEN}\n{PEM_BEGIN.replace('BEGIN', 'END')}\nx", "[redacted: private-key]\nx"),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\n" + LETTERS, "[redacted: private-key]"),
    ("mysql password=hunter2 failed", "mysql password=[redacted: password] failed"),
    ("DB_PASSWORD: hunter2", "DB_PASSWORD: [redacted: password]"),
    ("password = s3cr3t", "password = [redacted: password]"),
    ("token: 12ab34cd", "token: [redacted: credential]"),
    ("{'password': 'horse'}", "{'password': [redacted: password]}"),
    ("PGPASSWORD='a b' psql", "PGPASSWORD=[redacted: password] psql"),
    ("secret=a1B2c3D4 token=", "secret=[redacted: credential] token="),
    ('{"api_key": "a1B2c3D4", "n": 1}', '{"api_key": [redacted: credential], "n": 1}'),
    ("mysql --password hunter2 -h db", "mysql --password [redacted: password] -h db"),
    ("postgres://shop:hunter2@db:5432/x", "postgres://shop:[redacted: url-password]@db:5432/x"),
    ("https://me:p@ss@host/", "https://me:[redacted: url-password]@host/"),
    ("Authorization: Bearer abc123def", "Authorization: Bearer [redacted: authorization]"),
    ("curl: Bearer " + TOKEN, "curl: Bearer [redacted: authorization]"),
]


@for_each(("text", "masked"), SECRETS)
def test_a_secret_is_replaced_by_its_kind(text: str, masked: str) -> None:
    assert scanner.redact(text) == masked
    assert scanner.redact(masked) == masked


@for_each(("text", "value"), secret_samples.list_secrets())
def test_a_documented_form_is_redacted(text: str, value: str) -> None:
    clean = scanner.redact(text)
    middle = len(value) // 2
    assert value[middle - 4 : middle + 4] not in clean
    assert value[-8:] not in clean
    assert scanner.redact(clean) == clean


@for_each("text", secret_samples.LOOK_ALIKES)
def test_a_look_alike_stays(text: str) -> None:
    assert scanner.redact(text) == text


def test_the_texts_of_genuine_reports_stay() -> None:
    for path in sorted(CASES.iterdir()):
        text = path.read_text(encoding="utf-8")
        assert scanner.redact(text) == text, path.name


def test_marks_stay_also_those_of_an_older_version() -> None:
    for text in (
        "PGPASSWORD=[redacted: password] reads Tr1cycle88, [redacted: password] is Tr1cycle88",
        "password=[secret: password] AWS=[secret: AWS key] token: [secret: key]",
    ):
        assert scanner.redact(text) == text


def test_each_form_names_a_page_and_finds_its_example() -> None:
    for form in scanner.read_forms():
        assert form.page.startswith("https://"), form
        text = secret_samples.fill(form.example)
        assert form.kind in {kind for _start, _end, kind in scanner.find(f"See {text} there")}, text


def test_a_long_text_takes_little_time() -> None:
    """It has the words that stand before secrets."""
    text = "\n".join(secret_samples.LOOK_ALIKES)
    begin = time.process_time()
    assert scanner.find(text * (1_000_000 // len(text))) == []
    assert time.process_time() - begin < 1


@given(st.sampled_from(SECRETS), st.integers(0, 400), st.sampled_from([" ", "\n"]))
def test_no_part_of_a_secret_passes_where_a_text_is_cut(
    secret: tuple[str, str], before: int, end: str
) -> None:
    text, _masked = secret
    line = performance.summarize_error(f"{'x' * before} {text}{end}tail")
    assert not any(TOKEN[at : at + 12] in line for at in range(len(LETTERS)))
    assert len(line) <= performance.MAX_ERROR_LENGTH


@for_each("after", range(40))
def test_a_secret_in_the_middle_of_a_huge_line_does_not_pass_in_part(after: int) -> None:
    tail = "z" * (performance.MAX_END - after)
    line = performance.summarize_error(f"Exit code 1\n{'y' * 20_000} password=hunter2secret{tail}")
    assert "secret" not in line
    assert line.startswith("Exit code 1: yyy")


HOSTILE = ["a", "a.", "a-", "a_", "'", '"', "\\", "password", "password=", "password='", "pass_"]
HOSTILE += ["token 1 ", "cookie: a=", "login a:b1 ", "--a-", "eyJ.", "://:", "://a:b@", "sig="]
HOSTILE += ["echo '", "curl -u a:", "mysql -p", "auth('a', ", "key{{", "key, value", "[secret: "]
HOSTILE += ["-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nMIIE\n"]
HOSTILE += ["-----BEGIN PRIVATE KEY-----\nAa: b ", "Private-Lines: 1\n"]


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE)
def test_the_time_grows_like_the_length(piece: str) -> None:
    growth = measure_growth(lambda size: scanner.find(piece * size), 1000, 10_000)
    assert growth < 30, "ten times the text: it is about 10, or 100 if places are compared in pairs"
