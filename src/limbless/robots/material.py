"""A user's material law of a rod or a spine: what its sections answer to their strains."""

from __future__ import annotations

from typing import Any, ClassVar

from limbless.core import Array, Field, Function, Nested, call, name_of, numbers_of
from limbless.core.functions.function_arguments import WithArguments, filled


class MaterialLaw(WithArguments):
    """Your own material, as a function that returns the stress of a section.

    The function is `law(strain, rate, X)` and returns six numbers. strain (6) has the stretch (1 if unloaded), the two
    shears, the twist and the two curvatures (1/m) of the section at the arc length X (m). rate (6) has their time
    derivatives (1/s). The stress has the force (3, N) and the moment (3, N m) along the same axes, as the body resists,
    so that a spring is k times the strain. At rate 0 it counts as elastic, and the rest as damping.

    limbless calls plain Python at every station of every evaluation (a few microseconds each). `compiled_material`
    compiles the same function, if numba can compile it. Further arguments with numbers as defaults are its `arguments`.
    """

    law: Nested[Function] = Field(description="the function, or `package.module:name`, or `file.py:name`")
    arguments: dict[str, Any] = Field(
        {}, description="numbers for further arguments of the law, by their names; its defaults if absent"
    )

    takes: ClassVar[tuple[str, int]] = ("law", 3)

    def stress(self, strain: Array, rate: Array, X: float) -> Array:
        """(6,) N, N m: what the law answers at one section."""
        where = f"at X = {X:g} m, strain ({', '.join(f'{value:.3g}' for value in strain)})"
        answer = call(
            self.law, "material law", "(strain, rate, X)", where, strain.copy(), rate.copy(), X, **self.arguments
        )
        teller = f"robot.material: {name_of(self.law)}"
        return numbers_of(answer, teller, where, (6,), "six numbers (force, couple)")


class CompiledMaterial:
    """What `compiled_material` makes: a law behind an address, which can also be called."""

    error = None

    def __init__(self, function: Any, law: Any, values: tuple[float, ...]) -> None:
        self.function, self._law, self.address, self.values = function, law, law.address, values
        self.__name__ = getattr(function, "__name__", "compiled material")

    def __call__(self, strain: Array, rate: Array, X: float) -> Any:
        return self.function(strain, rate, X, *self.values)


def compiled_material(function: Any, **arguments: float) -> CompiledMaterial:
    """Compile a law `function(strain, rate, X)` for use in `MaterialLaw`.

    The function returns six numbers. Its further arguments get the numbers given here, or their defaults.
    """
    from limbless.mechanics.chain import STRAIN, STRESS, Sample
    from limbless.mechanics.compiled import compiled_pointer, njit

    values = tuple(filled(function, 3, arguments).values())
    inner = njit(function)

    def answer(buffer):
        section = (buffer[STRAIN : STRAIN + 6], buffer[STRAIN + 6 : STRAIN + 12], buffer[STRAIN - 1])
        given = section + values
        stress = inner(*given)
        for i in range(6):
            buffer[STRESS + i] = stress[i]

    return CompiledMaterial(inner, compiled_pointer(answer, Sample.width, STRESS, 6), values)
