"""Secrets in the documented forms, made at run time, and texts that only look like them.

No scanner finds a secret in this file, because the values are generated.
"""

import base64
import random
import re
import string

from memory_core.secrets import scanner
from support.paths import CASES

LETTERS = string.ascii_letters + string.digits
HEX = string.digits + "abcdef"
UPPER = string.ascii_uppercase + string.digits
URL = LETTERS + "-_"

SEED = 20_261_123


class Maker:
    """Make values; the same seed makes the same values."""

    def __init__(self, seed: int = SEED) -> None:
        self._random = random.Random(seed)

    def chars(self, length: int, alphabet: str = LETTERS) -> str:
        while True:
            value = "".join(self._random.choices(alphabet, k=length))
            if any(map(str.isdigit, value)) or alphabet.isalpha():
                return value

    def encoded(self, length: int) -> str:
        return base64.b64encode(self._random.randbytes(length)).decode()

    def password(self) -> str:
        words = ["Otter", "maple", "Quarz", "velvet", "Harbor", "nickel"]
        first, last = self._random.sample(words, 2)
        return f"{first}{self._random.choice('!#%+*?')}{self._random.randint(10, 9999)}{last}"

    def pem(self, kind: str = "RSA ", lines: int = 8) -> str:
        name = f"{kind}PRIVATE KEY"
        body = "\n".join(self.encoded(48) for _ in range(lines))
        return f"-----BEGIN {name}-----\n{body}\n-----END {name}-----"


ALPHABETS = {"hex": HEX, "upper": UPPER, "url": URL, "digit": string.digits[1:], "": LETTERS}


def fill(example: str, maker: Maker | None = None) -> str:
    """Return an example of `forms.txt` with characters in place of `<32 hex>`."""
    maker = maker or Maker()

    def make(match: re.Match[str]) -> str:
        return maker.chars(int(match[1]), ALPHABETS[match[2]])

    return re.sub(r"<(\d+) ?(\w*)>", make, example.replace("\\n", "\n"))


# Sentences of agents with tokens, passwords and keys; {} is where the value stands, and nothing of
# it may stay.  A token is known by its form, the others only by their place.
TOKEN_TEXTS, PASSWORD_TEXTS, KEY_TEXTS = (
    [line.replace("\\n", "\n") for line in block.splitlines()]
    for block in (CASES / "secret_places.txt").read_text(encoding="utf-8").split("\n\n")
)


def list_secrets() -> list[tuple[str, str]]:
    """Return (text, the value that must go) of all secrets."""
    maker = Maker()
    texts = [
        (text.format(value), value)
        for at, form in enumerate(scanner.read_forms())
        if form.is_token
        for text, value in [(TOKEN_TEXTS[at % len(TOKEN_TEXTS)], fill(form.example, maker))]
    ]
    texts += [
        (text.format(value), value) for text in PASSWORD_TEXTS for value in [maker.password()]
    ]
    texts += [(text.format(value), value) for text in KEY_TEXTS for value in [maker.chars(40)]]
    return [*texts, *_list_keys(maker)]


def _list_keys(maker: Maker) -> list[tuple[str, str]]:
    """Return parts of files with keys: (text, the value that must go)."""
    kinds = ("RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED ", "DSA ")
    keys = [(f"deploy key: {key}", key.split("\n")[2]) for key in map(maker.pem, kinds)]
    key = maker.pem("").replace("\n", "\\n")
    keys.append((f'{{"type": "service_account", "private_key": "{key}\\n"}}', key[60:120]))
    body = maker.encoded(60)
    keys.append((f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{body}\n=abcd\n", body))
    data = maker.encoded(200)
    keys.append((f"users:\n- name: ci\n  user:\n    client-key-data: {data}", data))
    data = maker.encoded(24)
    keys.append((f'{{"auths": {{"ghcr.io": {{"auth": "{data}"}}}}}}', data))
    data = maker.encoded(15)
    return [*keys, (f"Authorization: Basic {data}", data)]


# What stays: hashes, ids, placeholders, documented examples, references, and words about secrets.
LOOK_ALIKES = (CASES / "look_alikes.txt").read_text(encoding="utf-8").splitlines()
