"""Markup in every text that a stranger's run can hold: it is read as text, in the report, in the
replay and in the studio.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import limbless as ll
from limbless.robots.joints import Joint
from limbless.robots.links import BodyShape, Link
from limbless.robots.sections import EllipticCylinder
from tests.browser.driving import entered, until

MARKUP = (
    '<img src="x" class="owned" onerror="window.top.owned=1"><b '
    'class="owned">bold</b></script></textarea></title></style>'
    '<script>window.top.owned=1</script><a class="owned" '
    'href="javascript:window.top.owned=1">go</a>\'"`$\\frac{${owned}'
)
OWNED = """() => {
  const looked = root => [...root.querySelectorAll('.owned, [href^="javascript"]')].map(one => one.outerHTML).concat(
    [...root.querySelectorAll('*')].flatMap(one => one.shadowRoot ? looked(one.shadowRoot) : []));
  const bold = [...document.querySelectorAll('svg tspan, svg a')]
    .map(one => one.outerHTML).filter(text => /bold|<a/.test(text));
  return [...looked(document), ...bold, ...(window.top.owned ? ['executed'] : [])] }"""
"""Whatever became an element or was run."""


def named(text: str) -> dict[str, Any]:
    """The fields of three links, with a name for each that is this text."""
    size = {"length": 0.1, "half_width": 0.02, "half_height": 0.02}
    made_of: dict[str, Any] = {"solids": (EllipticCylinder(density=1000.0, **size),), "body": BodyShape(**size)}
    joints = [Joint(kind="revolute", axis=(0.0, 0.0, 1.0), name=f"{text} {number}", label=text) for number in range(2)]
    links = [
        Link(name=f"{text} head", **made_of),
        *(
            Link(name=f"{text} {number}", joint=joint, position=(0.1, 0.0, 0.0), **made_of)
            for number, joint in enumerate(joints)
        ),
    ]
    return {"name": text, "links": tuple(links)}


@pytest.fixture(scope="module")
def result() -> ll.Result:
    scenario = ll.Scenario(
        name="harmless",
        title=MARKUP,
        paper=MARKUP,
        robot=ll.Chain(**named(MARKUP)),
        environment=(ll.Water(),),
        gait=ll.BodyWave(amplitude=0.2, wavelength=0.3, ramp=0.1),
        duration=0.5,
        figures=("overview",),
    )
    made = ll.run(scenario)
    data = made.dataset.copy()
    data.attrs |= {"scenario_name": MARKUP, "model": MARKUP}
    for variable in data.variables.values():
        variable.attrs |= {"units": MARKUP, "long_name": MARKUP, "frame": MARKUP}
    data[MARKUP.replace("/", "|")] = ("time", data["kinetic_energy"].values, {"units": MARKUP})
    theirs = ll.Result(data, scenario, status=f"failed: {MARKUP}", wall_time=made.wall_time)
    theirs.notes, theirs.found = (MARKUP,), (MARKUP,)
    return theirs


def test_report_and_replay_show_it_as_text(result: ll.Result, look: Any, tmp_path: Path) -> None:
    """As the files that the commands write, from a file that a stranger sent."""
    result.save(tmp_path / "result.nc")
    loaded = ll.Result.load(tmp_path / "result.nc")
    assert loaded.scenario is not None and loaded.name == MARKUP and MARKUP in loaded.doubts
    loaded.write(tmp_path)
    loaded.report(tmp_path)
    seen = look((tmp_path / "report.html").as_uri(), width=900, height=600)
    seen.page.wait_for_selector("#plot5 .main-svg")
    seen.page.frame_locator("iframe").locator("canvas").first.wait_for()
    for frame in seen.page.frames:
        assert frame.evaluate(OWNED) == []
    assert seen.page.title() == f"{' '.join(MARKUP.split())} - limbless report"
    text = seen.page.locator("body").inner_text()
    assert text.count('<b class="owned">bold</b>') > 5
    drawn = seen.page.evaluate("[...document.querySelectorAll('.plot svg text')].map(one => one.textContent).join()")
    assert drawn.count('<b class="owned">bold</b>') > 5
    assert not seen.errors and seen.asked_only("file:")
    replay = look((tmp_path / "replay.html").as_uri(), width=400, height=300)
    replay.page.locator("canvas").first.wait_for()
    assert replay.page.title() == " ".join(MARKUP.split()) and replay.page.evaluate(OWNED) == [] and not replay.errors
    for one in (seen, replay):
        one.page.close()


def test_the_studio_shows_it_as_text(result: ll.Result, look: Any, tmp_path: Path) -> None:
    from limbless.view.studio.studio import Studio

    studio = Studio(result, ghost=result, folder=tmp_path)
    try:
        seen = look(studio.url, width=1200, height=700)
        seen.page.wait_for_selector("#status:has-text('ready')")
        page = entered(studio)
        variable = next(name for name in page.plots._panels[0].choice.options if "owned" in name)
        page.plots._panels[0].choice.value = variable
        page.plots._panels[0]._choose()
        page.controls.refuse(MARKUP)
        seen.page.wait_for_selector("#status[role=alert]")
        seen.unfold("robot")
        seen.caught_up(page)
        assert seen.page.evaluate(OWNED) == []
        assert '<b class="owned">bold</b>' in seen.page.locator("#status").inner_text()
        assert seen.page.locator("#python textarea").input_value() == page.python()
        seen.open("Numbers")
        assert '<b class="owned">bold</b>' in seen.page.locator("#numbers").inner_text()
        assert seen.page.evaluate(OWNED) == []
        page.controls.say(MARKUP)
        page.controls.show_running(MARKUP)
        page.save()
        until(lambda: (tmp_path / "runs").is_dir())
        seen.caught_up(page)
        assert seen.page.evaluate(OWNED) == [] and not seen.errors and seen.asked_only(studio.url)
    finally:
        studio.close()


def test_the_notebook_shows_it_as_text(result: ll.Result, look: Any, tmp_path: Path) -> None:
    file = tmp_path / "cell.html"
    file.write_text(f"<!doctype html><meta charset=utf-8><title>cell</title>{result._repr_html_()}", encoding="utf-8")
    seen = look(file.as_uri(), width=700, height=400)
    seen.page.wait_for_selector("table")
    assert seen.page.evaluate(OWNED) == [] and not seen.errors
    seen.page.close()
