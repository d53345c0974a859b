"""The source of a Python function as text that stands alone: what a scenario keeps of a function that lives in a
notebook, in the main program or inside another function.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable
from typing import Any

from limbless.core.errors import InputError

_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_DEEPEST = 5
"""Functions that call functions, whose sources are kept too."""
_MARK = "__limbless_source__"


def source_of(function: Callable[..., Any]) -> str | None:
    """The source of a plain `def`, with the imports, the plain numbers and the other functions that it uses before it;
    None where it cannot stand alone (a lambda, a decorated function, one that holds an object).
    """
    kept = getattr(function, _MARK, None)
    if isinstance(kept, str):
        return kept
    try:
        return "\n".join(dict.fromkeys(_lines(function, 0)))
    except (OSError, TypeError, ValueError, SyntaxError):  # nobody knows its source, or it holds too much
        return None


def _lines(function: Callable[..., Any], depth: int) -> list[str]:
    if not isinstance(function, types.FunctionType) or depth > _DEEPEST:
        raise ValueError("no plain function")
    text = textwrap.dedent(inspect.getsource(function)).rstrip()
    (made,) = ast.parse(text).body
    if not isinstance(made, ast.FunctionDef) or made.decorator_list:
        raise ValueError("no plain def")
    used = inspect.getclosurevars(function)
    before = ["from typing import Annotated"] if "Annotated[" in text else []  # units of its arguments
    for name, value in {**used.globals, **used.nonlocals}.items():
        before += _definition(name, value, function, depth)
    return [*before, text]


def _definition(name: str, value: Any, function: Callable[..., Any], depth: int) -> list[str]:
    """How a name that a function uses is made."""
    if value is function:
        return []
    if isinstance(value, types.ModuleType):
        return [f"import {value.__name__} as {name}" if value.__name__ != name else f"import {name}"]
    if isinstance(value, _PLAIN) or (
        isinstance(value, tuple | list) and all(isinstance(item, _PLAIN) for item in value)
    ):
        return [f"{name} = {value!r}"]
    home, own = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
    if isinstance(value, types.FunctionType) and own == name and home in ("__main__", function.__module__):
        return _lines(value, depth + 1)
    if isinstance(home, str) and home not in ("__main__", function.__module__) and own.isidentifier():
        return [f"from {home} import {own} as {name}"]
    raise ValueError(f"{name} is {type(value).__name__}")


def function_from(source: str, name: str) -> Callable[..., Any]:
    """Run a source and give the function that it makes."""
    made: dict[str, Any] = {"__name__": f"saved function {name}"}
    try:
        exec(compile(source, f"<saved function {name}>", "exec"), made)
    except BaseException as error:  # a stranger's text may raise anything
        if isinstance(error, KeyboardInterrupt):
            raise
        raise InputError(f"the saved source of {name} could not be run: {type(error).__name__}: {error}") from error
    function = made.get(name)
    if not callable(function):
        raise InputError(f"the saved source of {name} makes no function of that name")
    setattr(function, _MARK, source)
    return function
