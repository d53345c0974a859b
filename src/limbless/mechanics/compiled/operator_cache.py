"""An operator between the same types is looked up once.

numba asks a dozen candidates (lists, strings, sets, dates, ..) what `a + b` is before it comes to numbers, for every
plus sign of every function, and keeps a sentence for each that declined: a tenth of a kernel's compile time. The answer
depends on the types alone.

It replaces a method of numba that is not part of its interface, under the same switch as `inlining`.
"""

from __future__ import annotations

import operator
from typing import Any

from numba.core import types

_operators = (
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.neg,
    operator.iadd,
    operator.isub,
    operator.imul,
    operator.getitem,
    operator.setitem,
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    len,
    bool,
)


def remember_operators() -> bool:
    """Change numba, once. Returns whether it was possible; if not, kernels only take longer to compile."""
    if not hasattr(types.Function, "get_call_type") or not hasattr(types.Function, "get_impl_key"):
        return False
    if hasattr(types.Function, "remembers"):
        return True
    find = types.Function.get_call_type

    def get_call_type(self: Any, context: Any, args: tuple, kws: Any) -> Any:
        if kws or self.typing_key not in _operators:
            return find(self, context, args, kws)
        answers = self.__dict__.setdefault("_answers", {})  # a function that learns a type is a new object
        if args not in answers:
            answers[args] = find(self, context, args, kws)
        return answers[args]

    types.Function.get_call_type = get_call_type  # type: ignore[method-assign]
    types.Function.remembers = True  # type: ignore[attr-defined]
    return True
