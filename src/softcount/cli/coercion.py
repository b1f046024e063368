"""Options that are of the type that is wanted, as text and defaults are, need nobody to make something of them.

Typer asks pydantic, which takes a tenth of a second to import and to be told of every option. Here it is asked where
something is to be made of text: a number, a path.
"""

from __future__ import annotations

from typing import Any, get_args


def lazily_coerced(params: list[Any]) -> list[Any]:
    """These parameters of a command, or of a group; their values are, wherever they can be."""
    for param in params:
        if getattr(param, "_runtime_param", None) is None:
            param._runtime_param = _Lazily()
    return params


class _Lazily:
    """Stands where Typer keeps what it makes of one parameter's values, until there is something to be made."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        wanted = param.type_descriptor.annotation
        if value is None or type(value) is wanted or type(value) in get_args(wanted):
            return value
        param._runtime_param = None
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)
