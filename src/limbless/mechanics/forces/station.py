"""Laws per unit length at single places: the stations of a soft body, each of which stands for a length of it."""
from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra.inertia import Wrench
from limbless.mechanics.algebra.vectors import transpose
from limbless.mechanics.compiled.generic import version_for
from limbless.mechanics.compiled.kernel import inline
from limbless.mechanics.forces.laws import Slice, law_row, law_slice, law_wrench


class AtStation(NamedTuple):
    """A law of slices (of the table of `law`) that acts at the origin of each body, times the `length` of its row."""

    law: Any

    @property
    def table(self) -> Any:
        return self.law.table

    @property
    def bands(self) -> bool:
        return bool(self.law.bands)


@version_for(law_row, AtStation)
@inline
def station_row(kind, rows, i):
    return law_row(kind.law, rows, i)


@version_for(law_wrench, AtStation)
@inline
def station_wrench(kind, law, laws, t, body):
    R, V = body.rotation, body.velocity
    piece = Slice(R, body.origin, transpose(R) @ V.linear, transpose(R) @ V.angular, 0.0 * V.linear.x)
    F = law_slice(kind.law, law, t, piece)
    return Wrench(law.length * (R @ F.force), law.length * (R @ F.torque))
