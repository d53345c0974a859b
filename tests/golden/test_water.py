"""Lighthill's water against an independent implementation that advances the total momentum of body and attached water
and never computes an acceleration: states of a chain, and the swimming eel.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

import limbless as ll

CHAIN = ll.UniformChain(links=4, length=0.15, half_width=0.03, half_height=0.045, density=900.0, joint="universal")
CURRENT = (0.3, -0.2, 0.1)


class Pose(NamedTuple):
    place: dict[str, Any]
    joints: tuple[list[float], ...]
    twist: list[float]


FIRST = Pose(
    {
        "base_position": [-0.006, 0.192, 0.028],
        "base_orientation": [0.9909217202760251, -0.09199273286114461, 0.0029997630280808, -0.09799225891730622],
    },
    (
        [0.012, 0.45, -0.356, 0.449, -0.188, -0.077],
        [0.655, -0.182, 0.099, -0.945, 0.507, 0.076],
        [-1.022, 1.731, -1.181, -0.279, -2.196, -0.581],
    ),
    [0.225, 0.041, -0.223, -0.339, 0.47, 0.016],
)
THIRD = Pose(
    {
        "base_position": [-0.081, -0.074, 0.024],
        "base_orientation": [0.8848593185516364, -0.059990462274687205, 0.006998887265380, 0.46192655951509154],
    },
    (
        [-0.414, -0.263, 0.301, 0.082, -0.406, -0.067],
        [-0.042, -0.681, 0.469, -0.773, -0.218, 0.033],
        [-0.416, 0.521, 1.427, 2.738, -1.295, 0.891],
    ),
    [0.085, -0.029, 0.273, -0.47, 0.207, -0.126],
)
NEARLY_DRY = Pose(
    {
        "base_position": [0.066, -0.147, 0.0],
        "base_orientation": [0.875131717235912, -0.33104982674867073, -0.2470371818940232, -0.25203793456394263],
    },
    (
        [0.443, 0.011, 0.476, -0.419, 0.107, -0.124],
        [0.604, -0.651, 0.743, 0.088, 0.804, -0.046],
        [-0.417, 1.734, 2.905, -0.782, 2.814, 2.574],
    ),
    [-0.006, 0.0, 0.459, -0.15, -0.276, 0.022],
)
DEEP = [
    (
        FIRST,
        {"wake": "none"},
        [
            0.43600685293313485,
            0.14957954927280903,
            -0.005834705928823865,
            -3.988183356149597,
            -0.7226914580061796,
            0.41800455155961436,
        ],
        [
            0.01782316323377301,
            -0.008537739345684452,
            0.05490572038862146,
            -0.026910899228378176,
            0.05286283650347408,
            -0.024934956059800343,
        ],
    ),
    (
        FIRST,
        {},
        [
            0.19304859346450431,
            0.10651443655521153,
            -0.12601967850161602,
            -0.23860659357772254,
            -2.1871581546073564,
            -0.028034459100201237,
        ],
        [
            0.010395372986561556,
            -0.004580950512047782,
            0.024739376119363093,
            -0.017064662187390226,
            0.003471601914852581,
            -0.00965849731480709,
        ],
    ),
    (
        FIRST,
        {"current": CURRENT},
        [
            0.5516216294949398,
            -1.7897253761762333,
            1.1565541198539981,
            -17.70993717822134,
            2.627728093234166,
            11.98591084577922,
        ],
        [
            -0.07746788739185759,
            -0.018013039380123233,
            -0.1499816112305685,
            -0.08079737282647133,
            -0.07038086535066264,
            -0.047825672266705255,
        ],
    ),
    (
        THIRD,
        {},
        [
            0.18559491884904705,
            0.1451345935780613,
            -0.21476330100538926,
            4.7595131654162675,
            -0.5747753758150667,
            -0.3891899205999125,
        ],
        [
            0.008119500175080906,
            -0.004522930369042179,
            0.02741110875179425,
            -0.0024501002844824265,
            0.016901505673859334,
            -0.006841355047093011,
        ],
    ),
    (
        THIRD,
        {"current": CURRENT},
        [
            -0.10067730300480149,
            -1.9228722149172999,
            -2.399721853442004,
            97.86901639774544,
            -24.455407717191875,
            16.85037612408917,
        ],
        [
            -0.09010130199093395,
            0.06863961179797771,
            -0.03619982256304073,
            0.0739554199858733,
            -0.029212087351333706,
            0.07627690151283022,
        ],
    ),
]

GRADIENT = ((0.3, 0.2, -0.1), (0.5, -0.4, 0.2), (0.1, -0.3, 0.1))
FLOWS: dict[str, dict] = {
    "linear": {"kind": "shear", "velocity": (0.2, 0.1, -0.1), "gradient": GRADIENT},
    "oscillating": {
        "kind": "oscillating",
        "mean": (0.1, 0.0, 0.0),
        "amplitude": (0.0, 0.3, 0.1),
        "period": 2.0,
        "phase": 0.7,
    },
    "waves": {"kind": "waves", "amplitude": 0.05, "length": 2.0, "phase": 0.4},
}
MOVING = [
    (
        FIRST,
        "linear",
        [
            0.2862306876167493,
            0.3181496990941606,
            -0.3356068187229022,
            4.576933662956133,
            -3.1219473596094622,
            -1.6211695242101936,
        ],
        [
            0.010511524526799232,
            0.01931147562799194,
            0.007262945233185777,
            0.03441075731992739,
            -0.000981258819799333,
            0.015184174765529903,
        ],
    ),
    (
        THIRD,
        "linear",
        [
            0.37846617901512275,
            -0.3316844915089926,
            -0.7511251773597543,
            27.034235685716673,
            -2.736547119933645,
            3.475635295854477,
        ],
        [
            -0.011608234937086735,
            -0.01025289115851185,
            -0.0007776437586578184,
            -0.013352037351319145,
            0.0003067046696239572,
            -0.00048422938778929566,
        ],
    ),
    (
        FIRST,
        "oscillating",
        [
            0.057904698811005795,
            0.939586099565521,
            0.3295500286052674,
            3.938895784060017,
            -2.933956087195078,
            -1.0612865993267822,
        ],
        [
            0.02208058432392139,
            0.009250903781394138,
            0.039025279106048506,
            0.024640303005443984,
            0.016813865170088257,
            0.010419223988783349,
        ],
    ),
]
FLOATING = [
    (
        FIRST,
        (),
        [
            -1.276221469759379,
            2.8399363044104935,
            -6.923514670424127,
            8.14366858309478,
            -20.36412515061816,
            -12.652391204224354,
        ],
        [
            0.054632774526692754,
            -0.06650074834614209,
            0.11329251739242899,
            -0.21775584347048527,
            0.04164689088943085,
            -0.09191706977497134,
        ],
    ),
    (
        THIRD,
        (),
        [
            0.3522939285255805,
            0.5907201681546974,
            -6.000642324716029,
            0.33473473672428905,
            6.675230300659741,
            0.023395839665181887,
        ],
        [
            0.008284281295128152,
            0.007470958320573778,
            0.020086765564775223,
            0.06867007689428159,
            0.009171876314962215,
            0.04095052465478478,
        ],
    ),
    (
        THIRD,
        ("waves",),
        [
            -0.23645494069646275,
            -0.47386537150686187,
            -0.6852756134923498,
            12.122221120710854,
            13.769682381170828,
            3.890203955563852,
        ],
        [
            -0.0075802966234503714,
            -0.02968470250050763,
            -0.004440750057606967,
            0.0038013377072334286,
            0.01582949832445738,
            0.040542396307764614,
        ],
    ),
]

FINE = [  # by the same laws once more, with 2000 and more points on each link: momenta differentiated in time
    (
        NEARLY_DRY,
        (),
        [-5.3798007, 3.8575442, -4.8795433, 8.4524475, 6.7240405, 2.9533135],
        [0.031318977, 0.016474664, 0.036107045, -0.0046775723, 0.014586574, -0.0047008262],
    ),
]


def off(pose: Pose, environment: Any, acceleration: list[float], torque: list[float]) -> float:
    """Largest difference from the reference, relative to the largest of its kind."""
    found = ll.NewtonEuler(CHAIN, environment).inverse(*pose.joints, pose.twist, **pose.place)
    pairs = ((found.base_acceleration, acceleration), (found.joint_torque, torque))
    return max(float(np.abs(ours - theirs).max() / np.abs(theirs).max()) for ours, theirs in pairs)


@pytest.mark.parametrize(("pose", "water", "acceleration", "torque"), DEEP)
def test_states_of_a_chain(pose: Pose, water: dict, acceleration: list[float], torque: list[float]) -> None:
    """To 1e-6 at 32 points, where the drag's quadrature has converged."""
    assert off(pose, ll.Water(points=32, **water), acceleration, torque) < 1e-6


@pytest.mark.parametrize(("pose", "flow", "acceleration", "torque"), MOVING)
def test_states_in_moving_water(pose: Pose, flow: str, acceleration: list[float], torque: list[float]) -> None:
    assert off(pose, ll.Water(points=32, flow=[FLOWS[flow]]), acceleration, torque) < 1e-6


@pytest.mark.parametrize(("pose", "flows", "acceleration", "torque"), [*FLOATING, *FINE])
def test_states_at_a_surface(pose: Pose, flows: tuple, acceleration: list[float], torque: list[float]) -> None:
    """To 1e-4: the reference has plain points, up to 5e-5 from a kink; on a nearly dry body ten times that."""
    water = ll.Water(points=16, surface=0.0, flow=[FLOWS[flow] for flow in flows])
    assert off(pose, [water, ll.Gravity()], acceleration, torque) < 1e-4


@cache
def eel(duration: float = 10.0, **parts: Any) -> Any:
    water, dive = ll.Water(**{"points": 16, **parts.get("water", {})}), parts.get("dive", 0.0)
    return ll.simulate(ll.KhalilEel(), ll.BodyWave(dive=dive), water, duration=duration, step=0.01, record_every=0.5)


def test_an_eel_swims_as_far_in_ten_seconds() -> None:
    data = eel().dataset
    np.testing.assert_allclose(
        data.base_position.values[[10, 20]],
        [[-0.28827025, 0.02643913, 0.0], [-1.28093503, -0.04111887, 0.0]],
        atol=1e-6,
    )
    yaw = [
        -0.9664301547,
        -1.6418252729,
        -2.4078026241,
        -3.1632184928,
        -3.7833970297,
        -4.1413346966,
        -4.1330297293,
        -3.7087776541,
        -2.9152617881,
        -1.9129074265,
        -0.9344858701,
        -0.2275541920,
    ]
    np.testing.assert_allclose(data.joint_torque.values[10, ::3], yaw, atol=2e-5)
    np.testing.assert_allclose(data.wake_force.values[10], [-0.4382538130, -0.9398593296, 0.0], atol=1e-5)
    assert data.wake_power.values[10] == pytest.approx(-0.09181404371, abs=2e-6)


@pytest.mark.long
def test_an_eel_swims_as_far_in_half_a_minute() -> None:
    """Where it is, what its last period costs, and where that goes."""
    run = eel(30.0)
    data = run.dataset
    np.testing.assert_allclose(data.base_position.values[-1], [-9.0815426, -0.0814000, 0.0], atol=1e-6)
    work = data.law_work.values[-1] - data.law_work.values[-5]
    np.testing.assert_allclose(work, [-0.6709433, -0.4572779], rtol=1e-4)
    assert data.actuator_work.values[-1] - data.actuator_work.values[-5] == pytest.approx(1.2680774, rel=1e-4)
    assert not data.wake_reversed.values.any()
    speed = np.linalg.norm(data.base_position.values[-1] - data.base_position.values[-5]) / 2.0
    assert speed == pytest.approx(0.461752, abs=1e-6)


@pytest.mark.long
def test_speeds_of_an_eel_after_a_hundred_seconds() -> None:
    """Lighthill's water, the printed form, and consistent added mass without a wake."""

    def speed(water: ll.Water, duration: float) -> float:
        data = ll.simulate(ll.KhalilEel(), ll.BodyWave(), water, duration=duration, step=0.01, record_every=0.5).dataset
        return float(np.linalg.norm(data.base_position.values[-1] - data.base_position.values[-5]) / 2.0)

    assert speed(ll.Water(), 100.0) == pytest.approx(0.50193607920258, abs=2e-5)
    printed = ll.Water(model="morison")
    assert (speed(printed, 30.0), speed(printed, 100.0)) == pytest.approx((0.4534, 0.5339), abs=5e-5)
    assert speed(ll.Water(added_mass="consistent"), 30.0) == pytest.approx(0.1765, abs=5e-5)


def test_torques_of_an_eel_in_a_loop() -> None:
    """After five seconds; and those of the planar eel after ten."""
    data = eel(5.0, dive=np.pi / 40).dataset
    yaw = [
        0.13820731959,
        0.05148699468,
        -0.19752114975,
        -0.57848451076,
        -1.00871956312,
        -1.37728975781,
        -1.57378880080,
        -1.52251563670,
        -1.22690080778,
        -0.78484012412,
        -0.34814823985,
        -0.06300658114,
    ]
    pitch = [
        -0.15302562791,
        -0.29237797339,
        -0.46863552076,
        -0.66225741852,
        -0.84453555052,
        -0.98143275935,
        -1.03840583563,
        -0.98894463183,
        -0.82756727115,
        -0.57980626933,
        -0.30366460160,
        -0.08179169378,
    ]
    np.testing.assert_allclose(data.joint_torque.values[10, ::3], yaw, atol=2e-5)
    np.testing.assert_allclose(data.joint_torque.values[10, 1::3], pitch, atol=2e-5)
    assert data.wake_power.values[10] == pytest.approx(-0.10209511223764765, abs=2e-6)
    planar = [
        0.88758003067,
        1.46669515348,
        2.11349189723,
        2.74119310193,
        3.24479574431,
        3.51883167978,
        3.47904211906,
        3.09003512954,
        2.39988918743,
        1.54884394046,
        0.73398373914,
        0.16273787784,
    ]
    np.testing.assert_allclose(eel().dataset.joint_torque.values[20, ::3], planar, atol=2e-5)


@pytest.mark.long
def test_an_eel_without_cross_flow_and_an_eel_in_a_loop() -> None:
    """Two runs of other regimes, to 1e-6 m."""

    class Hashed(dict):
        def __hash__(self) -> int:  # type: ignore[override]
            return hash(tuple(self.items()))

    axial, loop = eel(30.0, water=Hashed(drag=(0.01, 0.0, 0.0, 0.0))), eel(30.0, dive=np.pi / 40)
    np.testing.assert_allclose(axial.dataset.base_position.values[-1], [-7.8829299695, -0.1362544377, 0.0], atol=1e-6)
    np.testing.assert_allclose(
        loop.dataset.base_position.values[-1], [1.4373847031, 0.4653337354, -2.1952416707], atol=1e-6
    )


def test_an_eel_with_a_laminar_skin() -> None:
    """`drag_law: laminar`: where it is after 5 s."""
    data = ll.simulate(
        ll.KhalilEel(),
        ll.BodyWave(),
        ll.Water(points=16, drag_law="laminar"),
        duration=5.0,
        step=0.01,
        record_every=0.5,
    ).dataset
    np.testing.assert_allclose(data.base_position.values[-1], [-0.28987843046, 0.02644222907, 0.0], atol=1e-6)


def test_an_eel_in_a_shear() -> None:
    """u = (0.02 + 0.05 y, 0, 0)."""
    water = ll.Water(points=16, flow=[{"kind": "shear", "velocity": (0.02, 0.0, 0.0), "rate": 0.05}])
    data = ll.simulate(ll.KhalilEel(), ll.BodyWave(), water, duration=5.0, step=0.01, record_every=0.5).dataset
    np.testing.assert_allclose(data.base_position.values[-1], [-0.28105182892, 0.02762530870, 0.0], atol=1e-6)


def test_munk_moment_turns_a_body_across_the_stream() -> None:
    """A rigid link that moves obliquely without a wake: yaw acceleration d2 L V² sin cos / I."""
    link = ll.UniformChain(links=1, length=1.0, half_width=0.03, half_height=0.05, density=1000.0)
    water = ll.Water(drag=(0.0, 0.0, 0.0, 0.0), wake="none")
    found = ll.NewtonEuler(link, water).inverse([], [], [], [-0.8 * np.cos(0.2), 0.8 * np.sin(0.2), 0, 0, 0, 0])
    assert found.base_acceleration[5] == pytest.approx(0.9336586921149951, rel=1e-9)
