"""The connection against numbers of an independent implementation (numpy, quadrature of rotated links), against runs,
and against what geometry demands; refusals in sentences.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.search.studies.best_loop import LoopProblem
from limbless.search.studies.strokes import moved_along
from validation import strokes

THIRD = 1.0 / 3.0
THREE: dict[str, Any] = {"links": 3, "length": THIRD, "half_width": 0.01, "half_height": 0.01, "base": "planar"}
ROBOT = ll.UniformChain(**THREE)
TAM = {  # distance, efficiency at constant power, as timed
    "displacement": (0.10351639442192632, 0.008921633260768691, 0.008497841006835103),
    "efficiency": (0.08727293057990394, 0.01230963324147187, 0.011834813106032979),
}


@pytest.fixture(scope="module")
def drag() -> ll.Connection:
    return ll.connection(ROBOT, ll.Drag(along=1.0, lateral=2.0), shapes="joints", region=2.5)


def circle(radius: float, middle: tuple[float, float] = (0.0, 0.0)) -> dict[str, Any]:
    return {"mean": middle, "cos": [[radius, 0.0]], "sin": [[0.0, radius]]}


THIN: dict[str, Any] = {**THREE, "half_width": 1e-6, "half_height": 1e-6}
WAVY: dict[str, Any] = {**THREE, "links": 16, "length": 1 / 16, "half_width": 0.005, "half_height": 0.005}
PUBLISHED_POINTS = [  # body, frame, posture, A row by row
    (
        "drag",
        "base",
        (0.5, -0.3),
        (0.017470507446488724, -0.0198884894195523, 0.15017053750000547, 0.07199599095554098),
    ),
    (
        "drag",
        "base",
        (2.0, -1.5),
        (0.055844274204845404, -0.03451929245725097, 0.18604265217759897, 0.04466463415181838),
    ),
    ("drag", "middle", (0.0, 0.0), (0.0, 0.0, -1 / 18, -1 / 18, 7 / 27, -7 / 27)),
    (
        "drag",
        "middle",
        (0.5, -0.3),
        (-0.030995075284357267, -0.02581814222562848, -0.049910207226857156, -0.05049709238163307, 0.2595983989421302),
    ),
    (
        "drag",
        "mean",
        (-1.2, 0.7),
        (0.012534643902164758, 0.009002781533763764, -0.009298901492886508, -0.0017800159761772044),
    ),
    ("drag", "mean", (1.0, 1.0), (-0.0003753021885919486, 0.00037530218859205267, -0.009273462181637743)),
    ("drag", "base", (-1.2, 0.7), (-0.04158706155425917, 0.036155270973709616, 0.16290645941501872)),
    ("drag", "middle", (0.0, 0.0), (0.0, 0.0, -1 / 18, -1 / 18, 7 / 27, -7 / 27)),
    ("drag", "middle", (2.0, -1.5), (-0.06802138558116624, -0.060579121104446604, 0.018736603270909452)),
    ("drag", "mean", (0.0, 0.0), (0.0, 0.0, 0.0, 0.0, -2 / 27, 2 / 27)),
    ("in water", "middle", (1.0, 1.0), (-0.02491097723518312, 0.024910977235183235, -0.03762949297600013)),
    ("waves", "base", (0.3, -0.2), (0.16267414609831582, -0.25733193924821424, -0.4870809198463602)),
    ("waves", "mean", (0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, -0.7739591809796144)),
    (
        "ratio 10",
        "middle",
        (0.5, -0.3),
        (-0.07009093971100797, -0.0659472272888372, -0.04076099284512441, -0.03971888062504877, 0.25435280888767287),
    ),
    (
        "floating",
        "middle",
        (0.5, -0.3),
        (-0.024031940083226153, -0.0191124134528455, -0.04985503806091912, -0.0519349805596458, 0.25475399006206134),
    ),
    (
        "floating",
        "middle",
        (-1.2, 0.7),
        (0.04809076403979727, 0.04037630294240044, -0.025289878685030215, -0.03607764676936723, 0.2307171514834997),
    ),
    (
        "in water",
        "middle",
        (-1.2, 0.7),
        (0.06031939903450153, 0.047227675066369684, -0.026243947797580408, -0.03279456004256196, 0.2549965626427887),
    ),
    ("waves", "base", (0.0, 0.0), (0.0, 0.0, -0.41053347451700267, 0.38697959048980723, 0.5, -3.28762892704254)),
    (
        "waves",
        "mean",
        (0.3, -0.2),
        (-0.06666900612135264, -0.03146787358702105, 0.04033575611469927, -0.018871521695101045, 0.02902660561919011),
    ),
    ("rod", "base", (0.0, 0.0), (0.0, 0.0, -0.025330295910584277, 0.024188650824899155, 0.0, -0.20753224474169374)),
    (
        "rod",
        "base",
        (4.0, -3.0),
        (0.01048405398922081, -0.01739533605783734, -0.02759200749607887, 0.025683232341310983, 0.0011472095970020844),
    ),
]


def mapped(body: str) -> ll.Connection:
    """The bodies of the reference."""
    if body == "rod":
        rod = ll.Rod(length=1.0, base="planar", strains="planar", half_width=0.01)
        return ll.connection(rod, ll.Drag(along=1.0, lateral=2.0), shapes="waves 1", region=6.0, frame="base")
    if body == "waves":
        drag = ll.Drag(along=1.0, lateral=2.0)
        return ll.connection(ll.UniformChain(**WAVY), drag, shapes="waves 1", region=0.6, frame="base")
    around = {
        "drag": ll.Drag(along=1.0, lateral=2.0),
        "ratio 10": ll.Drag(along=1.0, lateral=10.0),
        "floating": None,
        "in water": ll.Water(density=750.0, drag=(0.0, 0.0, 0.0, 0.0), wake="none"),
    }
    return ll.connection(ll.UniformChain(**THIN), around[body], shapes="joints", region=2.5, frame="base")


@pytest.mark.parametrize("body", ["drag", "ratio 10", "floating", "in water", "waves", "rod"])
def test_bodies_have_the_connection_of_the_reference(body: str) -> None:
    made = mapped(body)
    for _, frame, posture, rows in (row for row in PUBLISHED_POINTS if row[0] == body):
        found = made.in_frame(frame)(posture).ravel()[: len(rows)]
        np.testing.assert_allclose(found, rows, atol=1e-7 if body == "rod" else 1e-10)


def test_metric_curvature_and_frame_of_the_reference(drag: ll.Connection) -> None:
    base, mean = drag.in_frame("base"), drag.in_frame("mean")
    np.testing.assert_allclose(
        drag.metric([[0.5, -0.3], [2.0, -1.5]]),
        [
            [[0.007544854770891202, 0.0046868656006404524], [0.0046868656006404524, 0.007110936992294627]],
            [[0.01195690103467592, 0.00025590202179595276], [0.0002559020217959597, 0.008080970707692231]],
        ],
        atol=1e-10,
    )
    np.testing.assert_allclose(
        base.curvature([0.5, -0.3])[0], [-0.014964774288614303, 0.003051193529527124, -0.005459124961778215], atol=1e-7
    )
    np.testing.assert_allclose(
        mean.curvature([[-1.2, 0.7], [1.0, 1.0]])[:, 0],
        [
            [0.007422895826534416, -0.007690752796162819, -0.005387076343633487],
            [-0.0215355354905917, 0.0, -0.16055340144913677],
        ],
        atol=1e-7,
    )
    np.testing.assert_allclose(
        drag.curvature([0.5, -0.3])[0], [-0.013889639122520794, 0.004078386383401663, -0.005459124961778215], atol=2e-5
    )
    np.testing.assert_allclose(
        drag([-1.2, 0.7]),
        [
            [0.00923088224646863, 0.0075710348812880164],
            [-0.0011431258682188105, 0.0005976029064145337],
            [-0.027573782497467947, 0.0032330819924462073],
        ],
        atol=2e-4,
    )
    small = ll.connection(ROBOT, ll.Drag(along=1.0, lateral=2.0), shapes="joints", region=1.5)
    np.testing.assert_allclose(
        small([-1.2, 0.7]),
        [
            [0.003346698829584269, 0.0048063391939488515],
            [0.00012100087727654267, 0.0022352729412689477],
            [-0.003452293891566094, -0.0020289112587544844],
        ],
        atol=2e-4,
    )
    wanted = [[0.004610322663331662, 0.010120271539068493, -0.21954723227308284]]
    np.testing.assert_allclose(small._minimum.at(np.array([[0.5, -0.3]])).pose, wanted, atol=2e-4)
    np.testing.assert_allclose(
        mapped("floating").in_frame("middle").curvature([0.5, -0.3])[0],
        [-4.55130018248151e-05, 1.9242588541948727e-05, -0.004454650792162784],
        atol=1e-7,
    )
    pose = drag._minimum.at(np.array([[1.0, 1.0], [-1.2, 0.7]])).pose
    wanted = [[0.0, 0.09919828998719982, 0.0], [0.024283958990634177, -0.017182268999718323, 0.5746683330957773]]
    np.testing.assert_allclose(pose, wanted, atol=2e-4)


def test_the_minimum_frame_is_as_small_as_told_and_knows_no_beginning(drag: ll.Connection) -> None:
    nodes, weights = np.polynomial.legendre.leggauss(24)
    grid = np.stack([part.ravel() for part in np.meshgrid(2.5 * nodes, 2.5 * nodes, indexing="ij")], axis=1)
    share = np.outer(weights, weights).ravel() / 4.0
    for frame, sizes in (("middle", (0.08009542424821656, 0.3995734754844632)), ("minimum", (0.00850662, 0.07821806))):
        A = drag.in_frame(frame)(grid)
        found = [np.sqrt((share * (part**2).sum(axis=1)).sum()) for part in (np.linalg.norm(A[:, :2], axis=1), A[:, 2])]
        np.testing.assert_allclose(found, sizes, rtol=1e-5)
    reverse = ll.connection(  # the same body seen from its other end: another base, the same frame
        ROBOT, ll.Drag(along=1.0, lateral=2.0), shapes=[[0.0, 1.0], [1.0, 0.0]], region=2.5
    )
    np.testing.assert_allclose(reverse([0.4, 0.9])[:, ::-1], drag([0.9, 0.4]), atol=1e-10)


@pytest.mark.parametrize(
    ("radius", "distance", "efficiency", "area"),
    [
        (0.5, 0.015299969555168366, 0.0034990335026123644, -0.01533211228070361),
        (1.0, 0.05128082430808744, 0.010022378633478362, -0.051636240209845134),
        (1.5, 0.0804513831873045, 0.011224084942557383, -0.08107915044876332),
    ],
)
def test_circles(drag: ll.Connection, radius: float, distance: float, efficiency: float, area: float) -> None:
    stroke = drag.around(circle(radius))
    assert stroke.distance == pytest.approx(distance, abs=1e-8) and abs(stroke.turn) < 1e-9
    assert stroke.efficiency == pytest.approx(efficiency, abs=1e-7)
    assert stroke.area is not None and stroke.area[0] == pytest.approx(area, abs=1e-6)


@pytest.mark.parametrize("name", TAM)
def test_strokes_of_tam_and_hosoi(drag: ll.Connection, name: str) -> None:
    made, (distance, constant, timed) = drag.around(strokes.stroke(name)), TAM[name]
    assert (made.distance, made.efficiency) == pytest.approx((distance, constant), abs=1e-8)
    assert made.efficiency_as_timed == pytest.approx(timed, abs=1e-8)
    assert made.area is not None and np.hypot(*made.area[:2]) == pytest.approx(distance, rel=0.01)


@pytest.mark.parametrize(
    ("medium", "all_of_it", "to_1_5", "to_1"),
    [
        (strokes.sand(), (0.554, 0.393, 0.301), (0.320, 0.325, 0.084), (0.252, 0.250, 0.035)),
        (strokes.sand(1.0, 0.593, -0.442, 1.711), (0.233, 0.372, 0.175), (0.165, 0.279, 0.066), (0.201, 0.206, 0.051)),
        (ll.Drag(lateral=2.0), (0.554, 0.730, 0.433), (0.237, 1.012, 0.210), (0.226, 0.854, 0.187)),
        (ll.Drag(lateral=3.0), (0.754, 0.772, 0.509), (0.391, 1.052, 0.237), (0.401, 0.873, 0.198)),
    ],
)
def test_how_far_laws_are_off_a_published_connection(medium: Any, all_of_it: Any, to_1_5: Any, to_1: Any) -> None:
    """As far as an independent implementation of the same laws is (x, y, turn): that is no agreement with the file."""
    ours = strokes.mapped(medium)
    found = [strokes.off_the_file(ours, within) for within in (2.5, 1.5, 1.0)]
    np.testing.assert_allclose(found, [all_of_it, to_1_5, to_1], atol=0.02)


def test_a_run_without_inertia_goes_as_far_as_the_loop() -> None:
    run = ll.run("purcell-swimmer", {"duration": 1.0, "step": 0.0025, "record_every": 1.0})
    way = np.diff(run.dataset["base_position"].values[[0, -1]], axis=0)[0]
    assert np.hypot(*way[:2]) == pytest.approx(0.05128082430808744, abs=1e-8)
    drag = ll.connection("purcell-swimmer", frame="base")
    np.testing.assert_allclose(drag.around().displacement[:2], way[:2], atol=1e-8)


def test_ideal_wheels_and_their_singular_line() -> None:
    wheels = ll.connection(ROBOT, ll.Wheels(), shapes="joints", region=[(0.4, 1.6), (-1.6, -0.4)], frame="middle")
    np.testing.assert_allclose(
        wheels([1.0, 0.2]),
        [[-0.24262707582357518, -0.18874064566280513], [0.0, 0.0], [-0.14606344855086117, -0.6186569079618902]],
        atol=1e-10,
    )
    np.testing.assert_allclose(
        wheels([0.4, 0.4001])[[0, 2]],
        [[1666.6497727765363, 1666.68356212038], [2027.6003533995636, 2027.1209043548577]],
    )
    np.testing.assert_allclose(
        wheels.curvature([-1.2, 0.7])[0], [0.12594874987321977, 0.06607052917230828, -0.12057387948261239], atol=1e-8
    )
    assert wheels.denominator([1.0, 0.2]) == pytest.approx(0.22669295748539295, abs=1e-12)
    assert abs(wheels.denominator([0.7, 0.7])) < 1e-14
    np.testing.assert_allclose(
        wheels.curvature([1.0, -0.8])[0], [0.13581028535370698, -0.06580658235863472, 0.050321488058424624], atol=1e-8
    )
    stroke = wheels.around(circle(0.3, (1.0, -1.0)))
    np.testing.assert_allclose(stroke.displacement[:2], [0.03213105454882436, -0.0216190488466366], atol=1e-8)
    assert stroke.efficiency is None
    with pytest.raises(ll.InputError, match="singular posture"):
        wheels([0.5, 0.5])
    wide = ll.connection(ROBOT, ll.Wheels(), shapes="joints", region=2.0)
    with pytest.raises(ll.InputError, match="crosses postures at which the wheels decide nothing"):
        wide.around(circle(1.0))


def test_four_wheels_slip_as_little_as_they_can() -> None:
    robot = ll.UniformChain(**{**THREE, "links": 4, "length": 0.25})
    wheels = ll.connection(robot, ll.Wheels(), shapes="joints", region=2.0, frame="base")
    np.testing.assert_allclose(
        wheels([0.5, -0.3, 0.4])[0], [-0.08712115053344742, -0.07010853313768918, 0.05023871850109727], atol=1e-10
    )
    slip = wheels.field["slip"]
    assert (
        slip.sizes["wheel"] == 4
        and float(np.abs(slip).max()) < 0.5
        and len(wheels.notes) == 3
        and "`slice`" in wheels.notes[2]
    )


def test_a_floating_body_turns_and_its_centre_of_mass_rests() -> None:
    """As a run with inertia in free space does, whose centre of mass no shape can move."""
    floating = ll.connection(ROBOT, shapes="joints", region=1.6, frame="base")
    loop = circle(0.5, (0.8, 0.6))
    gait = ll.ShapeLoop(mean=(0.8, 0.6), cos=((0.5, 0.0),), sin=((0.0, 0.5),), period=1.0)
    stroke = floating.around(loop)
    start = floating.velocity(np.array([1.3, 0.6]), np.array([0.0, np.pi]))
    twist = (start[0], start[1], 0.0, 0.0, 0.0, start[2])
    run = ll.simulate(ROBOT, gait, duration=1.0, step=0.0025, initial={"twist": twist})
    np.testing.assert_allclose(run.dataset["base_position"].values[-1, :2], stroke.displacement[:2], atol=1e-7)
    assert np.ptp(run.dataset["com_position"].values, axis=0).max() < 1e-8
    with pytest.raises(ll.InputError, match="no efficiency"):
        floating.optimum("efficiency")


@pytest.mark.parametrize(
    ("body", "pose"),
    [
        ("floating", (-0.0026588829792252933, 0.001018310164879139, -0.03150415084465595)),
        ("in water", (-0.01712998923044454, 0.004894933378810079, -0.05585828711564057)),
    ],
)
def test_circles_of_floating_bodies(body: str, pose: tuple[float, ...]) -> None:
    stroke = mapped(body).in_frame("middle").around(circle(0.5, (0.8, 0.6)), area=False)
    np.testing.assert_allclose(stroke.displacement, pose, atol=1e-8)


def test_a_chain_and_a_rod_of_waves() -> None:
    stroke = mapped("waves").around(circle(0.2))
    assert (stroke.distance, stroke.efficiency) == pytest.approx((0.07292077834708016, 0.034185219756849565), abs=1e-8)
    stroke = mapped("rod").around(circle(3.0))
    assert (stroke.distance, stroke.efficiency) == pytest.approx((0.06622219587672976, 0.03162905889692936), abs=2e-7)


@pytest.mark.long
def test_a_rod_follows_a_loop() -> None:
    stroke = mapped("rod").around(circle(3.0))
    run = ll.run(stroke.scenario(), {"duration": 1.0, "step": 0.005})
    assert np.hypot(*run.dataset["base_position"].values[-1, :2]) == pytest.approx(stroke.distance, abs=1e-7)


ANGLES = np.pi * np.arange(8) / 8.0
EIGHT = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)


def rubbing(speed: float = 5e-4, **fields: float) -> ll.RegularisedFriction:
    given: dict[str, Any] = {"forward": 0.1, "backward": 0.1, "lateral": 0.3, **fields}
    return ll.RegularisedFriction(**given, cone="weighted", gravity=1.0, speed=speed, points=40)


def test_what_is_not_linear_is_fitted_and_says_so() -> None:
    dry = ll.connection(ROBOT, rubbing(), shapes="joints", region=1.5, frame="middle")
    known = [
        [-0.02346831549313528, -0.04016556610487204, 0.18399320518636653],
        [-0.034455453994355255, -0.05205717999179077, 0.09104174763589234],
        [-0.03594683669708998, -0.05764546451672245, -0.00691862298912338],
        [-0.030919615390456928, -0.053771563780931744, -0.1055122015207865],
        [-0.020278146183722735, -0.04234196624852294, -0.1940330650648864],
        [-0.00479581320606624, -0.0294745806094524, -0.31221168449755193],
        [0.001443668010967699, 0.00013458316974938878, -0.37396933984875846],
        [0.007738539750830209, 0.028249359368049093, -0.30512055214614775],
    ]
    np.testing.assert_allclose(dry.velocity(np.tile([0.5, -0.3], (8, 1)), EIGHT), known, atol=5e-3)
    assert dry.misfit([0.5, -0.3]) == pytest.approx(0.1295517092589819, abs=2e-3)
    assert dry.medium == "friction" and dry.odd and "fitted" in dry.notes[0]
    with pytest.raises(ll.InputError, match="no square of the rates"):
        dry.metric([0.0, 0.0])
    one_way = ll.connection(ROBOT, rubbing(backward=0.3), shapes="joints", region=1.5)
    assert not one_way.odd


def test_dry_laws_know_no_timing_and_a_loop_back_undoes_a_loop() -> None:
    """V(r, 2 r') = 2 V(r, r') where the fading speed is doubled too; an odd law gives all back."""
    slow, fast = (ll.connection(ROBOT, rubbing(v), shapes="joints", region=1.5, frame="base") for v in (0.01, 0.02))
    r, rate = np.array([0.5, -0.3]), EIGHT[1]
    V = slow.velocity(r, rate)
    np.testing.assert_allclose(fast.velocity(r, 2.0 * rate), 2.0 * V, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(slow.velocity(r, -rate), -V, rtol=1e-9, atol=1e-12)
    there = slow.around({"mean": [0.2, -0.1], "cos": [[0.6, 0.0]], "sin": [[0.0, 0.6]]}, area=False).displacement
    back = slow.around({"mean": [0.2, -0.1], "cos": [[0.6, 0.0]], "sin": [[0.0, -0.6]]}, area=False).displacement
    c, s = np.cos(there[2]), np.sin(there[2])
    end = there + np.array([c * back[0] - s * back[1], s * back[0] + c * back[1], back[2]])
    assert np.abs(end).max() < 1e-6 and np.hypot(*there[:2]) > 1e-3


@pytest.mark.parametrize("middle", [(0.0, 0.0), (0.4, 0.6)])
def test_slopes_of_the_holonomy_are_those_of_differences(drag: ll.Connection, middle: tuple[float, float]) -> None:
    problem = LoopProblem(drag, 3)
    x = problem.coefficients(ll.Loop.of_table(middle, [[1.0, 0.2]], [[-0.3, 0.8]]))
    _, slopes, _, growth = problem.evaluate(x)
    for n in (1, 4, 9):
        step = 1e-5 * np.eye(len(x))[n]
        (end, _, length, _), (before, _, shorter, _) = problem.evaluate(x + step), problem.evaluate(x - step)
        np.testing.assert_allclose(slopes[:, n], (end - before) / 2e-5, atol=1e-8)
        assert growth[n] == pytest.approx((length - shorter) / 2e-5, abs=1e-8)


def test_the_best_loop_from_a_random_start(drag: ll.Connection) -> None:
    best = drag.optimum("efficiency", harmonics=5, starts=1, seed=1)
    assert best.efficiency == pytest.approx(0.012364154622088327, rel=1e-5) and abs(best.turn) < 1e-6
    assert best.distance == pytest.approx(0.08403251626550938, rel=1e-3)
    again = ll.connection(best.scenario(), region=2.5).around()
    assert again.distance == pytest.approx(best.distance, abs=1e-9)


def test_a_best_loop_that_meets_its_region_stays_within() -> None:
    """Between the points at which a search keeps its bounds, too."""
    tight = ll.connection(ROBOT, ll.Drag(along=1.0, lateral=2.0), shapes="joints", region=1.25)
    best = tight.optimum("efficiency", harmonics=5, starts=1)
    reached = np.abs(best.loop.at(1000)[0]).max()
    assert 1.2 < reached < 1.25 and best.efficiency > tight.around(circle(1.0)).efficiency


@pytest.mark.long
def test_best_loops_from_eight_random_starts(drag: ll.Connection) -> None:
    for aim, value in (("efficiency", 0.012364154622088327), ("distance", 0.10353224000867495)):
        found = []
        for seed in range(8):
            try:
                found.append(getattr(drag.optimum(aim, harmonics=5, starts=1, seed=seed), aim))
            except ll.InputError:
                found.append(0.0)
        assert max(found) < value * (1.0 + 1e-5)
        assert sum(one > value * (1.0 - 1e-5) for one in found) >= 4, found


def test_a_turn_and_a_way_have_closed_forms() -> None:
    """A body that goes straight on while it turns draws a circle."""
    twist = np.tile([1.0, 0.0, 0.7], (16, 1))
    end, path = moved_along(twist)
    np.testing.assert_allclose(end, [np.sin(0.7) / 0.7, (1.0 - np.cos(0.7)) / 0.7, 0.7], atol=1e-14)
    np.testing.assert_allclose(path[8], [np.sin(0.35) / 0.7, (1.0 - np.cos(0.35)) / 0.7, 0.35], atol=1e-14)


def test_saved_and_loaded(drag: ll.Connection, tmp_path: Path) -> None:
    back = ll.Connection.load(drag.save(tmp_path / "map.nc"))
    np.testing.assert_array_equal(back([0.3, 0.4]), drag([0.3, 0.4]))
    assert back.frame == "minimum" and back.field["curvature"].shape == (41, 41, 1, 3)


def test_principal_components_of_a_gait() -> None:
    chain = ll.UniformChain(**{**THREE, "links": 8, "length": 0.1})
    scenario = ll.Scenario(
        name="wave",
        robot=chain,
        gait=ll.Serpenoid(amplitude=0.4, phase_step=0.8),
        environment=(ll.Drag(),),
        model={"kind": "newton-euler", "inertia": False},
    )
    found = ll.connection(scenario, frame="mean")
    assert found.shapes.share == pytest.approx(1.0) and found.count == 2
    run = ll.run(scenario.changed(duration=float(scenario.gait.cycle or 0.0), step=0.01))
    straight = run.dataset["base_position"].values[-1] - run.dataset["base_position"].values[0]
    assert found.around().distance == pytest.approx(float(np.hypot(*straight[:2])), abs=1e-6)
    assert found.around(run).distance == pytest.approx(found.around().distance, abs=1e-5)


LINEAR = ll.Drag()


def dragged() -> ll.Connection:
    return ll.connection(ROBOT, LINEAR, shapes="joints", region=1.0)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: ll.connection(ROBOT, LINEAR), "there is no gait that repeats itself"),
        (lambda: ll.connection(ROBOT, LINEAR, shapes=[[1.0], [0.0], [0.0]]), "bends at 2 stations"),
        (lambda: ll.connection(ROBOT, LINEAR, shapes=[[1.0, 2.0], [1.0, 2.0]]), "two of them are the same"),
        (lambda: ll.connection(ROBOT, LINEAR, shapes="wave"), "shapes: write joints"),
        (lambda: ll.connection(ROBOT, LINEAR, joints=[0, 5]), "there is no joint 5"),
        (lambda: ll.connection(ROBOT, LINEAR, shapes="joints", region=(1.0, 0.0)), "region: give a half width"),
        (lambda: ll.connection(ROBOT, LINEAR, shapes="joints", frame="head"), "frame: one of base"),
        (lambda: ll.connection(ROBOT, (LINEAR, ll.Wheels()), shapes="joints"), "wheels that do not slip"),
        (lambda: ll.connection(ROBOT, (LINEAR, ll.Gravity()), shapes="joints"), "the same everywhere"),
        (lambda: ll.connection(ROBOT, ll.Drag(active=((0.0, 1.0),)), shapes="joints"), "a map knows no time"),
        (lambda: ll.connection(ROBOT, ll.Drag(current=(1.0, 0.0, 0.0)), shapes="joints"), "the same everywhere"),
        (lambda: ll.connection(ROBOT.changed(base="fixed"), LINEAR, shapes="joints"), "holds the base"),
        (lambda: ll.connection(ROBOT.changed(base="free"), LINEAR, shapes="joints")([0.0, 0.0]), "every direction"),
        (lambda: ll.connection(ROBOT.changed(links=9), LINEAR, shapes="joints"), "give 1 to 6 of them"),
        (lambda: ll.connection(ROBOT, LINEAR, shapes="joints", region=1.0).around(circle(2.0)), "a larger region"),
        (lambda: ll.connection(ROBOT, LINEAR, shapes="joints", region=1.0)([0.1]), "give 2 finite numbers"),
        (lambda: ll.connection(ROBOT, LINEAR, shapes="joints", region=1.0).around("no.csv"), "no file"),
        (lambda: ll.connection(ROBOT, LINEAR, shapes="joints", region=1.0).optimum("speed"), "the aim is one of"),
        (lambda: dragged().around([[0.0, 1.0], [1.0]]), "at least 3 postures of 2 numbers"),
        (lambda: dragged().around({"cos": "x"}), "a Fourier table"),
        (lambda: dragged()([[0.0, 1.0], [1.0]]), "give 2 finite numbers"),
        (lambda: dragged()(None), "give 2 finite numbers"),
        (lambda: dragged().velocity(np.zeros((8, 2)), np.zeros((3, 2))), "rate: give one for each posture"),
        (lambda: dragged().optimum(within="far"), "within: give the largest bend"),
        (lambda: ll.connection(ROBOT, LINEAR, shapes="joints", slice="ab"), "slice: name two"),
        (lambda: ll.connection(ROBOT, LINEAR, joints=[0]).curvature([0.0]), "encloses no area"),
        (lambda: ll.connection(ROBOT, ll.Water(), shapes="joints"), "'water': its added mass, wake and drag"),
        (lambda: ll.connection(ROBOT, ll.Water(model="morison", drag=(0, 0, 0, 0)), shapes="joints"), "no map"),
        (lambda: ll.connection(ROBOT, ll.Sand(surface=-1.0), shapes="joints"), "above the sand"),
        (lambda: ll.connection(ROBOT, LINEAR, joints=[0, 1], weight=lambda r: 0.0 * r[:, 0])([0.0, 0.0]), "weight:"),
        (lambda: ll.connection("eel-planar"), "robot.base|depend on its past"),
        (lambda: ll.connection(ROBOT, LINEAR, shapes=ll.Shapes.principal(np.outer([0, 1, 2, 1], [1, 1]))), "fewer"),
    ],
)
def test_what_has_no_map_is_refused_in_a_sentence(make: Any, told: str) -> None:
    with pytest.raises(ll.InputError, match=told):
        make()
