"""Secrets in error messages are masked, and ordinary words are not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.history import error_text
from memory_core.text import secrets

LETTERS = "aB3dE6gH9kLmN0pQrS2tU4vW5xY7z"
TOKEN = LETTERS + LETTERS

# Joined here, so that no scanner takes this file for a leak: (text, what is left of it)
SECRETS = [
    ("AKIA" + "IOSFODNN7EXAMPLE denied", "[secret: AWS key] denied"),
    (f"AWS_SECRET_ACCESS_KEY={TOKEN}", "AWS_SECRET_ACCESS_KEY=[secret: key]"),
    ("AIza" + TOKEN[:35], "[secret: Google key]"),
    (f"DefaultEndpoints;AccountKey={TOKEN}==;x", "DefaultEndpoints;AccountKey=[secret: key];x"),
    (f"blob?sv=1&sig={TOKEN}&x", "blob?sv=1&sig=[secret: Azure key]&x"),
    ("ghp_" + TOKEN[:36], "[secret: GitHub token]"),
    ("use github_pat_" + TOKEN, "use [secret: GitHub token]"),
    ("glpat-" + TOKEN[:20], "[secret: GitLab token]"),
    ("xoxb-123-456-" + LETTERS, "[secret: Slack token]"),
    ("sk_live_" + LETTERS, "[secret: Stripe key]"),
    ("npm_" + TOKEN[:36], "[secret: npm token]"),
    ("pypi-" + TOKEN, "[secret: PyPI token]"),
    ("sk-ant-api03-" + TOKEN, "[secret: AI service key]"),
    ("sk-proj-" + TOKEN, "[secret: AI service key]"),
    (f"eyJ{LETTERS}.eyJ{LETTERS}.{LETTERS}", "[secret: JWT]"),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nx",
        "[secret: private key]\nx",
    ),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\nMIIE\nabc", "[secret: private key]"),
    ("mysql password=hunter2 failed", "mysql password=[secret: password] failed"),
    ("DB_PASSWORD: hunter2", "DB_PASSWORD: [secret: password]"),
    ("password = s3cr3t", "password = [secret: password]"),
    ("token: 12ab34cd", "token: [secret: key]"),
    ("{'password': 'horse'}", "{'password': [secret: password]}"),
    ("PGPASSWORD='a b' psql", "PGPASSWORD=[secret: password] psql"),
    ("secret=abc token=def", "secret=[secret: key] token=[secret: key]"),
    ('{"api_key": "abc", "n": 1}', '{"api_key": [secret: key], "n": 1}'),
    ("mysql --password hunter2 -h db", "mysql --password [secret: password] -h db"),
    ("postgres://shop:hunter2@db:5432/x", "postgres://shop:[secret: password]@db:5432/x"),
    ("https://me:p@ss@host/", "https://me:[secret: password]@host/"),
    ("Authorization: Bearer abcdef", "Authorization: Bearer [secret: login]"),
    ("curl: Bearer " + TOKEN, "curl: Bearer [secret: login]"),
]


@pytest.mark.parametrize(("text", "masked"), SECRETS)
def test_the_value_of_a_secret_is_masked(text: str, masked: str) -> None:
    assert secrets.mask(text) == masked
    assert secrets.mask(masked) == masked


ORDINARY = [
    "Exit code 2: no such table: users",
    "KeyError: 'password'",
    'password authentication failed for user "shop"',
    "unexpected token < in JSON at position 0",
    "PWD=/home/me/shop",
    "max_tokens=4096, tokens: 8081",
    "No module named 'tokenizers'",
    "task-1234567890-a-long-name-of-a-task",
    "http://localhost:4873/pkg@1.0.0 is not in this registry",
    "commit 8fa6445462ef5b4e8fa6445462ef5b4e8fa64454 is gone",
    "basic authentication failed",
    "secretary: Bob",
    "SyntaxError: Unexpected token: identifier",
    "error: unexpected token: 'end of file' at line 3",
    "ValidationError: password: field required",
    "Error: password: must have at least 8 characters",
    "Missing required variable API_KEY: see README.md",
    "secret: not found in namespace default",
    "token = parser.next_token()",
    "expected token: number, got string",
    "InvalidToken: token expired at 2026-01-01",
    "csrf token: missing or incorrect",
    "bad credentials: check your login",
    "access_key: undefined",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_errors_stay(text: str) -> None:
    assert secrets.mask(text) == text


@given(st.sampled_from(SECRETS), st.integers(0, 400), st.sampled_from([" ", "\n"]))
def test_no_part_of_a_secret_passes_where_a_text_is_cut(
    secret: tuple[str, str], before: int, end: str
) -> None:
    text, _masked = secret
    line = error_text.summarize(f"{'x' * before} {text}{end}tail")
    assert not any(TOKEN[at : at + 12] in line for at in range(len(LETTERS)))
    assert len(line) <= error_text.MAX_LENGTH


@pytest.mark.parametrize("after", range(40))
def test_a_secret_in_the_middle_of_a_huge_line_does_not_pass_in_part(after: int) -> None:
    tail = "z" * (error_text.MAX_END - after)
    line = error_text.summarize(f"Exit code 1\n{'y' * 20_000} password=hunter2secret{tail}")
    assert "secret" not in line
    assert line.startswith("Exit code 1: yyy")


@pytest.mark.parametrize(
    "piece", ["a", "a-", "a_", "password", "-----BEGIN PRIVATE KEY-----", "eyJ", "://:", "--a-"]
)
def test_no_text_takes_long(piece: str) -> None:
    start = time.process_time()
    error_text.summarize(piece * 200_000)
    assert time.process_time() - start < 1, "a hook has five seconds for everything"
