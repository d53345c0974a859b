"""Lanes: eight numbers at once give what eight computations give, and so do the rod's kernels that use them."""

from __future__ import annotations

import numpy as np
import pytest

from limbless.environments.regularised_friction import RegularisedFriction
from limbless.environments.water import Water
from limbless.mechanics.algebra.lie import pose_exp
from limbless.mechanics.algebra.spatial import Twist
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.compiled.decorators import array_kernel, kernel
from limbless.mechanics.compiled.flat_array import unpack, unpack_lanes
from limbless.mechanics.compiled.lanes import LANES, total
from limbless.mechanics.compiled.scalars import (
    absolute,
    exponential,
    logarithm,
    maximum,
    minimum,
    power_of,
    some_positive,
    sqrt,
    value_of,
)
from limbless.mechanics.forces.laws import LawWrench
from limbless.mechanics.rod.composite_inertia import sum_composite_inertia
from limbless.mechanics.rod.magnus import integrate_shape
from limbless.mechanics.rod.shape_batch import lay_slab, make_desk, shape_all
from limbless.mechanics.rod.slice_forces import SliceBands, SliceRows, keep_loads, load_all, push_rod
from limbless.mechanics.rod.tables import Instant, Load, RodShape, ShapeSums, Strains
from limbless.models.rod import rod_problem
from limbless.models.rod.rod_model import MacroContinuous
from limbless.robots.rod import Rod


@array_kernel
def _formulas(given, out):
    pair, found = unpack_lanes(given), unpack_lanes(out)
    x, y = pair[0], pair[1]
    found[0], found[1], found[2], found[3] = x + y, 2.0 - x, x * y - 3.0 * y, x / y
    found[4], found[5], found[6], found[7] = -x, sqrt(absolute(x)), maximum(x, y), minimum(x, 0.5)
    found[8] += 1.0 + x
    return total(x), value_of(x), some_positive(x), some_positive(x - value_of(x))


@array_kernel
def _exponential(v, out):
    g = pose_exp(Twist(Vector(v[0], v[1], v[2]), Vector(v[3], v[4], v[5])))
    out[0], out[1], out[2], out[3] = g.position.x, g.position.z, g.rotation.x.y, g.rotation.z.z


@array_kernel
def _exponential_of_lanes(v, out):
    _exponential(unpack_lanes(v), unpack_lanes(out))


def test_formulas() -> None:
    x, y = given = np.random.default_rng(1).normal(size=(2, LANES))
    out = np.zeros((9, LANES))
    summed, largest, one_positive, one_beyond_all = _formulas(given, out)
    expected = [
        x + y,
        2.0 - x,
        x * y - 3.0 * y,
        x / y,
        -x,
        np.sqrt(np.abs(x)),
        np.maximum(x, y),
        np.minimum(x, 0.5),
        1.0 + x,
    ]
    assert out == pytest.approx(np.array(expected), abs=1e-15)
    assert (summed, largest) == pytest.approx((x.sum(), x.max()))
    assert one_positive and not one_beyond_all


@array_kernel
def _powers(given, out):
    x = unpack_lanes(given)
    found = unpack_lanes(out)
    for i in range(len(x)):
        found[0, i], found[1, i] = exponential(x[i]), power_of(x[i], 0.3)
        found[2, i] = logarithm(exponential(x[i]))


def test_powers_and_their_limits() -> None:
    """To rounding of the argument over all numbers that they can give; 0 where they cannot."""
    some = np.random.default_rng(3).uniform(-690.0, 690.0, 50)
    x = np.concatenate([some, [0.0, 1e-17, -1e-9, -1e4, 0.3465735, -0.35]])
    given, out = x.reshape(-1, LANES).copy(), np.zeros((3, len(x) // LANES, LANES))
    _powers(given, out)
    expected = np.where(x < -700.0, 0.0, np.exp(x))
    assert np.all(np.abs(out[0].ravel() - expected) <= (3e-16 + 1e-16 * np.abs(x)) * expected)
    np.testing.assert_allclose(out[1].ravel(), np.where(x > 0.0, np.abs(x) ** 0.3, 0.0), rtol=1e-15)
    kept = expected > 0.0
    np.testing.assert_allclose(out[2].ravel()[kept], np.log(out[0].ravel()[kept]), rtol=3e-16, atol=1e-16)


@pytest.mark.parametrize("size", [0.1, 1.0, 3.0])
def test_exponentials_of_small_and_large_angles_side_by_side(size: float) -> None:
    """Lanes take one branch together: where some angles are small and some are not, each still gets its own digits."""
    v = size * np.random.default_rng(2).normal(size=(6, LANES))
    v[3:, 0], v[3:, 1] = 0.0, 1e-9
    found, one = np.zeros((4, LANES)), np.zeros(4)
    _exponential_of_lanes(v, found)
    for lane in range(LANES):
        _exponential(np.ascontiguousarray(v[:, lane]), one)
        assert found[:, lane] == pytest.approx(one, abs=1e-15)


@pytest.mark.parametrize("instants", [1, 7, 8, 19])
def test_shapes_of_many_instants_are_those_of_each(instants: int) -> None:
    """Also where the last eight are not full."""
    rng, model = np.random.default_rng(3), MacroContinuous(Rod(strains="reissner", taper=0.4))
    nodes = len(model.mesh.X)
    strains = Strains(*(rng.normal(size=(instants, nodes, 6)) for _ in range(3)))
    shapes, sums = RodShape.zeros(instants, nodes), ShapeSums.zeros(instants)
    shape_all(model.body, strains, make_desk(nodes), shapes, sums)
    alone, own = RodShape.zeros(nodes), ShapeSums.zeros(1)
    for i in range(instants):
        integrate_shape(model.body.halves, *(part[i] for part in strains), alone)
        sum_composite_inertia(model.body.sections, alone, own, 0)
        assert shapes[i] == pytest.approx(alone, rel=1e-12, abs=1e-12)
        assert sums[i] == pytest.approx(own[0], rel=1e-11, abs=1e-11)


@pytest.mark.parametrize(
    "environment",
    [
        Water(wake="none"),
        Water(wake="none", current=(0.1, 0.2, 0.0)),
        RegularisedFriction(),
        (Water(wake="none"), RegularisedFriction()),
    ],
)
def test_bands_push_as_their_rows_do(environment: object) -> None:
    """The same laws eight slices at a time and one by one: wrench, power, and what pushes each node."""
    rng, model = np.random.default_rng(4), MacroContinuous(Rod(taper=0.3), environment)  # type: ignore[arg-type]
    nodes = len(model.mesh.X)
    strains = [np.tile([1.0, 0, 0, 0, 0, 0], (nodes, 1)) + 0.1 * rng.normal(size=(nodes, 6)) for _ in range(3)]
    assert model.forces and all(isinstance(element, SliceBands) for element in model.forces)
    one_by_one = tuple(
        SliceRows(element.owner, element.kind, element.rows, LawWrench.zeros(len(element.rows.codes)))
        for element in model.forces
    )
    found = [_pushed(model, strains, forces) for forces in (model.forces, one_by_one)]
    for in_bands, in_rows in zip(*found, strict=True):
        assert in_bands == pytest.approx(in_rows, rel=1e-12, abs=1e-13)
    assert np.abs(found[0][0]).max() > 0.0


@kernel
def _push(robot, forces, memory, loads):
    given, here, rod = unpack(forces), unpack(memory), unpack(robot)
    lay_slab(here.shapes[0], here.slab)
    push_rod(given, 0.0, 0.0, rod, here)
    load_all(given, here)
    keep_loads(here.pushes, here.pokes, loads, 0)


def _pushed(model: MacroContinuous, strains: list[np.ndarray], forces: tuple) -> tuple[np.ndarray, ...]:
    """Wrench on the whole rod, its power along the swing, the power of each law, and the load of each node."""
    laws, loads = len(model.tallies.laws), Load.zeros(1, len(model.mesh.X))
    memory = rod_problem.memory_of(model.body, laws, model.tallies.start({}, 0.0), model.shapes(*strains)[None])
    memory.now[0] = 0
    instant = Instant.of(memory.instant)
    instant.rotation[0], instant.twist[0] = np.eye(3).ravel(), [-0.3, 0.2, 0.1, 0.5, -0.4, 0.3]
    _push(model.body, rod_problem.fresh(forces), memory, loads)
    return instant.push[0].copy(), instant.along.copy(), memory.law_powers, loads
