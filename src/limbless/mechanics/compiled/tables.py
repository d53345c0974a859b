"""Rows with named fields, in place of column numbers: what kernels, tests and NumPy read alike.

    @table
    class Link(Table):
        mass: float                      # kg
        moment: Vector                   # first moment, kg m
        wet: bool                        # whether added mass is in `whole`

    links = Link.zeros(13)               # one float64 array (13, 4) and one int64 array (13, 1)
    Link.of(links).moment[:] = moment    # a view (13, 3), for NumPy
    link = Link(links, k)                # row k, in a kernel or in plain Python
    link.mass, link.moment               # its fields
    link.mass = 2.0

Long rows begin on a cache line.

Numbers (`float` and named tuples of them: Vector, Twist, Inertia, ...) lie in one array and take its scalar: float64,
duals or lanes. Codes (`int`, `bool`) lie in a second one and are integers whatever the scalar: eight robots side by
side share them. They are constant in kernels, and so is all of a table declared by `@constants`. A row is two
addresses: reading a field is a load at a constant distance, and nothing is compiled for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar, get_type_hints

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer,
    infer_getattr,
    infer_global,
    signature,
)
from numba.extending import lower_builtin, lower_getattr_generic, lower_setattr_generic, models

from limbless.mechanics.compiled import ALIGNED, Array, FlatArray, IntArray, address, aligned_zeros, indices, lay_out

LINE = 8  # numbers in a cache line


class Table:
    """What tables are made from: the decorators below fill this in."""

    of: ClassVar[Callable[[Any], Any]]  # NumPy views of all fields, by name
    zeros: ClassVar[Callable[..., Any]]  # memory for so many rows
    fields: ClassVar[dict[str, Field]]
    width: ClassVar[int]  # how many numbers a row has,
    columns: ClassVar[int]  # and how many it takes: long rows begin on a cache line
    constant: ClassVar[bool]
    numbers: Any
    codes: Any

    def __init__(self, rows: Rows[Self] | Array, *index: int) -> None:
        own, codes = rows if isinstance(rows, Rows) else (rows, None)
        self.numbers, self.codes = _row(own, index), None if codes is None else codes[index]


_own_fields = frozenset(Table.__annotations__)


Row = TypeVar("Row", covariant=True)

if TYPE_CHECKING:

    class Rows(Generic[Row]):
        """A table as type checkers are to see it, with codes or without: `Rows[Body]` holds rows of `Body`."""

        numbers: Array
        codes: IntArray

        def __init__(self, numbers: Array, codes: IntArray) -> None: ...
        def __iter__(self) -> Iterator[Any]: ...
        def __len__(self) -> int: ...
        def __getitem__(self, index: Any) -> Any: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...
else:

    class Rows(NamedTuple):
        """A table that has codes: numbers (rows, columns) and codes (rows, columns). One without is an array."""

        numbers: Array
        codes: IntArray


class Field(NamedTuple):
    """Where a field lies: its kind (float, int, bool or a named tuple class), first column among numbers or among
    codes, and width.
    """

    kind: Any
    column: int
    width: int


@cache
def parts(kind: Any) -> tuple[tuple[Any, int], ...]:
    """The kinds of the fields of a named tuple class, and where the numbers of each begin; none for a number."""
    kinds = get_type_hints(kind).values() if hasattr(kind, "_fields") else ()
    return tuple(zip(kinds, accumulate(map(width, kinds), initial=0), strict=False))


@cache
def width(kind: Any) -> int:
    """How many numbers a field takes."""
    return sum(width(part) for part, _ in parts(kind)) or 1


def is_code(kind: Any) -> bool:
    return kind in (int, bool)


# --------------------------------------------------------------------------------------------------------- plain Python


def _read(kind: Any, numbers: Any, c: int) -> Any:
    within = parts(kind)
    return kind(*(_read(part, numbers, c + first) for part, first in within)) if within else numbers[c]


def _flat(value: Any) -> list:
    return [number for part in value for number in _flat(part)] if isinstance(value, tuple) else [value]


def _property(field: Field) -> property:
    def get(row: Any) -> Any:
        return row.codes[field.column] if is_code(field.kind) else _read(field.kind, row.numbers, field.column)

    def put(row: Any, value: Any) -> None:
        for c, number in enumerate(_flat(value)):
            (row.codes if is_code(field.kind) else row.numbers)[field.column + c] = number

    return property(get, put)


def _row(array: Any, index: tuple) -> Any:
    """The row at `index`; with one index more, the numbers from there on (a row inside a flat array)."""
    return array[index] if len(index) < len(array.shape) else array[index[:-1]][index[-1] :]


class Columns:
    """NumPy views of all fields of a table, each made when it is asked for."""

    _layout: Mapping[str, Field] = {}

    def __init__(self, fields: dict[str, Field], rows: Any) -> None:
        self._layout, self._rows = fields, rows if isinstance(rows, Rows) else (rows, None)

    def __getattr__(self, name: str) -> Any:
        if name not in self._layout:
            raise AttributeError(name)
        kind, c, size = self._layout[name]
        array: Any = self._rows[is_code(kind)]
        self.__dict__[name] = view = array[..., c if kind in (float, int, bool) else slice(c, c + size)]
        return view


def constants(cls: Any) -> Any:
    """Class decorator: a table that no kernel writes; what was read of it once need not be read again."""
    return table(cls, constant=True)


def table(cls: Any, constant: bool = False) -> Any:
    """Class decorator: a table with the annotated fields, in their order."""
    fields, numbers, codes = {}, 0, 0
    for name, kind in get_type_hints(cls).items():
        if name in _own_fields:
            continue
        fields[name] = Field(kind, codes if is_code(kind) else numbers, width(kind))
        codes, numbers = (codes + 1, numbers) if is_code(kind) else (codes, numbers + width(kind))
        setattr(cls, name, _property(fields[name]))

    # rows that begin on a cache line
    padded = -(-numbers // LINE) * LINE if numbers >= LINE else numbers

    def zeros(*shape: int, words: tuple[int, ...] = ()) -> Any:
        array = aligned_zeros((*shape, numbers if words else padded, *words))
        return Rows(array, np.zeros((*shape, codes), dtype=np.int64)) if codes else array

    for name, member in {
        "zeros": staticmethod(zeros),
        "of": staticmethod(lambda rows: Columns(fields, rows)),
        "fields": fields,
        "width": numbers,
        "columns": padded,
        "constant": constant,
    }.items():
        setattr(cls, name, member)
    _teach_numba(cls)
    return cls


# -------------------------------------------------------------------------------------------------------- compiled code


class RowType(types.Type):
    """A row of a table: where its numbers and its codes begin."""

    def __init__(self, table: Any, scalar: types.Type) -> None:
        self.table, self.scalar = table, scalar
        super().__init__(name=f"{table.__module__}.{table.__name__}({scalar})")


lay_out(
    RowType,
    models.StructModel,
    lambda ty: [("numbers", types.CPointer(ty.scalar)), ("codes", types.CPointer(types.int64))],
)


def _type_of(kind: Any, scalar: types.Type) -> types.Type:
    if is_code(kind):
        return types.int64
    if not parts(kind):
        return scalar
    return types.BaseTuple.from_types([_type_of(part, scalar) for part, _ in parts(kind)], kind)


def _each_number(context: Any, builder: Any, row: RowType, value: Any, field: Field, visit: Callable) -> Any:
    """Call `visit(pointer)` for every number of a field, and nest what it returns as the field's type does."""
    proxy = cgutils.create_struct_proxy(row)(context, builder, value=value)
    start = proxy.codes if is_code(field.kind) else proxy.numbers

    def walk(kind: Any, c: int) -> Any:
        if not hasattr(kind, "_fields"):
            return visit(builder.gep(start, [context.get_constant(types.intp, c)], inbounds=True))
        items = [walk(part, c + first) for part, first in parts(kind)]
        return None if items[0] is None else context.make_tuple(builder, _type_of(kind, row.scalar), items)

    return walk(field.kind, field.column)


@infer_getattr
class _Fields(AttributeTemplate):
    key = RowType

    def generic_resolve(self, row, name):
        return _type_of(row.table.fields[name].kind, row.scalar) if name in row.table.fields else None


@lower_getattr_generic(RowType)
def _get_field(context, builder, row, value, name):
    field = row.table.fields[name]
    scalar = types.int64 if is_code(field.kind) else row.scalar
    steady = is_code(field.kind) or row.table.constant

    def load(pointer: Any) -> Any:
        if not isinstance(context.data_model_manager[scalar], models.PrimitiveModel):
            return context.unpack_value(builder, scalar, pointer, align=ALIGNED)
        number = builder.load(pointer, align=ALIGNED)
        # else LLVM reads it again after every store, which might have changed it for all it knows
        if steady:
            number.set_metadata("invariant.load", builder.module.add_metadata([]))
        return number

    return _each_number(context, builder, row, value, field, load)


def _numbers(builder: Any, ty: Any, value: Any) -> list:
    """All numbers of a nested tuple in order."""
    if not isinstance(ty, types.BaseTuple):
        return [value]
    items = zip(ty.types, cgutils.unpack_tuple(builder, value), strict=True)
    return [number for part, item in items for number in _numbers(builder, part, item)]


@lower_setattr_generic(RowType)
def _put_field(context, builder, sig, args, name):
    row, field = sig.args[0], sig.args[0].table.fields[name]
    if is_code(field.kind) or row.table.constant:
        raise TypingError(f"{row.table.__name__}.{name} is constant in kernels")
    scalar = types.int64 if is_code(field.kind) else row.scalar
    numbers = iter(_numbers(builder, sig.args[1], args[1]))
    _each_number(
        context,
        builder,
        row,
        args[0],
        field,
        lambda pointer: context.pack_value(builder, scalar, next(numbers), pointer, align=ALIGNED),
    )


def _teach_numba(cls: Any) -> None:
    """Let compiled code make rows: `Link(links, k)`."""

    class _Making(AbstractTemplate):
        key = cls

        def generic(self, args, keywords):
            parts = args[0].types if isinstance(args[0], types.BaseTuple) else (args[0],)
            if not all(isinstance(part, (types.Array, FlatArray)) for part in parts):
                raise TypingError(f"{cls.__name__} rows lie in an array; got {args[0]}")
            return signature(RowType(cls, parts[0].dtype), *args)

    infer(_Making)
    infer_global(cls, types.Function(_Making))

    def make(context, builder, sig, args):
        parts = sig.args[0].types if isinstance(sig.args[0], types.BaseTuple) else (sig.args[0],)
        arrays = cgutils.unpack_tuple(builder, args[0]) if isinstance(sig.args[0], types.BaseTuple) else [args[0]]
        index = [indices(context, builder, ty, value)[0] for ty, value in zip(sig.args[1:], args[1:], strict=True)]
        row = cgutils.create_struct_proxy(sig.return_type)(context, builder)
        row.numbers = address(context, builder, parts[0], arrays[0], index)
        if len(parts) > 1:
            row.codes = address(context, builder, parts[1], arrays[1], index)
        return row._getvalue()

    for count in (1, 2, 3):
        lower_builtin(cls, types.Any, *[types.Any] * count)(make)
