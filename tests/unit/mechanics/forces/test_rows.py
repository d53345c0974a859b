"""Force laws on a chain: eight segments at a time they are what they are one by one, whatever their windows, frames and number."""
from __future__ import annotations

import numpy as np
import pytest

from limbless.gaits.body_wave import BodyWave, sample_body_wave
from limbless.mechanics.algebra.columns import BODY_ROTATION, BODY_VELOCITY
from limbless.mechanics.algebra.rotations import quaternion_to_matrix, rotation_vector_to_quaternion
from limbless.mechanics.compiled.kernel import kernel
from limbless.mechanics.forces.chain_rows import apply_laws, put_powers
from limbless.mechanics.forces.rows import (
    CODE,
    CONSISTENT,
    COUNT,
    FLUID,
    FRAME,
    FRICTION,
    FROM,
    HAS_ADDED,
    JOINED,
    LAW_COLUMNS,
    LENGTH,
    OWNER,
    POINT,
    POINT_ADDRESS,
    SLIP_SPEED,
    START,
    SURFACE,
    TURNED,
    UNTIL,
    WEIGHT,
    Laws,
)
from limbless.models.row_laws import assemble_laws, law_row

BODIES = 21
WORK_COLUMNS = 64


def rotations(rng: np.random.Generator, count: int) -> np.ndarray:
    return quaternion_to_matrix(np.array([rotation_vector_to_quaternion(v) for v in rng.normal(size=(count, 3))]))


def laws_at_random(rng: np.random.Generator) -> Laws:
    """Every built-in kind, on random bodies, some of them twice; two Gauss rules, two windows, frames turned and not."""
    rows = []
    for _ in range(150):
        code = rng.choice([WEIGHT, FLUID, FRICTION, SURFACE, POINT])
        row = law_row(int(code), int(rng.integers(BODIES)), rng.uniform(0.5, 2.0, LAW_COLUMNS - 20))
        row[LENGTH], row[COUNT] = rng.uniform(0.1, 0.3), rng.choice([3, 5]) if code in (FLUID, FRICTION, SURFACE) else 0
        row[START:START + 3] = rng.normal(size=3)
        if rng.random() < 0.3:
            row[FRAME:FRAME + 9], row[TURNED] = rotations(rng, 1).ravel(), 1.0
        if code == FLUID:
            row[HAS_ADDED], row[CONSISTENT] = rng.choice([0.0, 1.0], size=2)
        if code == POINT:
            row[POINT_ADDRESS] = 0.0                                              # constant: there is no function behind a random address
        if code == FRICTION:
            row[SLIP_SPEED], row[JOINED] = 0.1, rng.choice([0.0, 1.0])
        if rng.random() < 0.2:
            row[FROM], row[UNTIL] = 1.0, 2.0
        rows.append(row)
    return assemble_laws([np.array(rows[:60]), np.array(rows[60:])])


@pytest.mark.parametrize("time", [0.5, 1.5])
def test_bands_push_as_their_rows_do(time: float) -> None:
    rng = np.random.default_rng(7)
    laws = laws_at_random(rng)
    work = rng.normal(size=(BODIES, WORK_COLUMNS))
    work[:, BODY_ROTATION:BODY_ROTATION + 9] = rotations(rng, BODIES).reshape(-1, 9)
    assert 0 < len(laws.single) < len(laws.rows) and len(laws.bands.members) > 3
    assert set(laws.rows[laws.single, CODE]) > {POINT, SURFACE}                   # and bands that were not worth it
    none = laws._replace(single=np.arange(len(laws.rows)), bands=assemble_laws([]).bands)
    found = []
    for given in (laws, none):
        wrench = np.full((BODIES, 6), 0.25)                                       # what an earlier instant left
        apply_laws(given, time, time, work, wrench)
        found.append(wrench)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12, atol=1e-12)
    untouched = np.setdiff1d(np.arange(BODIES), laws.acted)
    assert (found[0][untouched] == 0.25).all() and np.abs(found[0][laws.acted]).min() > 0.0
    later = found[0].copy()
    apply_laws(laws, 2.0 - time, 2.0 - time, work, later)
    assert not np.allclose(later[laws.acted], found[0][laws.acted])               # windows open and close


@kernel
def powers_of(laws, time, work, wrench):
    apply_laws(laws, time, time, work, wrench)
    put_powers(laws, time, work)


@pytest.mark.parametrize("time", [0.5, 1.5])
def test_powers_of_environments_add_up_to_that_of_their_wrenches(time: float) -> None:
    """Each environment alone, by its wrenches on all bodies; rows in bands, single rows and closed windows among them."""
    rng = np.random.default_rng(8)
    laws = laws_at_random(rng)
    work = rng.normal(size=(BODIES, WORK_COLUMNS))
    work[:, BODY_ROTATION:BODY_ROTATION + 9] = rotations(rng, BODIES).reshape(-1, 9)
    powers_of(laws, 2.0 - time, work, np.zeros((BODIES, 6)))                      # what an earlier instant left
    powers_of(laws, time, work, np.zeros((BODIES, 6)))
    for number in range(2):
        wrench = np.zeros((BODIES, 6))
        apply_laws(assemble_laws([laws.rows[laws.rows[:, OWNER] == number]]), time, time, work, wrench)
        assert laws.power[number] == pytest.approx((wrench * work[:, BODY_VELOCITY:BODY_VELOCITY + 6]).sum(), rel=1e-11)


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
