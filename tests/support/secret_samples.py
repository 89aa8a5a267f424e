"""Secrets in the documented forms, made at run time, and texts that only look like them.

No scanner finds a secret in this file, because the values are generated.
"""

from __future__ import annotations

import base64
import random
import string

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

    def number(self, length: int) -> str:
        return self.chars(length, string.digits[1:])

    def hex(self, length: int) -> str:
        return self.chars(length, HEX)

    def encoded(self, length: int) -> str:
        return base64.b64encode(self._random.randbytes(length)).decode()

    def password(self) -> str:
        words = self._random.sample(["Otter", "maple", "Quarz", "velvet", "Harbor", "nickel"], 2)
        return (
            f"{words[0]}{self._random.choice('!#%+*?')}{self._random.randint(10, 9999)}{words[1]}"
        )

    def jwt(self) -> str:
        parts = ('{"alg":"HS256","typ":"JWT"}', f'{{"sub":"{self.hex(12)}","iat":1516239022}}')
        head, body = (
            base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts
        )
        return f"{head}.{body}.{self.chars(43, URL)}"

    def pem(self, kind: str = "RSA ", lines: int = 8) -> str:
        name = f"{kind}PRIVATE KEY"
        body = "\n".join(self.encoded(48) for _ in range(lines))
        return f"-----BEGIN {name}-----\n{body}\n-----END {name}-----"


# A value that must go, by what it is: (name, how it is made).  `TEXTS` puts it into sentences.
TOKENS = {
    "aws-access-key": lambda m: "AKIA" + m.chars(16, UPPER),
    "aws-temporary-key": lambda m: "ASIA" + m.chars(16, UPPER),
    "google-api-key": lambda m: "AIza" + m.chars(35, URL),
    "google-oauth": lambda m: "ya29." + m.chars(80, URL),
    "google-client": lambda m: "GOCSPX-" + m.chars(28, URL),
    "github-classic": lambda m: "ghp_" + m.chars(36),
    "github-oauth": lambda m: "gho_" + m.chars(36),
    "github-server": lambda m: "ghs_" + m.chars(36),
    "github-refresh": lambda m: "ghr_" + m.chars(76),
    "github-fine": lambda m: f"github_pat_{m.chars(22)}_{m.chars(59)}",
    "gitlab": lambda m: "glpat-" + m.chars(20, URL),
    "gitlab-deploy": lambda m: "gldt-" + m.chars(20, URL),
    "gitlab-runner": lambda m: "glrt-" + m.chars(20, URL),
    "slack-bot": lambda m: f"xoxb-{m.number(11)}-{m.number(12)}-{m.chars(24)}",
    "slack-user": lambda m: f"xoxp-{m.number(11)}-{m.number(12)}-{m.hex(32)}",
    "slack-app": lambda m: f"xapp-1-A{m.chars(10, UPPER)}-{m.number(13)}-{m.hex(64)}",
    "stripe-live": lambda m: "sk_live_" + m.chars(24),
    "stripe-restricted": lambda m: "rk_live_" + m.chars(24),
    "stripe-webhook": lambda m: "whsec_" + m.chars(32),
    "npm": lambda m: "npm_" + m.chars(36),
    "pypi": lambda m: "pypi-AgEIcHlwaS5vcmc" + m.chars(150, URL),
    "anthropic": lambda m: f"sk-ant-api03-{m.chars(93, URL)}AA",
    "openai-project": lambda m: "sk-proj-" + m.chars(74, URL),
    "openai-old": lambda m: f"sk-{m.chars(20)}T3BlbkFJ{m.chars(20)}",
    "openrouter": lambda m: "sk-or-v1-" + m.hex(64),
    "huggingface": lambda m: "hf_" + m.chars(34),
    "groq": lambda m: "gsk_" + m.chars(52),
    "replicate": lambda m: "r8_" + m.chars(37),
    "sendgrid": lambda m: f"SG.{m.chars(22, URL)}.{m.chars(43, URL)}",
    "mailgun": lambda m: "key-" + m.hex(32),
    "digitalocean": lambda m: "dop_v1_" + m.hex(64),
    "shopify": lambda m: "shpat_" + m.hex(32),
    "grafana": lambda m: f"glsa_{m.chars(32)}_{m.hex(8)}",
    "docker": lambda m: "dckr_pat_" + m.chars(27, URL),
    "databricks": lambda m: "dapi" + m.hex(32),
    "vault": lambda m: "hvs." + m.chars(90, URL),
    "atlassian": lambda m: "ATATT3xFfGF0" + m.chars(170, URL),
    "bitbucket": lambda m: "ATBB" + m.chars(32),
    "linear": lambda m: "lin_api_" + m.chars(40),
    "notion": lambda m: "ntn_" + m.chars(46),
    "postman": lambda m: f"PMAK-{m.hex(24)}-{m.hex(34)}",
    "newrelic": lambda m: "NRAK-" + m.chars(27, UPPER),
    "sentry": lambda m: "sntrys_eyJ" + m.chars(80) + "_" + m.chars(43),
    "supabase": lambda m: "sbp_" + m.hex(40),
    "tailscale": lambda m: f"tskey-auth-k{m.chars(11)}CNTRL-{m.chars(32)}",
    "rubygems": lambda m: "rubygems_" + m.hex(48),
    "doppler": lambda m: "dp.st.dev." + m.chars(43),
    "figma": lambda m: "figd_" + m.chars(40, URL),
    "hubspot": lambda m: f"pat-eu1-{m.hex(8)}-{m.hex(4)}-{m.hex(4)}-{m.hex(4)}-{m.hex(12)}",
    "bedrock": lambda m: "ABSK" + m.chars(128),
    "planetscale": lambda m: "pscale_tkn_" + m.chars(43, URL),
    "age": lambda m: "AGE-SECRET-KEY-1" + m.chars(58, UPPER),
    "telegram": lambda m: f"{m.number(10)}:AA{m.chars(33, URL)}",
    "discord": lambda m: f"MT{m.chars(24)}.G{m.chars(5, URL)}.{m.chars(38, URL)}",
    "azure-client": lambda m: f"{m.chars(3)}8Q~{m.chars(34, LETTERS + '-_.~')}",
    "jwt": lambda m: m.jwt(),
}

# Sentences of agents; {} is where the value stands, and nothing of it may stay.
TOKEN_TEXTS = (
    "CI authenticates with {}",
    "The staging deploy needs `{}` in the environment.",
    'Set it in .env: API="{}"',
    "测试用的令牌是{}",
)

# Values that only their place shows: (text with {}, how the value is made).
PASSWORD_TEXTS = (
    "postgres://shop:{}@db.internal:5432/shop",
    "The queue is at amqps://worker:{}@mq.shop.internal/prod",
    "mongodb+srv://api:{}@cluster0.mongodb.net/shop?retryWrites=true",
    "redis://:{}@cache.internal:6379/0",
    "git clone https://deploy:{}@git.shop.internal/shop.git",
    "mysql password={}",
    "DB_PASSWORD={}",
    "DB_PASSWORD: {}",
    "Run PGPASSWORD={} psql -h db",
    "PGPASSWORD='{}' psql -h db",
    '{{"user": "shop", "password": "{}"}}',
    "{{'password': '{}'}}",
    '"{{\\"password\\": \\"{}\\"}}"',
    "Server=db;Database=shop;User Id=app;Password={};Encrypt=true",
    "jdbc:postgresql://db/shop?user=app&password={}&ssl=true",
    "spring.datasource.password={}",
    "ADMIN_PASSWORD := {}",
    "The admin login is admin, password: {}",
    "The staging password is {}",
    "The password for the staging database is `{}`",
    "mysqldump -u shop -p{} shop",
    "sshpass -p {} ssh deploy@host",
    "curl -u deploy:{} https://ci.internal/api",
    "curl --user 'deploy:{}' https://ci.internal/api",
    "psql fails unless --db-password {} is given",
    "machine git.internal login deploy password {}",
    "machine git.internal\n  login deploy\n  password {}",
    "db.internal:5432:shop:app:{}",
    "passphrase={} unlocks the signing key",
    "Das Passwort={} gilt für Staging",
    "数据库密码: {}",
    "net use \\\\srv\\share /user:app PWD={}",
    "DB_PASS={}",
    "PW: {}",
    "redis-cli -a {} ping",
    "default login anonymous password {}",
    "(password={})",
    "`password={}`",
    "The staging DB login is app / {}, it is reset weekly",
    "I logged in to Grafana with admin:{} to see the dashboards",
    "`export DATABASE_URL=postgres://shop_rw:{}@pg-3.internal:5432/shop` before migrations",
    "psql: connection OK with PGPASSWORD={} psql -h 10.2.0.4 -U reporting",
    "helm upgrade shop ./chart --set postgres.password={} worked",
    "docker login -u ci-bot -p {} registry.shop.internal",
    "docker login registry.internal --username ci --password {}",
    "  password: {}\n  host: db",
    "spring:\n  datasource:\n    username: shop\n    password: '{}'",
    "redis.conf has `requirepass {}`",
    "sudo password on the build box is {}",
    "The test account is qa@shop.io with password {}",
    "login qa@shop.io / pw {} on staging",
    "Login as admin with the password `{}`",
    'the keystore password is "{}"',
    "keytool -importkeystore -srcstorepass {} -deststoretype pkcs12",
    "openssl pkcs12 -in cert.p12 -passin pass:{} -nodes",
    "gradle.properties: signingPassword={}",
    "storePassword={}",
    "TF_VAR_db_password={} terraform apply",
    "requests.get(url, auth=('deploy', '{}'))",
    "MYSQL_ROOT_PASSWORD: {} in docker-compose.yml",
    "ssh root@10.0.0.3 with password {}",
    "environment:\n  - SMTP_PASS={}\n  - SMTP_USER=mail",
    "Das Passwort für den Testserver lautet {}",
    "管理员密码是 {}",
    "La contraseña de staging es {}",
    "Le mot de passe de la base est {}",
    "kubectl create secret generic db --from-literal=password={}",
    "ftp://upload:{}@files.shop.io/in",
    "smtp://mailer%40shop.io:{}@smtp.sendgrid.net:587",
    'mongo "mongodb://root:{}@10.0.0.7/admin"',
    "Server=tcp:shop.database.windows.net;Initial Catalog=shop;User ID=sa;Password={};",
    "jdbc:mysql://db/shop?user=root&password={}",
    "[client]\nuser=root\npassword={}",
    "ansible_become_pass: {}",
    "wp config set DB_PASSWORD {}",
    "user: shop\npass: {}",
    "creds shop:{} for basic auth on staging.shop.io",
    "http -a shop:{} https://staging.shop.io/health",
    "fatal: Authentication failed for 'https://kim:{}@git.shop.io/x.git/'",
    "psql postgresql://reader:{}@db.shop.io/prod -c 'select 1'",
    "DATABASE_URL=mysql2://shop:{}@127.0.0.1/shop_dev",
    'mongosh "mongodb+srv://admin:{}@cluster0.ab12c.mongodb.net/"',
    "amqp://shop:{}@rabbit/%2f",
    "CELERY_BROKER_URL='amqp://celery:{}@mq//'",
    "sqlalchemy.url = postgresql+psycopg://app:{}@db/app",
    "ldapsearch -D cn=admin,dc=shop -w {} -b dc=shop",
    "LDAP bind password: {}",
    "zip -P {} out.zip data/",
    "gpg --batch --passphrase {} -d secrets.gpg",
    "ssh-keygen -p -P {} -f id_rsa",
    "restic: RESTIC_PASSWORD={}",
    "BORG_PASSPHRASE='{}' borg list",
    "echo '{}' | sudo -S systemctl restart nginx",
    "SESSION_SECRET={}",
    "JWT_SECRET={}",
    "Basic auth for staging is shop / {}",
    "Test user: kim@shop.io / {}",
    "username: deploy, password: {}",
    "user=admin password={} host=db",
    "password changed from x to {}",
    "POSTGRES_PASSWORD={} docker compose up",
    "The default admin password is {}, change it after install",
    "wifi password: {}",
    "<password>{}</password>",
    '- name: DB_PASSWORD\n  value: "{}"',
    "| DB_PASSWORD | {} |",
    "ENV ADMIN_PASSWORD {}",
    "conn = psycopg2.connect(user='app', password='{}')",
    "db.connect({{ user: 'root', password: '{}' }})",
    "Пароль от тестового стенда: {}",
)

KEY_TEXTS = (
    "AWS_SECRET_ACCESS_KEY={}",
    "aws_secret_access_key = {}",
    '"SecretAccessKey": "{}"',
    "SECRET_KEY = '{}'",
    "SECRET_KEY_BASE={}",
    "JWT_SECRET: {}",
    "client_secret={}&grant_type=client_credentials",
    'clientSecret: "{}"',
    "x-api-key: {}",
    "API key: {}",
    "apiKey: '{}'",
    "curl -H 'Authorization: Bearer {}' https://api.internal",
    "Authorization: token {}",
    "AccountKey={};EndpointSuffix=core.windows.net",
    "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKey={}",
    "//registry.npmjs.org/:_authToken={}",
    "export ACCESS_TOKEN={}",
    "refresh_token={}",
    "Cookie: sid={}; theme=dark",
    "Set-Cookie: session={}; HttpOnly",
    "curl -b 'sessionid={}' https://shop.internal",
    "helm --set auth.token={}",
    "deployctl --token {}",
    "SIGNING_SECRET={}",
    "The API key is {}",
    "AZURE_STORAGE_KEY={}",
    "wh.secret={}",
    "https://x.blob.core.windows.net/c/f?sv=2023&sig={}&se=2027",
    "The API key for OpenWeather ({}) is hard-coded in weather.ts",
    "Datadog needs DD_API_KEY={} and DD_SITE=datadoghq.eu",
    "datadog api key {} is read from config/datadog.yaml",
    "aws configure set aws_secret_access_key {}",
    "secret access key: {}",
    'curl -H "X-API-Key: {}" https://api.partner.com/v2/orders returns 200',
    "curl -H 'PRIVATE-TOKEN: {}' https://gitlab.shop/api/v4/projects",
    "curl 'https://maps.shop.io/geo?api_key={}&q=Berlin' was slow",
    "GET /v1/users?access_token={} 401",
    "The Jenkins token of deploy-bot is {}",
    "Twilio: account ACfc083fa6fa34693b07cca23ca2986f73, auth token {}",
    "TWILIO_AUTH_TOKEN={}",
    "bot token {} belongs to @shop_alerts_bot",
    'Error: request failed: {{"headers":{{"Authorization":"Bearer {}"}}}}',
    "The session cookie `connect.sid=s%3A{}` works for the e2e tests",
    'API_SECRET="{}" must be set or checkout returns 500',
    "NEXTAUTH_SECRET={}",
    "the JWT signing secret in dev is {}",
    "Put webhook_secret: {} into values.yaml",
    "ENCRYPTION_KEY={} is needed to decrypt the fixtures",
    "Algolia admin key {} lives in search.js",
    "apiVersion: v1\nkind: Secret\ndata:\n  password: {}",
    "heroku config:set SECRET_TOKEN={}",
    '$env:API_TOKEN = "{}"',
    "const client = new S3({{ accessKeyId: 'x', secretAccessKey: '{}' }})",
    "Deploys to Vercel use VERCEL_TOKEN {} from the CI settings",
    "CLOUDFLARE_API_KEY={}",
    "git remote set-url origin https://bot:{}@github.com/shop/web.git",
    "export AWS_SESSION_TOKEN={}",
    "AWS_SECRET_ACCESS_KEY={} terraform plan",
    "Mailchimp key {} is in newsletter.rb",
    "POSTMARK_API_TOKEN={}",
    "HEROKU_API_KEY={}",
    "kubectl config set-credentials ci --token={}",
    "VAULT_TOKEN={} vault kv get secret/shop",
    "The unseal key 1 is {}",
    "Jenkins: curl -X POST -u admin:{} http://jenkins:8080/job/x/build",
    "REDIS_URL=rediss://default:{}@eu1-fit-1.upstash.io:6379",
    "DJANGO_SECRET_KEY='{}'",
    "SECRET_KEY_BASE: {}",
    "RAILS_MASTER_KEY={}",
    "APP_KEY=base64:{}",
    "FERNET_KEY={}",
    "cookie secret: '{}'",
    "hmac key = {}",
    "curl -X POST https://discordapp.com/api/webhooks/{} -d '{{}}'",
    "'x-api-key': '{}'",
    "> Authorization: Basic {}",
    "headers={{'Authorization': f'Token {}'}}",
    "--header 'Authorization: ApiKey {}'",
    "set-cookie: __Secure-next-auth.session-token={}; Path=/",
    "Cookie: _shop_session={}",
    "document.cookie = 'PHPSESSID={}'",
    "wg0.conf: PrivateKey = {}",
    '<add key="ApiKey" value="{}" />',
    '{{"name": "API_SECRET", "value": "{}"}}',
    "Bearer {} worked in Postman",
    "The OAuth client secret for GitHub is {}",
    "client_id=abc client_secret={}",
    "azure: az login --service-principal -u app -p {} --tenant t",
    "AccountKey={};EndpointSuffix",
    "?sv=2022-11-02&sig={}&se=2027",
    "age key AGE-SECRET-KEY-1{}",
    "litellm key sk-{}",
    "cargo login {} was run on the release box",
    "https://shop.azurewebsites.net/api/run?code={}",
)


def list_secrets() -> list[tuple[str, str]]:
    """Return (text, the value that must go) of all secrets."""
    maker = Maker()
    texts = [(text.format(value), value) for text, value in _pair_tokens(maker)]
    texts += [
        (text.format(value), value) for text in PASSWORD_TEXTS for value in [maker.password()]
    ]
    texts += [(text.format(value), value) for text in KEY_TEXTS for value in [maker.chars(40)]]
    texts += [(text, value) for text, value in _list_files(maker)]
    return texts


def _pair_tokens(maker: Maker) -> list[tuple[str, str]]:
    values = [make(maker) for make in TOKENS.values()]
    return [(TOKEN_TEXTS[at % len(TOKEN_TEXTS)], value) for at, value in enumerate(values)]


def _list_files(maker: Maker) -> list[tuple[str, str]]:
    """Return parts of files with keys, and webhooks: (text, the value that must go)."""
    kinds = ("RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED ", "DSA ")
    keys = [(f"deploy key: {key}", key.split("\n")[2]) for key in map(maker.pem, kinds)]
    key = maker.pem("").replace("\n", "\\n")
    keys.append((f'{{"type": "service_account", "private_key": "{key}\\n"}}', key[60:120]))
    body = maker.encoded(60)
    keys.append((f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{body}\n=abcd\n", body))
    lines = "\n".join(maker.encoded(48) for _ in range(4))
    keys.append((f"Private-Lines: 4\n{lines}\nPrivate-MAC: {maker.hex(40)}", lines))
    hook = f"{maker.chars(9, UPPER)}/{maker.chars(11, UPPER)}/{maker.chars(24)}"
    keys.append((f"Alerts go to https://hooks.slack.com/services/T{hook}", hook))
    hook = f"{maker.number(18)}/{maker.chars(68, URL)}"
    keys.append((f"https://discord.com/api/webhooks/{hook}", hook))
    hook = f"{maker.hex(36)}@{maker.hex(36)}/IncomingWebhook/{maker.hex(32)}/{maker.hex(36)}"
    keys.append((f"https://shop.webhook.office.com/webhookb2/{hook}", hook))
    data = maker.encoded(200)
    keys.append((f"users:\n- name: ci\n  user:\n    client-key-data: {data}", data))
    data = maker.encoded(24)
    keys.append((f'{{"auths": {{"ghcr.io": {{"auth": "{data}"}}}}}}', data))
    data = maker.encoded(15)
    keys.append((f"Authorization: Basic {data}", data))
    keys.append((f"curl -H 'authorization: Bearer {maker.jwt()}'", "MTUxNjIzOTAyMn"))
    return keys


# What stays: hashes, ids, placeholders, documented examples, references, and words about secrets.
LOOK_ALIKES = """
Commit 8fa6445462ef5b4e8fa6445462ef5b4e8fa64454 broke the nightly import
The bug came with 3f9c2d1 and was fixed in a1b2c3d4
The image is pinned to sha256:9b2c1f0a7d3e4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9012345678
Pull ghcr.io/shop/api:1.4.2@sha256:9b2c1f0a7d3e4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9012345678
docker://alpine:3.19@sha256:9b2c1f0a7d3e4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9012345678
integrity sha512-kDzVBTyzGwxXzMFGvMSbQ1mGBwNrKGzVbBzHqC4uT7iQ4l0g3WbCzNq8oZ2D6Ix1Yw3mZbA9sQ==
The md5 of the fixture is d41d8cd98f00b204e9800998ecf8427e
The ETag is "33a64df551425fcc55e4d42a148795d9f25f89d4"
The request id is 550e8400-e29b-41d4-a716-446655440000
token: 550e8400-e29b-41d4-a716-446655440000 is the cursor of the page
The trace is 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
Account 123456789012 owns the bucket arn:aws:s3:::shop-assets
The role is arn:aws:iam::123456789012:role/deploy
ULIDs such as 01ARZ3NDEKTSV4RRFFQ69G5FAV sort by time
task-1234567890-a-long-name-of-a-task
The cache key is sha1:2fd4e1c67a2d28fced849ee1bb76e7391b93eb12
Fingerprint SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDHsVUfYBzCbYGwX4k of the host
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL0vTnMv3tB4k5c2m8o1Qy7Zk9d6F3s5R8t7U6v5W4x3 deploy@shop
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 is the public key of CI
-----BEGIN CERTIFICATE----- starts each file in certs/
-----BEGIN PUBLIC KEY-----
CI greps for -----BEGIN RSA PRIVATE KEY----- in the diff
The fixture contains "-----BEGIN PRIVATE KEY-----\\n...\\n-----END PRIVATE KEY-----"
AWS documents AKIAIOSFODNN7EXAMPLE as an example key
AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY is the documented example
aws_access_key_id = AKIAXXXXXXXXXXXXXXXX
Keys start with AKIA, temporary ones with ASIA
GitHub tokens start with ghp_, gho_ or github_pat_
Set GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx in .env
Set GITHUB_TOKEN=ghp_your_token_here
ghp_<token> and glpat-<token> are refused by the linter
Slack tokens look like xoxb-... in the logs
xoxb-your-bot-token-goes-here1
sk-... is the prefix of OpenAI keys, sk-ant-... that of Anthropic
OPENAI_API_KEY=sk-your-api-key-1234567890abcdef
https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX
https://hooks.slack.com/services/ is mocked in tests
https://discord.com/api/webhooks/ID/TOKEN
postgres://user:password@localhost:5432/shop
postgres://postgres:postgres@localhost:5432/test
postgres://user:pass@host/db is the form of DATABASE_URL
postgres://$DB_USER:$DB_PASSWORD@$DB_HOST/shop
postgres://${DB_USER}:${DB_PASSWORD}@db/shop
postgresql://{user}:{password}@{host}/{name}
mysql://<user>:<password>@localhost/shop
amqp://guest:guest@rabbitmq:5672/
mongodb://root:example@mongo:27017/
redis://localhost:6379/0
https://user:***@ci.internal
http://localhost:4873/pkg@1.0.0 is not in this registry
https://host:443?next=me@shop.test
http://[::1]:8080/a@b
git@github.com:shop/api.git
ssh://git@github.com:22/shop/api.git
mailto:ops@shop.test
scp deploy@host:/srv/app/file
npm install left-pad@1.3.0 from http://registry:4873
password=changeme
password=${DB_PASSWORD}
password=$DB_PASSWORD
password=$(pass show shop/db)
password="{{ db_password }}"
password: ${{ secrets.DB_PASSWORD }}
token: ${{ secrets.GITHUB_TOKEN }}
password=<password>
password=<your-password>
password=xxxxxx
password=********
password=...
password: [redacted: password]
password=[secret: password]
"password": "your-password-1"
"password": "string"
password=os.environ["DB_PASSWORD"]
password=os.getenv("DB_PASSWORD")
password=settings.DB_PASSWORD
password=user.password
password=db_password
password=get_password()
connect(user=user, password=password)
login(username, password=None)
password=None
password=required
PASSWORD=%s
password=%(password)s
Passwords are hashed: password=$2b$12$KIXQ4bq7h1l9u2pW3o5yKe
password: argon2id is used since v2
The password is bcrypt12-hashed before it is stored
The password is checked by validate_password in src/auth.py
The password is at least 12 characters long
password: min_length=8
password: must have 8 characters
ValidationError: password: field required
KeyError: 'password'
password authentication failed for user "shop"
<input name="password" type="password">
grant_type=password&scope=openid
docker login --password-stdin
Use --password-file secrets/db1.txt
The --password option is ignored since 2.0
The login page password field has the id pw1
The machine has no login, so the password prompt hangs
Reset the password via /admin/users/1
PWD=/home/me/shop
cd $PWD && make
PASSWORD_MIN_LENGTH=12
password_hash=pbkdf2:sha256:260000
PASSWORD_RESET_TIMEOUT=3600
test users have password=test
SECRET_KEY=changeme
SECRET_KEY = os.environ["SECRET_KEY"]
SECRET_KEY = env("SECRET_KEY_2")
SECRET_KEY: !vault shop/key
secret: shop-db-v2 is mounted by helm
secretName: shop-tls-2024
secret=projects/123/secrets/db-password/versions/2
kubectl create secret generic shop-db-1
kubectl get secret shop-db-1 -o yaml
secret: not found in namespace default
secretary: Bob
secrets: inherit is needed in reusable workflows
API_KEY=your-api-key
API_KEY=<api-key>
api_key: str = ""
api_key=api_key
api_key=config.api_key
api_key = settings.API_KEY_2
apiKey: process.env.API_KEY
x-api-key: $API_KEY
Missing required variable API_KEY: see README.md
access_key: undefined
token = parser.next_token()
token=abc is rejected, it must have 32 characters
token: number, got string
max_tokens=4096, tokens: 8081
token_count: 128000
tokens: 200000 is the limit of the context
next_token=eyJwYWdlIjoyfQ
page_token=CAUQAA1234567890 is opaque
csrf_token: 4f3a2b1c0d9e8f7a6b5c
InvalidToken: token expired at 2026-01-01
unexpected token: 'end of file' at line 3
SyntaxError: Unexpected token: identifier2
No module named 'tokenizers'
The token bucket allows 10 requests: burst 20
The token is refreshed by auth.refresh() each hour
tests/fixtures/token: 12 lines
The pagination token: base64 of the last id
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer ${TOKEN}
Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==
curl -H "Authorization: Bearer $(gcloud auth print-access-token)"
Send the header Authorization: Bearer TOKEN
basic authentication failed
The bearer of the request is checked in middleware/auth.ts
Cookie: theme=dark; lang=en
Set-Cookie: consent=yes; SameSite=Lax
cookie: name=value
session_id is stored in Redis
session=None in tests
sessionid=<id>
machine HOST login USER password PASSWORD
curl -u user:password https://ci.internal
curl -u "$USER:$TOKEN" https://ci.internal
docker run -u 1000:1000 shop
mysql -uroot -p shop
mysql -h db -P 3306 shop
sshpass -p "$PASS" ssh host
client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM=
certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM=
"auth": "bearer"
"auth": "oauth2"
_auth is deprecated in .npmrc
eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 is the header of each JWT
eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.dozjgNryP4J3jVmNHl0w5N
JWTs are verified with RS256, see src/auth/jwt.ts
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
The lockfile has resolved "https://registry.npmjs.org/lodash/-/lodash-4.17.21.tgz#679591c564c3bffa"
npm_config_registry=http://localhost:4873 in CI
npm_lifecycle_event is set by npm
pypi-server runs on port 8080
hf_hub_download caches in ~/.cache/huggingface
sk-learn is imported as sklearn
key-value stores are in src/kv/
SG.sendMail is the wrapper of SendGrid
dapi is the name of the data API
AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==
never commit .env files
Tests use the fixture user alice with password=alice-password
password=`pass show shop/db1`
password = getpass.getpass()
if password == confirm_password: save()
pass=12 fail=0 in the last run
pass: v2.1.3 and later
const token = useToken()
let apiKey = import.meta.env.VITE_API_KEY
credentials: 'same-origin' is needed in fetch
The API key is read from 1Password
The token cache is keyed by 8fa6445462ef5b4e8fa6445462ef5b4e8fa64454
token=$(cat /run/token1)
kubectl -n shop get secret db -o jsonpath='{.data.password}'
gh secret set NPM_TOKEN1 < token.txt
ansible: db_password: !vault |
export const TOKEN_KEY = 'shop.auth.token'
session=requests.Session()
cache key: user:123:v2
tests mock the ssh key
No secrets in .env.example, CI greps for them
Credentials are in 1Password: op://shop/db/password
credentials: include is needed in fetch
bad credentials: check your login
Passwort vergessen? links to /reset
the primary key: (tenant_id, id2)
sort_key=created_at2
foreign key: orders.customer_id1
License key: see LICENSE
public_key=MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
key_id=4f3a2b1c0d9e
KMS key arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab
ALIAS=prod-2024-11-22T10:30:00Z
The build hash app.3f9c2d1a.js changes with each deploy
The API token is created in the admin UI under Settings > Tokens
credentials are in vault under kv/shop/db
The key of the order cache is order:<id>:v2
secretKeyRef in deploy/api.yaml points to shop-secrets
valueFrom: {secretKeyRef: {name: db, key: password}}
token = get_token()
token = await self._client.refresh_token(scope="read")
password is hashed with bcrypt, cost 12
The password reset mail is sent by worker/mail.py
Password: at least 12 characters and one digit
The login form has the fields email and password; test id login-pw-2
const key = `${tenant}:${id2}`
key: user_id, value: last_seen_at2
API key rotation is done by the platform team on the 1st
the access token expires after 3600s
the refresh token lives 30d, the access token 15m
Token limit: 128k for the large model
tokens: 8192 per request
max_output_tokens = 4096
The tokenizer token count is 1.3x of the word count
password1 and password2 are the field names in the signup form
self.fields["password1"].widget.attrs["class"] = "input"
DB_PASSWORD is read by src/config.py:42
DB_PASSWORD comes from AWS Secrets Manager (prod/db/main)
Set API_KEY in .env.local, see docs/setup.md#api-key-v2
API_KEY is missing: export it before make test2
sops, key age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p
The secret is mounted at /run/secrets/db_password_v2
pass the token as the 2nd argument
tests pass: 128, failed: 0
pass rate: 98.4%
password policy: min8-max64
auth: { type: 'oauth2', flow: 'pkce' }
Authorization: Bearer {token} is added by the interceptor
Bearer tokens are validated with JWKS at /.well-known/jwks.json
The session id is stored in the cookie shop_sid
cookie: SameSite=Lax; Secure; HttpOnly; Max-Age=86400
public key fingerprint: MD5:16:27:ac:a5:76:28:2d:36:63:1b:56:4d:eb:df:a6:48
idempotency key: 5f2b8a0e-6c1d-4f3e-9a7b-2c4d6e8f0a1b
Idempotency-Key: 8e03978e-40d5-43e8-bc93-6894a57f9324
primary key: id bigint, sort key: created_at
partition key = tenant#2024
shard key: user_id_hash64
The cache key is built from sha256(path)[:16]
key=lambda x: x.id2
sorted(rows, key=itemgetter(1))
for key, value in d.items(): ...
KeyError: 'api_key2'
S3 key: exports/2024/11/orders.csv.gz
object key = reports/2024-11-22/summary-v3.json
Redis key: rate:{ip}:60s
i18n key: checkout.step2.title
translation key: errors.E1042
git commit 3f9c2d1e8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e fixed the token refresh
The CSRF token is in the meta tag csrf-token
csrf_token = request.headers["X-CSRF-Token"]
Use `gh auth token` to get the token
`aws sts get-session-token --duration-seconds 3600`
npm token list shows all tokens
vault read secret/data/shop/db
kubectl get secret shop-db -o jsonpath='{.data.password}' | base64 -d
password: !secret db_password
password: {{ vault_db_password }}
password: <%= ENV["DB_PASSWORD"] %>
password: ENV['DB_PASSWORD']
"password": "{{DB_PASSWORD}}"
password := os.Getenv("DB_PASSWORD")
password: process.env.DB_PASSWORD!
password = var.db_password
password = data.aws_secretsmanager_secret_version.db.secret_string
password = random_password.db.result
--set auth.existingSecret=shop-db-auth
existingSecret: shop-postgresql-16
imagePullSecrets: [{name: regcred2}]
tls.secretName: wildcard-2024-shop
kind: Secret
SECRET_NAME=prod/shop/db-2
secret_id: arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop/db-AbCdEf
the secret version is projects/1234/secrets/db/versions/7
TOKEN_URL=https://auth.shop.io/oauth2/v2.0/token
token_endpoint: https://login.microsoftonline.com/common/oauth2/v2.0/token
The token endpoint is https://auth.shop.io/oauth/token
token type: JWT, alg: ES256
token_type=bearer&expires_in=3600
{"error":"invalid_token","error_description":"The token is expired at 1700000000"}
401 Unauthorized: token is expired (exp=1700000000)
jwt: token is malformed: token contains an invalid number of segments
AssertionError: assert 'password' in {'passwd': 1}
TypeError: secretOrPrivateKey must have a value
Error: error:0909006C:PEM routines:get_name:no start line: Expecting: ANY PRIVATE KEY
ssh-keygen -t ed25519 -f ~/.ssh/shop_deploy_2024
~/.ssh/id_ed25519 is the deploy key
The ssh key is passphrase-protected, ask ops
-----BEGIN PUBLIC KEY----- is in keys/jwt.pub
gpg --recv-keys 3AA5C34371567BD2
key 3AA5C34371567BD2 signs the releases
apt-key adv --keyserver keyserver.ubuntu.com --recv-keys 9DC858229FC7DD38854AE2D88D81803C0EBFCD88
keyId: projects/shop/locations/global/keyRings/app/cryptoKeys/db
VITE_PUBLIC_KEY is inlined by the bundler
The publishable key pk_live is safe in the frontend
user: postgres, password: postgres in docker-compose.test.yml
POSTGRES_PASSWORD: postgres
MYSQL_ALLOW_EMPTY_PASSWORD=yes
spring.security.user.password=${ADMIN_PW}
export PGPASSWORD=$(op read op://shop/db/password)
echo $API_TOKEN | head -c 4
if (!token) throw new AuthError('token_missing_401')
return res.status(401).json({ token: null })
expect(body.token).toBeDefined()
expect(res.body.token).toEqual(expect.any(String))
mockToken = 'test-token-123'
const token = 'abc123' in the unit tests
Authorization: 'Bearer test-token'
apiKey: 'test-key-1'
api_key="dummy-key-for-tests-1"
secret="not-a-real-secret-1"
the Stripe key is a restricted one, see 1Password item "Stripe live"
sk_test keys work only in test mode
STRIPE_WEBHOOK_SECRET starts with whsec_ and comes from `stripe listen`
password strength is checked by zxcvbn (score>=3)
argon2id hashes start with $argon2id$v=19$m=65536
user_password_hash: pbkdf2_sha256$600000$abc
tokens are stored as sha256 hex, 64 chars
Passwords longer than 72 bytes are cut by bcrypt2
access keys are disabled for user ci-2
auth token lifetime = 15min
"token_use": "access_v2"
The CI secret is called PROD_DB_PASSWORD_2
rotate the token via `vault token renew -increment=24h`
Password fields use autocomplete="current-password"
autocomplete="new-password" is set on the signup form
type="password" id="pw2"
get_password_hash(password) uses passlib 1.7.4
assert verify_password("secret", hash)
def login(username: str, password: str) -> User:
password: string;
password!: string
readonly password: string | null = null
private String password;
@Column(name = "password_hash", length = 60)
password VARCHAR(255) NOT NULL
ALTER TABLE users ADD COLUMN api_token VARCHAR(64)
CREATE INDEX idx_token_expires_at2 ON tokens(expires_at)
SELECT token FROM sessions WHERE user_id = 42
API tokens have the prefix shop_ and 40 characters
Tokens look like shop_live_XXXXXXXXXXXXXXXXXXXX
Keys are 32 bytes long (AES-256-GCM)
key = hashlib.sha256(data).hexdigest()
secret = secrets.token_urlsafe(32)
SECRET_KEY = secrets.token_hex(32)
token = jwt.encode(payload, key, algorithm="HS256")
token = request.headers.get("Authorization").split(" ")[1]
const { token } = await res.json()
const [token, setToken] = useState<string | null>(null)
localStorage.getItem("access_token_v2")
localStorage["token"] = data.token
apiKey: string,
api_key: Optional[str] = None
api_key: str = Field(..., min_length=32)
API_KEY = config("API_KEY", default="")
API_KEY = os.environ.get("API_KEY", "dev-key")
"api_key": "YOUR_API_KEY"
OPENAI_API_KEY=sk-...
OPENAI_API_KEY=<your key here>
ANTHROPIC_API_KEY is not set; tests/llm are skipped (12 skipped)
DATABASE_URL=postgres://postgres:postgres@db:5432/test
DATABASE_URL=postgresql://localhost/shop_test
postgres://user:secret@localhost/db in docs/example.md
redis://:password@localhost:6379
https://user:pass@example.com
amqp://guest:guest@localhost
Commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904 is the empty tree
Request ID: 7c9e6679-7425-40de-944b-e07fc1f90ae7
X-Request-Id: 3f9c2d1e8b7a6f5e4d3c2b1a0f9e8d7c
trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7
digest: sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a
checksum = "0f9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a2f1e0d9c8b7a6f5e4d3c2b1a0f9e"
etag: W/"5f2b8a0e6c1d4f3e"
cache key: webpack-3f9c2d1e8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e
The GitHub Actions cache key is ${{ runner.os }}-${{ hashFiles('**/lock') }}
key: ${{ runner.os }}-node-v18-${{ hashFiles('package-lock.json') }}
cacheKey = `user:${id}:v2`
React key={item.id2}
Public key: MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE ci@shop
Stripe publishable keys start with pk_test_
product id prod_NffrFeUfNV2Hib and price price_1MoBy5LkdIwHu7ixZhnattbh
customer cus_NffrFeUfNV2Hib pays with pm_1MoBy5LkdIwHu7ix
toolu_01A09q90qw90lq917835lq9 is the id of the tool use
session 1b8d5088-d5ba-4cdd-9552-952ad05a7002 was resumed
session_id: 1b8d5088-d5ba-4cdd-9552-952ad05a7002
sessionid cookie has SameSite=Lax
Set-Cookie: theme=dark; Path=/; Max-Age=31536000
SESSION_COOKIE_AGE = 1209600
SESSION_COOKIE_NAME=shop_sessionid
Cookie: lang=de; consent=granted-2024
basic auth is on for /metrics since v2.3.1
Basic realm="Restricted Area 51"
WWW-Authenticate: Bearer realm="shop", error="invalid_token"
bearer_format: JWT2
securitySchemes: {bearerAuth: {type: http, scheme: bearer}}
Authorization header is missing -> 401
Authorization: Bearer <JWT>
Authorization: Bearer ${{ secrets.GITHUB_TOKEN }}
curl -u $USER:$PASS https://api
curl -H "X-API-Key: $API_KEY" https://api
docker login -u $CI_USER -p $CI_PASS
docker run -p 8080:80 -e TOKEN login-service:1.2.3
the login page is served by web2:3000/login
login via SSO (Okta) since 2023-10
login: rate limited to 5/min per IP
test login: see fixtures/users.json#admin1
accounts.google.com/o/oauth2/v2/auth
account 4111111111111111 is the Stripe test card
secret santa list 2024
The secret sauce is in src/rank/boost2.py
kubectl create secret tls shop-tls --cert=tls.crt --key=tls.key
--key=./certs/server-2024.key
ssl_certificate_key /etc/nginx/ssl/shop-2024.key;
openssl genrsa -out key.pem 4096
keyfile: /run/keys/k1.pem
key-file = ~/.config/sops/age/keys.txt
primary_key=True, index=True
ForeignKey("users.id2")
passwordless sudo is enabled for deploy2
password manager: 1Password
passwd: all authentication tokens updated successfully.
passwd file /etc/passwd has 42 lines
pwd: /srv/builds/shop
pass the -p 8080:80 flag
pass --pw-reset2 to the script
PASS src/auth/token.test.ts (5.2 s)
PASS: 42, SKIP: 3
✓ rejects an invalid password (12 ms)
FAIL test_password_too_short[abc1]
test_login[admin-wrong_pw1] is flaky
Error: Invalid password: must contain at least 1 digit
Access denied for user 'root'@'localhost' (using password: YES)
Access denied for user 'app'@'172.18.0.5' (using password: NO)
fatal: password authentication failed for user "shop" (SQLSTATE 28P01)
Wrong password for key 'upload' in keystore upload2.jks
sops metadata: pgp fingerprint 85D77543B3D624B63CEA9E6DBC17301B491B3F21
age recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p
credential helper: store --file ~/.git-credentials2
Credentials=include in fetch options v3
GOOGLE_APPLICATION_CREDENTIALS=/run/secrets/gcp-sa-2.json
aws_profile=shop-prod-2
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY come from OIDC (role shop-ci-2)
secret_arn=arn:aws:secretsmanager:eu-central-1:123456789012:secret:prod/db-Xy12Zw
op://Shop/db-prod-2/password
Das Passwort wird mit Argon2 gehasht
Das Passwort muss mindestens 12 Zeichen haben
Der Token ist 15min gültig
密码至少 8 位
密码使用 bcrypt 加密，cost=12
パスワードは8文字以上
La contraseña debe tener al menos 8 caracteres
Le mot de passe est haché avec bcrypt12
пароль должен быть не короче 8 символов
""".strip().split("\n")
