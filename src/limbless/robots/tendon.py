"""What tendons of all robots have: elasticity, a damper, a winch; and those of rods and chains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbless.core import Description, Field, Listed, Nested, Quantity, checked, quantity

Place = tuple[float, float]
AT_ONCE = (
    "does nothing beside a rotor_inertia of 0 (such a winch follows its motor at once, T = M / r); leave it "
    "out, or give a rotor_inertia above 0"
)


class Winch(Description):
    """A drum with a motor that winds up a tendon.

    The motor obeys J θ̈ = M - b θ̇ - r T, and the unwound length is ℓ0 - r θ.
    """

    radius: Quantity[float] = quantity(0.01, "m", "radius r of the drum", gt=0)
    rotor_inertia: Quantity[float] = quantity(
        1e-6,
        "kg m2",
        "inertia J of motor and drum, about its own axis; 0: it follows its motor at once, T = M / r",
        ge=0,
    )
    damping: Quantity[float] = quantity(0.0, "N m s/rad", "viscous friction b of motor and drum", ge=0)

    @checked
    def _turns(self) -> None:
        if not self.rotor_inertia and self.damping:
            raise ValueError(f"a damping {AT_ONCE}")


class Cable(Description):
    """A tendon of any robot: its name, how it stretches in motion, and what winds it up."""

    name: str = Field("", description="name; its number if absent")
    stiffness: Quantity[float | None] = quantity(
        None,
        "N/m",
        "of the whole tendon: where its length or the torque of its winch is given; in statics "
        "model.tendon_stiffness goes before it",
        gt=0,
    )
    damping: Quantity[float] = quantity(0.0, "N s/m", "damper beside that stiffness", ge=0)
    winch: Nested[Winch | None] = Field(None, description="what winds it up, where the torque of its motor is given")
    friction: Quantity[float] = quantity(
        0.0,
        "1",
        "Coulomb coefficient where it turns: in holes of disks, at points of links, along its channel; in statics "
        "model.friction goes before it",
        ge=0,
        lt=1,
    )
    slip_speed: Quantity[float | None] = quantity(
        None,
        "m/s",
        "sliding rate below which that friction fades in motion: a tendon that is held creeps; if absent by how fast "
        "the gait winds, at most 1e-3",
        gt=0,
    )

    @checked
    def _goes_together(self) -> None:
        for name in ("damping", "winch"):
            if self.stiffness is None and getattr(self, name):
                raise ValueError(f"a {name} goes with a `stiffness` (N/m), which this tendon does not have; give both")
        if self.damping and self.winch is not None and not self.winch.rotor_inertia:
            raise ValueError(f"a damping of the tendon {AT_ONCE}")
        if not self.friction and self.slip_speed is not None:
            raise ValueError("a slip_speed goes with a `friction`, which this tendon does not have; give both")


class ChannelTendon(Cable):
    """A tendon in a channel along a rod, at one position of all sections from its start to its anchor."""

    place: Listed[Place] = quantity(..., "m", "(y, z) of its channel in the section")
    start: Quantity[float] = quantity(0.0, "m", "abscissa where it begins, with its winch", ge=0)
    anchor: Quantity[float | None] = quantity(None, "m", "abscissa where it is fixed; the tail if absent", gt=0)


class LinkTendon(Cable):
    """A tendon on rigid links, straight from point to point."""

    through: Listed[tuple[tuple[int, tuple[float, float, float]], ...]] = quantity(
        ..., "m", "pairs of the number of a link and a point of it (its own frame), from the winch to the anchor"
    )


def agree(tendons: Sequence[Cable]) -> None:
    """Refuse tendons of which only some stretch or have a winch, and two of one name."""
    names = names_of(tendons)
    for number, name in enumerate(names):
        if name in names[:number]:
            raise ValueError(f"tendons {names.index(name)} and {number} are both called {name!r}; rename one of them")
    for name in ("stiffness", "winch"):
        if len({getattr(tendon, name) is None for tendon in tendons}) > 1:
            raise ValueError(f"tendons: either all tendons have a {name} or none has")


def names_of(tendons: Sequence[Cable]) -> list[str]:
    return [tendon.name or f"tendon {number}" for number, tendon in enumerate(tendons)]


def refuse_channels(tendons: Sequence[ChannelTendon], length: float, half_axes: np.ndarray) -> None:
    """Refuse channels that leave the rod; `half_axes` (N, 2) m, evenly along it."""
    for number, tendon in enumerate(tendons):
        end = length if tendon.anchor is None else tendon.anchor
        if not tendon.start < end <= length * (1.0 + 1e-12):
            raise ValueError(
                f"tendon {number} from `start` {tendon.start:g} to `anchor` {end:g} m is not on a rod of "
                f"{length:g} m; `start` lies before `anchor`, both on the rod"
            )
        along = np.linspace(0.0, length, len(half_axes))
        passed = half_axes[(along >= tendon.start - 1e-12) & (along <= end + 1e-12)]
        reach = max((np.hypot(tendon.place[0] / a, tendon.place[1] / b) for a, b in passed), default=0.0)
        if reach > 1.0 + 1e-9:
            raise ValueError(
                f"tendon {number} runs outside the rod: its place {tendon.place} m is {reach:.3g} times "
                "as far out as the surface of a section that it passes; move it in"
            )
