"""The forms of secrets, each with the page that documents it; `secrets` uses them.

A rule is here only if a documented form, or the name before a value, shows that it is a secret.
How random a text looks does not count, since hashes and ids look random, too.
"""

from __future__ import annotations

RFC = "https://www.rfc-editor.org/rfc"
CWE = "https://cwe.mitre.org/data/definitions"
MICROSOFT = "https://learn.microsoft.com"

# Tokens with a prefix.  First line: the kind, its page, and the prefixes in lower case, of which a
# text has one at the beginning of a word.  Second line: the form.
TOKENS = r"""
aws-access-key https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html akia asia
    (?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])
google-api-key https://cloud.google.com/docs/authentication/api-keys aiza
    AIza[\w-]{35}
google-oauth https://developers.google.com/identity/protocols/oauth2 ya29. gocspx-
    (?:ya29\.[\w.-]{20,500}|GOCSPX-[\w-]{20,100})
github-token https://docs.github.com/en/authentication ghp_ gho_ ghu_ ghs_ ghr_ github_pat_
    (?:gh[pousr]_[A-Za-z0-9]{16,255}|github_pat_\w{20,255})
gitlab-token https://docs.gitlab.com/security/tokens glpat- gldt- glrt- glptt- glcbt- glsoat- glft-
    gl(?:pat|dt|rt|ptt|cbt|soat|ft)-[\w.-]{16,200}
slack-token https://api.slack.com/authentication/token-types xoxb- xoxp- xoxa- xoxr- xoxe xapp-
    (?:xox[a-z](?:\.xox[a-z])?|xapp)-[\w-]{10,300}
stripe-key https://docs.stripe.com/keys sk_live_ sk_test_ rk_live_ rk_test_ whsec_
    (?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9+/=]{16,255}
npm-token https://docs.npmjs.com/about-access-tokens npm_
    npm_[A-Za-z0-9]{30,100}
pypi-token https://pypi.org/help/#apitoken pypi-
    pypi-(?=[\w-]{0,60}\d)[\w-]{40,500}
anthropic-key https://docs.anthropic.com/en/api/overview sk-ant-
    sk-ant-[\w-]{20,300}
openai-key https://platform.openai.com/docs/api-reference/authentication sk-
    sk-(?=[\w-]{0,60}\d)[\w-]{20,300}
huggingface-token https://huggingface.co/docs/hub/security-tokens hf_
    hf_[A-Za-z0-9]{30,100}
groq-key https://console.groq.com/docs/quickstart gsk_
    gsk_[A-Za-z0-9]{40,80}
replicate-token https://replicate.com/docs/topics/security/api-tokens r8_
    r8_[A-Za-z0-9]{30,45}
sendgrid-key https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys sg.
    SG\.[\w-]{16,40}\.[\w-]{16,80}
mailgun-key https://documentation.mailgun.com/docs/mailgun/api-reference key-
    key-[a-f0-9]{32}(?![A-Za-z0-9])
digitalocean-token https://docs.digitalocean.com/reference/api dop_v1_ doo_v1_ dor_v1_
    do[opr]_v1_[a-f0-9]{40,100}
shopify-token https://shopify.dev/docs/apps/build/authentication-authorization shpat_ shpca_ shpss_
    shp(?:at|ca|ss)_[a-fA-F0-9]{32}
grafana-token https://grafana.com/docs/grafana/latest/administration/service-accounts glsa_ glc_
    gl(?:sa|c)_[\w+/=]{20,400}
docker-token https://docs.docker.com/security/access-tokens dckr_pat_ dckr_oat_
    dckr_[po]at_[\w-]{20,100}
databricks-token https://docs.databricks.com/dev-tools/auth/pat dapi
    dapi[a-f0-9]{32}(?![A-Za-z0-9])
vault-token https://developer.hashicorp.com/vault/docs/concepts/tokens hvs. hvb. hvr.
    hv[sbr]\.[\w-]{20,300}
atlassian-token https://support.atlassian.com/atlassian-account/docs atatt3 atctt3 atbb
    (?:AT[AC]TT3[\w=-]{40,300}|ATBB[A-Za-z0-9]{24,60})
linear-key https://linear.app/developers/graphql lin_api_ lin_oauth_
    lin_(?:api|oauth)_[A-Za-z0-9]{30,80}
notion-token https://developers.notion.com/docs/authorization ntn_ secret_
    (?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43})(?![A-Za-z0-9])
postman-key https://learning.postman.com/docs/developer/postman-api pmak-
    PMAK-[a-f0-9]{24}-[a-f0-9]{34}
newrelic-key https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys nrak-
    NRAK-[A-Z0-9]{20,50}
sentry-token https://docs.sentry.io/account/auth-tokens sntrys_ sntryu_
    sntry[su]_[\w+/=-]{40,300}
supabase-key https://supabase.com/docs/guides/api/api-keys sbp_ sb_secret_
    (?:sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,80})
tailscale-key https://tailscale.com/kb/1085/auth-keys tskey-
    tskey-[a-z]{2,12}-[\w-]{16,100}
rubygems-key https://guides.rubygems.org/api-key-scopes rubygems_
    rubygems_[a-f0-9]{40,60}
doppler-token https://docs.doppler.com/docs/service-tokens dp.
    dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}
figma-token https://developers.figma.com/docs/rest-api/authentication figd_
    figd_[\w-]{30,60}
planetscale-token https://planetscale.com/docs/api/reference/service-tokens pscale_
    pscale_(?:tkn|pw|oauth)_[\w.=-]{32,64}
private-key https://age-encryption.org age-secret-key-1
    AGE-SECRET-KEY-1[A-Z0-9]{50,70}
jwt https://www.rfc-editor.org/rfc/rfc7519 eyj
    eyJ[\w-]{8,5000}\.eyJ[\w-]{8,5000}(?:\.[\w-]{0,5000})?
""".strip().split("\n")

# A value: in quotes, else up to a blank, or to a separator that another field may follow.
_QUOTED = r"""\\?"[^"\n]{1,500}"|'[^'\n]{1,500}'|`[^`\n]{1,500}`"""
_BARE = (
    r"""(?:[^\s"'`,;&]|[,;&](?!\s|\Z|["'`]|[\w.-]{1,40}[=:])){3,500}?"""
    r"""(?=[)\]}>.:,;&]{0,9}(?:[\s"'`]|\Z|[,;&]))"""
)
VALUE = rf"(?:{_QUOTED}|{_BARE})"
_MIXED = r"(?=\S{0,99}\d)(?=\S{0,99}[A-Za-z])(?=\S{6})"
ENCODED = r"[A-Za-z0-9+/=]"

# Behind a blank a value counts only if it has a digit, or in quotes: "password: field required".
_SIGN = r"(?:=>|:=|={1,3}|:)"
_ASSIGN = (
    rf"""(?:\\?["']?\s{{0,3}}{_SIGN}\s{{0,3}}(?=\\?["'`])|\\?["']?{_SIGN}(?!\s)"""
    rf"""|\\?["']?\s{{0,3}}{_SIGN}\s{{1,3}}(?=\S{{0,99}}\d))"""
)
_SUFFIX = r"(?:[_-]?(?:\d{1,3}|live|test|prod|production|staging|dev|base|value|old|new))?"

_PHRASES = (
    *("password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "contraseña"),
    *("mot de passe", "пароль", "密码", "密碼", "パスワード"),
)
_PHRASE = f"(?:{'|'.join(_PHRASES)}){_SUFFIX}"
_OWNERS = (
    "api",
    "access",
    "account",
    "auth",
    "app",
    "signing",
    "encryption",
    "master",
    "storage",
    "private",
)
_KEYS = ["secret", "token", "_auth", "credential"]
_KEYS += [f"{owner}{blank}key" for owner in _OWNERS for blank in ("", "_", "-", " ")]
_KEY = (
    r"(?:secret(?:[ _-]?(?:access[ _-]?)?key)?"
    r"|(?<!next[_-])(?<!page[_-])(?<!csrf[_-])(?<!xsrf[_-])token"
    rf"|(?:{'|'.join(_OWNERS)})[ _-]?key|_auth|credentials?){_SUFFIX}"
)

# The lines of a key, which a report may quote or nest.  A header alone is not a key.
_BREAK = r"""(?:[\s>|"',]|-(?!-)|\\{1,2}[nr])"""
_PEM_HEADERS = rf"(?:{_BREAK}|[A-Z][\w-]{{1,30}}: [^\n]{{1,100}}(?=\n)){{0,20}}"
_PEM_LINES = (
    rf"(?:{ENCODED}{{20,9000}}(?:{_BREAK}{{1,9}}{ENCODED}{{20,9000}}){{0,400}}"
    rf"(?:{_BREAK}{{1,9}}{ENCODED}{{1,64}}(?={_BREAK}{{0,9}}-----END))?"
    rf"|(?:{ENCODED}|{_BREAK}){{4,200}}(?=-----END))"
)

# Kind, page, marks in lower case, the text before the value, the value.  One of the signs behind
# ">" has to follow its mark.
CONTEXTS = [
    (
        "private-key",
        f"{RFC}/rfc7468",
        ["private key"],
        "",
        rf"-----BEGIN [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----{_PEM_HEADERS}{_PEM_LINES}"
        rf"(?:{_BREAK}{{0,9}}-----END [A-Z0-9 ]{{0,40}}-----)?",
    ),
    (
        "private-key",
        "https://the.earth.li/~sgtatham/putty/0.80/htmldoc/AppendixC.html",
        ["private-lines:"],
        r"Private-Lines: \d+\s+",
        rf"(?:{ENCODED}|\s){{40,20000}}",
    ),
    (
        "azure-client-secret",
        f"{MICROSOFT}/purview/sit-defn-azure-ad-client-secret",
        ["q~"],
        r"(?<![A-Za-z0-9_~-])",
        r"[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}",
    ),
    (
        "azure-signature",
        f"{MICROSOFT}/azure/storage/common/storage-sas-overview",
        ["sig="],
        r"[?&;]sig=",
        r"[\w%+/=-]{20,200}",
    ),
    (
        "telegram-token",
        "https://core.telegram.org/bots/api#authorizing-your-bot",
        [":aa"],
        r"(?<![A-Za-z0-9])(?:bot)?",
        r"\d{8,10}:AA[\w-]{33}(?![\w-])",
    ),
    (
        "webhook",
        "https://api.slack.com/messaging/webhooks",
        ["hooks.slack.com"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/",
        r"[\w/-]{20,200}",
    ),
    (
        "webhook",
        "https://docs.discord.com/developers/resources/webhook",
        ["/webhooks/"],
        r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/",
        r"\d{15,22}/[\w-]{40,100}",
    ),
    (
        "webhook",
        f"{MICROSOFT}/microsoftteams/platform/webhooks-and-connectors",
        ["webhook.office.com", "outlook.office"],
        r"(?:webhook\.office\.com/webhookb2|outlook\.office(?:365)?\.com/webhook)/",
        r"[\w@/-]{60,300}",
    ),
    (
        "url-password",
        f"{RFC}/rfc3986#section-3.2.1",
        ["://>@"],
        r"[A-Za-z][A-Za-z0-9+.-]{1,30}://(?P<user>[^\s/:@]{0,100}):(?!(?P=user)@|\d{1,5}[?#])",
        r"[^\s/]{1,300}(?=@(?!sha\d))",
    ),
    (
        "authorization",
        f"{RFC}/rfc9110#section-11.6.2",
        ["authorization>:,="],
        r"(?i:authorization\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?(?:bearer|basic|token)\s{1,3})",
        r"[\w.~+/=-]{6,5000}",
    ),
    (
        "authorization",
        f"{RFC}/rfc6750",
        ["bearer ", "basic "],
        r"(?i:(?<!\w)(?:bearer|basic)\s{1,3})",
        r"(?=[\w.~+/-]{0,99}[\d=])[\w.~+/=-]{12,5000}",
    ),
    (
        "session-cookie",
        f"{RFC}/rfc6265",
        ["cookie>:"],
        r"(?i:cookie\\?[\"']?:\s{0,3}\\?[\"']?(?=[\w.-]{1,60}=))",
        r"(?=[^\n\"'`]{0,300}?=(?=[^\s;]{0,99}\d)[\w%.~+/=:-]{16})[^\n\"'`]{17,4000}",
    ),
    (
        "session-cookie",
        f"{RFC}/rfc6265",
        ["sess>=", "sid>="],
        r"(?i:(?:session(?:[_-]?(?:id|token))?|sess[_-]?id|(?<![A-Za-z])sid)=)",
        r"(?=[^\s;]{0,99}\d)[\w%.~+/:-]{16,2000}",
    ),
    (
        "client-key",
        "https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig",
        ["client-key-data"],
        r"client-key-data\\?[\"']?:\s{0,9}\\?[\"']?",
        rf"{ENCODED}{{32,20000}}",
    ),
    (
        "registry-login",
        "https://docs.docker.com/reference/cli/docker/login",
        ['"auth>:', '"auth\\>:'],
        r'\\?"auth\\?"\s{0,9}:\s{0,9}\\?"',
        rf"{ENCODED}{{12,2000}}",
    ),
    (
        "password",
        "https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html",
        ["machine", "default login"],
        r"(?:machine\s+\S{1,200}|default)\s+(?:login\s+\S{1,200}\s+)?password\s+",
        r"\S{3,300}",
    ),
    (
        "password",
        "https://www.postgresql.org/docs/current/libpq-pgpass.html",
        [":5432:"],
        r"[\w.*-]{1,200}:5432:[\w*-]{1,80}:[\w*-]{1,80}:",
        r"[^\s:\"'`]{3,200}",
    ),
    (
        "password",
        "https://curl.se/docs/manpage.html#-u",
        ["curl ", "wget "],
        r"(?:curl|wget)\s[^\n|]{0,300}?(?:(?<=\s)-u|--user)[ =]{0,3}[\"']?[^\s:\"'$]{1,100}:",
        r"[^\s\"'`]{3,200}",
    ),
    (
        "password",
        "https://dev.mysql.com/doc/refman/8.4/en/password-security-user.html",
        ["mysql", "sshpass", "redis-cli"],
        r"(?:mysql\w{0,20}\s(?:[^\n|]{0,200}?\s)?-p(?=\S{0,99}\d)|sshpass\s-p\s{0,3}"
        r"|redis-cli\s(?:[^\n|]{0,200}?\s)?-a\s{1,3})",
        rf"(?:{_QUOTED}|[^\s\"'`]{{5,200}})",
    ),
    (
        "password",
        f"{CWE}/798.html",
        [f"{word}>=,:" for word in _PHRASES],
        f"(?i:{_PHRASE}{_ASSIGN})",
        VALUE,
    ),
    (
        "password",
        f"{CWE}/798.html",
        ["password>is"],
        r"(?i:password(?: (?:for|of|on|to) [^.\n]{1,40})? is:?\s{1,3})",
        rf"{_MIXED}{VALUE}",
    ),
    (
        "password",
        f"{MICROSOFT}/sql/connect",
        ["pass>=,:", "pwd>=,:", "pw>=,:"],
        rf"(?i:(?<![A-Za-z])(?:pass|pwd|pw){_ASSIGN})",
        rf"{_MIXED}{VALUE}",
    ),
    (
        "credential",
        f"{CWE}/798.html",
        ["secret> is", "token> is", "api key> is", "access key> is"],
        f"(?i:{_KEY} is:?\\s{{1,3}})",
        rf"{_MIXED}(?=\S{{16}})(?![0-9a-f-]{{16,}}(?![\w-])){VALUE}",
    ),
    (
        "credential",
        f"{CWE}/798.html",
        [f"{word}>=,:" for word in _KEYS],
        f"(?i:{_KEY}{_ASSIGN})",
        VALUE,
    ),
    (
        "password",
        f"{CWE}/214.html",
        ["-passw", "-passphrase"],
        rf"(?i:--[a-z-]{{0,40}}{_PHRASE}\s{{1,3}})",
        rf"(?!-){VALUE}",
    ),
    (
        "credential",
        f"{CWE}/214.html",
        ["-secret", "-token", "-api-key", "-access-key", "-credential"],
        rf"(?i:--[a-z-]{{0,40}}{_KEY}\s{{1,3}})",
        rf"(?!-){VALUE}",
    ),
]

# Parts of values, in lower case, that documentation uses as placeholders.
PLACEHOLDERS = (
    *("example", "placeholder", "changeme", "change-me", "change_me", "your", "redacted", "xxxx"),
    *("****", "....", "dummy", "fake", "sample", "insert", "replace", "todo"),
    # Documented values of GitHub, Stripe, jwt.io, Azurite, the Cosmos DB emulator, RFC 7617 and
    # RFC 6750, in parts, so that no scanner takes them for a leak.
    *("16c7e42f292c6912e7710c838347", "4ec39hqlyjwdarjtt1zd", "bqokikjovbii2hlwgh4o"),
    *("zdwiioiixmjm0nty3odkwi", "eby8vdm02xnocqflquw", "c2y6ydjf5/r+ob0n8a7cgv30"),
    *("qwxhzgrpbjpvcgvuihnlc2ft", "mf_9.b5f-4.1jqm", "jbswy3dpehpk3pxp"),
)

# Values that say what is expected, or that an installation has at first.
PLAIN_WORDS = """
password passwd pass passphrase pwd secret secrets token key api-key apikey value string str text
bytes number int integer boolean bool true false none null nil undefined unset empty blank missing
required optional hidden masked hashed encrypted plaintext invalid valid wrong bad correct incorrect
expired test testing tests foo bar baz qux admin administrator guest root user username postgres
mysql mariadb mongo redis rabbitmq minio sa default any prompt ask env vault file path stdin field
column input label name type
"""

# Beginnings of values that name an algorithm, a hash or a place.
OTHER_STARTS = (
    *("sha1", "sha2", "sha3", "sha5", "md5", "$2", "$5$", "$6$", "$argon", "{ssha", "argon"),
    *("bcrypt", "pbkdf2", "scrypt", "hmac", "hs256", "rs256", "es256", "aes", "rsa", "utf"),
    *("oauth2", "base64-", "arn:", "op://", "vault:", "file:", "ssm:", "env:", "http"),
    *("os.", "process.", "env.", "config.", "settings.", "self.", "this.", "secrets."),
)
