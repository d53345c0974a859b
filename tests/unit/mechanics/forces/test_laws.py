"""Laws on bodies: eight side by side push as one by one, windows open and close, and each environment has its power."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from limbless.control.gaits.body_wave import BodyWave, sample_body_wave
from limbless.environments.base import Pack
from limbless.mechanics.algebra.array_rotations import quaternion_to_matrix, rotation_vector_to_quaternion
from limbless.mechanics.chain.tables import Body
from limbless.mechanics.compiled.decorators import kernel
from limbless.mechanics.compiled.flat_array import unpack
from limbless.mechanics.compiled.tables import is_code
from limbless.mechanics.forces.body_drag import BodyDragLaw
from limbless.mechanics.forces.force_element import push_all, spend_all
from limbless.mechanics.forces.hydrostatics import HydrostaticLaw
from limbless.mechanics.forces.laws import LawWrench, PackedLaws, RowLaws
from limbless.mechanics.forces.morison import MorisonLaw
from limbless.mechanics.forces.point_wrench import PointLaw
from limbless.mechanics.forces.smooth_friction import SmoothFrictionLaw
from limbless.mechanics.forces.weight import WeightLaw
from limbless.models.force_elements import forces_of

BODIES = 21
KINDS: tuple[Any, ...] = (WeightLaw, MorisonLaw, SmoothFrictionLaw, HydrostaticLaw, PointLaw, BodyDragLaw)
NODES, WEIGHTS = (
    np.concatenate([rule[part] for rule in map(np.polynomial.legendre.leggauss, (2, 3, 5))]) for part in (0, 1)
)


class Bodies(NamedTuple):
    """What laws need of the memory of a problem."""

    bodies: np.ndarray
    law_powers: np.ndarray


def rotations(rng: np.random.Generator, count: int) -> np.ndarray:
    return quaternion_to_matrix(np.array([rotation_vector_to_quaternion(v) for v in rng.normal(size=(count, 3))]))


def rows_at_random(rng: np.random.Generator, kind: Any, count: int) -> PackedLaws:
    """Laws of a kind on random bodies, some of them twice; two Gauss rules, two windows, frames turned and not."""
    rows = kind.table.zeros(count)
    columns = kind.table.of(rows)
    for name, field in kind.table.fields.items():
        column = getattr(columns, name)
        column[:] = rng.integers(0, 2, column.shape) if is_code(field.kind) else rng.uniform(0.5, 2.0, column.shape)
    columns.body[:] = rng.integers(BODIES, size=count)
    late = rng.random(count) < 0.2
    columns.since[:], columns.until[:] = np.where(late, 1.0, -np.inf), np.where(late, 2.0, np.inf)
    if "length" in kind.table.fields:
        columns.length[:] = rng.uniform(0.1, 0.3, count)
        columns.first[:], columns.count[:] = np.array([(2, 3), (5, 5)])[rng.integers(0, 2, count)].T
        columns.turned[:] = rng.random(count) < 0.3
        columns.frame[:] = np.where(
            columns.turned[:, None] == 1, rotations(rng, count).reshape(-1, 9), np.eye(3).ravel()
        )
    return PackedLaws(kind(), rows, 0.5 * (NODES + 1.0), 0.5 * WEIGHTS)


def packs_at_random(rng: np.random.Generator) -> list[Pack]:
    return [Pack(tuple(rows_at_random(rng, kind, count) for kind in KINDS)) for count in (12, 18)]


def memory_at_random(rng: np.random.Generator) -> Bodies:
    bodies = Body.zeros(BODIES)
    bodies[:] = rng.normal(size=bodies.shape)
    Body.of(bodies).rotation[:] = rotations(rng, BODIES).reshape(-1, 9)
    return Bodies(bodies, np.zeros(2))


@kernel
def push_and_spend(forces, time, memory):
    elements, here = unpack(forces), unpack(memory)
    push_all(elements, time, time, None, here)
    spend_all(elements, time, here)


def pushed(forces: tuple, time: float, memory: Bodies) -> np.ndarray:
    """(bodies, 6): all wrenches."""
    wrench = Body.of(memory.bodies).wrench
    wrench[:], memory.law_powers[:] = 0.0, 0.0
    push_and_spend(forces, time, memory)
    return np.asarray(wrench.copy())


@pytest.mark.parametrize("time", [0.5, 1.5])
def test_bands_push_as_their_rows_do(time: float) -> None:
    rng = np.random.default_rng(7)
    packs, memory = packs_at_random(rng), memory_at_random(rng)
    banded = forces_of(packs, BODIES)
    single = tuple(
        RowLaws(0, law.kind, law.rows, LawWrench.zeros(len(law.rows.codes)), law.nodes, law.weights)
        for pack in packs
        for law in pack.laws
    )
    found = pushed(banded, time, memory)
    np.testing.assert_allclose(found, pushed(single, time, memory), rtol=1e-12, atol=1e-12)
    assert np.abs(found).min() > 0.0
    assert not np.allclose(found, pushed(banded, 2.0 - time, memory))  # windows open and close


@pytest.mark.parametrize("time", [0.5, 1.5])
def test_powers_of_environments_add_up_to_that_of_their_wrenches(time: float) -> None:
    """Each environment alone, by its wrenches on all bodies; bands, single rows and closed windows among them."""
    rng = np.random.default_rng(8)
    packs, memory = packs_at_random(rng), memory_at_random(rng)
    forces, velocity = forces_of(packs, BODIES), Body.of(memory.bodies).velocity
    pushed(forces, 2.0 - time, memory)  # what an earlier instant left
    pushed(forces, time, memory)
    powers = memory.law_powers.copy()
    for number in range(2):
        alone = pushed(forces_of([packs[number]], BODIES), time, memory)
        assert powers[number] == pytest.approx((alone * velocity).sum(), rel=1e-11)


def test_an_array_that_may_not_be_written_to_is_no_new_kind_of_array() -> None:
    """Which compiled version runs, and so the last digit of a run, must not depend on what was sampled before."""
    gait, times, stations = BodyWave(), np.linspace(0.0, 1.0, 5), np.linspace(0.0, 2.0, 4)
    expected = gait.sample(times, stations)
    versions = len(getattr(sample_body_wave, "signatures", ()))
    times.flags.writeable = False
    strided = np.repeat(stations, 2)[::2]
    again = gait.sample(times, strided)
    assert len(getattr(sample_body_wave, "signatures", ())) == versions
    assert all((one == other).all() for one, other in zip(expected, again, strict=True))
