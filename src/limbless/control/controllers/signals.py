"""A law in NumPy becomes a table of operations: it is called once, with signals in the place of numbers.

Whatever arithmetic it does to them is recorded, and the kernel of `BlockDiagram` repeats it at every stage: for one
robot, eight side by side, or with derivatives. What depends on a signal cannot choose a branch of Python; `np.where`,
`np.maximum`, `np.minimum` and `np.clip` choose instead.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import InputError

OPERATIONS = ("+", "-", "*", "/", "sincos", "exp", "log", "sqrt", "arctan2", "abs", "where")
"""What kernels do, by its number."""
_BRANCH = (
    "a law is recorded once, as arithmetic: what it senses cannot decide an `if`, `and`, `min` or an index, nor become "
    "a plain number; use np.where, np.maximum, np.minimum or np.clip, or set plain to true: it is then called in "
    "Python at every stage (some 7 µs), one robot at a time, without derivatives"
)


class SignalTape:
    """What is recorded: initial values, and operations in their order."""

    def __init__(self) -> None:
        self.values: list[float] = []
        self.blocks: list[tuple[int, ...]] = []
        self.levels: list[int] = []

    def new(self, level: int, why: str = "", value: float = 0.0) -> Signal:
        """One more value: known from own numbers (level 0), with early senses (1), or with late ones (2)."""
        self.values.append(value)
        return Signal(self, len(self.values) - 1, level, why)

    def signal(self, number: Any) -> Signal:
        """A number as it is: a constant where it is no signal."""
        if not isinstance(number, Signal) and number != number:
            raise InputError("it gives NaN, no number, whatever is sensed")
        return number if isinstance(number, Signal) else self.new(0, value=float(number))

    def block(self, name: str, *operands: Any, results: int = 1) -> list[Signal]:
        given = [self.signal(operand) for operand in operands]
        latest = max(given, key=lambda signal: signal.level)
        made = [self.new(latest.level, latest.why) for _ in range(results)]
        places = [signal.place for signal in given] + [0] * (3 - len(given))
        self.blocks.append((OPERATIONS.index(name), made[0].place, *places))
        self.levels.append(latest.level)
        return made

    def sorted_blocks(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All operations, those that need the least first; where levels 0 and 1 end."""
        levels = np.array(self.levels, dtype=np.int64)
        order = np.argsort(levels, kind="stable")
        blocks = np.array(self.blocks, dtype=np.int64).reshape(-1, 5)[order]
        return blocks, np.array([np.sum(levels < 1), np.sum(levels < 2)], dtype=np.int64)


class Signal:
    """A number of the motion, of which only its place is known."""

    __slots__ = ("_turned", "level", "place", "tape", "why")
    _turned: list[Signal]
    if TYPE_CHECKING:  # made below

        def __getattr__(self, name: str) -> Any: ...
        def _calculate(self, other: Any) -> Any: ...

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _calculate
        __gt__ = __lt__ = __ge__ = __le__ = _calculate

    def __init__(self, tape: SignalTape, place: int, level: int, why: str) -> None:
        self.tape, self.place, self.level, self.why = tape, place, level, why

    def __neg__(self) -> Signal:
        return self.tape.block("-", 0.0, self)[0]

    def __pos__(self) -> Signal:
        return self

    def __abs__(self) -> Signal:
        return self.tape.block("abs", self)[0]

    def __pow__(self, exponent: Any) -> Any:
        """Small whole powers by products, others of what is above zero."""
        if isinstance(exponent, np.ndarray):
            return NotImplemented
        if isinstance(exponent, int | float) and exponent == int(exponent) and 1 <= exponent <= 8:
            result = self
            for _ in range(int(exponent) - 1):
                result = result * self
            return result
        return (self.log() * exponent).exp()

    def __bool__(self) -> bool:
        raise InputError(_BRANCH)

    def __float__(self) -> float:
        raise InputError(_BRANCH)

    __index__ = __int__ = __bool__  # type: ignore[assignment]

    def sincos(self) -> list[Signal]:
        if not hasattr(self, "_turned"):
            self._turned = self.tape.block("sincos", self, results=2)
        return self._turned

    # what NumPy asks of the items of an array of objects, besides `exp`, `log` and `sqrt`

    def sin(self) -> Signal:
        return self.sincos()[0]

    def cos(self) -> Signal:
        return self.sincos()[1]

    def tanh(self) -> Any:
        rest = (-2.0 * abs(self)).exp()
        size = (1.0 - rest) / (1.0 + rest)
        return where(self, size, -size)

    def arctan2(self, other: Any) -> Signal:
        return self.tape.block("arctan2", self, other)[0]

    def arctan(self) -> Signal:
        return self.arctan2(1.0)


def _operator(name: str, turned: bool) -> Callable[[Signal, Any], Any]:
    def calculate(self: Signal, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented  # NumPy goes through its items
        return self.tape.block(name, *((other, self) if turned else (self, other)))[0]

    return calculate


for _word, _sign in {"add": "+", "sub": "-", "mul": "*", "truediv": "/"}.items():
    setattr(Signal, f"__{_word}__", _operator(_sign, False))
    setattr(Signal, f"__r{_word}__", _operator(_sign, True))
for _word in ("exp", "log", "sqrt"):
    setattr(Signal, _word, lambda self, word=_word: self.tape.block(word, self)[0])
for _word, _sides in {
    "gt": (1.0, 0.0, 1.0),
    "lt": (-1.0, 0.0, 1.0),
    "ge": (-1.0, 1.0, 0.0),
    "le": (1.0, 1.0, 0.0),
}.items():
    # (sign of the difference, what is not above 0, what is)
    setattr(Signal, f"__{_word}__", lambda a, b, s=_sides: where((a - b) * s[0], s[2], s[1]))


def where(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` where the condition is above 0 (or true), else `no`; numbers or signals."""
    if not isinstance(condition, Signal):
        return yes if condition > 0 else no
    return condition.tape.block("where", condition, yes, no)[0]


def larger(a: Any, b: Any) -> Any:
    return where(a - b, a, b)


def smaller(a: Any, b: Any) -> Any:
    return where(a - b, b, a)


def clip(value: Any, low: Any, high: Any) -> Any:
    return smaller(larger(value, low), high)


def wrapped(angle: Any) -> Any:
    """An angle, between -π and π."""
    return np.arctan2(np.sin(angle), np.cos(angle))


_CHOOSERS: dict[Any, Callable[..., Any]] = {
    np.greater: operator.gt,
    np.less: operator.lt,
    np.greater_equal: operator.ge,
    np.less_equal: operator.le,
    np.maximum: larger,
    np.minimum: smaller,
    np.sign: lambda a: where(a, 1.0, where(-a, -1.0, 0.0)),
    np.arctan2: lambda a, b: a.arctan2(b) if isinstance(a, Signal) else b.tape.signal(a).arctan2(b),
}
_FUNCTIONS: dict[Any, Callable[..., Any]] = {np.where: where, np.clip: clip}


class SignalArray(np.ndarray):
    """Signals in an array: NumPy's functions work on them item by item."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        options.pop("out", None)
        plain = [np.asarray(given) if isinstance(given, SignalArray) else given for given in inputs]
        if method == "__call__" and ufunc in _CHOOSERS:
            return signals(np.frompyfunc(_CHOOSERS[ufunc], ufunc.nin, 1)(*plain))
        return signals(getattr(ufunc, method)(*plain, **options))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function in _FUNCTIONS:
            plain = [np.asarray(given, dtype=object) for given in args]
            return signals(np.frompyfunc(_FUNCTIONS[function], 3, 1)(*plain, **kwargs))
        return super().__array_function__(function, types, args, kwargs)


def signals(numbers: Any) -> Any:
    """An array of signals and numbers; a single signal as it is."""
    if isinstance(numbers, Signal):
        return numbers
    array = np.asarray(numbers, dtype=object)
    return array.view(SignalArray) if array.ndim else array.item()
