"""The eel against the numbers of the specification (mass properties about the link origins,
in the frames of Table I).
"""

import numpy as np
import pytest

from limbless.control.actuation.shape_map import shape_map, stations
from limbless.core.errors import InputError
from limbless.robots.presets.khalil_eel import KhalilEel

# link: mass, z (x for the head) component of the first moment, diagonal of the inertia
REFERENCE = {
    0: (
        6.799977298695107,
        (1.4578599978891604, 0, 0),
        (0.020272891779660376, 0.40494753099052166, 0.39857370091780897),
    ),
    1: (0.0, (0, 0, 0), (0, 0, 0)),
    2: (0.0, (0, 0, 0), (0, 0, 0)),
    3: (
        2.5729643832900404,
        (0, 0, -0.18010750683030285),
        (0.0220202868469906, 0.019527727600678373, 0.007927946506012437),
    ),
    33: (
        2.5729643832900404,
        (0, 0, -0.18010750683030285),
        (0.0220202868469906, 0.019527727600678373, 0.007927946506012437),
    ),
    36: (
        2.1441369860750337,
        (0, 0, -0.1726030273790402),
        (0.020594435751250702, 0.018683473662411326, 0.006078092321276202),
    ),
}


@pytest.fixture(scope="module")
def eel():
    return KhalilEel().build()


@pytest.mark.parametrize("number", REFERENCE)
def test_mass_properties(eel, number):
    mass, moment, inertia = REFERENCE[number]
    own = eel.links[number].mass_properties()
    np.testing.assert_allclose(own.mass, mass, rtol=1e-12)
    np.testing.assert_allclose(own.moment, moment, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(own.inertia, np.diag(inertia), rtol=1e-12, atol=1e-15)


def test_totals(eel):
    assert (len(eel.links), eel.freedoms, len(eel.segments())) == (37, 36, 13)
    assert eel.total_mass == pytest.approx(37.2467225, abs=1e-7)
    np.testing.assert_allclose(eel.bodies().volume * 1000, eel.bodies().mass, rtol=1e-12)


def test_home_axes_and_tail(eel):
    """Table I in corrected form: yaw about +z, pitch about +y, roll about +x, tail end at 2.08 m;
    exact, not up to cos(pi/2).
    """
    arrays = eel.arrays()
    assert np.array_equal(arrays.axis[1:], np.tile([[0, 0, 1], [0, 1, 0], [1, 0, 0]], (12, 1)))
    np.testing.assert_allclose(arrays.arm.sum(axis=0), [2.08, 0, 0], atol=1e-14)
    assert np.array_equal(arrays.home[3], [[0, 0, 1], [-1, 0, 0], [0, -1, 0]])  # x of link 3i is -y, its y is -z
    assert not arrays.arm[:, 1:].any()
    assert list(np.flatnonzero(arrays.has_body)) == [0, *range(3, 37, 3)]


def test_wet_segments(eel):
    """In the frame of link 3i: c = (0, 0, -0.14), e1 = z; e2 and e3 are x and y up to a sign that no fluid law sees."""
    body = eel.links[3].body
    assert body.position == (0, 0, -0.14)
    assert np.array_equal(body.frame, [[0, -1, 0], [0, 0, -1], [1, 0, 0]])
    for segment in eel.segments():
        assert np.array_equal(segment.frame, np.eye(3))
        assert (segment.half_width, segment.half_height) == (0.065, 0.09)
    assert [segment.length for segment in eel.segments()] == [0.4] + [0.14] * 12
    ends = np.cumsum(eel.arrays().arm, axis=0)
    for i, segment in enumerate(eel.segments()):
        np.testing.assert_allclose(
            (ends[segment.body] + segment.start)[0], 0.4 + 0.14 * (i - 1) if i else 0.0, atol=1e-14
        )


def test_names_labels_limits_stations(eel):
    assert eel.joint_names[:4] == ["yaw 1", "pitch 1", "roll 1", "yaw 2"]
    assert eel.joint_labels == ["yaw", "pitch", "roll"] * 12
    assert eel.section_names == ["head", *(f"link {i}" for i in range(1, 13))]
    assert eel.arrays().torque_limit.tolist() == [4, 4, 0.7] * 12
    np.testing.assert_allclose(stations(eel), 0.14 * np.arange(13), atol=1e-14)
    mapping = shape_map(eel)
    assert mapping.yaw_column.tolist() == list(range(0, 36, 3))
    assert mapping.pitch_column.tolist() == list(range(1, 36, 3))
    assert set(mapping.yaw_sign) == set(mapping.pitch_sign) == {1.0}


def test_spherical_joints_make_the_same_body(eel):
    true = KhalilEel(joints="spherical").build()
    assert (len(true.links), true.freedoms, true.arrays().joint_kind.tolist()) == (13, 36, [0] + [3] * 12)
    np.testing.assert_allclose(stations(true), stations(eel), atol=1e-14)
    assert true.total_mass == pytest.approx(eel.total_mass, rel=1e-14)
    assert true.joint_labels == ["roll", "pitch", "yaw"] * 12
    assert true.arrays().torque_limit.tolist() == [0.7, 4, 4] * 12
    np.testing.assert_array_equal(true.arrays().position_column, [-1, *range(0, 48, 4)])
    for a, b in zip(true.segments(), eel.segments(), strict=True):
        assert (a.length, a.half_width, a.half_height) == (b.length, b.half_width, b.half_height)


def test_numbers_can_be_chosen():
    shorter = KhalilEel(spherical_joints=3, head_cap=0.0, tail_cap=0.14, density=500.0, rotor_inertia=1e-4).build()
    area = np.pi * 0.065 * 0.09
    assert shorter.total_mass == pytest.approx(500 * area * (0.4 + 2 * 0.14 + 2 / 3 * 0.14), rel=1e-13)
    assert shorter.arrays().rotor_inertia.tolist() == [1e-4] * 9


def test_a_cap_longer_than_its_link_is_refused():
    with pytest.raises(InputError, match=r"tail_cap 0\.2 m is longer than link_length 0\.14 m"):
        KhalilEel(tail_cap=0.2)
