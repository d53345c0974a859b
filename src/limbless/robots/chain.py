"""`Chain`: any open serial robot, described link by link."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from html import escape
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from limbless.core import Field, Listed, Nested, checked
from limbless.robots import (
    Bodies,
    BodyShape,
    ChainArrays,
    JointColumns,
    Link,
    LinkTendon,
    Robot,
    Segment,
    SkinFriction,
    agree,
    chain_arrays,
    chain_text,
    from_arrays,
)

Base = Literal["free", "planar", "fixed"]
T = TypeVar("T")
_MOST_NOTES = 3
"""Joints off their axes that are named one by one."""


class Chain(Robot):
    """Rigid links in a row, each joined to the link before it.

    A joint has 1, 2 or 3 degrees of freedom. Link 0 is the base and has no joint. The base is free (SE(3)), planar
    (SE(2), in the plane x-y of its initial pose) or fixed. Models see the chain through `arrays()`, `bodies()` and
    `segments()`, in kernel frames: parallel to the base frame when all joints are at zero, one per primitive row.
    """

    kind: Literal["chain"] = "chain"
    name: str = Field("chain", description="name of the robot")
    base: Base = Field(
        "free", description="how link 0 can move: free, planar (in the plane x-y of its initial pose) or fixed"
    )
    links: Listed[tuple[Link, ...]] = Field(..., min_length=1, description="the links, the base first")
    skin: Nested[SkinFriction | None] = Field(
        None, description="friction on ground and obstacles that state none of their own"
    )
    tendons: Listed[tuple[LinkTendon, ...]] = Field(
        (), description="tendons from link to link, in the model `soft`; they are numbered from 0 in this order"
    )

    @checked
    def _joints_between_links(self) -> None:
        base = self.links[0]
        if base.joint is not None:
            raise ValueError(
                "link 0 is the base and has no joint; move the joint to link 1, or put a base link before it"
            )
        if base.dh or any(base.position) or base.orientation != (1.0, 0.0, 0.0, 0.0):
            raise ValueError(
                "link 0 is the base: its pose is the initial pose of the run; leave its position, "
                "orientation and dh out"
            )
        without = [str(number) for number, link in enumerate(self.links) if number and link.joint is None]
        if without:
            raise ValueError(
                f"link {', '.join(without)} without a joint: every link but link 0 needs one, for "
                f"example {{kind: revolute}}"
            )

    @checked
    def _inertia_holds_mass(self) -> None:
        for name, link in zip(self.link_names, self.links, strict=True):
            mass, moment, inertia, *_ = link.mass_properties()
            # a planar or fixed robot may well be described by the inertia about one axis alone
            if mass > 0 and self.base == "free":
                center = moment / mass
                central = inertia - mass * (np.dot(center, center) * np.eye(3) - np.outer(center, center))
                if np.linalg.eigvalsh(central)[0] < -1e-9 * np.abs(inertia).max():
                    raise ValueError(
                        f"link {name!r}: its inertia is too small for its mass and first moment (negative about the "
                        "centre of mass); give the inertia about the link origin, or base: planar if only one axis "
                        "matters"
                    )

    @checked
    def _tendons_on_links(self) -> None:
        agree(self.tendons)
        for number, tendon in enumerate(self.tendons):
            far = [link for link, _ in tendon.through if not 0 <= link < len(self.links)]
            if far:
                raise ValueError(
                    f"tendon {number} goes through link {far[0]}, but links are numbered 0 to {len(self.links) - 1}"
                )
            if len({link for link, _ in tendon.through}) < 2:
                raise ValueError(f"tendon {number} moves nothing: `through` needs points of at least two links")

    @checked
    def _names_differ(self) -> None:
        for what, names in (("links", self.link_names), ("joints", self.joint_names)):
            twice = [name for name, count in Counter(names).items() if count > 1]
            if twice:
                raise ValueError(f"two {what} are called {twice[0]!r}; give each its own name")

    @classmethod
    def from_modified_dh(
        cls,
        alpha: ArrayLike,
        d: ArrayLike,
        r: ArrayLike,
        offset: ArrayLike,
        mass: ArrayLike,
        first_moment: ArrayLike,
        inertia: ArrayLike,
        *,
        base: Base = "free",
        prismatic: Sequence[bool] | None = None,
        bodies: Sequence[BodyShape | None] | None = None,
        volume: ArrayLike | None = None,
        link_names: Sequence[str] | None = None,
        labels: Sequence[str] | None = None,
        head: Literal["base", "tip"] = "base",
        name: str = "chain",
        **joint_values: Any,
    ) -> Chain:
        """A chain of n joints of one degree of freedom, typed in from arrays.

        Parameters
        ----------
        alpha, d, r, offset : (n,) rows of the modified DH table, link 1 first: Rx(alpha) Tx(d) Rz(offset + q) Tz(r);
            rad and m.
        mass : (n + 1,) kg, the base first; (n,) will do for a fixed base.
        first_moment : as many rows of 3, kg m, in the link frames.
        inertia : as many 3 x 3 matrices or rows xx, xy, xz, yy, yz, zz, about the link origins in the link frames, kg
            m2.
        prismatic : (n,) True where the joint slides along z, q being added to r; all joints are revolute if absent.
        bodies : as many pieces of body on which fluid acts as there are masses, None for a link without.
        volume : as many displaced volumes, m3; `link_names` : as many names.
        labels : (n,) yaw, pitch, roll, ...
        joint_values : rotor_inertia, coulomb_friction, breakaway_friction, stribeck_rate, viscous_friction,
            stiffness, rest, damping, torque_limit, lower, upper; one number or (n,).
        """
        rows = from_arrays.dh_rows(alpha, d, r, offset)
        joints = from_arrays.one_freedom_joints(len(rows), prismatic, labels, joint_values)
        masses = from_arrays.massive_links(mass, first_moment, inertia, volume, link_names, bodies)
        return cls(name=name, base=base, head=head, links=from_arrays.chain_links(rows, joints, masses, base))

    @classmethod
    def uniform(cls, **fields: Any) -> Chain:
        """A chain of equal links; the fields are those of `limbless.robots.presets.uniform_chain.UniformChain`."""
        from limbless.robots.presets.uniform_chain import UniformChain

        return UniformChain(**fields).build()

    def notes(self) -> tuple[str, ...]:
        """Axes that are nearly along the body's own: gaits take them as such."""
        arrays, found = self.arrays(), []
        for number, (axis, kind) in enumerate(zip(arrays.axis[1:], arrays.joint_kind[1:], strict=True)):
            near = chain_arrays.axis_number(axis) if kind == chain_arrays.REVOLUTE else None
            off = 0.0 if near is None else float(np.linalg.norm(np.delete(axis, near)))
            if near is not None and off > 1e-9:
                name = self.joint_names[int(arrays.velocity_column[1 + number])]
                found.append(
                    f"robot.links: joint {name!r} turns {math.degrees(math.asin(off)):.2g} deg off {'xyz'[near]}; "
                    f"gaits that speak of headings, yaw or pitch take it as {'xyz'[near]}"
                )
        if len(found) > _MOST_NOTES:
            others = f"robot.links: {len(found) - 1} more joints turn a little off x, y or z, taken as those too"
            found = [found[0], others]
        return (*super().notes(), *found)

    @property
    def stretches(self) -> bool:
        return any(link.joint is not None and link.joint.kind == "prismatic" for link in self.links)

    # What it is made of

    @property
    def link_names(self) -> list[str]:
        """One name per link."""
        return [link.name or f"link {number}" for number, link in enumerate(self.links)]

    @property
    def joint_names(self) -> list[str]:
        """One name per degree of freedom (velocity column)."""
        return chain_text.joint_names(self)

    @property
    def joint_labels(self) -> list[str]:
        """yaw, pitch, roll or the kind of joint, one per degree of freedom."""
        return chain_text.joint_labels(self)

    @property
    def section_names(self) -> list[str]:
        """One name per segment: that of its link."""
        return [self.link_names[self.rows[segment.body].link] for segment in self.segments()]

    @cached_property
    def freedoms(self) -> int:
        """Degrees of freedom of all joints together; the base is not counted."""
        return sum(link.joint.freedoms for link in self.links if link.joint)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Chain:
        """A copy with some fields replaced, validated again: pydantic's own would keep the arrays of the old links."""
        return self.changed(**(update or {}))

    def __str__(self) -> str:
        return chain_text.table(self)

    def _repr_html_(self) -> str:
        """Its table of links and joints, for notebooks."""
        return f"<pre>{escape(str(self))}</pre>"

    # What models see

    @cached_property
    def _made(self) -> dict[Callable[[Chain], Any], Any]:
        """What was made of it; two chains compare by their fields, and not by these arrays."""
        return {}

    @property
    def rows(self) -> list[JointColumns]:
        """The base and the primitive joints, from which all arrays are made."""
        return self.once(chain_arrays.primitive_rows)

    def arrays(self) -> ChainArrays:
        """The chain in flat arrays for compiled code (made once; do not write into them)."""
        return self.once(chain_arrays.pack)

    def bodies(self) -> Bodies:
        """Mass properties of every primitive row, in its kernel frame."""
        return self.once(chain_arrays.pack_bodies)

    def segments(self) -> list[Segment]:
        """The pieces of body on which a fluid acts; `body` is the primitive row, the rest is in its kernel frame."""
        return self.once(chain_arrays.pack_segments)

    def once(self, make: Callable[[Chain], T]) -> T:
        """What a function makes of this chain, made when first asked for and kept (do not write into it)."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast(T, self._made[make])
