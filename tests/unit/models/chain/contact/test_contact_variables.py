"""`contact_*` mean the same in every model: forces in N along the world axes, states 0, 1, 2, residuals in m/s."""

from __future__ import annotations

import numpy as np

import limbless as ll
from limbless.mechanics.algebra.array_rotations import quaternion_to_matrix
from limbless.models.chain.contact.contact_recorder import SCHEMA as GROUND
from limbless.models.rod.rod_recorder import SCHEMA as ROD


def test_names_have_one_shape_unit_and_frame() -> None:
    for name in ("contact_force", "contact_position", "contact_state", "contact_residual", "contact_wrench"):
        found = {
            (schema[name].dims, schema[name].units, schema[name].frame) for schema in (ROD, GROUND) if name in schema
        }
        assert len(found) == 1, name
    assert (ROD["contact_force"].dims, ROD["contact_force"].units, ROD["contact_force"].frame) == (
        ("contact", "axis"),
        "N",
        "world",
    )
    assert ROD["contact_residual"].units == "m/s"


def test_forces_of_supports_add_up_in_the_world() -> None:
    """Forces and couples at their places make the resultant that is recorded about the head,
    which is found without them.
    """
    run = ll.run("snake-turn-3d", {"duration": 0.4, "record_every": 0.1})
    data = run.dataset
    turn = quaternion_to_matrix(data["base_orientation"].values)
    force, couple = data["contact_force"].values, data["contact_couple"].values
    arm = data["contact_position"].values - data["base_position"].values[:, None]
    resultant = np.einsum("tij,tcj->tci", turn, data["contact_wrench"].values.reshape(-1, 2, 3))
    scale = np.abs(force).max()
    np.testing.assert_allclose(force.sum(axis=1), resultant[:, 0], rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose((np.cross(arm, force) + couple).sum(axis=1), resultant[:, 1], rtol=0, atol=1e-9 * scale)
    # a body slides along its supports
    assert set(np.unique(data["contact_state"].values)) <= {0.0, 2.0}
    open_ones = data["contact_state"].values == 0.0
    assert not force[open_ones].any() and not couple[open_ones].any()
    assert float(data["contact_speed"].max()) > 0.4  # it moves at 0.5 m/s
    balance = run.summary()["balances"]["contact residual"]
    assert (balance["units"], balance["scale"]) == ("m/s", float(data["contact_speed"].max()))


def test_a_foot_that_holds_sticks() -> None:
    data = ll.run("inchworm-climb", {"duration": 0.2, "record_every": 0.1}).dataset
    assert set(np.unique(data["contact_state"].values)) <= {0.0, 1.0} and (data["contact_state"].values == 1.0).any()
    weight = data.attrs["total_mass"] * 9.81
    # up, in the world: the body climbs a wall
    assert abs(data["contact_force"].values[0].sum(axis=0)[2] - weight) < 0.05 * weight


def test_wheels_tell_their_state() -> None:
    run = ll.run(
        "wheeled-snake-crawl", {"duration": 1.0, "record_every": 0.01, "environment.wheels.active": [[0.0, 0.5]]}
    ).dataset
    state, held = run["contact_state"].values, run["contact_held"].values
    early, late = (run["time"].values > 0.0) & (run["time"].values < 0.495), run["time"].values > 0.505
    assert (state[late] == 0.0).all() and not run["contact_force"].values[late].any()
    np.testing.assert_array_equal(state[early], np.where(held[early] == 2, 1.0, 2.0))
    assert {1.0, 2.0} <= set(np.unique(state[early])) or (state[early] == 2.0).all()
