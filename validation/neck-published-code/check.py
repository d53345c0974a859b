"""Three cases of the published code, and the same robot as a rod and as links."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.necks import TO_LIBRARY, in_paper, published_spine
from validation.runner.convergence_orders import fitted_order

COUNTS = (8, 16, 32)


def tip_of(robot: Any, force: np.ndarray, tension: Any) -> np.ndarray:
    """Where the tip of a robot rests, the paper's axes; the force acts at its tip."""
    place: dict[str, Any] = {}
    if isinstance(robot, ll.Chain):
        ends = sum(piece.length for piece in robot.segments()), sum(link.position[0] for link in robot.links)
        place = {"point": (ends[0] - ends[1], 0.0, 0.0)}
    loads = [ll.PointWrench(force=tuple(force), **place)] if force.any() else []
    settings = ll.SoftSettings(cells=2, degree=3) if isinstance(robot, ll.Rod) else ll.SoftSettings()
    return np.asarray(TO_LIBRARY.T @ ll.Soft(robot, loads, settings=settings).workspace([tension])[0])


def views(known: dict) -> dict[str, np.ndarray]:
    """Tips of the robot as a rod, as one link per disk, and of that rod as 8, 16 and 32 links. All loads lie in one
    plane, so that nothing twists; masses have no weight here.
    """
    force, spine = TO_LIBRARY @ np.array(known["f_tip"], dtype=float), published_spine(known)
    light = [one.changed(joint_mass=0.01, disk_mass=0.01, twist_stiffness=None) for one in spine.vertebrae]
    spine = spine.changed(vertebrae=tuple(light))
    rod = spine.as_rod()
    seen = {"rod": rod, "link per disk": spine.as_chain(), **{f"{n} links": rod.as_chain(n) for n in COUNTS}}
    return {name: tip_of(robot, force, known["tension"]) for name, robot in seen.items()}


def circle(known: dict) -> np.ndarray:
    """The tip of a rod whose tendon runs in a channel: its moment is the same all along, without forces at the tip."""
    bending = known["E"] * np.pi / 4.0 * known["ro"] ** 4
    curvature = known["tension"][3] * known["pitch_radius"][1] / bending
    turn = curvature * sum(known["length"])
    return np.array([0.0, 1.0 - np.cos(turn), np.sin(turn)]) / curvature


def check(case: Any, sheet: Any) -> dict[str, float]:
    same, own, errors, tips = 0.0, 0.0, {}, {}
    for known in case.numbers["published_constant_curvature"]:
        name = known["name"].partition("_")[0]
        force, robot = (
            ll.PointWrench(force=tuple(TO_LIBRARY @ np.array(known["f_tip"], dtype=float))),
            published_spine(known),
        )
        published = in_paper(
            ll.TendonStatics(robot, force, settings=ll.TendonStaticsSettings(form="moment", drop_axial=True)).solve(
                known["tension"]
            )
        )
        energy = in_paper(ll.TendonStatics(robot, force).solve(known["tension"]))
        same = max(same, float(np.abs(published - known["published_cc_tip"]).max()))
        own = max(own, float(np.abs(energy - known["ours_energy_form"]).max()))
        cosserat = np.array(known["published_subsegment_cosserat_tip"])
        tips[name] = {"spine, energy form": energy, "spine, moment form": published, **views(known)}
        length = sum(known["length"])
        errors[name] = {
            view: 100.0 * float(np.linalg.norm(tip - cosserat)) / length for view, tip in tips[name].items()
        }
        if name == "c1":
            channel = 100.0 * float(np.linalg.norm(tips[name]["rod"] - circle(known))) / length
    _draw(sheet, errors)
    orders = [
        fitted_order(COUNTS, [float(np.linalg.norm(found[f"{n} links"] - found["rod"])) for n in COUNTS])
        for found in tips.values()
    ]
    return {
        "same": same,
        "energy": own,
        "nearer": max(one["spine, energy form"] / one["spine, moment form"] for one in errors.values()),
        "spine": max(one["spine, energy form"] for one in errors.values()),
        "moment": max(one["spine, moment form"] for one in errors.values()),
        "rod without tendons": errors["c5"]["rod"],
        "rod": max(one["rod"] for one in errors.values()),
        "channel": channel,
        "links": max(one["link per disk"] for one in errors.values()),
        "order": min(orders),
    }


def _draw(sheet: Any, errors: dict[str, dict[str, float]]) -> None:
    axes, views = sheet.subplots(), list(next(iter(errors.values())))
    names = {"c1": "tendon", "c2": "tendon and tip force", "c5": "tip force"}
    for number, (name, found) in enumerate(errors.items()):
        axes.bar(np.arange(len(views)) + 0.27 * number, list(found.values()), 0.25, label=names[name])
    axes.set_xticks(np.arange(len(views)) + 0.27, [view.replace(", ", ",\n") for view in views], rotation=30)
    axes.set(ylabel="distance of the tip (% of the length)", yscale="log", ylim=(5e-4, 50.0))
    axes.legend(ncols=3)
