"""The forms of secrets, each with the page that documents it; `secrets` uses them.

A rule is here only if a documented form, or the name before a value, shows that it is a secret.
How random a text looks does not count, since hashes and ids look random, too.
"""

from __future__ import annotations

DIGITS = frozenset("0123456789")
ALNUM = DIGITS | frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
LETTERS = ALNUM - DIGITS
UPPER = DIGITS | frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
HEX = DIGITS | frozenset("abcdefABCDEF")
BASE64 = ALNUM | frozenset("+/=")
WORD = ALNUM | frozenset("_-")
SYMBOLS = frozenset("!#$%^&*?~@+")
MARKS = DIGITS | SYMBOLS
JOINTS = frozenset("!$%^&*?~+")
OPENERS = frozenset("({[<$ ")

# A long key may have any word somewhere in it; a placeholder has one here.
MAX_HEAD = 100

ALPHABETS = {
    "a": ALNUM,
    "u": UPPER,
    "x": HEX,
    "b": BASE64 | WORD,
    "w": WORD,
    "d": WORD | frozenset("."),
    "p": WORD | BASE64 | frozenset(".~%@"),
}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Tokens with a prefix, behind their page: the kind, the form of what follows the prefix, and the
# prefixes.  A form is an alphabet and the least number of characters, or with
# `=` the exact one.  With the alphabets w and d the text is more than words and short numbers, and
# with d it has a dot.  A prefix begins a word, except for the parts of addresses (p).
TOKENS = (
    # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
    ("aws-access-key", "u16=", "AKIA ASIA"),
    # https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html
    ("aws-bedrock-key", "b60", "ABSK"),
    # https://cloud.google.com/docs/authentication/api-keys
    ("google-api-key", "w35", "AIza"),
    # https://developers.google.com/identity/protocols/oauth2
    ("google-oauth", "w20", "ya29. GOCSPX- 1//0"),
    # https://docs.github.com/en/authentication
    ("github-token", "a16", "ghp_ gho_ ghu_ ghs_ ghr_"),
    ("github-token", "w20", "github_pat_"),
    # https://docs.gitlab.com/security/tokens
    ("gitlab-token", "w16", "glpat- gldt- glrt- glptt- glcbt- glsoat- glft-"),
    # https://api.slack.com/authentication/token-types
    ("slack-token", "w16", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxc- xoxd- xoxe- xapp-"),
    ("slack-token", "d16", "xoxe.xox"),
    # https://docs.stripe.com/keys
    ("stripe-key", "a16", "sk_live_ sk_test_ rk_live_ rk_test_"),
    # https://docs.stripe.com/webhooks
    ("stripe-key", "b16", "whsec_"),
    # https://docs.npmjs.com/about-access-tokens
    ("npm-token", "a30", "npm_"),
    # https://pypi.org/help/#apitoken
    ("pypi-token", "w40", "pypi-"),
    # https://docs.anthropic.com/en/api/overview
    ("anthropic-key", "w20", "sk-ant-"),
    # https://platform.openai.com/docs/api-reference/authentication
    ("openai-key", "w20", "sk-"),
    # https://huggingface.co/docs/hub/security-tokens
    ("huggingface-token", "a30", "hf_"),
    # https://console.groq.com/docs/quickstart
    ("groq-key", "a40", "gsk_"),
    # https://replicate.com/docs/topics/security/api-tokens
    ("replicate-token", "a30", "r8_"),
    # https://docs.x.ai/docs/overview
    ("xai-key", "a40", "xai-"),
    # https://docs.perplexity.ai/guides/getting-started
    ("perplexity-key", "a40", "pplx-"),
    # https://docs.pinecone.io/guides/projects/manage-api-keys
    ("pinecone-key", "w40", "pcsk_"),
    # https://docs.smith.langchain.com
    ("langsmith-key", "w40", "lsv2_pt_ lsv2_sk_"),
    # https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys
    ("sendgrid-key", "d36", "SG."),
    # https://www.twilio.com/docs/iam/api-keys
    ("twilio-key", "x32=", "SK"),
    # https://documentation.mailgun.com/docs/mailgun/api-reference
    ("mailgun-key", "x32=", "key-"),
    # https://developers.brevo.com/docs/getting-started
    ("brevo-key", "w64", "xkeysib- xsmtpsib-"),
    # https://resend.com/docs/api-reference/introduction
    ("resend-key", "w24", "re_"),
    # https://docs.digitalocean.com/reference/api
    ("digitalocean-token", "x40", "dop_v1_ doo_v1_ dor_v1_"),
    # https://devcenter.heroku.com/articles/authentication
    ("heroku-key", "w30", "HRKU-"),
    # https://docs.netlify.com/api/get-started
    ("netlify-token", "w30", "nfp_"),
    # https://fly.io/docs/security/tokens
    ("fly-token", "b40", "fm2_ fo1_"),
    # https://shopify.dev/docs/apps/build/authentication-authorization
    ("shopify-token", "x32", "shpat_ shpca_ shpss_ shppa_"),
    # https://developer.squareup.com/docs/build-basics/access-tokens
    ("square-token", "w22", "sq0atp- sq0csp- EAAA"),
    # https://developers.facebook.com/docs/facebook-login/guides/access-tokens
    ("facebook-token", "a60", "EAAB EAAC EAAD EAAG"),
    # https://developer.paypal.com/braintree/docs/guides/authorization
    ("paypal-token", "w16", "access_token$production$ access_token$sandbox$"),
    # https://grafana.com/docs/grafana/latest/administration/service-accounts
    ("grafana-token", "w20", "glsa_ glc_"),
    # https://docs.docker.com/security/access-tokens
    ("docker-token", "w20", "dckr_pat_ dckr_oat_"),
    # https://docs.databricks.com/dev-tools/auth/pat
    ("databricks-token", "x32", "dapi"),
    # https://developer.hashicorp.com/vault/docs/concepts/tokens
    ("vault-token", "w20", "hvs. hvb. hvr."),
    # https://developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens
    ("terraform-token", "w60", ".atlasv1."),
    # https://www.pulumi.com/docs/pulumi-cloud/access-management/access-tokens
    ("pulumi-token", "x40", "pul-"),
    # https://support.atlassian.com/atlassian-account/docs
    ("atlassian-token", "w40", "ATATT3 ATCTT3"),
    ("atlassian-token", "a24", "ATBB"),
    # https://linear.app/developers/graphql
    ("linear-key", "a30", "lin_api_ lin_oauth_"),
    # https://developers.notion.com/docs/authorization
    ("notion-token", "a40", "ntn_ secret_"),
    # https://airtable.com/developers/web/guides/personal-access-tokens
    ("airtable-token", "d60", "pat"),
    # https://www.dropbox.com/developers/documentation
    ("dropbox-token", "w100", "sl."),
    # https://learning.postman.com/docs/developer/postman-api
    ("postman-key", "w50", "PMAK-"),
    # https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys
    ("newrelic-key", "a20", "NRAK- NRII-"),
    # https://docs.sentry.io/account/auth-tokens
    ("sentry-token", "b40", "sntrys_ sntryu_"),
    # https://supabase.com/docs/guides/api/api-keys
    ("supabase-key", "w20", "sbp_ sb_secret_"),
    # https://neon.tech/docs/manage/api-keys
    ("neon-key", "a40", "napi_"),
    # https://tailscale.com/kb/1085/auth-keys
    ("tailscale-key", "w20", "tskey-"),
    # https://docs.openshift.com/container-platform/latest/authentication/managing-oauth-access-tokens.html
    ("openshift-token", "a43", "sha256~"),
    # https://guides.rubygems.org/api-key-scopes
    ("rubygems-key", "x40", "rubygems_"),
    # https://learn.microsoft.com/nuget/nuget-org/scoped-api-keys
    ("nuget-key", "a43=", "oy2"),
    # https://docs.sonarsource.com/sonarqube-server/user-guide/managing-tokens
    ("sonar-token", "a40", "squ_ sqp_ sqa_"),
    # https://circleci.com/docs/managing-api-tokens
    ("circleci-token", "w40", "CCIPAT_ CCIPRJ_"),
    # https://buildkite.com/docs/apis/managing-api-tokens
    ("buildkite-token", "a40", "bkua_"),
    # https://docs.doppler.com/docs/service-tokens
    ("doppler-token", "w40", "dp.pt. dp.ct. dp.sa. dp.scim. dp.audit."),
    ("doppler-token", "d40", "dp.st."),
    # https://developers.hubspot.com/docs/apps/legacy-apps/private-apps/overview
    ("hubspot-token", "w32", "pat-na1- pat-na2- pat-eu1- pat-ap1-"),
    # https://developers.figma.com/docs/rest-api/authentication
    ("figma-token", "w30", "figd_"),
    # https://planetscale.com/docs/api/reference/service-tokens
    ("planetscale-token", "w32", "pscale_tkn_ pscale_pw_ pscale_oauth_"),
    # https://developer.1password.com/docs/service-accounts
    ("onepassword-token", "b60", "ops_"),
    # https://age-encryption.org
    ("private-key", "u50", "AGE-SECRET-KEY-1"),
    # https://www.rfc-editor.org/rfc/rfc7519
    ("jwt", "d24", "eyJ"),
    # https://learn.microsoft.com/azure/azure-functions/function-keys-how-to
    ("azure-function-key", "p40", "?code= &code="),
    # https://api.slack.com/messaging/webhooks
    (
        "webhook",
        "p20",
        "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/",
    ),
    # https://docs.discord.com/developers/resources/webhook
    (
        "webhook",
        "p40",
        "discord.com/api/webhooks/ discordapp.com/api/webhooks/ discord.com/api/v10/webhooks/",
    ),
    # https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors
    (
        "webhook",
        "p60",
        "webhook.office.com/webhookb2/ outlook.office.com/webhook/ outlook.office365.com/webhook/",
    ),
)

# What a name before a value shows, and the pages about it.
PAGES = {
    "private-key": "https://www.rfc-editor.org/rfc/rfc7468",
    "azure-client-secret": "https://learn.microsoft.com/purview/sit-defn-azure-ad-client-secret",
    "telegram-token": "https://core.telegram.org/bots/api#authorizing-your-bot",
    "discord-token": "https://discord.com/developers/docs/reference#authentication",
    "url-password": "https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1",
    "authorization": "https://www.rfc-editor.org/rfc/rfc9110#section-11.6.2",
    "azure-signature": "https://learn.microsoft.com/azure/storage/common/storage-sas-overview",
    "session-cookie": "https://www.rfc-editor.org/rfc/rfc6265",
    "password": "https://cwe.mitre.org/data/definitions/798.html",
    "credential": "https://cwe.mitre.org/data/definitions/798.html",
}

# The last word of a name, in lower case and without a plural's `s`, and the kind of its value.
NAMES = {
    **dict.fromkeys(
        ("password", "passwd", "passphrase", "passcode", "pass", "pwd", "pw"), "password"
    ),
    **dict.fromkeys(("passwort", "kennwort", "contraseña", "senha", "mot de passe"), "password"),
    **dict.fromkeys(("пароль", "密码", "密碼", "パスワード", "identified by"), "password"),
    **dict.fromkeys(("secret", "token", "key", "credential", "cred", "auth"), "credential"),
    **dict.fromkeys(("_pat", "client-key-data"), "credential"),
    **dict.fromkeys(("authorization", "bearer", "basic"), "authorization"),
    **dict.fromkeys(("cookie", "session", "sessionid", "sid"), "session-cookie"),
    "sig": "azure-signature",
}

# The beginnings of these names.
ROOTS = (
    *("pass", "pw", "kennwort", "senha", "mot de passe", "identified by", "secret", "token", "key"),
    *("cred", "auth", "_pat", "client-key-data", "bearer", "basic", "cookie", "session", "sid"),
    "sig",
)
OTHER_ROOTS = ("contraseña", "пароль", "密码", "密碼", "パスワード")

# With such a word in front of it a token or a key is not secret, nor is a key with an article.
OTHER_OWNERS = tuple(
    _words("""
    public pub publishable cache idempotency s3 object redis gpg pgp ssh host kms site partition
    primary foreign sort shard row dedup dedupe fingerprint next page csrf xsrf pagination
    continuation cursor sync max unexpected starting forward backward request change dummy fake
    mock example sample
    """)
)
ARTICLES = _words("""
    a an the this that each every our your its my and or of by with as per same no new old
    """)

# The value of such a key need not look random.
STRONG_OWNERS = tuple(
    _words("""
    api access secret private master encryption signing account auth app storage admin
    """)
)

# What may follow a name without changing its meaning.
SUFFIXES = _words("live test prod production staging dev base value old new default")

# Signs that assign a value, longest first.
SIGNS = ("===", ":=", "=>", "->", "==", "=", "：", ":", "→", "|")

# What stands between a name and the word `value`, which an assignment follows.
FIELD_BREAKS = frozenset(" \t\n\"',-")

# A value follows a name in a language without blanks by one of these signs.
COPULAS = frozenset("是为為は：: ")

# Words between a name and its value: "password for the staging database is now hunter22".
PREPOSITIONS = _words("""
    for of on to in at from für von auf im zu de del la para pour du des en da do di от для
    """)
VERBS = _words("""
    is are was be = : - equals lautet ist war sind es est era é is: are: was: ist: es: est: := -
    – —
    """)
CHANGES = _words("changed reset rotated set updated renewed")
# The first words of such a phrase.
STARTERS = PREPOSITIONS | VERBS | CHANGES
FILLERS = _words("""
    now currently still set to changed just always only a the jetzt ahora maintenant be been
    """)
SCHEMES = ("bearer ", "basic ", "token ", "apikey ", "ssws ", "digest ", "key ")

# An option, and the commands whose password or login follows it.
OPTIONS = {
    "-u": ("curl ",),
    "--user": ("curl ", "wget "),
    "-a": ("http ", "redis-cli"),
    "-p": ("mysql", "sshpass", "login"),
    "-P": ("sqlcmd", "zip ", "ssh-keygen"),
    "-w": ("ldap",),
}

# They read the password that an `echo` before them writes.
PASSWORD_READERS = ("| sudo -s", "--password-stdin")

# Words near a name with its password: "log in as shop:hunter22".
LOGINS = (
    *("login", "logged in", "log in", "sign in", "signed in", "creds", "credentials"),
    *("basic auth", "account", "user"),
)

# Parts of values, in lower case, that documentation uses as placeholders.
PLACEHOLDERS = (
    *("example", "placeholder", "changeme", "change-me", "change_me", "your", "redacted", "xxxx"),
    *("****", "...", "dummy", "fake", "sample", "insert", "replace", "todo"),
    # Documented values of GitHub, Stripe, jwt.io, Azurite, the Cosmos DB emulator, RFC 7617 and
    # RFC 6750, in parts, so that no scanner takes them for a leak.
    *("16c7e42f292c6912e7710c838347", "4ec39hqlyjwdarjtt1zd", "bqokikjovbii2hlwgh4o"),
    *("zdwiioiixmjm0nty3odkwi", "eby8vdm02xnocqflquw", "c2y6ydjf5/r+ob0n8a7cgv30"),
    *("qwxhzgrpbjpvcgvuihnlc2ft", "mf_9.b5f-4.1jqm", "jbswy3dpehpk3pxp"),
)

# Parts of names in code that stand for a value.
NAME_PARTS = ("passw", "secret", "token", "key", "pwd", "cred")

# Values that say what is expected, or that an installation has at first.
PLAIN_WORDS = _words("""
    password passwd pass passphrase pwd secret secrets token key api-key apikey value string str
    text bytes number int integer boolean bool true false yes no on off none null nil undefined
    unset empty blank missing required optional hidden masked hashed encrypted plaintext invalid
    valid wrong bad correct incorrect expired test testing tests foo bar baz qux admin
    administrator guest root user username postgres mysql mariadb mongo redis rabbitmq minio sa
    default any prompt ask env vault file path stdin field column input label name type
    """)

# Beginnings of values that name an algorithm, a hash or a place.
OTHER_STARTS = (
    *("sha1", "sha2", "sha3", "sha5", "md5", "$2", "$5$", "$6$", "$argon", "{ssha", "argon"),
    *("bcrypt", "pbkdf2", "scrypt", "hmac", "hs256", "rs256", "es256", "aes", "rsa", "utf"),
    *("oauth2", "base64-", "arn:", "op://", "vault:", "file:", "ssm:", "env:", "http"),
    *("os.", "process.", "env.", "config.", "settings.", "self.", "this.", "secrets."),
)


def is_placeholder(value: str) -> bool:
    """Return whether a value is a documented example, or says where a value belongs."""
    low = value.lower()
    head = low[:MAX_HEAD]
    return len(set(low[-16:])) < 3 or any(part in head for part in PLACEHOLDERS)


def is_harmless(value: str) -> bool:
    """Return whether a value is a placeholder, an ordinary word, or stands for another one."""
    low = value.lower()
    return low in PLAIN_WORDS or is_placeholder(value) or _is_reference(value, low)


def _is_reference(value: str, low: str) -> bool:
    """Return whether a value is a variable, a template, a call, a path or a name in code."""
    is_variable = value[:1] == "$" and (value[1:2] in "{(" or value[1:].isidentifier())
    is_template = value[:1] in "[<{" or value[:2] in ("%s", "%d", "%(") or "{{" in value
    is_call = "(" in value and value.partition("(")[0].replace(".", "").isidentifier()
    is_path = "/" in value and is_wordy(value)
    if value.startswith(("/", "./", "../", "~/")):
        is_path = all(len(part) <= 15 for part in split_parts(value))
    is_dotted = "." in value and value.replace(".", "_").isidentifier()
    is_dotted = is_dotted and (is_wordy(value) or any(part in low for part in NAME_PARTS))
    is_other = low.startswith(OTHER_STARTS) or value[-1:] == "%"
    return is_variable or is_template or is_call or is_path or is_dotted or is_other


def is_name(value: str) -> bool:
    """Return whether a value is a name in code: `db_password`, `PASSWORD`, `user-token`."""
    if not value.replace("_", "").replace(".", "").replace("-", "").isalpha():
        return False
    return value.isupper() or any(part in value.lower() for part in ("_", ".", *NAME_PARTS))


def split_parts(value: str) -> list[str]:
    """Return the runs of letters and digits."""
    return "".join([char if char.isalnum() else " " for char in value]).split()


def is_wordy(value: str) -> bool:
    """Return whether a value consists of words and short numbers: `shop-db-v2`."""
    return all(
        len(part) <= 3
        or (part.isalpha() and (part.islower() or len(part) < 20))
        or (part.isdigit() and len(part) <= 4)
        for part in split_parts(value)
    )


def is_mixed(value: str) -> bool:
    """Return whether a value has a letter, and a digit or a symbol."""
    return not LETTERS.isdisjoint(value) and not MARKS.isdisjoint(value)


def is_uuid(value: str) -> bool:
    return [len(part) for part in value.split("-")] == [8, 4, 4, 4, 12]


def is_plain_id(value: str) -> bool:
    """Return whether a value may be a number, or a word with or without a number."""
    word = value.rstrip("0123456789")
    is_word = word.isalpha() and len(value) < 16
    return DIGITS.isdisjoint(value) or LETTERS.isdisjoint(value) or is_word


def is_random(value: str, least: int) -> bool:
    """Return whether a value is long, and no word, path, reference, number or UUID."""
    if len(value) < least or is_wordy(value) or is_harmless(value) or is_uuid(value):
        return False
    is_fingerprint = is_hex(value) and value.isupper()
    return (
        not is_fingerprint
        and OPENERS.isdisjoint(value)
        and any(
            len(part) >= 10 and not part.isdigit() and not is_plain_id(part)
            for part in split_parts(value)
        )
    )


def is_hex(value: str) -> bool:
    return HEX.issuperset(value)


def is_likely(value: str) -> bool:
    """Return whether a word can hardly be anything but a password: `Tr1cycle88`, `gra#fana7`."""
    if not 6 <= len(value) <= 100 or not is_mixed(value) or is_wordy(value) or is_harmless(value):
        return False
    parts = [part.rstrip("0123456789") for part in split_parts(value)]
    is_spelled = JOINTS.isdisjoint(value) and len(parts) > 1
    if is_spelled and all(not part or part.isalpha() for part in parts):
        return False
    if is_hex(value) or is_name(value) or is_uuid(value) or not value.isascii():
        return False
    has_digit = not DIGITS.isdisjoint(value)
    if has_digit and not SYMBOLS.isdisjoint(value.rstrip("!?")):
        return True
    pairs = zip(value.lstrip("0123456789"), value.lstrip("0123456789")[1:], strict=False)
    if len(value) >= 8 and any(char.isdigit() and after.islower() for char, after in pairs):
        return True
    return len(value) >= 8 and value[-2:].rstrip("!?*").isdigit() and value.lower() != value
