"""Secrets in the documented forms, made at run time, and texts that only look like them.

No scanner finds a secret in this file, because the values are generated.
"""

from __future__ import annotations

import base64
import random
import re
import string

from memory_core.secrets import scanner

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
LOOK_ALIKES = """
docker://alpine:3.19@sha256:9b2c1f0a7d3e4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9012345678
token: 550e8400-e29b-41d4-a716-446655440000 is the cursor of the page
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 is the public key of CI
AWS documents AKIAIOSFODNN7EXAMPLE as an example key
AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY is the documented example
xoxb-your-bot-token-goes-here1
OPENAI_API_KEY=sk-your-api-key-1234567890abcdef
https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX
https://hooks.slack.com/services/ is mocked in tests
https://discord.com/api/webhooks/ID/TOKEN
postgres://user:password@localhost:5432/shop
postgres://user:pass@host/db is the form of DATABASE_URL
postgres://$DB_USER:$DB_PASSWORD@$DB_HOST/shop
postgres://${DB_USER}:${DB_PASSWORD}@db/shop
postgresql://{user}:{password}@{host}/{name}
mysql://<user>:<password>@localhost/shop
mongodb://root:example@mongo:27017/
https://host:443?next=me@shop.test
ssh://git@github.com:22/shop/api.git
password=changeme
password=$(pass show shop/db)
password="{{ db_password }}"
password=[secret: password]
"password": "your-password-1"
"password": "string"
password=os.environ["DB_PASSWORD"]
password=db_password
password=get_password()
connect(user=user, password=password)
login(username, password=None)
password=None
password=required
password=%(password)s
Passwords are hashed: password=$2b$12$KIXQ4bq7h1l9u2pW3o5yKe
password: argon2id is used since v2
The password is bcrypt12-hashed before it is stored
password: min_length=8
docker login --password-stdin
The login page password field has the id pw1
PASSWORD_RESET_TIMEOUT=3600
test users have password=test
secret: shop-db-v2 is mounted by helm
api_key=api_key
page_token=CAUQAA1234567890 is opaque
csrf_token: 4f3a2b1c0d9e8f7a6b5c
Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==
Cookie: theme=dark; lang=en
Set-Cookie: consent=yes; SameSite=Lax
cookie: name=value
curl -u user:password https://ci.internal
curl -u "$USER:$TOKEN" https://ci.internal
mysql -uroot -p shop
mysql -h db -P 3306 shop
sshpass -p "$PASS" ssh host
eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 is the header of each JWT
eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.dozjgNryP4J3jVmNHl0w5N
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
npm_config_registry=http://localhost:4873 in CI
AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==
Tests use the fixture user alice with password=alice-password
password=`pass show shop/db1`
pass: v2.1.3 and later
The API key is read from 1Password
The token cache is keyed by 8fa6445462ef5b4e8fa6445462ef5b4e8fa64454
ansible: db_password: !vault |
session=requests.Session()
Credentials are in 1Password: op://shop/db/password
Passwort vergessen? links to /reset
public_key=MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
password1 and password2 are the field names in the signup form
self.fields["password1"].widget.attrs["class"] = "input"
Set API_KEY in .env.local, see docs/setup.md#api-key-v2
sops, key age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p
tests pass: 128, failed: 0
password policy: min8-max64
i18n key: checkout.step2.title
translation key: errors.E1042
password: !secret db_password
password = data.aws_secretsmanager_secret_version.db.secret_string
401 Unauthorized: token is expired (exp=1700000000)
~/.ssh/id_ed25519 is the deploy key
gpg --recv-keys 3AA5C34371567BD2
apt-key adv --keyserver keyserver.ubuntu.com --recv-keys 9DC858229FC7DD38854AE2D88D81803C0EBFCD88
MYSQL_ALLOW_EMPTY_PASSWORD=yes
spring.security.user.password=${ADMIN_PW}
export PGPASSWORD=$(op read op://shop/db/password)
Authorization: 'Bearer test-token'
apiKey: 'test-key-1'
secret="not-a-real-secret-1"
password strength is checked by zxcvbn (score>=3)
postgres://user:secret@localhost/db in docs/example.md
redis://:password@localhost:6379
https://user:pass@example.com
cache key: webpack-3f9c2d1e8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e
Public key: MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
session 1b8d5088-d5ba-4cdd-9552-952ad05a7002 was resumed
session_id: 1b8d5088-d5ba-4cdd-9552-952ad05a7002
Set-Cookie: theme=dark; Path=/; Max-Age=31536000
docker login -u $CI_USER -p $CI_PASS
docker run -p 8080:80 -e TOKEN login-service:1.2.3
the login page is served by web2:3000/login
login via SSO (Okta) since 2023-10
The secret sauce is in src/rank/boost2.py
password manager: 1Password
pass --pw-reset2 to the script
Wrong password for key 'upload' in keystore upload2.jks
secret_arn=arn:aws:secretsmanager:eu-central-1:123456789012:secret:prod/db-Xy12Zw
パスワードは8文字以上
""".strip().split("\n")
