"""A tendon-driven spine as a problem: what it is, what acts on it, how it is solved, and working memory.

All vectors along the axes of the clamped disk 0 (z along the backbone) unless a comment says otherwise. v vertebrae of
`freedoms` unknowns each; in flat arrays the unknowns of vertebra i stand at freedoms * i + k, n in all.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

from limbless.mechanics.compiled import Array, IntArray
from limbless.mechanics.statics.vertebra import Vertebrae


class SolveStatus(IntEnum):
    """How a solution ended; `q` then holds its last posture."""

    SOLVED = 0
    SADDLE = 1
    FOLDED = 2
    STUCK = 3
    OUT_OF_REACH = 4


class Coulomb(NamedTuple):
    """Tendons rub on the disks."""

    coefficient: float


class LossRatio(NamedTuple):
    """The paper's fit (22) of its friction tests: a coefficient that fades with the angle of the
    tendon at the disk, in degrees.
    """

    largest: float
    fading: float


class MomentForm(NamedTuple):
    """The paper's moments at the inner end of each arc."""

    # leave out, on disks that a tendon merely passes, its force along z of the disk, as
    drop_axial: bool
    # published code does


class Spine(NamedTuple):
    """A tendon-driven spine in arrays; disk 0 is clamped."""

    length: Array  # (v,)            m
    hinge: Any  # share of its length at which a vertebra bends; None: it is an arc
    # of the twist, before the bend: a half (second order), or none, as in published code
    share: float
    stiffness: Array  # (v, freedoms)   N m/rad: lateral (b), dorso-ventral (g), twist (e)
    rest: Array  # (v, freedoms)   rad
    holes: Array  # (v + 1, tendons, 3)  m
    end: IntArray  # (tendons,)      disk on which each is anchored
    low: Array  # (v, freedoms)   stops, rad
    high: Array


class SpineWater(NamedTuple):
    """Still water up to a level. Vertebrae are cut into straight slabs, each at the centroid of its arc."""

    up: Array  # (3,)    against gravity, of length 1
    height: float  # of the surface above the centre of disk 0, m
    half_width: float  # half axes of the section along x and y of a disk, m
    half_height: float
    lift: Array  # (v,)    weight of displaced water per length, N/m
    thickness: Array  # (v,)    of one slab, m
    nodes: Any  # Gauss abscissae in [0, 1] and their weights, for slabs that lie flat
    weights: Any
    # memory: those of vertebra i in its inner disk's axes; `offset` is the centroid of a slab
    slabs: Vertebrae
    marks: Vertebrae  # memory: an arc up to the edges and middles of its slabs
    reached: Array  # (marks,) length up to there, m
    bent: Array  # (marks, freedoms) memory: bend and twist up to there
    # (6, 6)  memory: stiffness of all slabs beyond a vertebra, about the centre of disk 0
    carried: Any
    felt: Array  # (freedoms, 6) memory: how their wrench answers to each unknown of it


class Loads(NamedTuple):
    """Dead loads, and what the tendons are told."""

    disk: Array  # (v, 3)  force at the centre of each disk, the tip force on the last, N
    joint: Array  # (v, 3)  force at the centroid of each joint (weight less buoyancy), N
    tip_moment: Array  # (3,)    N m
    command: Array  # (tendons,) tension, N; or the commanded length of an elastic tendon, m
    # (tendons,) stiffness of each tendon when it begins to pull, N/m; 0: its tension is given
    elastic: Array
    stiffening: Array  # (tendons,) 1/m: how much its stiffness grows per newton of tension
    friction: Coulomb | LossRatio | None  # Coulomb or LossRatio; None: tendons slide freely
    # (tendons,) +1 pulled, -1 released, between them stuck; scales and signs the friction
    slip: Array
    before: Array  # (tendons,) length at the posture before, m: what a stuck tendon keeps
    # whether `slip` is to be found (a tendon keeps its length or slides) or is given
    sticking: bool
    at_tip: bool  # whether `command` is the tension at the anchor
    # SpineWater; None: no water, or water that does not end (its lift is a dead load)
    water: SpineWater | None


class SpineState(NamedTuple):
    """A posture that was evaluated: poses, tendons and their rates."""

    bones: Vertebrae
    chord: Array  # (v, tendons)      m
    slope: Array  # (v, tendons, 3)
    curve: Array  # (v, tendons, 6)
    tension: Array  # (v, tendons)      N, in each chord
    rotation: Array  # (v + 1, 3, 3)     axes of each disk
    origin: Array  # (v + 1, 3)        centres of the disks, m
    turn: Array  # (v, 3, 3)         W_k
    reach: Array  # (v, 3, 3)         D_k
    total: Array  # (tendons,)        length of each tendon, m
    lever: Array  # (n, tendons)      d total / dq


class ChainMatrix(NamedTuple):
    """A symmetric matrix of a spine: unknowns of vertebrae j < i meet in near_j . far_i, those of one in its block."""

    block: Array  # (v, freedoms, freedoms)
    near: Array  # (n, rank): 3, 6 more with a surface of water, one more per elastic tendon
    far: Array  # (n, rank)
    # memory of a factorisation: Cholesky factors, and `near` less what the vertebrae before answer
    pivot: Array  # (v, freedoms, freedoms)
    turned: Array  # (n, rank)
    free: Array  # (n, rank) `far` without the unknowns that are held
    answer: Array  # (rank, rank) of all vertebrae before
    sums: Array  # (freedoms + 1, rank)
    solved: Array  # (freedoms,)


class Iteration(NamedTuple):
    """Working memory of Newton's method."""

    residual: Array  # (n,)   r, N m
    hessian: ChainMatrix  # H
    step: Array  # (n,)
    held: IntArray  # (n,)   1 where an unknown rests against a stop
    trial: Array  # (v, freedoms)
    above: Array  # (n,)   residuals beside a posture, for differences
    below: Array  # (n,)
    slips: Array  # (tendons,)
    system: Array  # (n + tendons, n + tendons + 1) with its right side in the last column
    answers: Array  # (tendons + 1, n) of the posture: to its residual, and to each unknown tension
    tips: Array  # (tendons, tendons + 1) the tip's answer to them, and what remains to its target
    rate: Array  # (tendons, tendons) tensions per unknown
    component: Array  # (6,)   of the tip: see `tip_components`
    component_rate: Array  # (6, n)


class StaticsMethod(NamedTuple):
    """How it is solved."""

    form: MomentForm | None  # MomentForm; None: virtual work over the arc, with an exact Hessian
    stops: bool  # whether bends are limited
    limit: int  # of iterations


class TipTarget(NamedTuple):
    """What is asked of the tip, and of which tendons: group a has the tendons member[first[a]] ...
    member[first[a + 1] - 1].
    """

    first: IntArray
    member: IntArray
    rows: IntArray  # which components of the tip
    largest: float  # tension, N


class SpineProblem(NamedTuple):
    """Everything that a solution needs."""

    spine: Spine
    loads: Loads
    method: StaticsMethod
    posture: SpineState
    iteration: Iteration
