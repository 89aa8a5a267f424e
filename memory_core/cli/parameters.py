"""Parameters of the commands, as typer makes them, without what is dear in that.

typer 0.29 asks pydantic of each parameter what its value is: to load it costs more than all the
rest of a command.  Words of a command line are text, and most of ours stay text.
"""

from __future__ import annotations

from typing import Any


class Sparing:
    """A command whose parameters are looked at by pydantic only where it tells us something."""

    def get_params(self, ctx: Any) -> Any:
        params = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            # Typer's other versions have their own quick ways, and no such attribute.
            if getattr(param, "_runtime_param", param) is None:
                param._runtime_param = _Plain()
        return params


class _Plain:
    """Stands for pydantic where a value is what it should be: missing, text, or a default."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        kind = param.type_descriptor.annotation
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if type(value) is kind:
            return value
        if kind == list[str]:
            return list(value)
        param._runtime_param = None
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)
