"""Drag the target, the tip follows: tensions for a tendon-driven spine, found while the mouse moves."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import InputError, SimulationError, registry
from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.view.scene.frames import Array, Frames
from limbless.view.scene.world import DRAWN
from limbless.view.studio.server import Panel

if TYPE_CHECKING:
    from limbless.simulation.result import Result
    from limbless.view.studio.page import Page

MODEL = "tendon-statics"
FOLLOW = ("y", "z")
"""What the tensions of two antagonist pairs can choose: the tip's place across the unbent body."""


class Target(Panel):
    """The handle at the tip of a tendon-driven spine; for other robots there is none."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.statics: Any = None
        self.solution: Any = None

    def show(self, result: Result) -> None:
        """Offer the handle for a new result, if its robot can follow it."""
        self._clear()
        self.statics = statics_of(result)
        if self.statics is None:
            return
        frames, self._k = self.page.frames, self.page.display.k
        gui, scene = self.page.client.gui, self.page.client.scene
        self.handle = scene.add_transform_controls(
            "/robot/target", scale=0.3 * DRAWN, disable_rotations=True, position=self._k * frames.head[0]
        )
        with self.page.controls.tune:
            folder = gui.add_folder("Drag the target", order=5)
        with folder:
            self.told = gui.add_html(
                "<div style='padding:4px 12px;font-size:13px'>Drag the arrows at the tip: the tip follows, and "
                "the tensions are shown here.</div>"
            )
        self._parts = [self.handle, folder]
        self.handle.on_update(lambda _: self.ask(np.array(self.handle.position) / self._k))

    def rest_at(self, place: Array, playing: bool) -> None:
        """Keep the handle at the tip while the run is shown; while it plays there is nothing to be dragged."""
        if self.statics is not None:
            self.handle.visible = not playing
            self.handle.position = self._k * place

    def _follow(self, place: Array) -> None:
        """Follow the handle to a place in the world, m."""
        statics = self.statics
        if statics is None:
            return
        local = statics.base_rotation.T @ (place - statics.base_position)
        try:
            found = statics.inverse(local[None, ["xyz".index(name) for name in FOLLOW]], FOLLOW)
        except (InputError, SimulationError) as error:
            self.told.content = f"<div role='alert' class='refused'>{escape(str(error))}</div>"
            return
        self.solution = found
        self.page.pose(_posed(self.page.frames, found.equilibria[0], found.tension[0]))
        self.told.content = _told(statics, found)


def statics_of(result: Result) -> Any:
    """The equations that follow a target, for a spine with two antagonist pairs of tendons or a triple;
    None for any other robot.
    """
    scenario = result.scenario
    if scenario is None or MODEL not in registry.kinds("model") or scenario.model.kind != MODEL:
        return None
    robot: Any = scenario.robot.build()
    if getattr(robot, "signed_tensions", 0) != len(FOLLOW):
        return None
    from limbless.models.statics.statics_model import TendonStatics
    from limbless.models.tendon_statics import TendonStaticsSettings

    return TendonStatics(
        robot,
        scenario.environment,
        settings=TendonStaticsSettings(stops=getattr(scenario.model, "stops", True)),
        base_position=scenario.initial.position,
        base_orientation=scenario.initial.orientation,
    )


def _posed(frames: Frames, equilibrium: Any, tension: Array) -> Frames:
    """One frame with the posture of an equilibrium."""
    position = equilibrium.position
    posed = frames.posed(0, position, quaternion_to_matrix(equilibrium.orientation), position[-1])
    if "tension" in posed.result.dataset:
        posed.result.dataset["tension"].values[...] = tension  # the last dimension is the tendon
    return posed


def _told(statics: Any, found: Any) -> str:
    tensions = zip(statics.robot.tendon_names, found.tension[0], strict=True)
    far = "" if found.reached[0] else " (out of reach)"
    rows = [
        *((name, f"{tension:.3f} N") for name, tension in tensions),
        ("distance to the target", f"{1e3 * float(found.error[0]):.2f} mm{far}"),
        ("vertebrae at a stop", str(int(found.equilibria[0].stop_moment.any(axis=-1).sum()))),
    ]
    cells = "".join(
        f"<tr><td class='dim' style='padding:1px 10px 1px 12px'>{escape(label)}</td><td>{escape(value)}</td></tr>"
        for label, value in rows
    )
    return f"<table id='target' style='font-size:12.5px;border-collapse:collapse'>{cells}</table>"
