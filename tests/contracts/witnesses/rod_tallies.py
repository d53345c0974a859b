"""What rods count at every step: works by parts, path, peaks and limits, against records of every step and
the weight's closed form.
"""

from __future__ import annotations

import numpy as np

from tests.contracts.witnesses import Array, Case, chords, extremes, fine_integral, integral, same_instants, witness
from tests.contracts.witnesses.rod import (
    HANDOVER,
    LENGTH,
    LIMIT,
    MASS,
    MODEL,
    PULLS,
    SECTIONS,
    SIMPSON,
    body,
    swayed,
)

STRAIGHT = 2e-3
"""Works of strains go in straight lines from step to step: (2 ω h)²/12 with ω = 9 per s, and more
where a power passes zero.
"""


def driven(data: dict[str, Array]) -> Array:
    """Power of the actuators of each strain of each section."""
    return data["effort"] * data["strain_rate"] * LENGTH / SECTIONS


@witness(MODEL, "strain_work")
def works_of_the_strains(case: Case) -> None:
    data = case.of("free")
    wanted = integral(data["time"], driven(data))
    for strain in range(6):
        case.same(data["strain_work"][..., strain], wanted[..., strain], STRAIGHT)
    case.same(data["strain_work"].sum(axis=(1, 2)), data["actuator_work"], 5e-3)  # two quadratures along the body


@witness(MODEL, "positive_work")
def works_while_strains_drive(case: Case) -> None:
    data = case.of("free")
    wanted = fine_integral(data["time"], lambda p: np.maximum(p, 0.0), driven(data))
    for strain in range(6):
        case.same(data["positive_work"][-1, :, strain], wanted[:, strain], STRAIGHT)
    assert not data["positive_work"][0].any() and (np.diff(data["positive_work"], axis=0) >= 0.0).all()


@witness(MODEL, "peak_effort", "peak_time")
def peaks_are_those_of_the_records(case: Case) -> None:
    for run in ("free", "planar"):
        data = case.of(run)
        effort, time, _ = extremes(data, data["effort"], np.array(np.inf))
        there = np.abs(effort).max(axis=0) > 0.0  # strains that have actuators
        case.same(data["peak_effort"], effort, 1e-9)
        same_instants(data["peak_time"][:, there], time[:, there])


@witness(MODEL, "limit_time")
def limits_are_passed_when_the_records_pass_them(case: Case) -> None:
    data = case.of("free")
    wanted = extremes(data, data["effort"], np.array(LIMIT))[2]
    assert np.isinf(wanted).any()
    same_instants(data["limit_time"], wanted)


@witness(MODEL, "law_work")
def works_of_both_pulls(case: Case) -> None:
    data = case.of("free")
    centre = MASS * np.einsum("k,rki->ri", SIMPSON, body(data).place)
    for number, pull in enumerate(PULLS):
        case.same(data["law_work"][:, number], (centre - centre[0]) @ np.array(pull.acceleration))
    case.same(data["law_work"].sum(axis=1), data["environment_work"], 1e-9)


@witness(MODEL, "contact_work")
def feet_work_as_they_sway(case: Case) -> None:
    """Each wrench along the twist of the section that it holds, while it holds it."""
    data = case.of("anchored")
    power = np.einsum("rpi,ri->rp", data["support_wrench"], swayed(data["time"]))
    work, first, second = data["contact_work"], slice(0, HANDOVER), slice(HANDOVER, None)
    case.same(work[first, 0], integral(data["time"][first], power[first, 0]), 1e-3)
    case.same(work[second, 1], integral(data["time"][second], power[second, 1]), 1e-3)
    assert not work[: HANDOVER + 1, 1].any() and not np.diff(work[second, 0]).any()
    case.same(data["law_work"].sum(axis=1) + work.sum(axis=1), data["environment_work"], 1e-9)


@witness(MODEL, "com_path")
def path_of_the_centre_of_mass(case: Case) -> None:
    data = case.of("free")
    case.same(data["com_path"], chords(np.einsum("k,rki->ri", SIMPSON, body(data).place) / LENGTH), 3e-4)


@witness(MODEL, "work_exchanged")
def sizes_of_all_powers(case: Case) -> None:
    data = case.of("free")
    powers = (data[f"{name}_power"] for name in ("actuator", "environment", "passive"))
    wanted = sum(fine_integral(data["time"], np.abs, power) for power in powers)
    case.same(data["work_exchanged"][-1:], np.array([wanted]), 1e-3)
    assert data["work_exchanged"][0] == 0.0
