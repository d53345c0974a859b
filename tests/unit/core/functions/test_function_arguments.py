"""Numbers that a user's function declares in its signature, and functions that are saved with their source."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

import limbless as ll
from limbless.core.functions.function_source import function_from, source_of
from limbless.view.studio.tuning import knobs

ROBOT = ll.UniformChain(links=3)
GENTLE = 0.5


def ripple(
    t: Any,
    s: Any,
    amplitude: Annotated[float, "rad", "heading amplitude"] = 0.1,
    wavelength: Annotated[float, "m"] = 0.4,
    rate: float = 2.0,
) -> Any:
    grown = np.tanh(t[:, None]) ** 3
    return GENTLE * amplitude * grown * np.sin(s / wavelength - rate * t[:, None])


def oil(
    t: float, position: Any, axes: Any, velocity: Any, rotation_rate: Any, viscosity: Annotated[float, "N s/m2"] = 0.2
) -> Any:
    return -viscosity * velocity


def scenario(**gait: Any) -> ll.Scenario:
    return ll.Scenario(
        robot=ROBOT,
        gait=ll.FunctionGait(function=ripple, **gait),
        environment=(ll.ForceLaw(law=oil, arguments={"viscosity": "500 mN s/m2"}),),
        duration=0.1,
    )


def test_numbers_are_filled_in_and_take_units() -> None:
    assert ll.FunctionGait(function=ripple).arguments == {"amplitude": 0.1, "wavelength": 0.4, "rate": 2.0}
    gait = ll.FunctionGait(function=ripple, arguments={"amplitude": "30 deg", "wavelength": "25 cm"})
    assert gait.arguments["amplitude"] == pytest.approx(math.pi / 6) and gait.arguments["wavelength"] == 0.25
    t, s = np.linspace(0.0, 1.0, 3), np.linspace(0.0, 0.2, 4)
    np.testing.assert_allclose(gait.sample(t, s).value[..., 0], ripple(t, s, math.pi / 6, 0.25))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"amplitud": 1.0}, "'amplitud' is no argument of ripple .* did you mean 'amplitude'?"),
        ({"amplitude": "3 kg"}, "amplitude: must be a number .rad.: '3 kg' is a mass"),
        ({"rate": "fast"}, "rate: must be a number; received 'fast'"),
        (3.0, "must be a mapping"),
    ],
)
def test_what_does_not_fit_is_told(given: Any, told: str) -> None:
    with pytest.raises(ll.InputError, match=told):
        ll.FunctionGait(function=ripple, arguments=given)


def test_changes_sliders_and_files_reach_them(tmp_path: Path) -> None:
    changed = ll.Scenario.load(scenario(), {"gait.arguments.amplitude": "60 deg"})
    assert changed.gait.arguments == pytest.approx(  # type: ignore
        {"amplitude": math.pi / 3, "wavelength": 0.4, "rate": 2.0}
    )
    found = {knob.path: knob for knob in knobs(changed)}
    slider = found["gait.arguments.amplitude"]
    assert slider.label == "amplitude (rad)" and slider.meaning == "heading amplitude" and slider.high > slider.value
    assert found["environment.0.arguments.viscosity"].value == 0.5
    path = changed.save(tmp_path / "mine.yaml")
    again = ll.Scenario.load(path, {"gait.arguments.rate": 3.0}, allow_code=True)
    assert again.gait.arguments["rate"] == 3.0 and again.gait.function is not None  # type: ignore
    looked_at = ll.Scenario.load(path)  # nothing is run, the numbers are kept
    assert looked_at.gait.arguments == changed.gait.arguments  # type: ignore


def test_the_law_gets_its_numbers() -> None:
    """Twice the viscosity: twice the force on the same motion, which is imposed on a fixed base."""
    thin, thick = (
        ll.simulate(
            ROBOT.changed(base="fixed"),
            ll.BodyWave(amplitude=0.3, ramp=0.0),
            ll.ForceLaw(law=oil, arguments={"viscosity": value}),
            duration=0.05,
        )
        for value in (1.0, 2.0)
    )
    power = [run.dataset["environment_power"].values for run in (thin, thick)]
    np.testing.assert_allclose(power[1], 2.0 * power[0], rtol=1e-12)
    assert np.abs(power[0]).max() > 0.0


def made(strength: float) -> Any:
    shape = (1.0, 0.5)

    def closure(t, s, amplitude: Annotated[float, "rad"] = 0.2):
        return strength * shape[1] * amplitude * np.sin(t[:, None] - s) * GENTLE

    return closure


def test_a_closure_is_saved_with_its_source_and_runs_again(tmp_path: Path) -> None:
    gait = ll.FunctionGait(function=made(3.0), arguments={"amplitude": 0.4})
    result = ll.simulate(ROBOT, gait, ll.Water(), duration=0.05, name="closure")
    result.write(tmp_path, figures=False)
    text = (tmp_path / "scenario.yaml").read_text()
    assert "strength = 3.0" in text and "import numpy as np" in text and "GENTLE = 0.5" in text
    with pytest.raises(ll.InputError, match=r"gait\.function is the function closure, saved with its source"):
        ll.run(tmp_path / "scenario.yaml")
    again = ll.run(tmp_path / "scenario.yaml", allow_code=True)
    np.testing.assert_array_equal(again.dataset["base_position"], result.dataset["base_position"])
    assert again.scenario.to_yaml() == text  # type: ignore
    turned = ll.Scenario.load(tmp_path / "scenario.yaml", {"gait.arguments.amplitude": "30 deg"}, allow_code=True)
    assert turned.gait.arguments["amplitude"] == pytest.approx(math.pi / 6)  # type: ignore


@pytest.mark.parametrize("function", [lambda t, s: 0.0 * t[:, None] * s, np.sin, print, ROBOT.build])
def test_what_cannot_stand_alone_has_no_source(function: Any) -> None:
    assert source_of(function) is None


def test_a_source_that_fails_is_told() -> None:
    with pytest.raises(ll.InputError, match="saved source of f could not be run: ZeroDivisionError"):
        function_from("1 / 0", "f")
    with pytest.raises(ll.InputError, match="makes no function of that name"):
        function_from("x = 1", "f")
