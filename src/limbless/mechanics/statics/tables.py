"""A tendon-driven spine as a problem: what it is, what acts on it, how it is solved, and working memory.

All vectors along the axes of the clamped disk 0 (z along the backbone) unless a comment says otherwise. v vertebrae of
`freedoms` unknowns each; in flat arrays the unknowns of vertebra i stand at freedoms * i + k, n in all.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

from limbless.mechanics.statics.vertebra import Vertebrae


class SolveStatus(IntEnum):
    """How a solution ended; `q` then holds its last posture."""

    SOLVED = 0
    SADDLE = 1
    FOLDED = 2
    STUCK = 3
    OUT_OF_REACH = 4


class NoFriction(NamedTuple):
    """Tendons slide freely."""


class Coulomb(NamedTuple):
    """Tendons rub on the disks."""

    coefficient: float


class LossRatio(NamedTuple):
    """The paper's fit (22) of its friction tests: a coefficient that fades with the angle of the tendon at the disk, in
    degrees.
    """

    largest: float
    fading: float


class EnergyForm(NamedTuple):
    """Virtual work over the arc, with an exact Hessian."""


class MomentForm(NamedTuple):
    """The paper's moments at the inner end of each arc."""

    drop_axial: bool  # leave out, on disks that a tendon merely passes, its force along z of the disk, as
    # published code does


class Spine(NamedTuple):
    """A tendon-driven spine in arrays; disk 0 is clamped."""

    length: Any  # (v,)            m
    joint: Any  # Arc or Hinge
    share: float  # of the twist, before the bend: a half (second order), or none, as in published code
    stiffness: Any  # (v, freedoms)   N m/rad: lateral (b), dorso-ventral (g), twist (e)
    rest: Any  # (v, freedoms)   rad
    holes: Any  # (v + 1, tendons, 3)  m
    end: Any  # (tendons,)      disk on which each is anchored
    low: Any  # (v, freedoms)   stops, rad
    high: Any


class NoSurface(NamedTuple):
    """No water, or water that does not end: its lift is a dead load."""


class SpineWater(NamedTuple):
    """Still water up to a level. Vertebrae are cut into straight slabs, each at the centroid of its arc."""

    up: Any  # (3,)    against gravity, of length 1
    height: float  # of the surface above the centre of disk 0, m
    half_width: float  # half axes of the section along x and y of a disk, m
    half_height: float
    lift: Any  # (v,)    weight of displaced water per length, N/m
    thickness: Any  # (v,)    of one slab, m
    nodes: Any  # Gauss abscissae in [0, 1] and their weights, for slabs that lie flat
    weights: Any
    slabs: Vertebrae  # memory: those of vertebra i in its inner disk's axes; `offset` is the centroid of a slab
    marks: Vertebrae  # memory: an arc up to the edges and middles of its slabs
    reached: Any  # (marks,) length up to there, m
    bent: Any  # (marks, freedoms) memory: bend and twist up to there
    carried: Any  # (6, 6)  memory: stiffness of all slabs beyond a vertebra, about the centre of disk 0
    felt: Any  # (freedoms, 6) memory: how their wrench answers to each unknown of it


class Loads(NamedTuple):
    """Dead loads, and what the tendons are told."""

    disk: Any  # (v, 3)  force at the centre of each disk, the tip force on the last, N
    joint: Any  # (v, 3)  force at the centroid of each joint (weight less buoyancy), N
    tip_moment: Any  # (3,)    N m
    command: Any  # (tendons,) tension, N; or the commanded length of an elastic tendon, m
    elastic: Any  # (tendons,) stiffness of each tendon when it begins to pull, N/m; 0: its tension is given
    stiffening: Any  # (tendons,) 1/m: how much its stiffness grows per newton of tension
    friction: Any  # NoFriction, Coulomb or LossRatio
    slip: Any  # (tendons,) +1 pulled, -1 released, between them stuck; scales and signs the friction
    before: Any  # (tendons,) length at the posture before, m: what a stuck tendon keeps
    sticking: bool  # whether `slip` is to be found (a tendon keeps its length or slides) or is given
    at_tip: bool  # whether `command` is the tension at the anchor
    water: Any  # NoSurface or Level


class SpineState(NamedTuple):
    """A posture that was evaluated: poses, tendons and their rates."""

    bones: Vertebrae
    chord: Any  # (v, tendons)      m
    slope: Any  # (v, tendons, 3)
    curve: Any  # (v, tendons, 6)
    tension: Any  # (v, tendons)      N, in each chord
    rotation: Any  # (v + 1, 3, 3)     axes of each disk
    origin: Any  # (v + 1, 3)        centres of the disks, m
    turn: Any  # (v, 3, 3)         W_k
    reach: Any  # (v, 3, 3)         D_k
    total: Any  # (tendons,)        length of each tendon, m
    lever: Any  # (n, tendons)      d total / dq


class Iteration(NamedTuple):
    """Working memory of Newton's method."""

    residual: Any  # (n,)   r, N m
    hessian: Any  # (n, n) H
    factor: Any  # (n, n)
    step: Any  # (n,)
    held: Any  # (n,)   1 where an unknown rests against a stop
    trial: Any  # (v, freedoms)
    kept: Any  # (n,)   the residual while `residual` serves a step,
    kept_hessian: Any  # (n, n) and so the Hessian
    above: Any  # (n,)   residuals beside a posture, for differences
    below: Any  # (n,)
    slips: Any  # (tendons,)
    system: Any  # (n + tendons, n + tendons + 1) with its right side in the last column
    answers: Any  # (tendons + 1, n) of the posture: to its residual, and to each unknown tension
    tips: Any  # (tendons, tendons + 1) the tip's answer to them, and what remains to its target
    rate: Any  # (tendons, tendons) tensions per unknown
    component: Any  # (6,)   of the tip: see `tip_components`
    component_rate: Any  # (6, n)


class StaticsMethod(NamedTuple):
    """How it is solved."""

    form: Any  # Energy or Moment
    stops: bool  # whether bends are limited
    limit: int  # of iterations


class TipTarget(NamedTuple):
    """What is asked of the tip, and of which tendons: group a has the tendons member[first[a]] ... member[first[a + 1]
    - 1].
    """

    first: Any
    member: Any
    rows: Any  # which components of the tip
    largest: float  # tension, N


class SpineProblem(NamedTuple):
    """Everything that a solution needs."""

    spine: Spine
    loads: Loads
    method: StaticsMethod
    posture: SpineState
    iteration: Iteration
