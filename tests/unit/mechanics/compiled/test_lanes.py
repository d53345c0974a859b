"""Lanes: eight numbers at once give what eight computations give, and so do the rod's kernels that use them."""
from __future__ import annotations

import numpy as np
import pytest

from limbless.environments.regularised_friction import RegularisedFriction
from limbless.environments.water import Water
from limbless.mechanics.algebra.inertia import Twist
from limbless.mechanics.algebra.lie import pose_exp
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.compiled.kernel import kernel
from limbless.mechanics.compiled.lanes import LANES, as_lanes, total
from limbless.mechanics.compiled.scalars import absolute, maximum, minimum, sqrt, value_of
from limbless.mechanics.forces.rows import LAW_COLUMNS
from limbless.mechanics.rod.forces import SLAB_COLUMNS, Forces, lay_slab, push_all
from limbless.mechanics.rod.shapes import Strains, make_desk, shape_all
from limbless.mechanics.rod.sweep import NODE_COLUMNS, SUMS, gather_shape, head_pose, sweep
from limbless.models.macro_continuous import assembly
from limbless.models.macro_continuous.model import MacroContinuous
from limbless.robots.rod import Rod


@kernel
def _formulas(given, out):
    x, y = as_lanes(given)
    found = as_lanes(out)
    found[0], found[1], found[2], found[3] = x + y, 2.0 - x, x * y - 3.0 * y, x / y
    found[4], found[5], found[6], found[7] = -x, sqrt(absolute(x)), maximum(x, y), minimum(x, 0.5)
    found[8] += 1.0 + x
    return total(x), value_of(x)


@kernel
def _exponential(v, out):
    g = pose_exp(Twist(Vector(v[0], v[1], v[2]), Vector(v[3], v[4], v[5])))
    out[0], out[1], out[2], out[3] = g.position.x, g.position.z, g.rotation.x.y, g.rotation.z.z


@kernel
def _exponential_of_lanes(v, out):
    _exponential(as_lanes(v), as_lanes(out))


def test_formulas() -> None:
    x, y = given = np.random.default_rng(1).normal(size=(2, LANES))
    out = np.zeros((9, LANES))
    summed, largest = _formulas(given, out)
    expected = [x + y, 2.0 - x, x * y - 3.0 * y, x / y, -x, np.sqrt(np.abs(x)), np.maximum(x, y), np.minimum(x, 0.5), 1.0 + x]
    assert out == pytest.approx(np.array(expected), abs=1e-15)
    assert (summed, largest) == pytest.approx((x.sum(), x.max()))


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
    work, sums = np.zeros((instants, nodes, NODE_COLUMNS)), np.zeros((instants, SUMS))
    shape_all(model.body, strains, make_desk(nodes), work, sums)
    alone, own = np.zeros((nodes, NODE_COLUMNS)), np.zeros(SUMS)
    for i in range(instants):
        sweep(model.body.half, *(part[i] for part in strains), alone)
        gather_shape(model.body.weight, model.body.inertia, alone, own)
        assert work[i] == pytest.approx(alone, rel=1e-12, abs=1e-12)
        assert sums[i] == pytest.approx(own, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("environment", [Water(), Water(current=(0.1, 0.2, 0.0)), RegularisedFriction(), (Water(), RegularisedFriction())])
def test_bands_push_as_their_rows_do(environment: object) -> None:
    """The same laws eight slices at a time and one by one: wrench, power, and what pushes each node."""
    rng, model = np.random.default_rng(4), MacroContinuous(Rod(taper=0.3), environment)   # type: ignore[arg-type]
    nodes = len(model.mesh.X)
    strains = [np.tile([1.0, 0, 0, 0, 0, 0], (nodes, 1)) + 0.1 * rng.normal(size=(nodes, 6)) for _ in range(3)]
    model.forward(*strains)
    one_by_one = Forces(np.zeros((0, LAW_COLUMNS, LANES)), np.zeros((0, LANES)), np.zeros(0, dtype=np.int64), model.laws.rows,
                        model.laws.buffer, model.laws.power)
    assert len(model.forces.rows) == 0 and len(model.forces.block) > 0
    found = [_pushed(model, forces) for forces in (model.forces, one_by_one)]
    for in_bands, in_rows in zip(*found, strict=True):
        assert in_bands == pytest.approx(in_rows, rel=1e-12, abs=1e-13)
    assert np.abs(found[0][0]).max() > 0.0


@kernel
def _push(weight, forces, twist, work, slab, kept, out):
    V = Twist(Vector(twist[0], twist[1], twist[2]), Vector(twist[3], twist[4], twist[5]))
    F, power = push_all(weight, forces, 0.0, 0.0, head_pose(0.0), V, work, slab, kept, True)
    for c in range(3):
        out[c], out[3 + c] = F.force[c], F.torque[c]
    out[6] = power


def _pushed(model: MacroContinuous, forces: Forces) -> tuple[np.ndarray, np.ndarray]:
    work, nodes, out = model.scratch.work[0].copy(), len(model.mesh.X), np.zeros(7)
    slab, kept = assembly.slab(nodes, SLAB_COLUMNS), assembly.slab(nodes, 6)
    lay_slab(work, slab)
    _push(model.body.weight, forces, np.array([-0.3, 0.2, 0.1, 0.5, -0.4, 0.3]), work, slab, kept, out)
    return out, work
