"""One name, a version per type: how an engine works with every problem, a chain with every joint, a robot with every
force.

    @generic
    def rate(problem, i, t, inside, x, out): '''what every version does'''

    @version_for(rate, ChainProblem)
    @inline
    def chain_rate(problem, i, t, inside, x, out): ...

numba chooses when it compiles, from the class of the named tuple that comes first: there is no call through a pointer,
and a kernel that is called with one problem compiles nothing for the others. Plain Python chooses by the same class.

A tuple of such things is a type as well. `for_each(push)` calls the versions of all members one after the other (all
forces on a robot). `switch(place)` asks an integer which member's version to use (the kind of a joint); of a tuple
with one member it asks nothing.

What a problem does not have is `None`. A function with one version needs no `generic` for that: it begins with `if
thing is None: return`, and of an argument, or of a field of one, numba knows when it compiles (see `none_pruning`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher

from limbless.mechanics.compiled.decorators import func_overload


def _class_of(ty: Any) -> Any:
    if isinstance(ty, types.NoneType):
        return type(None)
    return getattr(ty, "instance_class", None) if isinstance(ty, types.BaseNamedTuple) else None


def _written(source: str, **names: Any) -> Callable:
    """A function from its text: numba wants every call spelled out."""
    exec(source, names)
    return names["written"]


def _named(name: str, doc: str | None, arguments: str, answer: Any = None) -> Callable:
    """A function of these arguments that does nothing, and always gives the same answer."""
    made = _written(f"def written({arguments}):\n    return {answer!r}")
    made.__name__, made.__doc__ = name, doc
    return made


def generic(function: Callable) -> Any:
    """A function that has a version for each class of its first argument; its body says what they all do.

    The version for `object`, if there is one, serves every class without its own.
    """
    versions: dict[type, Callable] = {}

    def choose(first: Any, *rest: Any) -> Any:
        return versions.get(type(first), versions.get(object, missing))(first, *rest)

    def missing(first: Any, *rest: Any) -> Any:
        raise TypeError(f"{function.__name__} has no version for {type(first).__name__}")

    _describe(choose, function, versions)

    @func_overload(choose)
    def typed(*args):
        version = versions.get(_class_of(args[0]), versions.get(object))
        return None if version is None else _forward(version, choose.arguments)

    return choose


def version_for(function: Any, *classes: type | None) -> Callable:
    """Decorator: the version of a generic function for these classes; None: for what is absent."""

    def register(version: Callable) -> Callable:
        for cls in classes:
            function.versions[type(None) if cls is None else cls] = version
        return version

    return register


def delegate(function: Any, cls: type, part: str) -> Any:
    """The version of `function` for a class is that of one of its parts ("memory.tally"): a generic function that gets
    the part and then all arguments.
    """
    first, names = function.arguments[0], ", ".join(function.arguments)
    inner = generic(_named(f"{function.__name__}_by_part", function.__doc__, f"part, {names}"))
    source = f"def written({names}):\n    return inner({first}.{part}, {names})"
    version_for(function, cls)(_written(source, inner=inner))
    return inner


def no_op(function: Any, *classes: type | None) -> None:
    """For these classes there is nothing to do."""
    version_for(function, *classes)(_named("idle", "", ", ".join(function.arguments)))


def constant_version(function: Any, answer: bool | float, *classes: type | None) -> None:
    """For these classes the answer is this, whatever else is given."""
    version_for(function, *classes)(_named("always", "", ", ".join(function.arguments), answer))


def for_each(function: Any, optional: bool = False) -> Any:
    """`function` for every member of a tuple, in its order: for_each(push)(forces, ...). `optional`: members of a class
    that has no version are left out.
    """

    def every(members: tuple, *rest: Any) -> None:
        for member in members:
            if not optional or type(member) in function.versions:
                function(member, *rest)

    _describe(every, function, function.versions)

    @func_overload(every)
    def typed(*args):
        rest = ", ".join(function.arguments[1:])
        asked = [i for i, ty in enumerate(args[0].types) if not optional or _class_of(ty) in function.versions]
        calls = [f"    function(members[{i}], {rest})" for i in asked]
        return _written("\n".join([f"def written(members, {rest}):", *calls, "    return None"]), function=function)

    return every


def switch(function: Any) -> Any:
    """`function` of the member whose class has this `code`, chosen among the classes in the tuple:
    by_code(place)(kinds, code, ...).
    """

    def choose(kinds: tuple, code: int, *rest: Any) -> Any:
        return function.versions[next(type(kind) for kind in kinds if type(kind).code == code)](*rest)

    _describe(choose, function, function.versions)

    @func_overload(choose)
    def typed(*args):
        classes = [_class_of(ty) for ty in args[0].types]
        missing = [cls.__name__ for cls in classes if cls not in function.versions]
        if missing:
            raise TypeError(f"{function.__name__} has no version for {missing[0]}")
        rest = ", ".join(function.arguments)
        lines = [f"    if code == {cls.code}:\n        return v{i}({rest})" for i, cls in enumerate(classes[:-1])]
        names = {f"v{i}": function.versions[cls] for i, cls in enumerate(classes)}
        last = f"    return v{len(classes) - 1}({rest})"
        return _written("\n".join([f"def written(kinds, code, {rest}):", *lines, last]), **names)

    return choose


def switch_scalar(of_numbers: Any, of_others: Any) -> Any:
    """Two ways of doing the same: one for arrays of plain numbers, one for duals and lanes; the first argument, an
    array, decides.
    """

    def choose(array: Any, *rest: Any) -> Any:
        return (of_numbers if isinstance(array, np.ndarray) else of_others)(array, *rest)

    _describe(choose, getattr(of_numbers, "py_func", of_numbers), {})

    @func_overload(choose)
    def typed(*args):
        return _forward(of_numbers if args[0].dtype == types.float64 else of_others, choose.arguments)

    return choose


def _describe(choose: Any, function: Callable, versions: dict) -> None:
    choose.__name__, choose.__doc__, choose.versions = function.__name__, function.__doc__, versions
    choose.arguments = getattr(function, "arguments", None) or list(inspect.signature(function).parameters)


def _forward(version: Any, names: list[str]) -> Callable:
    """What numba inlines: the version itself, or a call of it where it is a kernel."""
    if not isinstance(version, Dispatcher):
        return version
    arguments = ", ".join(names)
    return _written(f"def written({arguments}):\n    return version({arguments})", version=version)
