"""Which files a sentence names, and which of them are gone."""

import pytest

from memory_core.files import named_files
from support.tables import for_each

NAMED = [
    ("The parser in src/parser.py keeps no state", ["src/parser.py"]),
    ("Run `scripts/deploy.sh --dry` first", ["scripts/deploy.sh"]),
    ("Config is in ./config/settings.toml, not in env", ["config/settings.toml"]),
    ("The bug was in src/cart.ts:42 (see src/cart.test.ts).", ["src/cart.ts", "src/cart.test.ts"]),
    ("`src/pay.py::charge` is idempotent", ["src/pay.py"]),
    ("**src/bold.py**: it is bold", ["src/bold.py"]),
    ("CI is .github/workflows/ci.yml", [".github/workflows/ci.yml"]),
    ("x\n  - See: src/a.py, src/b.py and src/a.py", ["src/a.py", "src/b.py"]),
]

# Words with a slash that never were a file of the project.
OTHERS = """
Use and/or in queries
POST /api/users returns 201
Responses are application/json; charset utf-8
Rebase on origin/main before a push
See https://example.com/src/guide.md for more
Tests match src/**/*.py
Logs go to /var/log/shop/app.log
Name tests like src/test_x.py
A module is one file, e.g. src/x.py
Next routes are src/[id]/page.tsx
Templates are in src/{name}/index.html and src/<name>/x.py
Windows paths such as src\\x.py do not work
Imports go through net/http.Client and src/store.Open
The user may have ~/.config/tool.json
../other/x.py is another repository
src/../x.py leads upwards
The ratio is 3/4 and the version 2.1/3.0
The module src/payments has no state
A `:/src` and a lone / or //src/x.py
settings.py has the retry count
""".strip().splitlines()


@pytest.mark.parametrize(("text", "paths"), NAMED, ids=[text[:30] for text, _ in NAMED])
def test_named_files(text: str, paths: list[str]) -> None:
    assert named_files.list_paths(text) == paths


@for_each("text", OTHERS)
def test_other_words_name_no_file(text: str) -> None:
    assert named_files.list_paths(text) == []
