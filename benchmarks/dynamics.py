"""One evaluation of the dynamics of the 36-joint eel: forward and inverse, from Python and inside compiled loops."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

import limbless as ll
from benchmarks.peers import mujoco_model, pinocchio_configuration, pinocchio_model
from benchmarks.table import Row, Section, microseconds
from benchmarks.timing import Repeated, each, race
from limbless.mechanics.chain.joints import Spherical
from limbless.mechanics.chain.one_instant import evaluate
from limbless.mechanics.compiled.decorators import array_kernel

Array = NDArray[np.float64]
AGREEMENT = 1e-9


@array_kernel
def evaluate_often(times, instant):
    """`evaluate` inside a compiled loop."""
    for _ in range(times):
        evaluate(instant, 0.0)


class Evaluation:
    """The library's lean door in a random state; all joints motion-given (inverse) or torque-given (forward)."""

    def __init__(self, chain: ll.Chain, inverse: bool, environment: tuple[ll.Water, ...] = ()) -> None:
        rng, n = np.random.default_rng(0), chain.freedoms
        self.door = ll.NewtonEuler(chain, environment).evaluation(np.full(n, inverse))
        self.position, self.velocity, self.acceleration, self.torque = (
            self.door.position,
            self.door.velocity,
            self.door.acceleration,
            self.door.torque,
        )
        self.position[:], self.velocity[:] = self._position(chain, rng), 0.3 * rng.normal(size=6 + n)
        self.given = 0.1 * rng.normal(size=n)  # joint accelerations or torques
        (self.acceleration[6:] if inverse else self.torque)[:] = self.given
        self.instant = self.door.instant

    @staticmethod
    def _position(chain: ll.Chain, rng: np.random.Generator) -> Array:
        joints = [
            [1.0, 0.0, 0.0, 0.0] if kind == Spherical.code else [0.2 * rng.normal()]
            for kind in chain.arrays().joint_kind[1:]
        ]
        return np.concatenate([np.zeros(3), [1.0, 0.0, 0.0, 0.0], *joints])

    def from_python(self) -> Repeated:
        instant = self.instant
        return each(lambda: evaluate(instant, 0.0))

    def in_loop(self) -> Repeated:
        return lambda times: evaluate_often(times, self.instant)


def same(ours: Array, theirs: Array, what: str) -> None:
    """Engines that disagree are not compared."""
    error = np.abs(ours - theirs).max() / np.abs(theirs).max()
    if not error < AGREEMENT:
        raise RuntimeError(
            f"{what}: the engines differ by {error:.1e}; a comparison of their speeds would mean nothing"
        )


def forward_rows(chunks: int = 150) -> list[Row]:
    """Direct dynamics, beside `pin.aba` and `mj_forward`."""
    chain = ll.KhalilEel().build()
    ours, wet = Evaluation(chain, inverse=False), Evaluation(chain, inverse=False, environment=(ll.Water(),))
    model = pinocchio_model(chain)
    data, q, v = model.createData(), pinocchio_configuration(ours.position), ours.velocity
    effort = np.concatenate([np.zeros(6), ours.torque])
    evaluate(ours.instant, 0.0)
    same(ours.acceleration, pin.aba(model, data, q, v, effort), "pin.aba")
    other = mujoco_model(chain)
    state = mujoco.MjData(other)
    # base at the identity: both twists agree
    state.qpos, state.qvel, state.qfrc_applied = ours.position, v, effort
    mujoco.mj_forward(other, state)
    rate = state.qacc.copy()
    rate[:3] -= np.cross(v[3:6], v[:3])  # MuJoCo's is classical
    same(ours.acceleration, rate, "mj_forward")
    best = race(
        {
            "python": ours.from_python(),
            "pin": each(lambda: pin.aba(model, data, q, v, effort)),
            "loop": ours.in_loop(),
            "mujoco": each(lambda: mujoco.mj_forward(other, state)),
            "wet": wet.in_loop(),
        },
        chunks,
    )
    return [
        Row(
            "eel, direct dynamics, from Python / `pin.aba` from Python",
            microseconds(best["python"]),
            microseconds(best["pin"]),
            best["pin"] / best["python"],
            target=3,
        ),
        Row(
            "eel, direct dynamics, in a compiled loop / `pin.aba`",
            microseconds(best["loop"]),
            microseconds(best["pin"]),
            best["pin"] / best["loop"],
            target=5,
        ),
        Row(
            "the same beside `mj_forward` (with all of MuJoCo's other work)",
            microseconds(best["loop"]),
            microseconds(best["mujoco"]),
            best["mujoco"] / best["loop"],
        ),
        Row("the same in water, with added mass and drag (no peer can)", microseconds(best["wet"])),
    ]


class InversePeer:
    """Pinocchio's way to a free head: forces on a base that does not accelerate, its acceleration, torques."""

    def __init__(self, chain: ll.Chain) -> None:
        ours = Evaluation(chain, inverse=True)
        self.model = pinocchio_model(chain)
        self.data, self.q, self.v = self.model.createData(), pinocchio_configuration(ours.position), ours.velocity
        self.acceleration = np.concatenate([np.zeros(6), ours.given])
        self.inertia = pin.crba(self.model, self.data, self.q)[:6, :6].copy()

    def rnea(self) -> Array:
        return pin.rnea(self.model, self.data, self.q, self.v, self.acceleration)

    def solve(self) -> Array:
        """With the 6x6 inertia as a gift (it changes with q)."""
        self.acceleration[:6] = 0.0
        self.acceleration[:6] = np.linalg.solve(self.inertia, -self.rnea()[:6])
        return self.rnea()

    def solve_all(self) -> Array:
        """Without the gift."""
        self.inertia = pin.crba(self.model, self.data, self.q)[:6, :6]
        return self.solve()


def inverse_rows(chunks: int = 150) -> list[Row]:
    """Joint accelerations given, head free: base acceleration and torques."""
    ours, peer = Evaluation(ll.KhalilEel().build(), inverse=True), InversePeer(ll.KhalilEel().build())
    evaluate(ours.instant, 0.0)
    same(ours.torque, peer.solve()[6:], "rnea + solve + rnea")
    same(ours.acceleration[:6], peer.acceleration[:6], "rnea + solve + rnea")
    best = race(
        {"python": ours.from_python(), "pin": each(peer.solve), "loop": ours.in_loop(), "one": each(peer.rnea)}, chunks
    )
    return [
        Row(
            "eel, inverse dynamics with free head, from Python / rnea + 6x6 solve + rnea",
            microseconds(best["python"]),
            microseconds(best["pin"]),
            best["pin"] / best["python"],
            target=7,
        ),
        Row(
            "the same in a compiled loop",
            microseconds(best["loop"]),
            microseconds(best["pin"]),
            best["pin"] / best["loop"],
        ),
        Row(
            "the same beside one `pin.rnea` (which solves for nothing)",
            microseconds(best["loop"]),
            microseconds(best["one"]),
            best["one"] / best["loop"],
        ),
    ]


def peer_with_crba(chunks: int = 60) -> float:
    """Pinocchio's sequence when it has to find the 6x6 inertia itself, s."""
    peer = InversePeer(ll.KhalilEel().build())
    return race({"peer": each(peer.solve_all)}, chunks)["peer"]


def public_call(chunks: int = 30) -> float:
    """`NewtonEuler.forward` as users call it, s."""
    chain = ll.KhalilEel().build()
    model, ours = ll.NewtonEuler(chain), Evaluation(chain, inverse=False)
    q, qd = ours.position[7:], ours.velocity[6:]
    return race({"public": each(lambda: model.forward(q, qd, ours.torque, ours.velocity[:6]))}, chunks)["public"]


def spherical_rows(chunks: int = 100) -> list[Row]:
    """The eel on 12 true spherical joints, a form that suits Pinocchio better than 36 revolute ones."""
    chain = ll.KhalilEel(joints="spherical").build()
    ours = Evaluation(chain, inverse=False)
    model = pinocchio_model(chain)
    data, v, effort = model.createData(), ours.velocity, np.concatenate([np.zeros(6), ours.torque])
    q = pin.neutral(model)
    evaluate(ours.instant, 0.0)
    same(ours.acceleration, pin.aba(model, data, q, v, effort), "pin.aba, spherical")
    best = race({"pin": each(lambda: pin.aba(model, data, q, v, effort)), "loop": ours.in_loop()}, chunks)
    return [
        Row(
            "eel on 12 spherical joints, direct, in a compiled loop / `pin.aba`",
            microseconds(best["loop"]),
            microseconds(best["pin"]),
            best["pin"] / best["loop"],
        )
    ]


NOTES = """- The eel has a free head and 36 revolute joints, in threes without mass between them, in a random
  posture, dry. Pinocchio has it
  with its specialised joints about x, y and z; MuJoCo with three hinges per body.
- "From Python" is one call of a compiled function on a chain that was packed once
  (`benchmarks/dynamics.py`, `evaluate`: the
  kernels `move` and `hybrid_dynamics` of `limbless.mechanics.chain`). `NewtonEuler.forward` and its sisters check
  their input and
  allocate their answer, and take about {public:.0f} µs.
- "rnea + 6x6 solve + rnea" has the 6x6 inertia of the whole body as a gift; with `pin.crba` to compute it, it takes
  {with_crba}."""


def section() -> Section:
    """All of it, and what the rows mean."""
    rows = forward_rows() + inverse_rows() + spherical_rows()
    return Section(rows, NOTES.format(public=public_call() * 1e6, with_crba=microseconds(peer_with_crba())))
