"""Every recorded variable of every model has a witness that does not share its code, agrees with it, and
notices when it is wrong.
"""

from __future__ import annotations

import importlib
import pkgutil

import numpy as np
import pytest
import xarray as xr

import limbless as ll
from tests.contracts import witnesses

for found in pkgutil.iter_modules(witnesses.__path__):
    importlib.import_module(f"{witnesses.__name__}.{found.name}")

ALL = sorted(witnesses.WITNESSES)
every = pytest.mark.parametrize(("model", "variable"), ALL, ids=["-".join(key) for key in ALL])


@every
def test_every_recorded_variable_has_a_witness(model: str, variable: str) -> None:
    case = witnesses.CASES[model]()
    witnesses.WITNESSES[model, variable](case)


RESIDUALS = (
    "contact_residual",
    "tail_wrench",
    "equilibrium_residual",
    "power_residual",
    "target_error",
    "target_angle_error",
)
"""How far something is from holding: rounding, whose size alone can be vouched for."""


COMPONENTS = ("axis", "screw", "quaternion", "transverse", "joint", "tendon", "angle")
"""Dimensions of which each number can be turned round by itself."""


def wrongs(variable: str, data: xr.DataArray) -> dict[str, np.ndarray]:
    """Ways in which a variable could be recorded wrongly."""
    values = data.values
    if variable in RESIDUALS:
        return {"a thousand times too large": 1e3 * values + 1e-3}
    found = {"turned round": -values, "two per cent too large": 1.02 * values}
    if data.dims and data.dims[-1] in COMPONENTS:
        for component in range(values.shape[-1]):
            if np.abs(values[..., component]).max(initial=0.0) > 1e-4 * np.abs(values).max(initial=0.0):
                found[f"component {component} turned round"] = np.where(
                    np.arange(values.shape[-1]) == component, -values, values
                )
    return found


@every
def test_a_witness_notices_a_wrong_variable(model: str, variable: str) -> None:
    case = witnesses.CASES[model]()
    case.asked.clear()
    witnesses.WITNESSES[model, variable](case)
    recorded = [data[variable] for data in (case.runs[name]() for name in sorted(case.asked)) if variable in data]
    assert recorded, f"no run that the witness of {variable} of {model} looks at records it"
    for wrong in sorted({wrong for data in recorded for wrong in wrongs(variable, data)}):
        with pytest.raises(AssertionError):
            mistaken = case.changed(variable, lambda data: wrongs(variable, data).get(wrong, data.values))
            witnesses.WITNESSES[model, variable](mistaken)
            raise ValueError(f"{variable} of {model} recorded {wrong} is not noticed")


CONSTANTS = {
    "abscissa",
    "bend_stiffness",
    "contact_link",
    "contact_object",
    "contact_other_link",
    "contact_other_object",
    "contact_surface",
    "effort_limit",
    "joint_abscissa",
    "joint_limit",
    "joint_lower",
    "joint_upper",
    "object_mass",
    "radius",
    "section_length",
    "slip_tolerance",
    "stop",
    "surface",
    "tension_limit",
    "vertebra_length",
    "vertebra_mass",
    "vertebra_volume",
}
"""Numbers of a robot, a scene or a setting, which no run finds. All else that has no time is an
extreme of the whole run.
"""


def in_result(data: xr.Dataset) -> set[str]:
    """Names of what a run found, looks apart."""
    return {
        str(name)
        for name, values in data.data_vars.items()
        if "look" not in values.dims and (name not in CONSTANTS or set(values.dims) & {"time", "point"})
    }


def test_no_variable_of_any_model_is_without_a_witness() -> None:
    """A new variable fails here until something that does not share its code vouches for it (see `witnesses/`)."""

    from limbless.core.registry import kinds
    from limbless.models.chain.chain_recorder import SCHEMA as chain
    from limbless.models.chain.contact.contact_recorder import CONTACTS, OBJECTS, SCHEMA as contact, WHEELS
    from limbless.models.chain.soft.soft_recorder import (
        CHAIN,
        ROD,
        RUBBING,
        SCHEMA as cells,
        SPINE,
        STRETCHING,
        TENDONS,
        WINDING,
    )
    from limbless.models.chain.switching import CLAMP_SCHEMA
    from limbless.models.rod.rod_recorder import SCHEMA as rod
    from limbless.models.statics.statics_tasks import SCHEMA as statics
    from limbless.models.totals import TotalsStore
    from limbless.models.variables import choose

    limit, gravity = np.ones((1, 6)), [ll.Gravity()]
    smooth, joints, strains = (
        TotalsStore(limit[0], gravity).schema(),
        TotalsStore(limit[0], gravity, 1).schema(),
        TotalsStore(limit, gravity, 1, ("section", "screw")).schema(),
    )
    tendons = TotalsStore(limit[0], gravity, dims=("tendon",)).schema()
    schemas = {
        "newton-euler": {**chain, **CLAMP_SCHEMA, **smooth},
        "non-smooth": {**contact, **WHEELS, **OBJECTS, **joints},
        "macro-continuous": {**rod, **strains},
        "tendon-statics": statics,
        "soft": {
            **cells,
            **CONTACTS,
            **choose("numerical_work", "contact_work", "lasting_torque"),
            **SPINE,
            **ROD,
            **CHAIN,
            **TENDONS,
            **STRETCHING,
            **WINDING,
            **RUBBING,
            **{
                name: variable
                for tally in (smooth, tendons)
                for name, variable in tally.items()
                if name != "limit_time"
            },
        },
    }
    # a run of `geometric` is one of newton-euler
    assert set(kinds("model")) == {*schemas, "geometric"}, "a new model: give it a case and witnesses, and its schema"
    recorded = {(model, name) for model, schema in schemas.items() for name in schema}
    recorded |= {
        (model, name)
        for model, make in witnesses.CASES.items()
        for run in make().runs.values()
        for name in in_result(run())
    }
    assert recorded == set(witnesses.WITNESSES), {
        "without a witness": recorded - set(ALL),
        "not recorded": set(ALL) - recorded,
    }


@pytest.mark.parametrize("model", sorted(witnesses.CASES))
def test_looks_are_what_records_of_the_same_instants_show(model: str) -> None:
    for make in witnesses.CASES[model]().runs.values():
        data = make()
        names = {name: str(name).removeprefix("look_") for name in data.data_vars if str(name).startswith("look_")}
        for look, record in names.items():
            # the worst since the look before, or the record before
            if record in ("contact_residual", "contact_depth"):
                assert data[look].values.max() == data[record].values.max()
            elif record != "orientation_drift":
                same, seen = np.nonzero(np.abs(data["time"].values[:, None] - data["look"].values) < 1e-9)
                assert len(seen) > 1
                if record == "heading":  # along the line from the farther end to the head, which the records have
                    head, ends = data["head_position"].values[same], data["position"].values[same][:, [0, -1]]
                    reach = (data[look].values[seen][:, None] * (head[:, None] - ends)).sum(axis=-1)
                    longest = np.linalg.norm(head[:, None] - ends, axis=-1)
                    tail = int(longest[0].argmax())
                    np.testing.assert_allclose(reach[:, tail], longest[:, tail], rtol=1e-12)
                    continue
                np.testing.assert_array_equal(data[look].values[seen], data[record].values[same], err_msg=record)
