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
        words = self._random.sample(["Otter", "maple", "Quarz", "velvet", "Harbor", "nickel"], 2)
        return (
            f"{words[0]}{self._random.choice('!#%+*?')}{self._random.randint(10, 9999)}{words[1]}"
        )

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


# Sentences of agents; {} is where the value stands, and nothing of it may stay.
TOKEN_TEXTS = (
    "CI authenticates with {}",
    "The staging deploy needs `{}` in the environment.",
    'Set it in .env: API="{}"',
    "测试用的令牌是{}",
)

# Values that only their place shows: (text with {}, how the value is made).
PASSWORD_TEXTS = (
    "redis://:{}@cache.internal:6379/0",
    '"{{\\"password\\": \\"{}\\"}}"',
    "ADMIN_PASSWORD := {}",
    "sshpass -p {} ssh deploy@host",
    "curl --user 'deploy:{}' https://ci.internal/api",
    "passphrase={} unlocks the signing key",
    "Das Passwort={} gilt für Staging",
    "数据库密码: {}",
    "net use \\\\srv\\share /user:app PWD={}",
    "DB_PASS={}",
    "PW: {}",
    "docker login -u ci-bot -p {} registry.shop.internal",
    "redis.conf has `requirepass {}`",
    "The test account is qa@shop.io with password {}",
    "login qa@shop.io / pw {} on staging",
    "ssh root@10.0.0.3 with password {}",
    "ansible_become_pass: {}",
    "user: shop\npass: {}",
    "http -a shop:{} https://staging.shop.io/health",
    "gpg --batch --passphrase {} -d secrets.gpg",
    "ssh-keygen -p -P {} -f id_rsa",
    "BORG_PASSPHRASE='{}' borg list",
    "The default admin password is {}, change it after install",
    "<password>{}</password>",
    '- name: DB_PASSWORD\n  value: "{}"',
    "| DB_PASSWORD | {} |",
    "ENV ADMIN_PASSWORD {}",
)

KEY_TEXTS = (
    "SECRET_KEY_BASE={}",
    "API key: {}",
    "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKey={}",
    "curl -b 'sessionid={}' https://shop.internal",
    "The API key is {}",
    "https://x.blob.core.windows.net/c/f?sv=2023&sig={}&se=2027",
    "aws configure set aws_secret_access_key {}",
    "curl 'https://maps.shop.io/geo?api_key={}&q=Berlin' was slow",
    "The session cookie `connect.sid=s%3A{}` works for the e2e tests",
    "const client = new S3({{ accessKeyId: 'x', secretAccessKey: '{}' }})",
    "Mailchimp key {} is in newsletter.rb",
    "Jenkins: curl -X POST -u admin:{} http://jenkins:8080/job/x/build",
    "SECRET_KEY_BASE: {}",
    "hmac key = {}",
    '<add key="ApiKey" value="{}" />',
    '{{"name": "API_SECRET", "value": "{}"}}',
    "azure: az login --service-principal -u app -p {} --tenant t",
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
