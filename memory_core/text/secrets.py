"""Find secrets in the output of commands and in error messages, and mask them.

Only texts of errors need this module: it compiles regular expressions.
"""

from __future__ import annotations

import re

# What follows the name of a password or a key: quoted, or up to a blank or a separator.
_VALUE = r"""(?!["']?\[secret: )(?:"[^"\n]{1,500}"|'[^'\n]{1,500}'|[^\s"',;&]{3,500})"""

# A message says "password: field required" and "unexpected token: end": behind a blank a value
# counts only if it has a digit, or if name and value are quoted.
_SIGN = r"(?:=>|:=|={1,3}|:)"
_ASSIGN = (
    rf"""(?:["']?{_SIGN}(?!\s)|["']\s{{0,3}}{_SIGN}\s{{0,3}}(?=["'])"""
    rf"""|["']?\s{{0,3}}{_SIGN}\s{{1,3}}(?=\S{{0,99}}\d))"""
)

_PHRASE = r"(?:password|passwd|passphrase|passcode)"
_KEY = r"(?:secret|token|api[_-]?key|access[_-]?key|account[_-]?key|auth[_-]?key|credentials?)"
# Not the mark that `mask` itself leaves behind.
_NAME = r"(?<![A-Za-z\[])(?:[A-Za-z0-9]{0,40}[_.-]){0,8}[A-Za-z0-9]{0,40}?"
_SUFFIX = r"[0-9]{0,3}(?:[_-][A-Za-z0-9_-]{0,40})?"

# Name, what comes before the value, the value.  In the rules named by one word case is ignored:
# they go by the words of a person, the others by the spelling of a service.
_RULES = [
    (
        "private key",
        "",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?!-----END)[\s\S]){0,20000}(?:-----END [A-Z0-9 ]{0,40}-----|)",
    ),
    ("AWS key", r"(?<![A-Za-z0-9])", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("Google key", r"(?<![\w-])", r"(?:AIza[\w-]{35}|ya29\.[\w.-]{20,500}|GOCSPX-[\w-]{20,100})"),
    ("Azure key", r"(?<![\w-])", r"[\w~.-]{3}\dQ~[\w~.-]{31,34}"),
    ("Azure key", r"[?&]sig=", r"[\w%+/=-]{20,200}"),
    (
        "GitHub token",
        r"(?<![A-Za-z0-9])",
        r"(?:gh[pousr]_[A-Za-z0-9]{16,255}|github_pat_\w{20,255})",
    ),
    (
        "GitLab token",
        r"(?<![\w-])",
        r"gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent|oas)-[\w.-]{16,200}",
    ),
    ("Slack token", r"(?<![\w-])", r"(?:xox[a-z]|xapp)-[\w-]{10,300}"),
    ("Slack token", r"hooks\.slack\.com/services/", r"[\w/]{10,200}"),
    ("Stripe key", r"(?<![A-Za-z0-9])", r"(?:[rs]k_(?:live|test)|whsec)_\w{10,255}"),
    ("npm token", r"(?<![A-Za-z0-9])", r"npm_[A-Za-z0-9]{20,100}"),
    ("PyPI token", r"(?<![\w-])", r"pypi-[\w-]{30,500}"),
    ("AI service key", r"(?<![\w-])", r"sk-(?=[\w-]{0,60}\d)[\w-]{20,300}"),
    (
        "service token",
        r"(?<![A-Za-z0-9])",
        r"(?:hf_[A-Za-z0-9]{20,100}|SG\.[\w-]{16,40}\.[\w-]{16,80}|do[opr]_v1_[a-f0-9]{40,100}"
        r"|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|glsa_\w{20,100}|dckr_pat_[\w-]{20,100})",
    ),
    ("JWT", r"(?<![\w-])", r"eyJ[\w-]{8,5000}\.eyJ[\w-]{4,5000}(?:\.[\w-]{0,5000})?"),
    ("password", r"[a-z][a-z0-9+.-]{1,30}://[^\s/:@]{0,100}:", r"[^\s/]{1,300}(?=@)"),
    ("login", r"authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token)\s{1,3}", _VALUE),
    ("login", r"(?<!\w)(?:bearer|basic)\s{1,3}", r"(?=[\w.~+/-]{0,99}[\d=])[\w.~+/=-]{12,5000}"),
    ("password", f"{_NAME}{_PHRASE}{_SUFFIX}{_ASSIGN}", _VALUE),
    ("password", r"(?<!\w)pwd=", rf"(?!/){_VALUE}"),
    ("key", f"{_NAME}{_KEY}{_SUFFIX}{_ASSIGN}", _VALUE),
    ("password", rf"--[a-z-]{{0,40}}{_PHRASE}\s{{1,3}}", rf"(?!-){_VALUE}"),
    ("key", rf"--[a-z-]{{0,40}}{_KEY}\s{{1,3}}", rf"(?!-){_VALUE}"),
]


def _compile(name: str, before: str, value: str) -> tuple[str, re.Pattern[str]]:
    is_word = name.islower() and " " not in name
    return name, re.compile(f"({before}){value}", re.IGNORECASE if is_word else 0)


RULES = [_compile(*rule) for rule in _RULES]


def mask(text: str) -> str:
    """Return a text with `[secret: NAME]` in place of each secret; NAME is that of its rule."""
    for name, pattern in RULES:
        text = pattern.sub(rf"\1[secret: {name}]", text)
    return text
