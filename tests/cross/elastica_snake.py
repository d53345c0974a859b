"""The snake of PyElastica's examples on a ground that both engines can express; for tests and benchmarks.

PyElastica moves an elastic rod by muscle torques; `limbless` imposes strains. The two can express the same case once
the curvature is known: the bending that PyElastica finds is recorded and imposed, and the net motion that the ground
makes of it is compared. Stretch and shear, which the elastic rod has to a share of 1e-3 and less, the rod of `limbless`
has not.

The ground is the regularised law of `limbless` with the weight of the body everywhere, in place of PyElastica's plane
with its penalty: a force for each element, written for numba as PyElastica writes its own. Its last node is the head: X
= length - s.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import elastica as ea
import numpy as np
from numba import njit

import limbless as ll

Array = np.ndarray
LENGTH, RADIUS, DENSITY, MODULUS, PERIOD, GRAVITY = 0.35, 0.35 * 0.011, 1000.0, 1e6, 2.0, 9.81
MUSCLES = np.array([3.4e-3, 3.3e-3, 4.2e-3, 2.6e-3, 3.6e-3, 3.5e-3])  # N m: those of the published snake
MU = LENGTH / (PERIOD**2 * GRAVITY * 0.1)  # Froude number 0.1
SLIP, DAMPING = 0.01, 2.0  # m/s; 1/s, on every mass
PLANE_DAMPING = 2e-3  # 1/s on every mass, and the same number in N m s/kg on what turns: as in its example
# s: half as much again is unstable
STEP = 1e-4


class History(NamedTuple):
    """What a run of PyElastica recorded, from the head to the tail."""

    time: Array  # (R,)
    center: Array  # (R, 2) centre of mass, m
    abscissa: Array  # (n + 1,) of the curvatures: inner nodes, and the ends, where there is none
    curvature: Array  # (R, n + 1) yaw curvature, 1/m
    moment: Array  # (R, n + 1) yaw moment that each section passes on: of the bending and of the muscles, N m


@njit
def _rub(velocity: Array, directors: Array, grip: Array, slip: float, share: float, force: Array) -> None:
    """Force on each element, half to each of its nodes. The tangent points to the head."""
    for k in range(directors.shape[2]):
        ahead, side = 0.0, 0.0
        for c in range(2):
            v = 0.5 * (velocity[c, k] + velocity[c, k + 1])
            ahead += v * directors[2, c, k]
            side += v * directors[1, c, k]
        along, across = grip[0] if ahead > 0.0 else grip[1], grip[2]
        size = np.sqrt((along * ahead) ** 2 + (across * side) ** 2 + (max(along, across) * slip) ** 2)
        for c in range(2):
            f = -share * (along**2 * ahead * directors[2, c, k] + across**2 * side * directors[1, c, k]) / size
            force[c, k] += 0.5 * f
            force[c, k + 1] += 0.5 * f


class Ground(ea.NoForces):  # type: ignore[misc]
    """Anisotropic dry friction, regularised: the law of `limbless` (`regularised-friction`)."""

    def __init__(self, weight: float) -> None:
        super().__init__()
        self.grip, self.share = MU * np.array([1.0, 1.5, 2.0]), weight

    def apply_forces(self, system: Any, time: float = 0.0) -> None:
        _rub(
            system.velocity_collection, system.director_collection, self.grip, SLIP, self.share, system.external_forces
        )


class _World(ea.BaseSystemCollection, ea.Forcing, ea.Damping, ea.Contact):  # type: ignore[misc]
    pass


class Snake:
    """PyElastica's snake, ready to step; on PyElastica's own plane with its friction, if `plane`."""

    def __init__(self, elements: int, step: float = STEP, plane: bool = False) -> None:
        self.elements, self.step, self.time = elements, step, np.float64(0.0)
        self.world = _World()
        self.rod = ea.CosseratRod.straight_rod(
            elements,
            np.zeros(3),
            np.array([1.0, 0.0, 0.0]),
            np.array([0.0, 0.0, 1.0]),
            LENGTH,
            RADIUS,
            DENSITY,
            youngs_modulus=MODULUS,
            shear_modulus=MODULUS / 1.5,
        )
        self.world.append(self.rod)
        self.world.add_forcing_to(self.rod).using(
            ea.MuscleTorques,
            base_length=LENGTH,
            b_coeff=MUSCLES,
            period=PERIOD,
            wave_number=2.0 * np.pi,
            phase_shift=0.0,
            rest_lengths=self.rod.rest_lengths,
            ramp_up_time=PERIOD,
            direction=np.array([0.0, 0.0, 1.0]),
            with_spline=True,
        )
        if plane:
            self._lay_on_plane()
        else:
            weight = DENSITY * np.pi * RADIUS**2 * LENGTH / elements * GRAVITY
            self.world.add_forcing_to(self.rod).using(Ground, weight=weight)
        damping = {"damping_constant": PLANE_DAMPING} if plane else {"uniform_damping_constant": DAMPING}
        self.world.dampen(self.rod).using(ea.AnalyticalLinearDamper, **damping, time_step=step)
        self.world.finalize()
        self.stepper = ea.PositionVerlet()

    def _lay_on_plane(self) -> None:
        """As in its example: weight, and a plane whose penalty and friction are those of Gazzola et al. 2018."""
        self.world.add_forcing_to(self.rod).using(ea.GravityForces, acc_gravity=np.array([0.0, 0.0, -GRAVITY]))
        ground = ea.Plane(plane_origin=np.array([0.0, 0.0, -RADIUS]), plane_normal=np.array([0.0, 0.0, 1.0]))
        self.world.append(ground)
        self.world.detect_contact_between(self.rod, ground).using(
            ea.RodPlaneContactWithAnisotropicFriction,
            k=1.0,
            nu=1e-6,
            slip_velocity_tol=1e-8,
            static_mu_array=np.zeros(3),
            kinetic_mu_array=MU * np.array([1.0, 1.5, 2.0]),
        )

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            self.time = self.stepper.step(self.world, self.time, np.float64(self.step))

    def run(self, duration: float, every: float) -> History:
        """Step and record."""
        steps, kept = round(every / self.step), []
        for record in range(round(duration / every) + 1):
            if record:
                self.advance(steps)
            mass, place = self.rod.mass, self.rod.position_collection
            kept.append((float(self.time), (place[:2] @ mass) / mass.sum(), self.rod.kappa[0].copy(), self._moment()))
        time, center, bend, moment = (np.array(part) for part in zip(*kept, strict=True))
        ends = [(0, 0), (1, 1)]  # nothing bends the two ends
        return History(
            time,
            center,
            np.linspace(0.0, LENGTH, self.elements + 1),
            np.pad(-bend[:, ::-1], ends),
            np.pad(moment[:, ::-1], ends),
        )

    def _moment(self) -> Array:
        """At the inner nodes, of the bending and of the muscles as `MuscleTorques` has them."""
        place = np.cumsum(self.rod.rest_lengths) / LENGTH
        pull = (
            min(1.0, float(self.time) / PERIOD)
            * ea.utils._bspline(MUSCLES)[0](place)
            * np.sin(2.0 * np.pi * (self.time / PERIOD - place))
        )
        return np.asarray(pull[::-1][1:] - self.rod.bend_matrix[0, 0] * self.rod.kappa[0])


def touching(cells: int, step: float, duration: float) -> ll.Scenario:
    """The scenario `snake-soft`, which is this snake among hard things, to be run for so long."""
    own = ll.Scenario.load("snake-soft")
    return own.changed(model=own.model.changed(cells=cells), step=step, duration=duration, record_every=PERIOD)


def rod() -> ll.Rod:
    """The same body for `limbless`."""
    return ll.Rod(name="snake", base="planar", strains="planar", length=LENGTH, half_width=RADIUS, density=DENSITY)


def environment() -> list[Any]:
    """The same ground and damping."""
    damping = DAMPING * DENSITY * np.pi * RADIUS**2
    return [
        ll.RegularisedFriction(forward=MU, backward=1.5 * MU, lateral=2.0 * MU, gravity=GRAVITY, speed=SLIP),
        ll.Drag(along=damping, lateral=damping, vertical=damping),
    ]


def gait(history: History) -> ll.SampledCurvature:
    """The recorded bending, to be imposed."""
    rows = ((t, *row) for t, row in zip(history.time, history.curvature, strict=True))
    return ll.SampledCurvature(table=((0.0, *history.abscissa), *rows), noise=0.0)


def motion(history: History, cells: int, step: float) -> ll.Result:
    """Net motion of `limbless` for the recorded bending: the head starts at PyElastica's
    last node and looks along -x.
    """
    settings = ll.MacroContinuousSettings(cells=cells)
    return ll.simulate(
        rod(),
        gait(history),
        environment(),
        model=settings,
        duration=float(history.time[-1]),
        step=step,
        record_every=float(history.time[1]),
        initial={"position": (LENGTH, 0.0, 0.0), "orientation": (0.0, 0.0, 0.0, 1.0)},
    )
