"""JSON by CPython's own C scanner and encoder, without the `json` package.

`import json` costs about half an interpreter start, nearly all of it for `re`.
`_json`, the C part that does the work, costs next to nothing; its two functions
have the same signatures since 3.4.  If it is missing or differs, the
standard package takes over: tests hold both to the same results.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

WHITESPACE = " \t\n\r"


class _Scanner:
    """The settings that the C scanner reads from its caller."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner's key cache, for one process

    @staticmethod
    def parse_constant(name: str) -> float:
        raise ValueError(f"{name} is not JSON")


def loads(text: str) -> Any:
    """Return the value of one JSON text.

    Raises ValueError for anything else, also for NaN, numbers of more digits
    than Python converts, and nesting deeper than the interpreter's stack.
    """
    value, end = loads_at(text, len(text) - len(text.lstrip(WHITESPACE)))
    if text[end:].strip(WHITESPACE):
        raise ValueError(f"text behind the JSON value at character {end}")
    return value


def loads_at(text: str, start: int) -> tuple[Any, int]:
    """Return the JSON value that begins at a place of a text, and where it ends."""
    try:
        value, end = _scan_once(text, start)
    except StopIteration as error:
        raise ValueError(f"no JSON value at character {error.value}") from None
    except SystemError:  # CPython 3.10 says what is wrong only where `json` is imported
        raise ValueError("this is not JSON") from None
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    return value, end


def dumps(value: Any) -> str:
    """Return `value` as one line of ASCII JSON; lone surrogates stay escaped."""
    return "".join(_encode(value, 0))


def load_object(text: str) -> dict[str, Any]:
    """Return a JSON object, {} for any other text."""
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _unknown(value: object) -> Any:
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _from_json() -> tuple[Callable[..., Any], Callable[..., Any]]:
    import json

    scanner = json.JSONDecoder(parse_constant=_Scanner.parse_constant).scan_once  # type: ignore[attr-defined]
    encoder = json.JSONEncoder(allow_nan=False)
    return scanner, lambda value, _level: encoder.iterencode(value)


def _from_c() -> tuple[Callable[..., Any], Callable[..., Any]]:
    from _json import encode_basestring_ascii, make_encoder, make_scanner

    # markers, default, string encoder, indent, separators, sort_keys, skipkeys, allow_nan
    encoder = make_encoder(
        {}, _unknown, encode_basestring_ascii, None, ": ", ", ", False, False, False
    )
    encoder([1], 0)
    return make_scanner(_Scanner()), encoder  # type: ignore[arg-type]


try:
    _scan_once, _encode = _from_c()
except (ImportError, TypeError):  # another Python, or a CPython that changed its private part
    _scan_once, _encode = _from_json()
