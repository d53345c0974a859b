"""`body-drag`: drag of whole bodies at one point each, as engines of rigid bodies have it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import model_validator

from limbless.core import (
    Description,
    Field,
    FileName,
    InputError,
    Listed,
    Quantity,
    Vector3,
    checked,
    nearest,
    quantity,
    refuse_pipe,
)
from limbless.environments.base import Array, Environment, Pack
from limbless.environments.law_packing import body_rows, in_windows
from limbless.mechanics.forces import BodyDragLaw
from limbless.robots.base import Robot

_NONE = (0.0, 0.0, 0.0)


class BodyCoefficients(Description):
    """Drag of one link at its centre of mass, along the link's axes (along the body, lateral, vertical)."""

    link: str = Field(description="name of the link")
    linear: Listed[Vector3] = quantity(_NONE, "N s/m", "force per velocity along each axis")
    quadratic: Listed[Vector3] = quantity(_NONE, "N s2/m2", "force per square of the velocity along each axis")
    turning: Listed[Vector3] = quantity(_NONE, "N m s/rad", "torque per rate about each axis")
    turning_quadratic: Listed[Vector3] = quantity(_NONE, "N m s2/rad2", "torque per square of the rate about each axis")

    @checked
    def _resists(self) -> None:
        if min(*self.linear, *self.quadratic, *self.turning, *self.turning_quadratic) < 0:
            raise ValueError(f"coefficients of link {self.link!r} must not be negative: drag acts against the motion")


class BodyDrag(Environment):
    """Drag on whole bodies, at the centre of mass of each body.

    For each axis F = -(l + q |v|) v and T = -(m + n |w|) w. `rule: inertia-box` finds these twelve numbers as MuJoCo
    does, from the box b of the same mass and principal inertia: l = 3 pi d viscosity and m = pi d³ viscosity, with d
    the mean of its sides, q_i = density b_j b_k / 2 and n_i = density b_i (b_j⁴ + b_k⁴) / 64. `rule: given` takes them
    from `links`, or from a `file` of FARMS (animat.yaml), link by link.

    This law has no added mass. For a fluid as dense as the body, `water` is the better choice.
    """

    kind: Literal["body-drag"] = "body-drag"
    rule: Literal["inertia-box", "given"] = Field("inertia-box", description="where the coefficients come from")
    density: Quantity[float] = quantity(1000.0, "kg/m3", "density of the fluid, for inertia-box", ge=0)
    viscosity: Quantity[float] = quantity(0.0, "Pa s", "viscosity of the fluid, for inertia-box", ge=0)
    wind: Listed[Vector3] = quantity(_NONE, "m/s", "velocity of the fluid, world axes")
    links: Listed[tuple[BodyCoefficients, ...]] = Field((), description="coefficients of each link, for rule: given")
    file: FileName = Field(None, description="animat.yaml of FARMS with drag per link, for rule: given")
    folded_mass: Quantity[float] = quantity(
        0.0, "kg", "part of link 0's mass that is the armature of its base: not in its box", ge=0
    )
    folded_inertia: Quantity[float] = quantity(0.0, "kg m2", "part of link 0's inertia that is such armature", ge=0)
    folded_at: Listed[Vector3] = quantity(_NONE, "m", "where in link 0 that armature is")

    @model_validator(mode="before")
    @classmethod
    def _file_means_given(cls, data: Any) -> Any:
        return {"rule": "given", **data} if isinstance(data, dict) and data.get("file") else data

    @checked
    def _one_source(self) -> None:
        if self.rule == "inertia-box" and (self.links or self.file):
            raise ValueError("links and file belong to rule: given; leave them out, or choose it")
        if self.rule == "given" and bool(self.links) == bool(self.file):
            raise ValueError("rule: given needs the coefficients of links, or a file that has them: one of the two")
        if self.rule == "given" and (self.folded_mass or self.folded_inertia):
            raise ValueError("folded_mass and folded_inertia correct the boxes of rule: inertia-box; leave them out")

    @cached_property
    def _stated(self) -> tuple[BodyCoefficients, ...]:
        return self.links if self.file is None else animat_drag(Path(self.file))

    def notes(self) -> tuple[str, ...]:
        unused = [name for name in ("density", "viscosity") if self.rule == "given" and name in self.model_fields_set]
        told = [f"environment.body-drag.{name}: without effect with rule: given" for name in unused]
        if self.file is not None:
            told.append(
                "environment.body-drag.file: its coefficients are taken along the body, to the side and up; of "
                "links whose own x runs otherwise, give them as `links`"
            )
        return (*super().notes(), *told)

    def pack(self, robot: Robot) -> Pack:
        if not hasattr(robot, "rows"):
            raise InputError("body-drag acts on the bodies of a chain; for a rod use drag or water, which act along it")
        bodies = robot.bodies()
        if self.rule == "given":
            return Pack(in_windows(self, self._given_rows(robot)))
        heavy = [int(k) for k in np.flatnonzero(bodies.mass)]
        boxes = [self._box(k, bodies.mass[k], bodies.moment[k], bodies.inertia[k]) for k in heavy]
        columns = {name: np.array([box[name] for box in boxes]) for name in (boxes[0] if boxes else ())}
        return Pack(in_windows(self, body_rows(BodyDragLaw(), heavy, wind=self.wind, **columns)))

    def _box(self, body: int, mass: float, moment: Array, inertia: Array) -> dict[str, Array]:
        """The coefficients of one body from its box."""
        if body == 0 and (self.folded_mass or self.folded_inertia):
            at = np.array(self.folded_at)
            mass, moment = mass - self.folded_mass, moment - self.folded_mass * at
            inertia = (
                inertia - self.folded_inertia * np.eye(3) - self.folded_mass * (at @ at * np.eye(3) - np.outer(at, at))
            )
        if mass <= 0:
            raise InputError(f"body-drag: folded_mass {self.folded_mass:g} kg is all of link 0's mass, or more")
        centre = moment / mass
        central = inertia - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        principal, frame = np.linalg.eigh(central)
        b = np.sqrt(np.maximum(6.0 * (principal.sum() - 2.0 * principal) / mass, 0.0))
        d, (p, q) = b.mean(), (np.roll(b, -1), np.roll(b, -2))
        return {
            "start": frame.T @ centre,
            "frame": frame.ravel(),
            "linear": np.full(3, 3.0 * np.pi * d * self.viscosity),
            "quadratic": 0.5 * self.density * p * q,
            "turning": np.full(3, np.pi * d**3 * self.viscosity),
            "turning_quadratic": self.density * b * (p**4 + q**4) / 64.0,
        }

    def _given_rows(self, robot: Any) -> Any:
        """Rows for links by their names."""
        rows = {robot.link_names[row.link]: k for k, row in enumerate(robot.rows) if row.carries}
        unknown = [item.link for item in self._stated if item.link not in rows]
        if unknown:
            raise InputError(f"body-drag: there is no link {unknown[0]!r}; {nearest(unknown[0], rows)}")
        chosen = [rows[item.link] for item in self._stated]
        bodies, homes = robot.bodies(), [robot.rows[k].home for k in chosen]
        centres = [bodies.moment[k] / bodies.mass[k] if bodies.mass[k] else np.zeros(3) for k in chosen]
        columns = {
            name: np.array([getattr(item, name) for item in self._stated])
            for name in ("linear", "quadratic", "turning", "turning_quadratic")
        }
        return body_rows(
            BodyDragLaw(),
            chosen,
            wind=self.wind,
            frame=np.array([home.ravel() for home in homes]),
            start=np.array([home.T @ centre for home, centre in zip(homes, centres, strict=True)]),
            **columns,
        )


def animat_drag(path: Path) -> tuple[BodyCoefficients, ...]:
    """Drag per link of a FARMS animat.yaml: two rows of three, of the squares of velocity and rate."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    refuse_pipe(path)
    try:
        data = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
        links = data["morphology"]["links"]
        found = [
            (str(link["name"]), np.abs(np.array(link["drag_coefficients"], dtype=float).reshape(2, 3)))
            for link in links
            if link.get("drag_coefficients") is not None
        ]
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except (YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"{path.name} has no morphology.links with a name and drag_coefficients of two rows of three "
            f"numbers ({type(error).__name__}: {' '.join(str(error).split())[:80]})"
        ) from None
    return tuple(
        BodyCoefficients(link=name, quadratic=tuple(rows[0].tolist()), turning_quadratic=tuple(rows[1].tolist()))
        for name, rows in found
    )
