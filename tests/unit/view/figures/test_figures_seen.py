"""Every figure of every scenario: nothing is cropped, covered or without a unit, and each shows what its words say."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import limbless as ll
from limbless.scenarios import loader
from limbless.view import figures
from limbless.view.figures.contact_diagram import mean_force
from limbless.view.figures.style import styled
from tests.unit.seen import unseen

SHORT = {
    "eel-lighthill": {"duration": 3.0},
    "float-in-waves": {"duration": 2.0},
    "neck-swing-air": {"duration": 0.3},
    "module-snake-undulate": {"duration": 0.5},
    "eel-loop": {"duration": 0.5},
    "eel-planar": {"duration": 4.0},
    "inchworm-climb": {"duration": 5.0},
    "rod-arm": {"duration": 0.5},
    "serpent-ashore": {"duration": 0.2},
    "neck-friction": {},
    "neck-planar": {},
    "neck-vertical-air": {},
    "neck-horizontal-water": {},
    "neck-workspace": {},
    "spine-45": {},
    "lamprey-cord": {"duration": 0.5},
    "snake-sidewind": {"duration": 0.3},
    "snake-slope": {"duration": 0.3},
    "snake-stairs": {"duration": 0.3},
    "snake-undulate-isotropic": {"duration": 0.1},
    "snake-undulate-orthotropic": {"duration": 0.1},
    "snake-turn-2d": {"duration": 3.0},
    "snake-turn-3d": {"duration": 0.5},
    "worm-accelerate": {"duration": 3.0},
    "worm-burrow": {"duration": 3.0},
    "wheeled-snake-crawl": {"duration": 0.3},
    "wheeled-snake-manipulate": {"duration": 3.0},
    "wheeled-snake-3d": {"duration": 0.3},
    "wheeled-snake-switch": {"duration": 4.2},
}
"""One scenario for each figure, as short as shows it."""
# of these, the figures of every run too
ALL = ("eel-loop", "snake-sidewind", "worm-accelerate", "wheeled-snake-crawl")
CLOSE_UP = {"wang-fig04-track"}  # a panel of it enlarges a part of the curve


@cache
def short(name: str) -> ll.Result:
    return ll.run(name, SHORT[name])


def own(name: str) -> list[str]:
    """The figures that a scenario lists, and those of papers that are drawn for it."""
    papers = [figure for figure, entry in figures.known().items() if name in entry.scenarios]
    return [*ll.Scenario.load(name).figures, *papers]


def test_every_figure_is_looked_at() -> None:
    listed = {figure for name in loader.names() for figure in own(name)}
    assert listed <= {figure for name in SHORT for figure in own(name)}


def test_a_wheel_draws_what_its_scenarios_list() -> None:
    """Figures of papers are beside the cases of validation; the scenarios name none of them."""
    package = Path(figures.__file__).parent
    inside = {f"{figures.__name__}.{path.stem}" for path in package.glob("*.py")}
    papers = {name for name, entry in figures.known().items() if entry.scenarios}
    assert len(papers) == 35
    for name in loader.names():
        for listed in ll.Scenario.load(name).figures:
            assert listed not in papers
            assert figures.find(listed).draw.__module__ in inside


@pytest.mark.parametrize("name", SHORT)
def test_nothing_is_cropped_covered_or_without_a_unit(name: str) -> None:
    result = short(name)
    for figure in figures.names_for(result) if name in ALL else own(name):
        with styled():
            drawing, table = figures.draw(result, figure)
            faults = [fault for fault in unseen(drawing) if figure not in CLOSE_UP or "leaves its axes" not in fault]
        assert not faults, (figure, faults)
        assert all("(" in column or "counted" in column or ": 0 lifted" in column for column in table), figure
        assert all(np.isfinite(values).all() or "limit" in column for column, values in table.items()), figure


def test_contact_forces_are_means_over_the_interval_between_records() -> None:
    """An impact between two records counts: the mean is that of all steps, recorded one by one."""
    changes = {"duration": 0.2, "step": 0.001, "model.theta": 1.0, "initial.position": [0.61, 0.0, 0.06]}
    coarse, fine = (ll.run("snake-sidewind", {**changes, "record_every": every}) for every in (0.05, 0.001))
    every = fine.dataset["contact_force"].values[1:].sum(axis=1).reshape(4, 50, 3).mean(axis=1)
    assert np.abs(every[:, 2]).max() > 50.0
    assert mean_force(coarse)[1:] == pytest.approx(every, abs=1e-6)
    single = coarse.dataset["contact_force"].values[1:].sum(axis=1)
    assert np.abs(single - every).max() > 5.0  # what one step out of fifty says


def test_surroundings_draw_slope_and_terrain() -> None:
    slope = ll.run("snake-slope", {"duration": 0.05})
    drawing, table = figures.draw(slope, "surroundings")
    assert len(drawing.axes) == 2  # from above and from the side
    assert any(type(part).__name__.endswith("ContourSet") for part in drawing.axes[0].collections)
    angle = next(item.slope[0] for item in slope.scenario.environment if item.kind == "ground")
    rise = np.tan(angle) * table["x of the centre of mass (m)"]
    assert table["height of the ground below it (m)"] == pytest.approx(rise, abs=1e-9)
    hills = {
        "kind": "terrain",
        "corner": [-1.5, -1.5],
        "spacing": [0.5, 0.5],
        "table": [[0.05 * (row + column) for column in range(8)] for row in range(8)],
    }
    above = {"duration": 0.02, "environment": [hills, {"kind": "gravity"}], "initial.position": [0.5, 0.0, 0.6]}
    drawing, table = figures.draw(ll.run("snake-turn", above), "surroundings")
    x, y = table["x of the centre of mass (m)"], table["y of the centre of mass (m)"]
    assert table["height of the ground below it (m)"] == pytest.approx(0.1 * (x + 1.5) + 0.1 * (y + 1.5), abs=1e-9)
    assert any(type(part).__name__.endswith("ContourSet") for part in drawing.axes[0].collections)


def test_the_swing_is_drawn_with_both_extrema() -> None:
    _, table = figures.draw(short("neck-planar"), "gautreau-fig12-planar-positions")
    drawn = [values[-1] for column, values in table.items() if column.startswith("disk y at")]
    assert (min(drawn), max(drawn)) == pytest.approx((-0.03, 0.03), abs=1e-9)


def test_the_jump_of_the_worm_is_drawn_where_it_is_large() -> None:
    """At its anchor the internal force jumps by the contact force, m a l, with the anchorage that the paper prints."""
    drawing, table = figures.draw(short("worm-accelerate"), "boyer-fig10-worm-forces")
    pieces = [np.asarray(line.get_ydata()) for line in drawing.axes[3].lines if len(line.get_xdata()) > 2][:2]
    assert pieces[1][0] - pieces[0][-1] == pytest.approx(-table["spatial: contact force (N)"][5], rel=0.1)


def test_hysteresis_can_be_seen() -> None:
    _, table = figures.draw(short("neck-friction"), "spine-hysteresis")
    change = table["tip y less that without friction (m)"]
    assert change.max() > 2e-5 and change.min() < -2e-5
