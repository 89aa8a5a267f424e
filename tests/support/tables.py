"""Run a test of a pure function for all rows of a table, in one test."""

from collections.abc import Callable, Iterable
from typing import Any


def for_each(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[[Any], Any]:
    """Return a decorator like `pytest.mark.parametrize`, which makes one test of all rows.

    The message of the test has every wrong row.  For hundreds of cheap rows: pytest needs longer to
    collect them as tests than to run them.  The function has no fixtures.
    """
    is_single = isinstance(names, str) and "," not in names
    parameters = [name.strip() for name in names.split(",")] if isinstance(names, str) else names

    def decorate(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            wrong, count = [], 0
            for count, row in enumerate(rows, start=1):  # noqa: B007 - the number of rows
                values = dict(zip(parameters, [row] if is_single else row, strict=True))
                try:
                    check(**values)
                except Exception as error:
                    wrong.append(f"{values}\n{type(error).__name__}: {error}")
            assert count, "the table is empty"
            assert not wrong, f"{len(wrong)} of {count} rows\n\n" + "\n\n".join(wrong)

        test.__name__ = test.__qualname__ = check.__name__
        test.__doc__ = check.__doc__
        test.__module__ = check.__module__
        return test

    return decorate
