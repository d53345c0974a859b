"""Every scenario in the studio: drawn where the dataset has it, moving, tuned through the page, refused in words,
replayed from a file.

One browser and one server go through the list. `make test` takes one scenario of each model and types a few of its
fields into the page; `--every-scenario` takes all scenarios, and all their fields without a browser: what is between a
page and a run is the same for all fields of a kind. `--every-field` (`make studio-test`) types all fields into the page
too, about a minute per scenario on a quiet machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ruamel.yaml import YAML

import limbless as ll
from limbless.core.errors import InputError
from limbless.scenarios import loader
from limbless.scenarios.scenario import Scenario
from limbless.simulation.simulate import run_scenario
from limbless.view.replay import write_replay
from limbless.view.studio.field_entries import SLIDING
from limbless.view.studio.messages import in_page_words
from limbless.view.studio.tuning import Knob, knobs
from limbless.view.terminal import summary_rows
from tests.browser.driving import Seen, entered, on_screen, until
from tests.contracts import test_scenarios as contract

EVERY = ("--every-scenario", "--every-field")
NUMERIC = ("number", "whole")
NUMBER = re.compile(r"<tr><td[^>]*>[^<]*</td><td[^>]*>([^<]*)</td>")


@pytest.fixture(scope="module")
def studio(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from limbless.view.studio.studio import Studio

    monkeypatched = pytest.MonkeyPatch()
    monkeypatched.setattr("limbless.view.studio.field_entries.TYPING", 0.02)  # a machine types all at once
    first = ll.run("eel-planar", {"duration": 0.5})
    opened = Studio(first, first.scenario, folder=tmp_path_factory.mktemp("work"))
    yield opened
    opened.close()
    monkeypatched.undo()


@pytest.fixture(scope="module")
def bystander(studio: Any, look: Any) -> Any:
    """A second page, which nothing that the first one does may change."""
    other = look(studio.url, width=300, height=200)
    other.page.wait_for_selector("text=eel-planar: ready", state="attached")
    page = entered(studio)
    page.controls.pause()
    page.cast_shadows(False)  # nothing of it is about them, and software draws them slowly
    other.caught_up(page)
    other.draw_rarely()
    return page


def as_often_as_needed(fixture_name: str, config: pytest.Config) -> str:
    """One page serves all scenarios, but not where each has dozens of fields to type: a browser that
    draws in software slows down.
    """
    return "function" if config.getoption("--every-field") else "module"


@pytest.fixture(scope=as_often_as_needed)
def seen(studio: Any, bystander: Any, look: Any) -> Iterator[Seen]:
    opened = look(studio.url, width=1090, height=420)
    opened.page.wait_for_selector("text=eel-planar: ready")
    opened.hide_notices()
    yield opened
    opened.page.close()
    until(lambda: len(studio.pages) == 1, "the page is closed, and the studio still has it")


@pytest.fixture
def page(studio: Any, seen: Seen, bystander: Any) -> Any:
    """Python's side of the visitor's page."""
    found = entered(studio, bystander)
    found.cast_shadows(False)
    if not found.controls.radians.value:  # values are typed as the scenario has them
        found.controls.radians.value = True
        found.show_angles()
    return found


@pytest.mark.parametrize("name", loader.names())
def test_a_scenario_is_drawn_moves_and_is_tuned(
    name: str, seen: Seen, page: Any, studio: Any, bystander: Any, request: Any
) -> None:
    skip_unless_wanted(name, request)
    kept = bystander.result, bystander.display.frame
    before = page.result
    for root in page.roots:
        root.visible = True  # also after a test that failed on its way
    seen.draw_rarely(False)
    seen.pick("scenario", name)
    until(lambda: page.result is not before and page.result.name == name)
    seen.page.wait_for_selector(f"#status:has-text('{name}:'):has-text('answered in')")
    assert_drawn_where_the_dataset_has_it(seen, page)
    assert_moves_when_playing(seen, page)
    assert_refuses_in_words(seen, page)
    begin_short(name, seen, page)
    unfolded = {"gait"}  # the one folder of fields that is open from the start
    for knob in chosen(page.result.scenario, request.config.getoption("--every-field")):
        seen.field(page.controls.entries.fields[knob.path]).wait_for(state="attached")
        if knob.group not in unfolded:
            seen.unfold(knob.group)
            unfolded.add(knob.group)
        assert_tuned(name, knob, seen, page)
    assert (bystander.result, bystander.display.frame) == kept
    assert seen.asked_only(studio.url, studio.url.replace("http", "ws")) and not seen.errors


def assert_drawn_where_the_dataset_has_it(seen: Seen, page: Any) -> None:
    """The robot's pixels are those that change when it is hidden; the camera sees the recorded positions among them."""
    page.controls.pause()
    times = page.frames.times
    page.jump(float(times[0] + 0.37 * (times[-1] - times[0])))
    for key, *_ in page.display.switches():
        page.switch(key, False)
    box = seen.scene()
    robot = list(page.display._body.values())
    (mask,) = until(lambda: robots_pixels(seen, page, robot, box), "other things than the robot change, too")
    assert mask.sum() > 200, "the robot is not drawn"
    places = page.display.k * recorded(page) + page.roots[0].position
    until(lambda: is_hit(mask, on_screen(page.client, places, box)), "the robot is drawn elsewhere", patience=20.0)


def robots_pixels(seen: Seen, page: Any, robot: list[Any], box: dict[str, float]) -> tuple[np.ndarray] | None:
    """Where the picture changes when the robot is hidden; None if it is another one afterwards, because the page was
    still loading.
    """
    pictures = []
    for visible in (True, False, True):
        for node in robot:
            node.visible = visible
        pictures.append(seen.settled(page, box))
    shown, hidden, back = pictures
    return (differs(shown, hidden),) if differs(shown, back).sum() < 20 else None


def is_hit(mask: np.ndarray, places: np.ndarray) -> bool:
    """Whether the robot's pixels are at these places, and not everywhere. The browser tells its camera a
    moment after it has moved.
    """
    height, width = mask.shape
    inside = places[((places > 4) & (places < [width - 5, height - 5])).all(axis=1)].astype(int)
    hit = [mask[y - 2 : y + 3, x - 2 : x + 3].any() for x, y in inside]
    far = [mask[(y + 90) % height, x] for x, y in inside]
    return len(inside) >= min(3, len(places)) and np.mean(hit) > 0.9 and bool(np.mean(far) < 0.5)


def recorded(page: Any) -> np.ndarray:
    """Positions of the sections in the frame that is shown, from the dataset itself."""
    values = page.result.dataset["position"].values
    return values.reshape(-1, *values.shape[-2:])[page.display.frame]


def differs(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.abs(one - other).sum(axis=2) > 40


def assert_moves_when_playing(seen: Seen, page: Any) -> None:
    box = seen.scene()
    still, frame = seen.settled(page, box), page.display.frame
    seen.tick("playing")
    until(lambda: page.display.frame != frame and differs(still, seen.picture(box)).sum() > 60)
    seen.tick("playing")
    until(lambda: not page.controls.play.value)


def assert_refuses_in_words(seen: Seen, page: Any) -> None:
    """A number below what a field takes shows the library's sentence, and the last run stays."""
    kept, found = page.result, knobs(page.result.scenario)
    knob = next(one for one in found if one.kind in NUMERIC and one.group not in SLIDING and np.isfinite(one.limits[0]))
    seen.unfold(knob.group)
    seen.enter(seen.field(page.controls.entries.fields[knob.path]), written(knob.limits[0] - 1.0))
    seen.page.wait_for_selector("#status[role=alert]")
    with pytest.raises(InputError) as error:
        Scenario.load(page.source, page.changes)
    assert seen.page.locator("#status").inner_text().split() == in_page_words(str(error.value), kept.scenario).split()
    assert page.result is kept


def begin_short(name: str, seen: Seen, page: Any) -> None:
    """Go on with the short run, once its fields have taken the place of those before."""
    with page._lock:
        page.source, page.changes = short(name), {}
    page._run()
    seen.page.wait_for_selector(f"#status:has-text('{name}-short:'):has-text('answered in')")
    seen.draw_rarely()
    for root in page.roots:
        # nothing of this needs the scene, which is slow to draw without a graphics card
        root.visible = False


def chosen(scenario: Scenario, every: bool) -> list[Knob]:
    """Every numeric field; or one that is a slider, one that is typed, and the text of a list if there is one."""
    found = [knob for knob in knobs(scenario) if knob.kind in (*NUMERIC, "text") and knob.item in ("", "1")]
    if every:
        return found
    parts = (
        [knob for knob in found if knob.kind in NUMERIC and (knob.group in SLIDING) is slides]
        for slides in (True, False)
    )
    texts = [knob for knob in found if knob.kind == "text" and len(knob.value) > 2]
    return [kind[len(scenario.name) % len(kind)] for kind in (*parts, texts) if kind]


def assert_tuned(name: str, knob: Knob, seen: Seen, page: Any) -> None:
    """What is typed changes the run in Python and the numbers shown, or is refused in the library's
    words and changes nothing.
    """
    with page._lock:
        page.changes = {}
    page.controls.say("")
    seen.heard(page)
    kept, field = page.result, seen.field(page.controls.entries.fields[knob.path])
    seen.enter(field, other_value(name, knob))
    until(lambda: knob.path in page.changes, f"{knob.path} was typed and did not arrive")
    until(lambda: is_refused(page) or is_answered(page, knob.path, kept), f"{knob.path} has no answer")
    if is_refused(page):
        assert page.result is kept
        expected_words = refused(page).split()
        until(
            lambda: seen.page.locator("#status").inner_text().split() == expected_words,
            f"other words than {expected_words}",
        )
        return
    numbers = [value for _, value in summary_rows(page.result.summary())]
    told = [unescape(text) for text in NUMBER.findall(page.controls.numbers.content)]
    assert told == numbers, f"the page is not told {numbers}"
    expected = run_scenario(Scenario.load(page.source, page.changes))
    assert page.result.dataset.drop_attrs().identical(expected.dataset.drop_attrs()), knob.path
    assert not is_silent(name, knob, page.result), f"{knob.path} changes nothing"


def is_silent(name: str, knob: Knob, result: Any) -> bool:
    """Whether a field changed nothing though it could be seen here, and no note names it."""
    field = knob.path.rpartition(".")[2]
    return (
        not unseen(name, knob)
        and not any(field in note for note in result.notes)
        and result.dataset.drop_attrs().identical(undisturbed(name))
    )


@pytest.mark.parametrize("name", loader.names())
def test_every_field_changes_the_run_is_noted_or_is_refused(name: str, request: Any) -> None:
    """As the page would type it, without the page."""
    if not any(request.config.getoption(option) for option in EVERY):
        pytest.skip(f"with {' or '.join(EVERY)}")
    silent = []
    for knob in chosen(short(name), every=True):
        try:
            changed = Scenario.load(short(name), {knob.path: YAML(typ="safe").load(other_value(name, knob))})
            result = run_scenario(changed)
        except (InputError, ll.SimulationError):
            continue
        if is_silent(name, knob, result):
            silent.append(knob.path)
    assert not silent


def is_refused(page: Any) -> bool:
    return "role='alert'" in page.controls.status.content


def is_answered(page: Any, path: str, kept: Any) -> bool:
    """Whether the run that is shown is the newest that was asked for, with this field in it."""
    asked, (_, changes) = page._asked
    shown = "answered in" in page.controls.status.content  # the last thing that is told of a run
    return shown and path in changes and page.result is not kept and page.result.scenario is asked


@cache
def short(name: str) -> Scenario:
    """The short run of the contract tests, in which every number has something to act on."""
    return Scenario.load(contract.excited(name), {"name": f"{name}-short"})


@cache
def undisturbed(name: str) -> Any:
    return run_scenario(short(name)).dataset.drop_attrs()


def other_value(name: str, knob: Knob) -> str:
    """A value that the scenario takes, as a visitor writes it; where none is known, one that it may refuse."""
    if knob.kind == "text":
        return other_text(knob)
    inside = [
        value
        for value in contract.others(knob.value)
        if value != knob.value
        and (knob.group not in SLIDING or knob.low is None or knob.high is None or knob.low <= value <= knob.high)
    ]
    for value in inside:
        try:
            Scenario.load(short(name), {knob.path: value})
        except InputError:
            continue
        return written(value)
    return written((inside or [knob.low])[0])


def other_text(knob: Knob) -> str:
    """The first number of a list a little larger, or a number where there was none."""
    value, number = knob.value, re.search(r"-?\d+(\.\d+)?(e-?\d+)?", knob.value)
    if number is None:
        return "0.25"
    return f"{value[: number.start()]}{float(number[0]) * 1.004 + 0.001:.6g}{value[number.end() :]}"


def written(value: float) -> str:
    """A number without an exponent, as a number field takes it."""
    return str(value) if isinstance(value, int) else f"{value:.9f}".rstrip("0").rstrip(".")


def refused(page: Any) -> str:
    """What the library says to the changes: at once, or when it is run."""
    try:
        run_scenario(Scenario.load(page.source, page.changes))
    except InputError as error:
        return in_page_words(str(error), page.result.scenario)
    except ll.SimulationError as error:
        return in_page_words(f"The run failed: {error}", page.result.scenario)
    raise AssertionError("the page refused what the library takes")


def unseen(name: str, knob: Knob) -> bool:
    """Fields that this short run cannot show: those that the contract tests name, and numbers that were not changed."""
    place = tuple(int(part) if part.isdigit() else part for part in knob.path.split("."))
    words = {part for part in place if isinstance(part, str)}
    listed = set().union(*(fields for start, fields in contract.UNUSED.items() if name.startswith(start)))
    own_links = place[:2] == ("robot", "links")  # left out of the contract tests, too
    silent = listed | contract.SILENT | contract.LIMITS | {"active", "orientation"}
    aimed = contract._is_direction(place)  # (0, 0, z) is the same direction for every z
    return bool(words & silent) or place[-2:] in listed or place in contract.IDLE or own_links or aimed


@pytest.fixture(scope="module")
def player(look: Any, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    return look("about:blank", width=480, height=320)


def skip_unless_wanted(name: str, request: Any) -> None:
    if name not in one_of_each_model() and not any(request.config.getoption(option) for option in EVERY):
        pytest.skip(f"with {' or '.join(EVERY)}")


@cache
def one_of_each_model() -> list[str]:
    """The scenario with the fewest steps of every model: it is run, drawn and played many times."""
    found: dict[str, tuple[float, str]] = {}
    for name in loader.names():
        scenario = Scenario.load(name)
        steps = 0.0 if scenario.task is not None else scenario.duration / scenario.step
        found[scenario.model.kind] = min(found.get(scenario.model.kind, (np.inf, "")), (steps, name))
    return [name for _, name in found.values()]


@pytest.mark.parametrize("name", loader.names())
def test_a_replay_opens_from_a_file_and_plays(name: str, player: Seen, tmp_path: Path, request: Any) -> None:
    skip_unless_wanted(name, request)
    path = write_replay(ll.run(name), tmp_path)
    player.requests.clear()
    player.page.goto(path.as_uri())
    until(lambda: len(np.unique(player.picture().reshape(-1, 3), axis=0)) > 60)  # the scene, and not an empty page
    first = player.picture()
    until(lambda: differs(first, player.picture()).sum() > 40)
    assert player.asked_only("file:") and not player.errors
    player.page.goto("about:blank")  # which draws nothing while others are tested
