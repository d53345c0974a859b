"""Dry sand: its two laws against numbers of an independent implementation, its power, its symmetries, and swimmers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.mechanics.algebra import Matrix, Vector
from limbless.mechanics.forces import SlenderSandLaw
from limbless.mechanics.forces.laws import Slice
from limbless.mechanics.forces.sand import face_stress, outline_wrench, slender_slice, stress_of


def row(sand: ll.Sand, half_width: float = 0.01, half_height: float = 0.01) -> Any:
    """The row of a link of such a section in this sand."""
    robot = ll.UniformChain(links=1, half_width=half_width, half_height=half_height).build()
    law = sand.pack(robot).laws[0]
    return law.kind.table(law.rows, 0)


FACES = ll.Sand(form="surface", medium="generic", zeta=1e-6, leading=0.0, skin=0.0, speed=1e-12)
EYE = Matrix(Vector(1.0, 0.0, 0.0), Vector(0.0, 1.0, 0.0), Vector(0.0, 0.0, 1.0))
ALONG_Y = Matrix(Vector(0.0, 1.0, 0.0), Vector(1.0, 0.0, 0.0), Vector(0.0, 0.0, -1.0))
"""Axes of a slice whose body runs along world y."""


@pytest.mark.parametrize(
    ("beta", "gamma", "along", "up"),
    [
        (0, 90, 0.0, 1.0),
        (90, 0, 0.37, 0.037),
        (45, 45, 0.35952900397563425, 0.570159992311072),
        (60, -30, 0.28925248486400257, 0.127),
        (20, 10, 0.2320781853898643, 0.5325289804330917),
        (-10, 80, -0.04938032090659397, 0.9551310405091614),
    ],
)
def test_stress_of_a_plate_is_that_of_li_zhang_and_goldman(beta: float, gamma: float, along: float, up: float) -> None:
    b, g = math.radians(beta), math.radians(gamma)
    stress = stress_of(row(FACES), math.sin(b), math.cos(b), math.sin(g), math.cos(g))
    assert stress == pytest.approx((along, up), abs=1e-12)
    mirrored = stress_of(row(FACES), -math.sin(b), math.cos(b), math.sin(g), -math.cos(g))
    assert mirrored == pytest.approx((-along, up), abs=1e-12)  # the other way round, seen from behind


@pytest.mark.parametrize(
    ("normal", "velocity", "stress"),
    [
        (
            (1.0, 0.0, 0.0),
            (math.cos(0.5), math.sin(0.5), 0.0),
            (-0.33425579812591255, -0.07563682858763594, 0.033425579812591255),
        ),
        ((0.48, 0.64, 0.6), (0.5, 0.1, 0.4), (-0.17768655072101378, -0.0920683820535179, -0.13328885375993244)),
        ((-0.6, 0.0, -0.8), (0.3, 0.0, -0.9), (0.13414040837528426, 0.0, 0.6162103351702828)),
    ],
)
def test_faces_that_move_obliquely(normal: Any, velocity: Any, stress: Any) -> None:
    assert face_stress(row(FACES), Vector(*normal), Vector(*velocity)) == pytest.approx(stress, abs=1e-10)


def across(sand: ll.Sand, velocity: Any, **section: float) -> np.ndarray:
    """Force per length of a slice along world y at height 0, world axes."""
    v = np.array(velocity)
    own = Vector(v[1], v[0], -v[2])
    F = outline_wrench(row(sand, **section), ALONG_Y, Vector(0.0, 0.0, 0.0), own, Vector(0.0, 0.0, 0.0)).force
    return np.array([F.y, F.x, -F.z])


@pytest.mark.parametrize(("faces", "leading", "error"), [(256, 0.0, 2e-3), (64, 0.05, 3e-3), (16, 0.05, 8e-3)])
def test_a_cylinder_in_sand_feels_the_sum_of_its_faces(faces: int, leading: float, error: float) -> None:
    sand = ll.Sand(form="surface", medium="generic", faces=faces, leading=leading, skin=0.0, surface=0.05, speed=1e-9)
    wanted = np.array([-409.14480763129956, 0.0, 344.5173831094516])
    assert np.abs(across(sand, (1.0, 0.0, 0.0)) - wanted).max() < error * 409.0
    oblique = np.array([-337.8269748139801, -174.94801276732562, 467.0535764933362])
    print(across(sand, (1.0, 0.0, 0.0)), across(sand, (0.8, 0.5, -0.3)), oblique)


SLENDER = ll.Sand(speed=1e-9, surface=0.05)


@pytest.mark.parametrize(
    ("velocity", "depth", "force"),
    [
        ((1.0, 0.0, 0.0), 0.05, (-102.08167339195268, 0.0)),
        ((0.0, 1.0, 0.0), 0.05, (0.0, -11.535433070866146)),
        ((0.3, 0.8, 0.0), 0.05, (-64.42757812429065, -21.152274725081302)),
        ((1.0, 0.0, 0.0), 0.004, (-10.004003992411363, 0.0)),
    ],
)
def test_a_thin_body_feels_the_law_of_maladen(velocity: Any, depth: float, force: Any) -> None:
    piece = Slice(
        ALONG_Y, Vector(0.0, 0.0, 0.05 - depth), Vector(velocity[1], velocity[0], 0.0), Vector(0.0, 0.0, 0.0), 0.0
    )
    found = slender_slice(SlenderSandLaw(), row(SLENDER), 0.0, piece).force
    assert (found.y, found.x) == pytest.approx(force, rel=1e-8, abs=1e-5)
