"""`Rod`: a body that bends, twists, stretches or shears along its whole length (paper 000)."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from limbless.core import (
    Description,
    Field,
    Function,
    Listed,
    NamedFunction,
    Nested,
    Quantity,
    Vector3,
    call,
    checked,
    quantity,
)
from limbless.robots import (
    Chain,
    ChannelTendon,
    MassProperties,
    MaterialLaw,
    agree,
    ellipse_area,
    ellipse_second_moments,
    refuse_channels,
)
from limbless.robots.base import Array, Bodies, Robot, Segment

NATURAL = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
"""The strain of a straight, unstretched rod."""
STRAINS = ("stretch", "lateral shear", "vertical shear", "twist", "pitch curvature", "yaw curvature")
"""The six strains of a rod, in the order of their columns."""
AXES = (*STRAINS[:3], "roll", "pitch", "yaw")
"""What each is called among the axes of actuators: a curvature as the joints that bend a chain so."""
ACTUATED: dict[str, tuple[int, ...]] = {
    "planar": (5,),
    "planar-reissner": (0, 1, 5),
    "universal": (4, 5),
    "kirchhoff": (3, 4, 5),
    "extensible-kirchhoff": (0, 3, 4, 5),
    "reissner": (0, 1, 2, 3, 4, 5),
}
"""Table I, from the fewest to the most: which strains a gait may drive; the others are
locked at their natural value.
"""
HELD = {"free": (), "planar": (2, 3, 4), "line": (1, 2, 3, 4, 5), "pinned": (0, 1, 2), "fixed": (0, 1, 2, 3, 4, 5)}
"""Components of the head's twist that each base holds at zero."""
STILL = 1e-9  # a locked strain may differ from its natural value by this much: the rounding of a gait
_DRAWN = 32  # straight pieces that stand for the rod where a model asks for segments

Six = tuple[float, float, float, float, float, float]
Stiffness = float | Six
Rows = tuple[tuple[float, float], ...]
Strain = Literal["stretch", "lateral shear", "vertical shear", "twist", "pitch curvature", "yaw curvature"]


class PassiveStretch(Description):
    """A part of a rod whose strains no gait gives: they follow from the forces, in the model `soft`."""

    strains: Listed[tuple[Strain, ...]] = Field(
        (), description="which strains; all that the rod's `strains` leave free if absent"
    )
    start: Quantity[float] = quantity(0.0, "m", "abscissa where it begins", ge=0)
    end: Quantity[float | None] = quantity(None, "m", "abscissa where it ends; the tail if absent", gt=0)
    follows_gait: bool = Field(
        False,
        description="whether the gait's strains are what these rest at (a natural "
        "curvature that moves): springs pull them there",
    )


class RodPiece(Description):
    """A part of a rod that is the same all along it: what links or vertebrae become when they are seen as a rod."""

    length: Quantity[float] = quantity(..., "m", "length of the part", gt=0)
    half_width: Quantity[float] = quantity(..., "m", "lateral half axis of its sections", gt=0)
    half_height: Quantity[float] = quantity(..., "m", "vertical half axis of its sections", gt=0)
    mass: Quantity[float] = quantity(..., "kg/m", "mass per length", ge=0)
    moments: Listed[Vector3] = quantity(
        ..., "kg m", "inertia of its sections per length, about x, y and z through their middle"
    )
    volume: Quantity[float] = quantity(..., "m2", "displaced volume per length", ge=0)
    stiffness: Listed[Six | None] = quantity(
        None, "N, N m2", "passive stiffness, in the model `soft`; the rod's if absent"
    )
    damping: Listed[Six | None] = quantity(
        None, "N s, N m2 s", "passive damping, in the model `soft`; the rod's if absent"
    )


class Rod(Robot):
    """A slender continuous body with elliptic sections (a Cosserat rod).

    The arc length X runs from 0 at the head to `length` at the tail, along the unstretched rod, and densities are per
    unit of that length. `strains` names which of the six strains a gait may drive: stretch, two shears, twist and two
    curvatures (Table I of the paper).

    `half_width` (along y) and `half_height` (along z) are numbers, or tables of rows (X, semi-axis) that are
    interpolated linearly. `taper` shrinks both linearly to (1 - taper) at the tail. `profile` is a function X -> (half
    width, half height) instead. Passive stiffness and damping carry part of the effort of the actuated strains.
    """

    kind: Literal["rod"] = "rod"
    name: str = Field("rod", description="name of the robot")
    base: Literal["free", "planar", "line", "pinned", "fixed"] = Field(
        "free",
        description="how the head can move: free, in its x-y plane, along its x axis, about its centre (model "
        "`soft`), or not",
    )
    strains: Literal["planar", "planar-reissner", "universal", "kirchhoff", "extensible-kirchhoff", "reissner"] = Field(
        "kirchhoff",
        description="which strains are actuated: yaw curvature; with it stretch and shear in its plane; both "
        "curvatures; and twist; and stretch; and shears",
    )
    length: Quantity[float] = quantity(1.0, "m", "length when not stretched", gt=0)
    half_width: Listed[float | tuple[tuple[float, float], ...]] = quantity(
        0.03, "m", "lateral half axis of the section, or rows of X and half axis"
    )
    half_height: Listed[float | tuple[tuple[float, float], ...] | None] = quantity(
        None, "m", "vertical half axis; a circular section if absent"
    )
    taper: Quantity[float] = quantity(0.0, "1", "share by which the half axes shrink towards the tail", ge=0, lt=1)
    profile: Nested[Function | None] = Field(
        None, description="function of X (m) that returns half width and half height (m)"
    )
    density: Listed[float | Rows] = quantity(1000.0, "kg/m3", "density, or rows of X and density")
    tip_mass: Quantity[float] = quantity(
        0.0, "kg", "a point mass that the tail end carries, such as a tool or a camera, in the model `soft`", ge=0
    )
    stiffness: Listed[Stiffness | dict[Strain, float | Rows]] = quantity(
        0.0,
        "N, N m2",
        "passive stiffness of the actuated strains: one for all or six; or by name, each a number or rows of X and "
        "value (model `soft`)",
    )
    damping: Listed[Stiffness] = quantity(
        0.0, "N s, N m2 s", "passive damping of the actuated strains, one for all or six"
    )
    effort_limit: Listed[Stiffness | None] = quantity(
        None, "N, N m", "largest effort along the actuated strains, one for all or six; reported when exceeded"
    )
    passive: Nested[PassiveStretch | None] = Field(None, description="where strains are passive, in the model `soft`")
    youngs_modulus: Listed[float | Rows | None] = quantity(
        None,
        "Pa",
        "E, or rows of X and E: stiffness of passive strains from the sections (EA, GA, GJ, EI), in place of "
        "`stiffness`",
    )
    shear_modulus: Quantity[float | None] = quantity(None, "Pa", "G; E/3 if absent (incompressible)", gt=0)
    shear_factor: Quantity[float] = quantity(
        27.0 / 28.0, "1", "share of the section that shears (Gazzola et al. 2018)", gt=0, le=1
    )
    damping_time: Quantity[float] = quantity(
        0.0, "s", "damping of passive strains over their stiffness (Kelvin-Voigt), beside `damping`", ge=0
    )
    rest: Listed[tuple[float, float, float, float, float, float] | dict[Strain, float | Rows] | None] = quantity(
        None,
        "1, 1/m",
        "the six strains when unloaded, or some of them by name: a number, or rows of X and value; "
        "(1, 0, 0, 0, 0, 0), straight, if absent",
    )

    material: Nested[MaterialLaw | None] = Field(
        None,
        description="a law of your own for the stress of its sections, in place "
        "of stiffness, damping and rest, in the model `soft`",
    )
    contact_radius: Quantity[float | None] = quantity(
        None,
        "m",
        "radius with which it touches hard things, in the model `soft`; that of its round sections if absent",
        gt=0,
    )
    tendons: Listed[tuple[ChannelTendon, ...]] = Field(
        (), description="tendons in channels along it, in the model `soft`; they are numbered from 0 in this order"
    )

    pieces: Listed[tuple[RodPiece, ...]] = Field(
        (),
        description="parts of their own section, mass and stiffness, the head first, in place of half axes",
    )

    @checked
    def _is_a_body(self) -> None:
        whole = sum(piece.length for piece in self.pieces)
        if self.pieces and abs(whole - self.length) > 1e-9 * self.length:
            raise ValueError(
                f"pieces: they are {whole:g} m long together, and the rod {self.length:g} m; make both equal"
            )
        for name in self.given("half_width", "half_height", "taper", "profile", "density") if self.pieces else ():
            raise ValueError(f"{name}: `pieces` take its place; give one of both")
        if self.youngs_modulus is not None and self.given("stiffness"):
            raise ValueError("stiffness: youngs_modulus takes its place; give one of both")
        for name in self.given("shear_modulus", "shear_factor") if self.youngs_modulus is None else ():
            raise ValueError(f"{name}: it goes with youngs_modulus, which is not given; leave it out")
        for name, uses in {"shear_modulus": (1, 2, 3), "shear_factor": (1, 2)}.items():
            if self.given(name) and set(uses) <= set(self.locked):
                raise ValueError(f"{name}: no strain of a rod with strains: {self.strains} feels it; leave it out")
        named = isinstance(self.profile, NamedFunction)  # no call before it is allowed
        stations = np.linspace(0.0, self.length, 0 if named else 65)
        width, height = self.half_axes(stations).T
        if not (np.isfinite(width) & np.isfinite(height) & (width > 0) & (height > 0)).all():
            raise ValueError(
                f"half_width and half_height must be positive along the whole rod; found "
                f"{min(width.min(), height.min()):g} m"
            )
        agree(self.tendons)
        if not named:
            refuse_channels(self.tendons, self.length, np.column_stack([width, height]))
        for name in ("stiffness", "damping"):
            if min(_numbers(getattr(self, name))) < 0:
                raise ValueError(f"{name} must not be negative; got {getattr(self, name)}")
        for name in ("density", "youngs_modulus"):
            if min(_numbers(getattr(self, name)), default=1.0) <= 0:
                raise ValueError(f"{name} must be positive; got {getattr(self, name)}")
            if getattr(self, name) is not None:
                _along(getattr(self, name), np.zeros(1))
        by_name = {
            "passive.strains": () if self.passive is None else self.passive.strains,
            "stiffness": self.stiffness if isinstance(self.stiffness, dict) else (),
        }
        for path, strains in by_name.items():
            locked = [name for name in strains if STRAINS.index(name) in self.locked]
            if locked:
                raise ValueError(
                    f"{path}: {locked[0]!r} is locked by strains: {self.strains}; choose among "
                    f"{', '.join(STRAINS[c] for c in ACTUATED[self.strains])}"
                )
        if self.passive is not None:
            end = self.length if self.passive.end is None else self.passive.end
            if not self.passive.start < end <= self.length * (1.0 + 1e-12):
                raise ValueError(
                    f"passive: from {self.passive.start:g} to {end:g} m is no part of a rod of "
                    f"{self.length:g} m; `start` lies before `end`, both on the rod"
                )
        ends = np.array([0.0, *self._bends_of_rest, self.length])
        if (self.rest_strains(ends)[:, self.locked] != NATURAL[self.locked]).any():
            raise ValueError(
                f"rest: only strains that strains: {self.strains} leaves free can have a rest value of their own"
            )
        if not (self.rest_strains(ends)[:, 0] > 0.0).all():
            raise ValueError(
                f"rest: a stretch must be positive, 1 where the rod is as long as `length`; got "
                f"{self.rest_strains(ends)[:, 0].min():g}"
            )
        if self.passive is not None and self.passive.follows_gait and self.rest is not None:
            raise ValueError("rest: passive.follows_gait takes its place; give one of both")
        if self.effort_limit is not None and not np.min(self.effort_limit) > 0:
            raise ValueError(f"effort_limit must be positive; got {self.effort_limit}")
        laws = [piece.stiffness or self.stiffness for piece in self.pieces] or [self.stiffness]
        free = list(ACTUATED[self.strains])
        springs = any(np.any(np.array(law)[free] if isinstance(law, tuple) else _numbers(law)) for law in laws)
        if self.damping_time and not springs and self.youngs_modulus is None and self.material is None:
            raise ValueError("damping_time is a time of the stiffness, and there is none; give a stiffness")

    # Its elasticity

    @property
    def _bends_of_rest(self) -> list[float]:
        """Abscissae of all rows of `rest`."""
        tables = self.rest.values() if isinstance(self.rest, dict) else ()
        return [row[0] for table in tables if isinstance(table, tuple) for row in table]

    def rest_strains(self, X: Array) -> Array:
        """(N, 6): the strains at X when unloaded."""
        if self.rest is None or isinstance(self.rest, tuple):
            return np.tile(NATURAL if self.rest is None else np.array(self.rest, dtype=np.float64), (len(X), 1))
        found = np.tile(NATURAL, (len(X), 1))
        for name, law in self.rest.items():
            found[:, STRAINS.index(name)] = _along(law, X)
        return found

    def stiffnesses(self, X: Array) -> Array:
        """(N, 6): stiffness of the six strains at X, N and N m2."""
        if isinstance(self.stiffness, dict):
            named = [self.stiffness.get(name, 0.0) for name in STRAINS]  # type: ignore[call-overload]
            return np.column_stack([_along(law, X) for law in named])
        if self.youngs_modulus is None:
            return self._passive("stiffness", X)
        rows = []
        for (a, b), E in zip(self.half_axes(X), _along(self.youngs_modulus, X), strict=True):
            G = self.shear_modulus or E / 3.0
            area, (polar, about_y, about_z) = ellipse_area(a, b), ellipse_second_moments(a, b)
            shear = self.shear_factor * G * area
            rows.append((E * area, shear, shear, G * polar, E * about_y, E * about_z))
        return np.array(rows).reshape(-1, 6)

    def dampings(self, X: Array) -> Array:
        """(N, 6): damping of the six strains at X, N s and N m2 s."""
        return self._passive("damping", X) + self.damping_time * self.stiffnesses(X)

    def _passive(self, name: str, X: Array) -> Array:
        own = np.broadcast_to(np.array(getattr(self, name), dtype=np.float64), 6)
        found = np.array([getattr(piece, name) or own for piece in self.pieces or (self,)])
        return found[self._piece_at(X)] if self.pieces else np.tile(own, (len(X), 1))

    # Its sections

    @cached_property
    def _joints_of_pieces(self) -> Array:
        """Abscissae inside it at which its pieces meet."""
        return np.cumsum([piece.length for piece in self.pieces])[:-1]

    def _piece_at(self, X: Array) -> NDArray[np.int64]:
        """The number of the piece at X."""
        return np.searchsorted(self._joints_of_pieces, X, side="right")

    def quadrature(self, start: float, end: float) -> tuple[Array, Array]:
        """Abscissae and weights of Gauss's rule on the smooth parts of its sections from one abscissa to another."""
        laws = (*(self.stiffness.values() if isinstance(self.stiffness, dict) else ()), self.youngs_modulus)
        inner = {*self.kinks, *self._bends_of_rest, *(row[0] for law in laws if isinstance(law, tuple) for row in law)}
        ends = np.array([start, *sorted(x for x in inner if start < x < end), end])
        nodes, weights = np.polynomial.legendre.leggauss(16)
        X = 0.5 * (ends[:-1, None] + ends[1:, None] + np.diff(ends)[:, None] * nodes)
        return X.ravel(), (0.5 * np.diff(ends)[:, None] * weights).ravel()

    def areas(self, X: Array) -> Array:
        """(N,): displaced volume per length at X, m2."""
        if self.pieces:
            return np.array([piece.volume for piece in self.pieces])[self._piece_at(X)]
        return np.pi * self.half_axes(X).prod(axis=1)

    def half_axes(self, X: Array) -> Array:
        """(N, 2): half width and half height of the sections at X, m."""
        if self.pieces:
            return np.array([(piece.half_width, piece.half_height) for piece in self.pieces])[self._piece_at(X)]
        if self.profile is not None:
            rows = [call(self.profile, "robot.profile", "(X)", f"at X = {x:g} m", float(x)) for x in X]
            return np.array(rows, dtype=np.float64).reshape(-1, 2)
        width = _along(self.half_width, X)
        height = width if self.half_height is None else _along(self.half_height, X)
        return np.column_stack([width, height]) * (1.0 - self.taper * X / self.length)[:, None]

    def inertia(self, X: Array) -> Array:
        """(N, 6): diagonal of the inertia per length of the sections at X, along their axes: ρA three times (kg/m),
        then ρI_p, ρI_y, ρI_z (kg m).
        """
        if self.pieces:
            return np.array([(*(piece.mass,) * 3, *piece.moments) for piece in self.pieces])[self._piece_at(X)]
        rows = [(*(ellipse_area(a, b),) * 3, *ellipse_second_moments(a, b)) for a, b in self.half_axes(X)]
        return self.densities(X)[:, None] * np.array(rows).reshape(-1, 6)

    def densities(self, X: Array) -> Array:
        """(N,) kg/m3, at X."""
        return _along(self.density, X)

    @property
    def kinks(self) -> list[float]:
        """Abscissae inside the rod at which what it is made of changes its slope."""
        laws = (self.half_width, self.half_height, self.density)
        rows = {row[0] for law in laws if isinstance(law, tuple) for row in law if 0.0 < row[0] < self.length}
        return sorted({*rows, *self._joints_of_pieces.tolist()})

    @property
    def total_mass(self) -> float:
        """kg, with what the tail carries."""
        X, weights = self.quadrature(0.0, self.length)
        return self.tip_mass + float(weights @ self.inertia(X)[:, 0])

    def segments(self) -> list[Segment]:
        """Straight pieces of the rod at rest."""
        length = self.length / _DRAWN
        middle = np.asarray((np.arange(_DRAWN) + 0.5) * length, dtype=np.float64)
        return [
            Segment(0, np.array([x - 0.5 * length, 0.0, 0.0]), np.eye(3), length, a, b)
            for x, (a, b) in zip(middle, self.half_axes(middle), strict=True)
        ]

    def bodies(self) -> Bodies:
        """The straight rod as one body."""
        return Bodies(*(np.array([part]) for part in self.part(0.0, self.length)))

    def part(self, start: float, end: float) -> MassProperties:
        """Mass and volume of a part of the straight rod, about its start; the last part has the mass at the tip."""
        X, weights = self.quadrature(start, end)
        x, inertia, area = X - start, weights[:, None] * self.inertia(X), weights * self.areas(X)
        tip, at = self.tip_mass if end >= self.length * (1.0 - 1e-12) else 0.0, end - start
        along, across = np.array([1.0, 0.0, 0.0]), np.diag([0.0, 1.0, 1.0])
        about = np.diag(inertia[:, 3:].sum(axis=0)) + across * (inertia[:, 0] @ x**2 + tip * at**2)
        mass, moment = float(inertia[:, 0].sum()) + tip, inertia[:, 0] @ x + tip * at
        return MassProperties(mass, moment * along, about, float(area.sum()), (area @ x) * along)

    @cached_property
    def strain_bounds(self) -> tuple[Array, Array]:
        """Between what each strain must stay: a stretch above 0, and what is not actuated at its natural value."""
        low, high = np.full(6, -1e300), np.full(6, 1e300)
        low[0] = np.nextafter(0.0, 1.0)
        locked = self.locked
        low[locked], high[locked] = NATURAL[locked] - STILL, NATURAL[locked] + STILL
        return low, high

    @property
    def stretches(self) -> bool:
        return not {0, 1, 2}.isdisjoint(ACTUATED[self.strains])

    @property
    def locked(self) -> list[int]:
        """Numbers of the strains that no gait may drive."""
        return [number for number in range(6) if number not in ACTUATED[self.strains]]

    def to_chain(self, links: int) -> Chain:
        """The chain of equally long rigid links that tends to this rod as their number grows: `as_chain`."""
        return self.as_chain(links)


def _numbers(law: Any) -> list[float]:
    """All values of a law along the rod: one number, several, rows (X, value), or these by name."""
    if isinstance(law, dict):
        return [value for one in law.values() for value in _numbers(one)]
    if isinstance(law, tuple):
        return [part[1] if isinstance(part, tuple) else part for part in law]
    return [] if law is None else [law]


def _along(law: float | tuple[tuple[float, float], ...], X: Array) -> Array:
    """A half axis, a strain, a density at X: one number, or a table that is straight between its rows."""
    if not isinstance(law, tuple):
        return np.full(len(X), float(law))
    rows = np.array(law)
    if len(rows) < 2 or not (np.diff(rows[:, 0]) > 0).all():
        raise ValueError("a table along the rod needs at least two rows (X, value) with increasing X")
    return np.interp(X, rows[:, 0], rows[:, 1])
