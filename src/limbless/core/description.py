"""What every description (robot, gait, environment, actuation, model settings) is: immutable, checked data that
registers its kind.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from limbless.core import fields, registry
from limbless.core.errors import InputError
from limbless.core.fields import Angle, Field, Listed, Nested, Quantity, Quaternion, Vector3, quantity, without_units
from limbless.core.input_problems import problems_of, report

__all__ = [
    "Angle",
    "Description",
    "Field",
    "Listed",
    "Nested",
    "Quantity",
    "Quaternion",
    "Vector3",
    "checked",
    "quantity",
]

_ModelType: Any = type(BaseModel)


class _Refusing(_ModelType):
    """Makes `Water(densty=1)` answer with the library's own sentence. Nested data keeps pydantic's
    errors, which know their path.
    """

    def __call__(cls, *args: Any, **fields: Any) -> Any:
        if args:
            raise InputError(f"{cls.__name__} takes its fields by name: {', '.join(cls.model_fields)}")
        try:
            return super().__call__(**fields)
        except ValidationError as error:
            raise report(problems_of(error, cls, fields), cls.__name__, lambda path: cls.__name__) from None


if TYPE_CHECKING:
    _Refused = BaseModel
else:

    class _Refused(BaseModel, metaclass=_Refusing):
        """A model whose constructor refuses in the library's own words."""


class Description(_Refused):
    """Immutable, validated data; unknown fields are refused.

    A subclass with a `kind` (and a `family`) registers itself.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, arbitrary_types_allowed=True, validate_default=True
    )
    family: ClassVar[str | None] = None

    if TYPE_CHECKING:

        @property
        def kind(self) -> str:
            """What it is called in a scenario: a field of every kind, and the name of the class where there is none."""
    # pydantic lets no field stand above an attribute of the same name
    else:

        def __getattr__(self, name: str) -> Any:
            return type(self).__name__ if name == "kind" else super().__getattr__(name)

    @model_validator(mode="before")
    @classmethod
    def _in_si_units(cls, data: Any) -> Any:
        return without_units(cls, data)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        tag = "preset" if cls.family == "preset" else "kind"
        name = cls.model_fields[tag].default if tag in cls.model_fields else None
        if cls.family and isinstance(name, str):
            registry.add(cls.family, name, cls)

    def __eq__(self, other: object) -> bool:
        """By the fields alone: arrays that a description has made of itself and kept are no part of it."""
        if other is self:
            return True
        return type(other) is type(self) and all(
            getattr(self, name) == getattr(other, name) for name in type(self).model_fields
        )

    def refined(self) -> Self:
        """The same at half the spacing of what stands in for an integral or a limit (cells, Gauss points, points of a
        path, a solver's tolerance): what error bars are found with. Itself where there is nothing of the kind."""
        return self

    def notes(self) -> tuple[str, ...]:
        """What its user should know before believing a run: a field without effect here, a wish that is not met. One
        sentence each, which names the field. They are said in the summary, by `limbless run`, in the report and in the
        studio."""
        inner = [
            part
            for value in (getattr(self, name) for name in type(self).model_fields)
            for part in (value if isinstance(value, tuple) else (value,))
            if isinstance(part, Description)
        ]
        return tuple(dict.fromkeys(note for part in inner for note in part.notes()))

    def given(self, *names: str) -> list[str]:
        """Those of these fields that are not at their defaults."""
        return [name for name in names if getattr(self, name) != type(self).model_fields[name].default]

    def brief(self) -> str:
        """Its kind, and the fields that are not at their defaults."""
        told = [
            f"{name} {_brief(getattr(self, name))}"
            for name, field in type(self).model_fields.items()
            if name not in ("kind", "preset") and (field.is_required() or getattr(self, name) != field.default)
        ]
        return f"{self.kind}{': ' if told else ''}{', '.join(told)}"

    def _repr_html_(self) -> str:
        """A table of all fields, for notebooks."""
        rows = [(row.name, _brief(getattr(self, row.name)), row.unit, row.meaning) for row in fields.rows(type(self))]
        return f"<b>{type(self).__name__}</b>{fields.html_table(rows)}"

    def changed(self, **fields: Any) -> Self:
        """A copy with some fields replaced, validated again."""
        return type(self)(**{**{name: getattr(self, name) for name in type(self).model_fields}, **fields})


def checked(rule: Callable[[Any], None]) -> Any:
    """A method of a description that raises `ValueError` where its fields do not go together."""

    @wraps(rule)
    def kept(self: Any) -> Any:
        rule(self)
        return self

    return model_validator(mode="after")(kept)


def _brief(value: Any) -> str:
    """A field's value in at most a line."""
    if isinstance(value, Description):
        return value.brief()
    if isinstance(value, tuple) and any(isinstance(one, Description) for one in value):
        shown = [one.brief() if isinstance(one, Description) else str(one) for one in value[:4]]
        return "; ".join(shown) + (f"; .. ({len(value)} of them)" if len(value) > 4 else "")
    text = "" if value is None else str(value)
    return text if len(text) < 80 else f"{text[:77]}.."
