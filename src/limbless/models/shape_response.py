"""How a body answers to a change of its shape where no past decides: `ChainResponse` and `RodResponse`.

At a posture r, shapes that change with r' move the base with the twist A(r) r' where what resists is linear in the
velocities, or is momentum, or is ideal wheels; elsewhere with a twist that each rate has for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from limbless.core import Array, InputError
from limbless.environments import Environment, Wheels
from limbless.mechanics.chain import BASES, BalanceScratch
from limbless.mechanics.compiled import aligned_zeros, pack
from limbless.mechanics.contact import Feature
from limbless.mechanics.contact.shapes.loaded_wheel import WheelShape
from limbless.mechanics.contact.shapes.primitives import SHAPE
from limbless.mechanics.geometry import connection as kernels
from limbless.mechanics.rod import RodDrive, RodOptions, RodShape, ShapeSums, Strains, make_desk, shape_all
from limbless.models import MacroContinuousSettings, refuse_law_failure
from limbless.models.chain.chain_evaluation import ChainEvaluator
from limbless.models.chain.newton_euler_model import NewtonEuler
from limbless.models.rod.rod_model import MacroContinuous
from limbless.models.rod.rod_problem import SIZE
from limbless.robots import NATURAL, Chain, Rod

PLANE = [0, 1, 5]
STILL = np.zeros(6)
LINEAR = 1e-10
"""What twice a motion may differ from twice its force, relative, for a law to be linear."""
UNDECIDED = (
    "the forces leave a motion of the base undetermined, and a map needs a force against every direction: add a drag "
    "(also vertical and roll where robot.base is 'free'), or set robot.base to planar"
)

UNBALANCED = (
    "no balance of forces was found: a dry law is nearly a step, and few Gauss points make a staircase of it; give it "
    "more `points` (16 for a few long links), or a larger `speed` below which it is viscous"
)


class Response(NamedTuple):
    """At S postures: the connection in the base frame, and where the pieces of body are."""

    A: Array  # (S, 3 or 6, p)
    metric: Array | None  # (S, p, p): power, or twice the kinetic energy, per rate squared
    drag: Array | None  # (S, 3 or 6, 3 or 6): what resists the base as a whole
    place: Array  # (S, pieces, 3): middle of every piece of body, x, y and angle, base axes
    swing: Array  # (S, pieces, p, 3): how shapes move it while the base rests
    wheels: Array | None = None  # (S, wheels, 3 + p): rows C of side slip


def wrong_environment(environment: Sequence[Environment], level: bool) -> None:
    """Refuse what makes the answer depend on place, direction or time."""
    for item in environment:
        if item.role not in ("wrench", "friction"):
            raise InputError(
                f"environment {item.kind!r}: a map needs a world that is the same everywhere, and this one has places "
                "to touch; leave it out, or take regularised-friction for the ground"
            )
        if item.active is not None:
            raise InputError(f"environment.{item.kind}.active: a map knows no time; leave the windows out")
        why = None if item.kind == "force-law" else item.varies(level)
        if item.pull is not None or why:
            raise InputError(
                f"environment {item.kind!r}: a map needs a world that is the same everywhere "
                f"({why or 'a field has a direction'}); leave it out"
            )
        if item.role == "friction" and not isinstance(item, Wheels):
            raise InputError(f"environment {item.kind!r}: set-valued friction has no map; take regularised-friction")
    wheeled = [item for item in environment if isinstance(item, Wheels) and item.role == "friction"]
    if wheeled and len(environment) > 1:
        raise InputError(
            "environment: wheels that do not slip decide the motion by themselves, so that what is beside them has no "
            f"say ({', '.join(item.kind for item in environment if item not in wheeled) or 'wheels twice'}); leave it "
            "out, or give the wheels `law: regularised`"
        )


def _solved(D: Array, rows: int) -> tuple[Array, Array]:
    """A = -D_bb⁻¹ D_bs and G = D_ss + D_sb A; the first `rows` motions are those of the base."""
    size = np.sqrt(np.abs(np.einsum("sii->si", D[:, :rows, :rows])))
    if (size < 1e-150).any() or not np.isfinite(size).all():
        raise InputError(UNDECIDED)
    scaled = D[:, :rows, :rows] / (size[:, :, None] * size[:, None, :])
    if np.abs(np.linalg.det(scaled)).min() < 1e-13:
        raise InputError(UNDECIDED)
    A: Array = -np.linalg.solve(D[:, :rows, :rows], D[:, :rows, rows:]).astype(np.float64, copy=False)
    G = D[:, rows:, rows:] + D[:, rows:, :rows] @ A
    return A, 0.5 * (G + G.swapaxes(1, 2))


class ChainResponse:
    """A chain whose joints are `rest + basis r`."""

    def __init__(
        self, chain: Chain, environment: Sequence[Environment], basis: Array, rest: Array, height: float = 0.0
    ) -> None:
        self.chain, self.basis, self.rest = chain, basis, rest
        self.wheeled = [item for item in environment if isinstance(item, Wheels) and item.role == "friction"]
        model = NewtonEuler(chain, [item for item in environment if item not in self.wheeled])
        self.environment, self.rows = model.environment, PLANE if chain.base == "planar" else list(range(6))
        free = np.isin(np.arange(6), self.rows).astype(float)
        self._desk = pack(BalanceScratch(free, np.zeros((6, 6)), np.zeros((6, 7)), np.zeros(6)))
        self._now = ChainEvaluator(model._plain, getattr(BASES, chain.base), model._forces)
        self._now.position[2] = height
        pieces = chain.segments()
        self.lengths = np.array([piece.length for piece in pieces])
        self._bodies = np.array([piece.body for piece in pieces], dtype=np.int64)
        self._middles = np.array([piece.start + 0.5 * piece.length * piece.frame[:, 0] for piece in pieces])[:, :2]
        self._angles = np.array([np.arctan2(piece.frame[1, 0], piece.frame[0, 0]) for piece in pieces])
        self.length = float(self.lengths.sum())
        self.inertial = not self.wheeled and not self._pushes()
        self.linear = bool(self.wheeled) or self.inertial or self._is_linear()
        self.wheels = self._places_of_wheels()

    @property
    def medium(self) -> str:
        """What decides: `wheels`, `momentum`, `drag` (linear) or `friction` (not linear)."""
        return "wheels" if self.wheeled else "momentum" if self.inertial else "drag" if self.linear else "friction"

    def _resist(self, postures: Array, motions: Array, inertial: bool) -> tuple[Array, Array, Array]:
        count, m, bodies = len(postures), len(motions), len(self._now.robot.links.codes)
        D, places, swings = np.zeros((count, m, m)), np.zeros((count, bodies, 3)), np.zeros((count, bodies, m, 3))
        work = aligned_zeros((m, bodies, 6)), aligned_zeros((m, bodies, 6))
        joints = np.ascontiguousarray(self.rest + postures @ self.basis.T)
        kernels.resistances(self._now.instant, inertial, joints, motions, *work, D, places, swings)
        refuse_law_failure(self.environment)
        return D, places, swings

    def _motions(self) -> Array:
        """The unit motions of the base, then those of the shapes."""
        p = self.basis.shape[1]
        motions = np.zeros((len(self.rows) + p, 6 + len(self.rest)))
        motions[np.arange(len(self.rows)), self.rows] = 1.0
        motions[len(self.rows) :, 6:] = self.basis.T
        return motions

    def _trial(self) -> tuple[Array, Array, Array]:
        """Powers of unit motions against a random motion, twice that, another, and the sum of both."""
        some = np.random.default_rng(1)
        units = self._motions()
        first, second = some.standard_normal((2, len(units))) @ units
        posture = 0.3 * some.standard_normal((1, self.basis.shape[1]))
        D, _, _ = self._resist(posture, np.vstack([units, first, 2.0 * first, second, first + second]), False)
        a, twice, b, both = D[0, : len(units), -4:].T
        return a, twice - 2.0 * a, both - a - b

    def _pushes(self) -> bool:
        return bool(np.abs(self._trial()[0]).max() > 0.0)

    def _is_linear(self) -> bool:
        a, doubled, joined = self._trial()
        return max(float(np.abs(doubled).max()), float(np.abs(joined).max())) <= LINEAR * float(np.abs(a).max())

    def _places_of_wheels(self) -> list[tuple[int, Array, Array, float]]:
        """Body, place and axle (in its frame), and load of every wheel."""
        found = []
        for item in self.wheeled:
            if item.load == "solved":
                raise InputError("wheels.load: a map takes loads as given; set load to own or shared")
            for body, surface, feature in item.contacts(self.chain):
                wheel, place = WheelShape.of(surface[None, SHAPE:]), Feature.of(feature[None]).begin[0, :2]
                found.append((body, place, wheel.axle[0, :2], float(wheel.load[0])))
        return found

    def at(self, r: Array) -> Response:
        """The response at postures (S, p)."""
        rows = len(self.rows)
        D, places, swings = self._resist(r, self._motions(), self.inertial)
        place, swing = self._pieces(places, swings[:, :, rows:])
        if self.wheeled:
            C = self._slips(places, swings)
            return Response(np.zeros((len(r), 3, 0)), None, None, place, swing, C)
        if not self.linear:
            return Response(np.zeros((len(r), rows, 0)), None, None, place, swing)
        A, G = _solved(D, rows)
        return Response(A, G, D[:, :rows, :rows], place, swing)

    def _pieces(self, places: Array, swings: Array) -> tuple[Array, Array]:
        """Middles of the pieces of body from the frames of their bodies."""
        own, moved = places[:, self._bodies], swings[:, self._bodies]
        c, s = np.cos(own[..., 2]), np.sin(own[..., 2])
        x, y = self._middles.T
        arm = np.stack([c * x - s * y, s * x + c * y], axis=-1)
        turned = np.unwrap(own[..., 2] + self._angles, axis=1)
        place = np.concatenate([own[..., :2] + arm, turned[..., None]], axis=-1)
        swing = moved.copy()
        swing[..., 0] -= moved[..., 2] * arm[:, :, None, 1]
        swing[..., 1] += moved[..., 2] * arm[:, :, None, 0]
        return place, swing

    def _slips(self, places: Array, swings: Array) -> Array:
        """(S, wheels, 3 + p): velocity along the axle of each wheel per motion."""
        found = []
        for body, (px, py), (ax, ay), _ in self.wheels:
            c, s = np.cos(places[:, body, 2])[:, None], np.sin(places[:, body, 2])[:, None]
            v = swings[:, body]
            along, across = v[..., 0] * c + v[..., 1] * s, v[..., 1] * c - v[..., 0] * s
            found.append((along - v[..., 2] * py) * ax + (across + v[..., 2] * px) * ay)
        return np.stack(found, axis=1)

    def velocity(self, r: Array, rate: Array, start: Array | None = None) -> tuple[Array, Array]:
        """Twist (S, 3 or 6) of the base at postures with rates (S, p), and the power (S,) that forces take, by a
        balance of its own each; from `start`, a twist near it.
        """
        twists, spent, found = np.zeros((len(r), 6)), np.zeros(len(r)), np.zeros(len(r))
        if start is not None:
            twists[:, self.rows] = start
        bends, rates = np.ascontiguousarray(self.rest + r @ self.basis.T), np.ascontiguousarray(rate @ self.basis.T)
        kernels.chain_balances(self._now.instant, self._desk, bends, rates, twists, spent, found)
        for row in np.flatnonzero(found == 0.0):
            self._once_more(bends[row], rates[row], twists[row], spent[row : row + 1], found[row : row + 1])
        refuse_law_failure(self.environment)
        if (found == 0.0).any():
            where = np.round(r[int(found.argmin())], 4).tolist()
            raise InputError(f"{UNDECIDED if self.linear else UNBALANCED} (at the posture {where})")
        return twists[:, self.rows], spent

    def _once_more(self, bend: Array, rate: Array, twist: Array, spent: Array, found: Array) -> None:
        """A balance that was not found from a neighbour's answer: from rest, then from the answers of postures beside
        it, for a law that is nearly a step has folds, and a search from elsewhere passes them."""
        for aside in (0.0, 1e-3, -1e-3, 4e-3, -4e-3, 1e-2, -1e-2, 3e-2, -3e-2):
            start = np.zeros((1, 6))
            for nudge in (aside, 0.0) if aside else (0.0,):
                where = (bend * (1.0 + nudge) + nudge)[None]
                kernels.chain_balances(self._now.instant, self._desk, where, rate[None].copy(), start, spent, found)
            if found[0]:
                twist[:] = start[0]
                return

    def tow(self, r: Array, velocity: Array) -> float:
        """Force (N) that tows the body, held at one posture (p,), with a velocity of unit size (2,) in base axes."""
        push = np.zeros((1, 6 + len(self.rest)))
        push[0, :2] = velocity
        D, _, _ = self._resist(r[None], push, False)
        return float(D[0, 0, 0])


class RodResponse:
    """A rod whose yaw curvature is `rest + basis r` at the nodes of its mesh."""

    wheels: tuple[Any, ...] = ()
    wheeled: tuple[Any, ...] = ()

    def __init__(
        self,
        rod: Rod,
        environment: Sequence[Environment],
        settings: Any,
        basis: Array,
        rest: Array,
        height: float = 0.0,
    ) -> None:
        self.rod, self.basis, self.rest = rod, basis, rest
        self._model = MacroContinuous(rod, environment, None, settings)
        if self._model.kinematic is not None:
            raise InputError("environment: contacts decide the motion of the rod by themselves, and have no map here")
        self.environment, self.rows = self._model.environment, PLANE if rod.base == "planar" else list(range(6))
        self._height, self.length, self.lengths = height, rod.length, self._model.mesh.weight
        self.inertial = not self._model.forces
        self._options = RodOptions(momentum=True) if self.inertial else RodOptions(inertialess=True)
        self.linear = self.inertial or self._is_linear()
        self.medium = "momentum" if self.inertial else "drag" if self.linear else "friction"

    @staticmethod
    def settings(model: Any, medium: bool) -> MacroContinuousSettings:
        """Those of a scenario, or the usual ones; without inertia where something resists."""
        own = model if isinstance(model, MacroContinuousSettings) else MacroContinuousSettings()
        return own.changed(inertia=not medium)

    def _strains(self, r: Array, rate: Array) -> Strains:
        value, first, none = (np.tile(part, (len(r), len(self.rest), 1)) for part in (NATURAL, STILL, STILL))
        value[:, :, 5], first[:, :, 5] = self.rest + r @ self.basis.T, rate @ self.basis.T
        return Strains(value, first, none)

    def _is_linear(self) -> bool:
        some = np.random.default_rng(1)
        p = self.basis.shape[1]
        r, a, b = 0.3 * some.standard_normal((1, p)) / self.length, *some.standard_normal((2, 1, p))
        twist, power = self.velocity(np.tile(r, (3, 1)), np.vstack([a, 2.0 * a, b]))
        both, _ = self.velocity(r, a + b)
        # the power of a law of first degree is of second degree, and motions of the base add up
        off = max(np.abs(twist[1] - 2.0 * twist[0]).max(), np.abs(both[0] - twist[0] - twist[2]).max())
        return bool(off <= 1e-8 * np.abs(twist).max() and abs(power[1] - 4.0 * power[0]) <= 1e-8 * abs(power[1]))

    def velocity(self, r: Array, rate: Array, start: Array | None = None) -> tuple[Array, Array]:
        """As `ChainResponse.velocity`."""
        twists, spent, x = np.zeros((len(r), 6)), np.zeros(len(r)), self._placed()
        if start is not None and not self.inertial:
            twists[:, self.rows] = start
        failed = kernels.rod_balances(self._packed(r, rate, self._options), x, np.zeros(SIZE), twists, spent)
        refuse_law_failure(self.environment)
        if failed:
            raise InputError(UNDECIDED if getattr(self, "linear", True) else UNBALANCED)
        return twists[:, self.rows], spent

    def at(self, r: Array) -> Response:
        """The response at postures (S, p): columns from unit rates, the metric from the powers of pairs of them."""
        count, p = r.shape
        place, swing = self._nodes(r)
        if not self.linear:
            return Response(np.zeros((count, len(self.rows), 0)), None, None, place, swing)
        A, G = np.zeros((count, len(self.rows), p)), np.zeros((count, p, p))
        for j in range(p):
            A[:, :, j], G[:, j, j] = self.velocity(r, np.tile(np.eye(p)[j], (count, 1)))
        for k, j in combinations(range(p), 2):
            _, both = self.velocity(r, np.tile(np.eye(p)[j] + np.eye(p)[k], (count, 1)), A[:, :, j] + A[:, :, k])
            G[:, j, k] = G[:, k, j] = 0.5 * (both - G[:, j, j] - G[:, k, k])
        return Response(A, None if self.inertial else G, None, place, swing)

    def _nodes(self, r: Array) -> tuple[Array, Array]:
        nodes, p = len(self.rest), self.basis.shape[1]
        place, swing = np.zeros((len(r), nodes, 3)), np.zeros((len(r), nodes, p, 3))
        for j in range(p):
            shapes, sums = RodShape.zeros(len(r), nodes), ShapeSums.zeros(len(r))
            strains = self._strains(r, np.tile(np.eye(p)[j], (len(r), 1)))
            shape_all(self._model.body, strains, make_desk(nodes), shapes, sums)
            node = RodShape.of(shapes)
            R = node.rotation.reshape(len(r), nodes, 3, 3)
            place[..., :2] = node.place[..., :2]
            place[..., 2] = np.unwrap(np.arctan2(R[..., 1, 0], R[..., 0, 0]), axis=1)
            # along the head's axes, about its origin: see `magnus.to_section`
            v, w = node.swing[..., :3], node.swing[..., 3:]
            swing[:, :, j, :2], swing[:, :, j, 2] = (v + np.cross(w, node.place))[..., :2], w[..., 2]
        return place, swing

    def tow(self, r: Array, velocity: Array) -> float:
        """As `ChainResponse.tow`: a rod held at a posture, dragged along."""
        twists, spent, x = np.zeros((1, 6)), np.zeros(1), self._placed()
        x[7:9], twists[0, :2] = velocity, velocity
        still = np.zeros((1, self.basis.shape[1]))
        kernels.rod_balances(self._packed(r[None], still, RodOptions()), x, np.zeros(SIZE), twists, spent)
        return float(spent[0])

    def _placed(self) -> Array:
        """A state of the head at its height."""
        x = np.zeros(SIZE)
        x[2], x[3] = self._height, 1.0
        return x

    def _packed(self, r: Array, rate: Array, options: RodOptions) -> Any:
        """The problem of a rod in these postures, with these rates."""
        drive = RodDrive(self._strains(r, rate), np.zeros(len(r)))
        return pack(self._model._problem(drive, self._model.tallies.start({}, 0.0), 0)._replace(options=options))
