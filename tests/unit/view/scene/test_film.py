"""Pictures without a browser: what is drawn is where geometry says, and in the colours that a legend names."""

from __future__ import annotations

import gc
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import limbless as ll
from limbless.simulation.result import Result
from limbless.view.scene import palette, textures
from limbless.view.scene.body_shapes import Body
from limbless.view.scene.cameras import FIELD, camera_for
from limbless.view.scene.film import Film, _before, _eye, project
from limbless.view.scene.frames import frames_of
from limbless.view.scene.palette import rgb
from limbless.view.scene.raster import Mesh
from limbless.view.scene.shapes import Shape, bevelled_box, head, module, sphere, turned
from limbless.view.scene.trail import fading, trail_at
from limbless.view.scene.world import DRAWN, World
from tests.unit.view import made_up

SIZE = (320, 180)


def straight(environment: list | None = None) -> Result:
    return Result(made_up.straight(4), SimpleNamespace(environment=environment or [], robot=None, name="straight"))


def drawn(film: Film, frame: int = 0) -> np.ndarray:
    return film.picture(frame, *camera_for(film.frames, True, SIZE[0] / SIZE[1])).astype(int)


def test_what_is_looked_at_is_in_the_middle_and_the_field_of_view_reaches_the_edge() -> None:
    eye = _eye(np.array([1.0, -3.0, 2.0]), np.array([0.5, 0.2, 0.1]))
    far = float(np.linalg.norm([0.5, -3.2, 1.9]))
    top = np.array([0.5, 0.2, 0.1]) + far * np.tan(0.5 * FIELD) * eye.up
    place, depth = project(eye, np.array([[0.5, 0.2, 0.1], top]), (180, 320))
    np.testing.assert_allclose(place, [[160.0, 90.0], [160.0, 0.0]], atol=1e-9)
    np.testing.assert_allclose(depth, far)


@pytest.mark.parametrize("lighting", palette.LIGHTS)
def test_ground_and_trail_are_seen_in_the_colours_that_are_told(lighting: str) -> None:
    film = Film(frames_of(straight([ll.Ground()])), SIZE, lighting=lighting)
    picture = drawn(film, 3)
    below = picture[150:, :40].reshape(-1, 3)  # ground before the body, with a few lines in it
    assert np.abs(np.median(below, axis=0) - rgb(film.theme.tile)).max() <= 12
    trail = film._lines(trail_at(film.frames, film.world, 3), palette.as_light(fading(film.theme)[:, 1] / 255.0), 1e-3)
    assert np.abs(255.0 * palette.shown(trail.colours[-1, :3]) - rgb(film.theme.slips)).max() <= 1.0


def test_the_body_fills_where_it_is_projected_and_no_more() -> None:
    film = Film(frames_of(straight([ll.Ground()])), SIZE)
    eye = camera_for(film.frames, True, SIZE[0] / SIZE[1])
    with_body = drawn(film).copy()
    film._moving = lambda frame: [film._lines(np.zeros((1, 2, 3)) - 1e3, np.ones((1, 3)), 1e-3)]
    changed = np.abs(with_body - drawn(film)).max(axis=2) > 12
    places, _ = project(_eye(*(film.k * one for one in eye)), film.k * film.frames.position[0], (SIZE[1], SIZE[0]))
    for x, y in places.astype(int):
        assert changed[y, x]
    assert changed.mean() < 0.2


def test_a_shadow_falls_away_from_the_sun() -> None:
    """Ground is darker on the far side of the light, by the share that a shadow takes, and not before it."""
    film = Film(frames_of(straight([ll.Ground(height=-0.1)])), SIZE)
    eye = camera_for(film.frames, True, SIZE[0] / SIZE[1])
    picture = palette.as_light(drawn(film) / 255.0)
    middle = film.frames.position[0].mean(axis=0)
    fallen = middle - palette.SUN / palette.SUN[2] * (middle[2] + 0.1)
    places, _ = project(_eye(*(film.k * one for one in eye)), film.k * fallen[None], (SIZE[1], SIZE[0]))
    x, y = places[0].astype(int)
    assert picture[y, x, 1] == pytest.approx(0.58 * palette.light(film.theme.tile)[1], rel=0.1)


def test_shapes_are_closed_and_look_outwards() -> None:
    """The volume under their faces is that of what they stand for: a turned face would take some away."""

    def volume(shape) -> float:
        a, b, c = (shape.vertices[shape.faces[:, corner]] for corner in range(3))
        return float(np.einsum("fi,fi->f", a, np.cross(b, c)).sum() / 6.0)

    theme = palette._DAY
    assert volume(bevelled_box((0.4, 0.3, 0.2), "#FFFFFF", "#000000", 1e-5)) == pytest.approx(0.024, rel=1e-3)
    assert volume(sphere((0.0, 0.0, 0.0), 2.0, "#FFFFFF", fine=60)) == pytest.approx(32.0 / 3.0 * np.pi, rel=1e-2)
    assert volume(turned([0.0, 2.0], 0.5, 0.25, "#FFFFFF", around=200)) == pytest.approx(0.25 * np.pi, rel=1e-3)
    for shape in (module(0.2, 0.05, 0.05, theme), head(0.2, 0.05, 0.05, theme)):
        assert volume(shape) > 0.0 and np.isfinite(shape.vertices).all() and len(shape.colours) == len(shape.vertices)


def test_the_head_is_where_the_run_has_it() -> None:
    """At the end where the head is recorded, its nose outwards, whichever end that is."""
    result = straight()
    for section, side in ((0, -1.0), (-1, 1.0)):
        place = result.dataset["position"].values[:, section]
        result.dataset["head_position"] = (("time", "axis"), place + np.array([0.05 * side, 0.0, 0.0]))
        frames = frames_of(result)
        placed = Body(frames, palette._DAY).at(0)["head"]
        np.testing.assert_allclose(placed.axes[0, :, 0], [side, 0.0, 0.0], atol=1e-9)
        assert np.linalg.norm(placed.position[0] - frames.head[0]) < 0.1 * frames.size


def test_wheels_are_under_the_modules_that_have_them() -> None:
    result = straight([ll.Wheels(modules=[0, 2])])
    result.scenario.robot = SimpleNamespace(kind="chain")
    frames = frames_of(result)
    body = Body(frames, palette._DAY)
    placed, lowest = body.at(1)["wheels"], body.shapes["wheels"].vertices[:, 2].min()
    np.testing.assert_allclose(placed.position, frames.position[1, [0, 2]])
    assert lowest == pytest.approx(-frames.radius[1, 0, 1]) and placed.scale == pytest.approx(1.0)
    assert np.ptp(body.shapes["wheels"].vertices[:, 1]) > 2.0 * frames.radius[1, 0, 0]  # outside of the module


def test_what_a_surface_without_light_shows_is_its_hex() -> None:
    """The film curve of a page, undone, within a step or two of 255; white light is seen darker than 231."""
    colours = np.array([rgb(colour) for colour in ("#A6A39A", "#3E8598", "#15485A", "#D9D8D5", "#103020")]) / 255.0
    found = palette.shown(palette.seen(palette.as_light(palette.as_seen(colours))))
    assert np.abs(255.0 * (found - colours)).max() < 3.0
    assert palette.shown(palette.seen(np.ones((1, 3)))).max() * 255.0 < 231.0


def test_a_ruler_and_tiles_are_as_long_as_they_say() -> None:
    world = World([frames_of(straight([ll.Ground()]))], palette._DAY)
    corners, count = world.ruler()
    assert np.linalg.norm(corners[1] - corners[0]) == pytest.approx(count * world.tile)
    assert f"small tiles {100.0 * world.tile:.3g} cm" in " ".join(world.notes())
    picture = textures.ground(palette._DAY).mean(axis=2)
    rows = np.flatnonzero(np.median(picture, axis=1) < np.median(picture) - 0.03)
    assert np.diff(rows).max() == pytest.approx(textures.SIZE / textures.TILES, abs=2.0)


def test_water_hides_what_is_deep_and_steps_tell_their_height() -> None:
    shore = World(
        [frames_of(straight([ll.Ground(slope=(-0.1, 0.0)), ll.Water(surface=0.0), ll.Gravity()]))], palette._DAY
    )
    assert shore.sandy and shore.ruler() is None
    tints = shore.tint(np.array([0.2, 0.0, -0.1]))
    np.testing.assert_allclose(tints[0], 1.0, atol=1e-6)
    assert tints[0, 0] > tints[1, 0] > tints[2, 0]
    steps = World(
        [frames_of(straight([ll.Ground(), ll.Boxes(centres=[(0, 0, 0.01)], sizes=[(1, 1, 0.02)])]))], palette._DAY
    )
    assert steps.heights[0][0] == "step +2 cm"
    low = [ll.Ground(height=-0.06), ll.Boxes(centres=[(0, 0, -0.03)], sizes=[(1, 1, 0.06)])]
    assert World([frames_of(straight(low))], palette._DAY).heights[0][0] == "step +6 cm"  # from the ground below it
    assert float(steps.height(np.array(0.1), np.array(0.1))) == pytest.approx(0.02)
    assert float(steps.height(np.array(3.0), np.array(0.1))) == pytest.approx(0.0)


def test_every_body_is_drawn_equally_long() -> None:
    film = Film(frames_of(straight()), SIZE)
    assert film.k * film.frames.size == pytest.approx(DRAWN)
    assert film.world.reference and "floor for reference, not in the model" in " ".join(film.world.notes())


def test_a_long_movie_keeps_no_frame() -> None:
    """What is made anew for every frame, such as marks where a body is held, is let go."""

    def kept() -> int:
        gc.collect()
        return sum(type(one) is Shape for one in gc.get_objects())

    film = Film(frames_of(made_up.anchored()), SIZE)
    drawn(film)
    before = kept()
    for frame in range(1, 4):
        drawn(film, frame)
    assert kept() == before > 0


def test_a_triangle_that_reaches_behind_the_eye_is_cut_before_it() -> None:
    """Two corners ahead and one behind: what is left is a trapezoid on the same plane, with the colours between."""
    eye = _eye(np.zeros(3), np.array([1.0, 0.0, 0.0]))
    points = np.array([[-1.0, 0.0, -1.0], [3.0, 1.0, -1.0], [3.0, -1.0, -1.0]])
    mesh = Mesh(points, np.tile([0.0, 0.0, 1.0], (3, 1)), np.diag([4.0, 1.0, 2.0, 3.0])[:3], np.array([[0, 1, 2]]))
    cut = _before(eye, mesh)
    kept = cut.points[cut.faces[1:]]
    assert len(kept) == 2 and kept[..., 0].min() == pytest.approx(0.05) and (kept[..., 2] == -1.0).all()
    a, b, c = kept.transpose(1, 0, 2)
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
    assert area == pytest.approx(4.0 - 0.5 * 1.05 * 2.0 * 1.05 / 4.0)
    share = (cut.points[3:, 0] + 1.0) / 4.0
    np.testing.assert_allclose(cut.colours[3:, 0], 4.0 * (1.0 - share))
    assert _before(eye, mesh._replace(points=points + np.array([2.0, 0.0, 0.0]))).faces.shape == (1, 3)


def test_sand_is_drawn_as_sand_where_a_body_lies_on_it() -> None:
    """Deep in it the body would be hidden: there sand lies below, for reference, and one sees through its surface."""
    on, deep, below = (straight([ll.Sand(**where)]) for where in ({"surface": 0.0}, {"depth": 0.1}, {"surface": 0.2}))
    for result, reference, sheets in ((on, False, 0), (deep, True, 0), (below, True, 1)):
        frames = frames_of(result)
        theme = palette.theme_of(frames)
        world = World([frames], theme)
        assert not theme.deep and world.grain and not world.sandy and world.reference is reference
        assert len(world.clear) == sheets and all((sheet.vertices[:, 2] == 0.2).all() for sheet, _ in world.clear)


def test_the_path_of_the_head_stays_where_it_is_while_it_grows() -> None:
    """A wavy one of many more frames than pieces: its corners are places of the head, and the same ones later on."""
    frames = frames_of(straight())
    t = np.linspace(0.0, 40.0, 2001)
    frames = replace(frames, times=t, position=np.repeat(frames.position[:1], len(t), axis=0))
    frames = replace(frames, head=np.stack([-0.1 * t, 0.05 * np.sin(3.0 * t), 0.0 * t], axis=1))
    world = World([frames_of(straight())], palette._DAY)
    before, after = (trail_at(frames, world, frame)[:, 1, :2] for frame in (1500, 1512))
    kept = [(before[:-1] == corner).all(axis=1).any() for corner in after[:-1]]
    assert sum(kept) > len(before) - 5
    assert (after[-1] == frames.head[1512, :2]).all()
