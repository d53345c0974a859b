"""`Rod`: a body that bends, twists, stretches or shears along its whole length (paper 000)."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import numpy as np
from pydantic import model_validator

from limbless.core import Description, Field, InputError, Listed, Nested, Quantity, quantity
from limbless.core.functions.callables import Function, NamedFunction, call
from limbless.robots.base import Array, Bodies, Robot, Segment
from limbless.robots.chain import Chain
from limbless.robots.joints import Joint
from limbless.robots.links import BodyShape, Link
from limbless.robots.material import MaterialLaw
from limbless.robots.sections import EllipticCylinder, ellipse_area, ellipse_second_moments
from limbless.robots.tendon import ChannelTendon, agree, refuse_channels

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

Stiffness = float | tuple[float, float, float, float, float, float]
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


class Rod(Robot):
    """A slender body of elliptic sections, described by stretch, shears, twist and curvatures along the abscissa X.

    X runs from 0 at the head to `length` at the tail, along the rod as it is when not stretched; densities are per
    length of that. `strains` says which of the six a gait may drive (Table I of the paper). `half_width` (along y) and
    `half_height` (along z) are numbers or tables of rows (X, half axis), straight between the rows; `taper` shrinks
    both linearly to (1 - taper) at the tail; `profile` is a function X -> (half width, half height) in their place.
    Passive stiffness and damping carry part of the effort of the actuated strains.
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

    @model_validator(mode="after")
    def _is_a_body(self) -> Rod:
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
        if self.passive is not None:
            end = self.length if self.passive.end is None else self.passive.end
            if not self.passive.start < end <= self.length * (1.0 + 1e-12):
                raise ValueError(
                    f"passive: from {self.passive.start:g} to {end:g} m is no part of a rod of "
                    f"{self.length:g} m; `start` lies before `end`, both on the rod"
                )
            locked = [name for name in self.passive.strains if STRAINS.index(name) in self.locked]
            if locked:
                raise ValueError(
                    f"passive.strains: {locked[0]!r} is locked by strains: {self.strains}; choose among "
                    f"{', '.join(STRAINS[c] for c in ACTUATED[self.strains])}"
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
        return self

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
            return np.tile(np.broadcast_to(np.array(self.stiffness, dtype=np.float64), 6), (len(X), 1))
        rows = []
        for (a, b), E in zip(self.half_axes(X), _along(self.youngs_modulus, X), strict=True):
            G = self.shear_modulus or E / 3.0
            area, (polar, about_y, about_z) = ellipse_area(a, b), ellipse_second_moments(a, b)
            shear = self.shear_factor * G * area
            rows.append((E * area, shear, shear, G * polar, E * about_y, E * about_z))
        return np.array(rows).reshape(-1, 6)

    # Its sections

    def half_axes(self, X: Array) -> Array:
        """(N, 2): half width and half height of the sections at X, m."""
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
        rows = [(*(ellipse_area(a, b),) * 3, *ellipse_second_moments(a, b)) for a, b in self.half_axes(X)]
        return self.densities(X)[:, None] * np.array(rows).reshape(-1, 6)

    def densities(self, X: Array) -> Array:
        """(N,) kg/m3, at X."""
        return _along(self.density, X)

    @property
    def kinks(self) -> list[float]:
        """Abscissae inside the rod at which what it is made of changes its slope."""
        laws = (self.half_width, self.half_height, self.density)
        return sorted({row[0] for law in laws if isinstance(law, tuple) for row in law if 0.0 < row[0] < self.length})

    @cached_property
    def _pieces(self) -> tuple[Array, Array]:
        """Middles of straight pieces that stand for the rod, and their inertia per length."""
        middle = (np.arange(_DRAWN) + 0.5) * self.length / _DRAWN
        return middle, self.inertia(middle)

    @property
    def total_mass(self) -> float:
        """kg; Gauss's rule on the straight parts of the section law, and what the tail carries."""
        ends = np.array([0.0, *self.kinks, self.length])
        nodes, weights = np.polynomial.legendre.leggauss(16)
        X = 0.5 * (ends[:-1, None] + ends[1:, None] + np.diff(ends)[:, None] * nodes)
        return self.tip_mass + float((0.5 * np.diff(ends)[:, None] * weights).ravel() @ self.inertia(X.ravel())[:, 0])

    def segments(self) -> list[Segment]:
        """Straight pieces of the rod at rest."""
        middle, _ = self._pieces
        length = self.length / _DRAWN
        return [
            Segment(0, np.array([x - 0.5 * length, 0.0, 0.0]), np.eye(3), length, a, b)
            for x, (a, b) in zip(middle, self.half_axes(middle), strict=True)
        ]

    def bodies(self) -> Bodies:
        """The straight rod as one body."""
        middle, inertia = self._pieces
        mass = inertia[:, 0] * self.length / _DRAWN
        own = np.diag(inertia[:, 3:].sum(axis=0) * self.length / _DRAWN)
        about = own + np.diag([0.0, 1.0, 1.0]) * (mass @ middle**2)
        tip, volume = self.tip_mass, mass / self.densities(middle)
        about = about + np.diag([0.0, 1.0, 1.0]) * (tip * self.length**2)
        moments = [np.array([[x, 0.0, 0.0]]) for x in (mass @ middle + tip * self.length, volume @ middle)]
        return Bodies(np.array([mass.sum() + tip]), moments[0], about[None], np.array([volume.sum()]), moments[1])

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
        """The chain of equally long rigid links that tends to this rod as their number grows, for strains that neither
        stretch nor shear.

        Each link has the section at its middle. A joint stands for the length Δ of one link: passive stiffness and
        damping (N m2) become a spring and a damper of 1/Δ times that at every joint, the limit of the efforts (N m)
        becomes the limit of its torques.
        """
        if self.strains in ("planar-reissner", "extensible-kirchhoff", "reissner"):
            raise InputError(
                f"a chain of rigid links cannot stretch or shear; set strains to 'kirchhoff' or less (it "
                f"is {self.strains!r})"
            )
        if self.base in ("line", "pinned"):
            raise InputError(f"a chain has no base {self.base!r}; choose free, planar or fixed")
        if self.material is not None:
            raise InputError("to_chain: joints have no material law; leave `material` out, and give a stiffness")
        if self.tendons:
            raise InputError(
                "to_chain: tendons in channels have no place on rigid links; leave `tendons` out, and "
                "give the chain its own"
            )
        if self.tip_mass or isinstance(self.stiffness, dict):
            raise InputError("to_chain: leave out `tip_mass`, and give one stiffness for the whole rod")
        if links < 1:
            raise InputError(f"links: a chain has at least 1 link; got {links}")
        spacing = self.length / links
        sizes: list[dict[str, Any]] = [
            {"length": spacing, "half_width": float(a), "half_height": float(b)}
            for a, b in self.half_axes(np.array([(number + 0.5) * spacing for number in range(links)]))
        ]
        dense = self.densities(np.array([(number + 0.5) * spacing for number in range(links)]))
        parts: list[dict[str, Any]] = [
            {"solids": (EllipticCylinder(density=float(own), **size),), "body": BodyShape(**size)}
            for own, size in zip(dense, sizes, strict=True)
        ]
        joint = self._joint(spacing)
        behind: dict[str, Any] = {"joint": joint, "position": (spacing, 0.0, 0.0)}
        chain = [Link(**part, **(behind if number else {})) for number, part in enumerate(parts)]
        base: Any = self.base  # a chain refuses what it does not have
        return Chain(name=f"{self.name} as {links} links", head=self.head, base=base, links=tuple(chain))

    def _joint(self, spacing: float) -> Joint:
        """The joint that stands for a length of rod: its actuated curvatures and twist, in the order
        of the joint's own columns.
        """
        kind, order = {
            "planar": ("revolute", (5,)),
            "universal": ("universal", (5, 4)),
            "kirchhoff": ("spherical", (3, 4, 5)),
        }[self.strains]
        passive = {
            name: tuple(float(value) / spacing for value in np.broadcast_to(getattr(self, name), 6)[list(order)])
            for name in ("stiffness", "damping")
        }
        limit = (
            None
            if self.effort_limit is None
            else tuple(float(v) for v in np.broadcast_to(self.effort_limit, 6)[list(order)])
        )
        second = {"second_axis": (0.0, 1.0, 0.0)} if kind == "universal" else {}
        return Joint(kind=kind, torque_limit=limit, **second, **passive)  # type: ignore[arg-type]


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
