"""Material laws of a user in soft rods and spines: against springs, and against closed forms of hardening ones."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pytest
from scipy.special import ellipk

import limbless as ll
from limbless.core.errors import InputError
from limbless.models.chain.soft.soft_model import Soft
from limbless.robots.material import MaterialLaw, compiled_material
from limbless.robots.tendon_spine import Tendon, TendonSpine, Vertebra

STIFFNESS, TIME, HARDENING = 0.02, 0.05, 4e-3  # N m2, s, N m4


def linear(strain: Any, rate: Any, X: Any) -> Any:
    return 0.0, 0.0, 0.0, 0.0, 0.0, STIFFNESS * (strain[5] + TIME * rate[5])


def hardening(strain: Any, rate: Any, X: Any, cubic: Annotated[float, "N m4", "of the couple"] = HARDENING) -> Any:
    return 0.0, 0.0, 0.0, 0.0, 0.0, STIFFNESS * strain[5] + cubic * strain[5] ** 3


def stretching(strain: Any, rate: Any, X: Any) -> Any:
    e = strain[0] - 1.0
    return 50.0 * e + 5e3 * e**3, 0.0, 0.0, 0.0, 0.0, 0.0


def rod(**fields: Any) -> ll.Rod:
    return ll.Rod(**{"base": "fixed", "strains": "planar", "length": 0.4, "half_width": 0.01, "passive": {}, **fields})


def swing(robot: ll.Rod, step: float = 0.01, **options: Any) -> Any:
    return ll.simulate(
        robot,
        ll.Still(),
        ll.Gravity(acceleration=(0.0, -9.81, 0.0)),
        duration=0.3,
        step=step,
        model=ll.SoftSettings(cells=4, **options),
    ).dataset


@pytest.mark.long
@pytest.mark.parametrize("compiled", [False, True], ids=["python", "compiled"])
def test_a_linear_law_is_that_of_springs_and_dampers(compiled: bool) -> None:
    law = compiled_material(linear) if compiled else linear
    ours = swing(rod(material=MaterialLaw(law=law)))
    springs = swing(rod(stiffness=STIFFNESS, damping_time=TIME))
    for name, error in (("tip_position", 1e-8), ("elastic_energy", 1e-9), ("damping_power", 1e-8)):
        size = np.abs(springs[name].values).max()
        np.testing.assert_allclose(ours[name].values, springs[name].values, rtol=0.0, atol=error * size, err_msg=name)
    np.testing.assert_allclose(ours["iterations"].values, springs["iterations"].values, atol=0.2)  # slopes ahead


@pytest.mark.long
def test_a_hardening_rod_bends_under_a_couple_to_the_circle_of_its_law() -> None:
    """k κ + c κ³ = M has one root; at any degree the rod is that circle."""
    bent = 3.0
    couple = STIFFNESS * bent + HARDENING * bent**3
    push = ll.PointWrench(abscissa=0.4, torque=(0.0, 0.0, couple))
    model = Soft(rod(material=MaterialLaw(law=hardening)), push, settings=ll.SoftSettings(cells=3))
    curved = np.tile([bent, 0.0], 3)
    left = model.forward(model.flat(curved)).strain_acceleration
    loose = model.forward(model.flat(0.99 * curved)).strain_acceleration
    assert np.abs(left).max() < 1e-9 * np.abs(loose).max()
    softer = Soft(
        rod(material=MaterialLaw(law=hardening, arguments={"cubic": 0.0})), push, settings=ll.SoftSettings(cells=3)
    )
    assert np.abs(softer.forward(softer.flat(curved)).strain_acceleration).max() > np.abs(loose).max()


@pytest.mark.long
def test_a_bar_that_hardens_swings_faster_the_farther_it_goes() -> None:
    """One uniform stretch: m/3 ë = -k e - c e³ per length, a Duffing oscillator, whose period is an elliptic integral;
    its energy is kept, and elastic and kinetic energy add up to it.
    """
    bar = rod(
        strains="planar-reissner",
        passive={"strains": ("stretch",)},
        material=MaterialLaw(law=compiled_material(stretching)),
    )
    inertia = bar.total_mass / bar.length * bar.length**2 / 3.0  # kg m: of e, per length
    for amplitude in (0.02, 0.2):
        k, c = 50.0 / inertia, 5e3 / inertia
        high = k + c * amplitude**2
        period = 4.0 * ellipk(0.5 * c * amplitude**2 / high) / np.sqrt(high)
        data = ll.simulate(
            bar,
            ll.Still(),
            duration=float(period),
            step=float(period) / 200,
            model=ll.SoftSettings(cells=1, degree=0),
            initial={"joint_position": (amplitude, 0, 0)},
        ).dataset
        stretch = data["strain"].values[:, 0, 0] - 1.0
        assert stretch[-1] == pytest.approx(amplitude, rel=1e-5)
        assert data["strain_rate"].values[-1, 0, 0] == pytest.approx(0.0, abs=1e-4 * amplitude * np.sqrt(high))
        energy = data["kinetic_energy"].values + data["elastic_energy"].values
        wanted = bar.length * (25.0 * amplitude**2 + 1250.0 * amplitude**4)
        np.testing.assert_allclose(energy, wanted, rtol=1e-5)
        np.testing.assert_allclose(data["passive_work"].values, data["kinetic_energy"].values, atol=1e-5 * wanted)


def bad(strain: Any, rate: Any, X: Any) -> Any:
    return 1.0, 2.0


def broken(strain: Any, rate: Any, X: Any) -> Any:
    return 6 * (1.0 / (X - X),)


@pytest.mark.long
@pytest.mark.parametrize(
    ("law", "said"),
    [
        (bad, "must return six numbers"),
        (broken, "ZeroDivisionError"),
        (lambda strain, rate, X: "stiff", "must return six numbers"),
        (lambda strain, rate, X: 6 * (np.nan,), "not finite"),
        (lambda strain: 6 * (0.0,), r"\(strain, rate, X\)"),
    ],
)
def test_what_a_law_does_wrong_is_said(law: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        swing(rod(material=MaterialLaw(law=law)))


def lost(strain: Any, rate: Any, X: Any) -> Any:
    return 0.0, 0.0, 0.0, 0.0, 0.0, 1.0 + np.nan * strain[5]


@pytest.mark.long
def test_numbers_of_a_compiled_law_that_are_none_end_a_run() -> None:
    with pytest.raises(ll.SimulationError, match=r"robot.material: the law gives a number that is not finite, in cell"):
        swing(rod(material=MaterialLaw(law=compiled_material(lost))))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"stiffness": 1.0}, "robot.stiffness: the law of robot.material"),
        ({"damping_time": 0.1}, "robot.damping_time"),
        ({"youngs_modulus": 1e6}, "robot.youngs_modulus"),
        ({"rest": {"yaw curvature": 1.0}}, "robot.rest"),
        ({"passive": {"follows_gait": True}}, "robot.passive.follows_gait: a law"),
    ],
)
def test_fields_that_a_law_takes_the_place_of_are_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Soft(rod(material=MaterialLaw(law=linear), **fields))


def test_other_models_know_no_material_law() -> None:
    with pytest.raises(InputError, match=r"robot.material: a gait gives all strains"):
        ll.MacroContinuous(ll.Rod(material=MaterialLaw(law=linear)))
    with pytest.raises(InputError, match="joints have no material law"):
        ll.Rod(material=MaterialLaw(law=linear)).to_chain(3)
    with pytest.raises(ll.InputError, match="'cubik' is no argument"):
        ll.Rod(material={"law": hardening, "arguments": {"cubik": 1.0}})


# ------------------------------------------------------------------------------------------------- vertebrae

LONG = (0.02, 0.03, 0.025)  # m


def springy(strain: Any, rate: Any, X: Any) -> Any:
    """0.04 and 0.08 N m/rad in a vertebra, whatever its length, by where it is."""
    length = 0.02 if X < 0.02 else 0.03 if X < 0.05 else 0.025
    up, left = (strain[4] + TIME * rate[4]) * length, (strain[5] + TIME * rate[5]) * length
    return 0.0, 0.0, 0.0, 0.0, 0.08 * up, 0.04 * left


def coupled(strain: Any, rate: Any, X: Any) -> Any:
    """From the energy (a κy² + c κz²) / 2 + b κy κz + d κy² κz² per length: a bend to one side calls one up."""
    y, z = strain[4], strain[5]
    return 0.0, 0.0, 0.0, 0.0, 1.6e-3 * y + 4e-4 * z + 2e-5 * y * z * z, 8e-4 * z + 4e-4 * y + 2e-5 * y * y * z


def backbone(vertebra: dict[str, Any] | None = None, **fields: Any) -> TendonSpine:
    return TendonSpine(
        vertebrae=tuple(Vertebra(length=length, **(vertebra or {})) for length in LONG),
        tendons=(Tendon(holes=((0.006, 0.008),)),),
        **fields,
    )


def pulled(robot: TendonSpine, duration: float = 0.1, step: float = 0.005) -> Any:
    return ll.simulate(
        robot,
        ll.TensionStep(after=(0.8,)),
        ll.Gravity(),
        duration=duration,
        step=step,
        model=ll.SoftSettings(tolerance=1e-9),
    ).dataset


@pytest.mark.long
def test_vertebrae_with_a_linear_law_are_those_with_springs() -> None:
    ours = pulled(backbone(material=MaterialLaw(law=compiled_material(springy))))
    springs = pulled(backbone(damping_time=TIME))
    assert np.abs(springs["bend"].values[-1]).min() > 0.01
    for name, error in (("bend", 1e-8), ("tip_position", 1e-9), ("elastic_energy", 1e-8), ("damping_power", 1e-7)):
        size = np.abs(springs[name].values).max()
        np.testing.assert_allclose(ours[name].values, springs[name].values, rtol=0.0, atol=error * size, err_msg=name)
    np.testing.assert_allclose(ours["iterations"].values, springs["iterations"].values, atol=0.5)  # slopes ahead
    assert "bend_stiffness" in springs and "bend_stiffness" not in ours


@pytest.mark.long
@pytest.mark.parametrize("compiled", [False, True], ids=["python", "compiled"])
def test_vertebrae_whose_bends_call_for_each_other_keep_their_energy(compiled: bool) -> None:
    """A coupling of the wrong sign would be no potential: energy would come from nowhere."""
    law = MaterialLaw(law=compiled_material(coupled) if compiled else coupled)
    model = Soft(backbone(material=law))
    bends = np.array([0.1, 0.05, 0.02, -0.03, 0.04, 0.01])
    passive = model.instant(model.flat(bends)).memory.passive
    for k, length in enumerate(LONG):  # lateral = l κz, vertical = -l κy
        strain = np.array([1.0, 0.0, 0.0, 0.0, -bends[2 * k + 1] / length, bends[2 * k] / length])
        couple = coupled(strain, 0.0 * strain, 0.0)
        np.testing.assert_allclose(passive[2 * k : 2 * k + 2], [-couple[5], couple[4]], rtol=1e-12)
    data = pulled(backbone(material=law), duration=0.05, step=5e-4)
    whole = data["kinetic_energy"].values - data["actuator_work"].values - data["environment_work"].values
    stored = data["elastic_energy"].values
    assert np.abs(whole + stored - whole[0] - stored[0]).max() < 1e-6 * stored.max()
    assert not data["damping_power"].values.any()


@pytest.mark.parametrize(
    ("vertebra", "fields", "said"),
    [
        ({"lateral_stiffness": 1.0}, {}, "lateral_stiffness of vertebra 1: the law of robot.material"),
        ({"damping_vertical": 1.0}, {}, "damping_vertical of vertebra 1"),
        ({"rest_lateral": 0.1}, {}, "rest_lateral"),
        ({"twist_stiffness": 1.0}, {}, "twist_stiffness of vertebra 1: vertebrae with a law"),
        ({"stop_up": 0.2}, {}, "stops of vertebra 1 need a stop_stiffness"),
        ({}, {"damping_time": 0.1}, "damping_time"),
    ],
)
def test_fields_of_a_spine_that_a_law_takes_the_place_of_are_refused(
    vertebra: dict[str, Any], fields: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        Soft(backbone(vertebra, material=MaterialLaw(law=coupled), **fields))


def test_statics_knows_no_law_of_vertebrae() -> None:
    robot = backbone(material=MaterialLaw(law=coupled))
    with pytest.raises(InputError, match=r"robot.material: it acts in motion"):
        ll.TendonStatics(robot)
    rests = Soft(robot).equilibrium(0.5)  # by relaxation, which asks the law itself
    left = Soft(robot).forward(Soft(robot).flat(rests), 0.5).strain_acceleration
    assert (
        np.abs(rests).max() > 1e-3
        and np.abs(left).max()
        < 1e-5 * np.abs(Soft(robot).forward(Soft(robot).flat(0.0), 0.5).strain_acceleration).max()
    )
