"""What is drawn is what was recorded: poses, sizes, forces, surroundings."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from limbless.mechanics.algebra.array_rotations import quaternion_to_matrix
from limbless.simulation.result import Result
from limbless.view.figures import style
from limbless.view.scene import arrows, moving_parts
from limbless.view.scene.body_shapes import Body, has_disks, is_chain
from limbless.view.scene.cameras import camera_for, followed
from limbless.view.scene.frames import frames_of
from limbless.view.scene.palette import _DAY, rgb
from limbless.view.scene.world import World, metres
from tests.unit.view import made_up


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    return float(np.einsum("fi,fi->f", a, np.cross(b, c)).sum() / 6.0)


@pytest.mark.parametrize("smooth", [False, True])
def test_parts_of_a_chain_stand_where_the_dataset_has_its_sections(swim: Result, smooth: bool) -> None:
    """Modules have the places, axes and half axes of their sections; slices of a skin lie on the line through them."""
    frames, data = frames_of(swim), swim.dataset
    body = Body(frames, _DAY, smooth)
    sections, radius = data["position"].values, data["radius"].values
    for frame in (0, 37, frames.count - 1):
        placed = body.at(frame)
        if smooth:
            apart = np.linalg.norm(sections[frame][:, None] - placed["slices"].position, axis=2).min(axis=1)
            assert apart.max() < 0.6 * frames.size / body.slices
            continue
        own = np.concatenate([placed["head"].position, placed["modules"].position])[body.order]
        np.testing.assert_allclose(own, sections[frame], atol=1e-12)
        axes = quaternion_to_matrix(data["orientation"].values[frame])[body.order][1:]
        np.testing.assert_allclose(np.abs(np.einsum("sij,sij->sj", placed["modules"].axes, axes)), 1.0, atol=1e-12)
        np.testing.assert_allclose(placed["modules"].scale[:, 1:] * body.size[1:], radius[body.order][1:], atol=1e-12)
        joints = placed["joints"].position
        ends = [np.linalg.norm(joints - part.position[: len(joints)], axis=1) for part in (placed["modules"],)]
        np.testing.assert_allclose(ends[0], 0.5 * data["section_length"].values[body.order][1:], atol=2e-3)


def test_links_shorter_than_they_are_wide_are_drawn_as_one_skin(swim: Result) -> None:
    """A worm of many short links has a head and no row of flat modules."""
    thick = Result(swim.dataset.assign(radius=8.0 * swim.dataset["radius"]), swim.scenario)
    frames = frames_of(thick)
    assert np.median(frames.length[0]) < np.median(frames.radius[0][:, 1])
    assert Body(frames, _DAY).kind == "slices" and Body(frames_of(swim), _DAY).kind == "modules"


@pytest.mark.parametrize(("length", "words"), [(2.0, "2 m"), (0.25, "25 cm"), (-0.01, "-1 cm"), (0.00102, "1.02 mm")])
def test_lengths_are_told_in_units_that_suit_them(length: float, words: str) -> None:
    assert metres(length) == words


def test_parts_swell_with_the_recorded_radius() -> None:
    body = Body(frames_of(made_up.swelling()), _DAY)
    thick = [body.at(frame)["slices"].scale[30, 2] for frame in (0, made_up.FRAMES - 1)]
    assert thick[1] / thick[0] == pytest.approx(2.0)


def test_contacts_stick_green_slip_orange_and_open_ones_vanish() -> None:
    (family,) = arrows.families(frames_of(made_up.on_ground()))
    ends, colours = family.at(2)
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    assert lengths[2] == 0.0
    assert lengths[0] / lengths[1] == pytest.approx(2.0)
    assert tuple(colours[0]) == rgb(style.GREEN)
    assert tuple(colours[1]) == rgb(style.RED)
    assert "slips" in family.label


def test_forces_of_supports_are_drawn_along_the_world_axes() -> None:
    (family,) = arrows.families(frames_of(made_up.anchored()))
    ends, _ = family.at(1)
    direction = (ends[0, 1] - ends[0, 0]) / np.linalg.norm(ends[0, 1] - ends[0, 0])
    np.testing.assert_allclose(direction, [1.0, 0.0, 0.0], atol=1e-12)
    assert family.label == "anchorages and supports"


def test_wheels_that_stick_nowhere_slip() -> None:
    result = made_up.on_ground()
    held = np.tile([1.0, 0.0, 2.0], (made_up.FRAMES, 1))
    # one that rolls slips along, and holds across
    state = np.tile([2.0, 2.0, 1.0], (made_up.FRAMES, 1))
    result.dataset = result.dataset.assign(
        contact_held=(("time", "contact"), held), contact_state=(("time", "contact"), state)
    )
    _, colours = arrows.families(frames_of(result))[0].at(0)
    assert [tuple(colour) for colour in colours] == [
        rgb(style.GREEN),
        rgb(style.RED),
        rgb(style.GREEN),
    ]


def test_a_clamp_pulls_at_the_inner_end_of_its_module() -> None:
    result = made_up.on_ground()
    pull = np.tile([0.0, 0.0, 5.0, 0.0, 0.0, 0.0], (made_up.FRAMES, 1))
    data = result.dataset.assign(clamp_wrench=(("time", "screw"), pull, {"units": "N, N m"}))
    clamped = Result(data, SimpleNamespace(environment=[ll.Clamp(module=-1)]))
    family = next(one for one in arrows.families(frames_of(clamped)) if one.key == "clamp")
    ends, _ = family.at(0)
    # the fifth section of 0.1 m begins there
    np.testing.assert_allclose(ends[0, 0], [0.4, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose((ends[0, 1] - ends[0, 0]) / family.scale, [0.0, 0.0, 5.0], atol=1e-12)


def test_forces_of_rounding_are_not_offered() -> None:
    result = made_up.on_ground()
    tiny = np.full((made_up.FRAMES, made_up.SECTIONS, 3), 1e-12)
    result.dataset["fluid_force"] = (("time", "section", "axis"), tiny, {"units": "N", "frame": "world"})
    assert [family.key for family in arrows.families(frames_of(result))] == ["contacts"]


def test_anchorages_are_marked_where_they_hold() -> None:
    place, there = arrows.holds(frames_of(made_up.anchored()))
    assert there.all()
    np.testing.assert_allclose(place[:, 0], made_up.anchored().dataset["position"].values[:, 2])
    assert arrows.holds(frames_of(made_up.on_ground())) is None


def test_a_spine_shows_the_moment_of_its_springs_and_stops() -> None:
    """At rest the spring of a free vertebra balances the tendons: the moment is stiffness times bend."""
    import limbless as ll

    result = ll.run("neck-planar")
    torque = arrows.torque_along(frames_of(result))
    data = result.dataset
    assert not data["stop_moment"].values.any()
    expected = np.linalg.norm(data["bend_stiffness"].values * data["bend"].values, axis=-1)
    np.testing.assert_allclose(torque[:, 1:], expected, atol=1e-15)
    assert not torque[:, 0].any()


def test_fluid_forces_of_a_swim_start_at_the_sections(swim: Result) -> None:
    family = next(one for one in arrows.families(frames_of(swim)) if one.key == "fluid")
    ends, _ = family.at(50)
    np.testing.assert_allclose(ends[:, 0], swim.dataset["position"].values[50])
    axes = quaternion_to_matrix(swim.dataset["orientation"].values[50])
    force = np.einsum("sij,sj->si", axes, swim.dataset["fluid_force"].values[50])
    np.testing.assert_allclose(ends[:, 1] - ends[:, 0], family.scale * force, atol=2e-2 * family.reach)


def test_torque_becomes_a_colour_from_dark_to_bright() -> None:
    torque = arrows.torque_along(frames_of(made_up.swelling()))
    assert torque is not None and torque.max() == 4.0
    colours = arrows.colours_of(torque, 4.0)
    assert colours[0].sum() < colours[-1].sum()


def test_statics_has_points_for_frames_and_disks_for_sections() -> None:
    frames = frames_of(made_up.statics())
    assert (frames.axis, frames.count, frames.moment) == ("point", made_up.FRAMES, "point")
    assert has_disks(frames) and not is_chain(frames)
    assert frames.values("tension").shape == (made_up.FRAMES, 4)


def test_a_result_without_positions_is_refused_in_words() -> None:
    with pytest.raises(InputError, match="recorded no position"):
        frames_of(Result(made_up.straight().drop_vars(["position", "head_position", "com_position"])))
    with pytest.raises(InputError, match="no record"):
        frames_of(Result(made_up.straight().isel(time=slice(0, 0))))


def test_records_of_a_diverged_run_are_left_out() -> None:
    data = made_up.straight()
    data["position"].values[-2:] = 1e200
    assert frames_of(Result(data)).count == made_up.FRAMES - 2


def test_the_view_follows_without_wriggling() -> None:
    frames = frames_of(Result(made_up.straight(frames=200)))
    way = followed(frames)
    assert way.shape == (200, 3)
    np.testing.assert_allclose(way[100], frames.position[100].mean(axis=0), atol=1e-9)


def test_the_first_camera_looks_across_the_long_side() -> None:
    data = made_up.straight()
    along_x = frames_of(Result(data))
    turned = data.copy(deep=True)
    turned["position"].values[:] = data["position"].values[..., [1, 0, 2]]
    for frames, axis in ((along_x, 0), (frames_of(Result(turned)), 1)):
        position, look_at = camera_for(frames, follow=True)
        assert abs((position - look_at)[1 - axis]) > 2.0 * abs((position - look_at)[axis]) and position[2] > look_at[2]


def test_at_a_time_the_frame_is_shown_that_began_last() -> None:
    frames = frames_of(Result(made_up.straight()))  # one every 0.2 s
    assert [frames.at(time) for time in (-1.0, 0.0, 0.19, 0.2, 0.39, 0.61, 99.0)] == [
        0,
        0,
        0,
        1,
        1,
        3,
        made_up.FRAMES - 1,
    ]


def test_tendons_are_drawn_through_the_holes_that_they_pass() -> None:
    """Bent: the pieces of each tendon are together as long as the recorded tendon, from the
    clamped disk to its anchor.
    """
    import limbless as ll
    from limbless.view.scene.tendon_lines import lines_of

    result = ll.run(
        "neck-planar",
        {"robot.count": 3, "gait.points": 3, "gait.table": [[0, 0.06, 0.004, 0.002], [1, 0.06, 0.006, 0.001]]},
    )
    lines = lines_of(frames_of(result))
    assert lines is not None
    ends, _ = lines.at(1)
    pieces = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).reshape(4, 3).sum(axis=1)
    np.testing.assert_allclose(pieces, result.dataset["tendon_length"].values[1], atol=1e-12)
    np.testing.assert_allclose(
        np.linalg.norm(ends[::3, 0] - result.dataset["position"].values[1, 0], axis=1), 0.012, atol=1e-12
    )
    np.testing.assert_allclose(
        np.linalg.norm(ends[2::3, 1] - result.dataset["position"].values[1, -1], axis=1), 0.012, atol=1e-12
    )


def test_colours_are_those_that_their_words_say() -> None:
    assert rgb("#0072B2") == (0, 114, 178)


def test_arrows_are_as_long_as_their_force_but_no_longer_than_two_large_ones() -> None:
    """98 of 100 forces of 1 N: they are a quarter of the body long; one of 50 N is cut to two of them, one of 1 mN is
    nothing."""
    data = made_up.straight()
    force = np.zeros((made_up.FRAMES, 100, 3))
    force[..., 2], force[:, 0, 2], force[:, 1, 2] = 1.0, 50.0, 1e-3
    data["contact_force"] = (("time", "contact", "axis"), force, {"units": "N", "frame": "world"})
    data["contact_position"] = (("time", "contact", "axis"), np.zeros_like(force), {"units": "m"})
    frames = frames_of(Result(data))
    (family,) = arrows.families(frames)
    ends, _ = family.at(0)
    long = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) / (0.25 * frames.size)
    assert long[2:] == pytest.approx(1.0) and long[0] == pytest.approx(2.0) and long[1] == 0.0


def test_forces_of_water_are_turned_with_their_sections() -> None:
    """A push along the section's own y, of a section that is turned by a quarter about z, goes along -x."""
    data = made_up.straight()
    data["orientation"].values[:] = [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]
    push = np.zeros((made_up.FRAMES, made_up.SECTIONS, 3))
    push[..., 1] = 2.0
    data["fluid_force"] = (("time", "section", "axis"), push, {"units": "N", "frame": "section"})
    (family,) = arrows.families(frames_of(Result(data)))
    assert family.force == pytest.approx(np.broadcast_to([-2.0, 0.0, 0.0], push.shape), abs=1e-12)


def test_the_view_follows_a_steady_swim_at_its_own_pace_and_looks_from_its_right() -> None:
    """A body that goes straight is followed at its speed; the camera begins on its right, above."""
    frames = frames_of(Result(made_up.straight(frames=41)))
    middle, seen = frames.position.mean(axis=1), followed(frames)
    assert seen[20] == pytest.approx(middle[20], abs=1e-9)
    assert np.diff(seen[10:30, 0]) == pytest.approx(0.2, abs=1e-9)
    position, look_at = camera_for(frames, follow=True)
    assert position[1] < look_at[1] and position[2] > look_at[2]


def test_points_of_statics_go_by_ten_in_a_second() -> None:
    assert frames_of(made_up.statics()).times == pytest.approx(0.1 * np.arange(made_up.FRAMES))


def world_of(*environment) -> World:
    told = SimpleNamespace(environment=list(environment), robot=None, name="straight")
    return World([frames_of(Result(made_up.straight(), told))], _DAY)


def test_ground_slopes_as_it_says() -> None:
    world = world_of(ll.Ground(slope=(-0.2, 0.3), height=0.1))
    x, y = np.array([0.3, -1.0]), np.array([0.2, 2.0])
    np.testing.assert_allclose(world.height(x, y), 0.1 - np.tan(0.2) * x + np.tan(0.3) * y, atol=1e-12)
    points, *_ = world.ground_sheet()
    np.testing.assert_allclose(points[:, 2], world.height(points[:, 0], points[:, 1]), atol=1e-9)


def test_obstacles_stand_where_they_are() -> None:
    pegs = ll.Pegs(feet=((1.0, 0.5, 0.0), (0.0, 0.0, 0.0)), span=(0.0, 0.0, 0.4), radius=0.05)
    boxes = ll.Boxes(centres=((0.0, 0.0, 1.0),), sizes=((1.0, 2.0, 3.0),), yaw=np.pi / 2)
    world = world_of(pegs, boxes)
    first, box = world.still["peg 0 0"], world.still["box 0 1"]
    low, high = first.vertices.min(axis=0), first.vertices.max(axis=0)
    np.testing.assert_allclose([low, high], [[0.95, 0.45, 0.0], [1.05, 0.55, 0.4]], atol=1e-3)
    np.testing.assert_allclose(np.ptp(box.vertices, axis=0), [2.0, 1.0, 3.0])
    for shape in (first, box):
        assert volume(shape.vertices - shape.vertices.mean(axis=0), shape.faces) > 0.0
    assert not world.upright and world_of(pegs).upright


def test_water_has_a_surface_only_where_one_is_given() -> None:
    assert world_of(ll.Buoyancy()).surface is None
    world = world_of(ll.Buoyancy(surface=0.7))
    points, _, colours = world.water_sheet()
    assert set(points[:, 2]) == {0.7} and colours[:, 3].max() < 1.0


def test_water_that_flows_carries_its_ripples() -> None:
    flow = ll.Water(flow=[{"kind": "uniform", "velocity": [0.2, -0.1, 0.0]}])
    world = world_of(flow)
    assert world.drift(3) == pytest.approx(0.6 * np.array([0.2, -0.1, 0.0]))  # 0.2 s from frame to frame
    assert not world_of(ll.Water()).drift(3).any()


def test_terrain_has_its_heights() -> None:
    terrain = ll.Terrain(table=((0.0, 1.0, 2.0), (3.0, 4.0, 5.0)), corner=(1.0, 2.0), spacing=(0.5, 0.25))
    world = world_of(terrain)
    (shape,) = world.reliefs
    np.testing.assert_allclose(shape.vertices[5], [1.5, 2.5, 5.0])
    np.testing.assert_allclose(world.height(np.array([1.5, 1.25]), np.array([2.25, 2.125])), [4.0, 2.0])
    x, y, z = shape.vertices.T  # its walls reach below its lowest point, all around
    assert z.min() < 0.0 and {(1.0, 2.0), (1.5, 2.0), (1.0, 2.5), (1.5, 2.5)} <= set(
        zip(x[z < 0.0], y[z < 0.0], strict=True)
    )
    middle = shape.vertices.mean(axis=0)
    walls = shape.vertices[shape.faces[4:]]
    normal = np.cross(walls[:, 1] - walls[:, 0], walls[:, 2] - walls[:, 0])
    assert (np.einsum("fi,fi->f", normal, walls.mean(axis=1) - middle) > 0.0).all()


def test_a_box_is_drawn_where_it_is_felt() -> None:
    """Every drawn corner lies on the box that bodies touch, but for its bevel, turned as far and to the same side."""
    from limbless.mechanics.algebra.vectors import Vector
    from limbless.mechanics.contact.shapes import primitives

    boxes = ll.Boxes(centres=((0.3, -0.2, 0.4),), sizes=((1.0, 0.4, 0.6),), yaw=0.5)
    surface = np.zeros((1, primitives.SURFACE_COLUMNS))
    surface[0, primitives.SHAPE : primitives.SHAPE + 15] = boxes.shapes()[0][1]
    (shape,) = world_of(boxes).still.values()
    felt = [primitives.box_distance(surface, 0, Vector(*corner))[0] for corner in shape.vertices]
    assert felt == pytest.approx([0.0] * len(felt), abs=1e-12)


def test_a_legend_gives_the_scale_of_what_is_shown() -> None:
    from limbless.view.scene.legend import legend, scale_of

    frames = frames_of(made_up.on_ground())
    (family,) = arrows.families(frames)
    force, length = scale_of(family)
    assert length == pytest.approx(force * family.scale) and 0.1 < length / family.reach < 10.0
    display = SimpleNamespace(
        **{"arrows": [family], "torque": np.array([[0.0, 4.0]]), "coloured": ("internal torque", "N m")},
        **{"tendons": None, "shows": lambda key: True, "frames": frames, "theme": _DAY, "world": world_of(ll.Ground())},
    )
    card = legend(display, "before")
    for words in (f"{force:g} N is {100 * length:.3g} cm long", "internal torque", "4 N m", "small tiles", "before"):
        assert words in card
    display.shows = lambda key: key == "torque"
    assert " N is" not in legend(display)


@pytest.mark.parametrize("shape", ["box", "capsule"])
def test_free_objects_are_drawn_turned_as_they_lie(shape: str) -> None:
    """Their long side lies along their own x: turned by a quarter about z, along the world's y."""
    body = SimpleNamespace(shape=shape, sizes=(0.4, 0.1, 0.2), radius=0.05, length=0.3)
    made = moving_parts.shape_of(body)
    turn = np.array([[np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]])
    drawn = moving_parts.ObjectMesh("it", made, np.array([[1.0, 2.0, 3.0]]), turn).at(0)
    wanted = [0.1, 0.4, 0.2] if shape == "box" else [0.1, 0.4, 0.1]
    assert np.ptp(drawn, axis=0) == pytest.approx(wanted, rel=0.04)  # a ball has flat faces
    ahead = made.vertices[:, 0] > 0.1
    assert (drawn[ahead, 1] > 2.0).all() and drawn.mean(axis=0) == pytest.approx([1.0, 2.0, 3.0], abs=1e-2)


def test_rungs_have_a_colour_a_lane_and_a_name_each() -> None:
    """Side by side they are apart by what the legend says; on top of each other, where they are."""
    pytest.importorskip("viser", reason="the extra view is not installed")
    from limbless.view.figures.style import COLOURS
    from limbless.view.scene.palette import linear
    from limbless.view.scene.scene import Rungs
    from limbless.view.studio.server import quiet_server, stop

    frames = frames_of(made_up.on_ground())
    server = quiet_server()
    try:
        world = world_of(ll.Ground())
        rungs = Rungs(server.scene, world, [frames, frames], ["soft", "newton-euler, 3 links", "non-smooth"])
        for node, colour in zip((rungs.displays[0], rungs.displays[1]), COLOURS[1:], strict=False):
            assert (next(iter(node._body.values())).batched_colors == linear(rgb(colour))).all()
        rungs.lay(True)
        rungs.show(frames.times[-1])
        assert {display.frame for display in rungs.displays} == {frames.count - 1}
        lanes = np.array([root.position for root in rungs.roots]) / world.k
        told = [row.text for row in rungs.rows()]
        far = np.linalg.norm(lanes[1] - lanes[0])
        assert told[:3] == rungs.names and f"{100 * far:.3g} cm behind" in told[3] and far == np.linalg.norm(lanes[0])
        assert [row.colours for row in rungs.rows()[:3]] == [(colour,) for colour in COLOURS[:3]]
        assert lanes[:, 2] == pytest.approx(0.0)
        rungs.lay(False)
        assert not any(root.position.any() for root in rungs.roots)
        assert rungs.rows()[3].text == "all at their own places"
    finally:
        stop(server)
