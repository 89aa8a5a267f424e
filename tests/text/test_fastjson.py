"""The fast JSON functions agree with the standard library."""

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, strategies as st

from memory_core.text import fastjson

NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(codec=None))
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=20,
)


@given(VALUES)
def test_json_agrees_with_the_standard_library(value: Any) -> None:
    text = fastjson.dumps(value)
    assert text.isascii()
    assert text == json.dumps(value)
    assert fastjson.loads(text) == json.loads(text) == value


def plain_loads(text: str) -> Any:
    def refuse(name: str) -> None:
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


@given(VALUES.map(json.dumps), st.integers(0, 40), TEXTS)
def test_invalid_json_is_refused_as_by_the_standard_library(text: str, at: int, junk: str) -> None:
    spoilt = text[:at] + junk + text[at:]
    try:
        expected = plain_loads(spoilt)
    except (ValueError, RecursionError):
        with pytest.raises(ValueError):  # noqa: PT011 - each has its own words
            fastjson.loads(spoilt)
    else:
        assert fastjson.loads(spoilt) == expected


def test_json_works_without_the_private_c_functions() -> None:
    program = (
        "import sys, _json; del _json.make_scanner\n"
        "from memory_core.text import fastjson\n"
        "assert 're' in sys.modules\n"
        "value = {'a': [1, None, '\\ud800'], 'b': {}}\n"
        "assert fastjson.loads(fastjson.dumps(value)) == value\n"
        "for bad in ('', '{', '1 2', 'NaN', '[' * 99999):\n"
        "    try: fastjson.loads(bad)\n"
        "    except ValueError: continue\n"
        "    raise SystemExit(bad)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
