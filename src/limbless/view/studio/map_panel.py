"""The map beside the view: heights of the connection, a loop that is drawn or pulled at its points, and what one turn
of it does."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import InputError
from limbless.view.studio.server import Panel, by_visitor

if TYPE_CHECKING:
    from limbless.scenarios.scenario import Scenario
    from limbless.simulation.result import Result
    from limbless.view.studio.loop_editor import LoopEditor
    from limbless.view.studio.page import Page


class MapPanel(Panel):
    """The folder with the map of a robot whose motion no past decides; for others there is none."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.editor: LoopEditor | None = None

    def show(self, result: Result) -> None:
        """Offer it for a new result; a loop that is being pulled stays where the robot is the same."""
        if result.scenario is None or not has_map(result.scenario):
            self._clear()
            return
        if self._parts and self.editor is not None and _same(self.editor.connection.scenario, result.scenario):
            return
        gui, scenario = self.page.client.gui, result.scenario
        with self._folder("Map", self.page.controls.numbers_tab, 22):
            self.button: Any = by_visitor(
                gui.add_button(
                    "Find the map", hint="height functions: what a loop of shapes encloses is how far it goes"
                ),
                lambda: self.find(scenario),
            )
            self.component: Any = by_visitor(
                gui.add_dropdown("height of", ("x", "y", "turn"), visible=False), self.draw
            )
            self.map: Any = gui.add_html("")
            self.field: Any = by_visitor(
                gui.add_text(
                    "pull",
                    "",
                    visible=False,
                    hint="number of a point and its place in the picture; "
                    "drag a point instead, or draw a loop beside them",
                ),
                lambda: self.ask(str(self.field.value)),
            )
            self.told: Any = gui.add_html("")
            self.gait: Any = by_visitor(
                gui.add_button("Loop as gait", visible=False, hint="run the robot along this loop"), self.as_gait
            )
            self.best: Any = by_visitor(
                gui.add_button("Best loop", visible=False, hint="the loop of largest efficiency, or distance"),
                self.find_best,
            )

    def _clear(self) -> None:
        super()._clear()
        self.editor = None

    def find(self, scenario: Scenario) -> None:
        """The connection of the scenario that is shown."""
        from limbless.search.studies.connection import connection
        from limbless.view.studio.loop_editor import LoopEditor

        with self._refusing():
            self.editor = LoopEditor(connection(scenario))
            with self.page.told_together():
                for handle in (self.component, self.field, self.gait, self.best):
                    handle.visible = True
                self.button.visible = False
            self.draw()

    def _follow(self, text: str) -> None:
        """Pull a point."""
        editor = self.editor
        if editor is None or not text.strip():
            return
        with self._refusing():
            try:
                number, *places = text.split()
                shapes = np.array([editor.from_picture(x, y) for x, y in np.array(places, dtype=float).reshape(-1, 2)])
                point, place = None if number == "draw" else int(number), shapes[0]
            except (ValueError, IndexError):
                raise InputError(
                    "pull: write the number of a point and its place, such as 0 200 120, or draw and the places of a "
                    f"loop; got {text[:60]!r}"
                ) from None
            if point is None:
                editor.draw(shapes)
            else:
                editor.pull(point, place)
            self.draw()

    def draw(self) -> None:
        """The map, the body along the loop, and the numbers."""
        from limbless.view.studio.loop_editor import PULL

        editor = self.editor
        if editor is None:
            return
        rows = "".join(
            f"<tr><td class='dim' style='padding:1px 10px 1px 0'>{escape(label)}</td><td>{escape(text)}</td></tr>"
            for label, text in editor.rows()
        )
        notes = "".join(f"<div class='dim'>{escape(note)}</div>" for note in editor.connection.notes)
        with self.page.told_together():
            self.map.content = editor.picture(self.component.value, PULL.format(uuid=self.field._impl.uuid))
            self.told.content = (
                f"<div style='padding:2px 12px;font-size:12.5px'>{editor.way()}"
                f"<table id='stroke' style='border-collapse:collapse;margin-top:6px'>{rows}</table>{notes}</div>"
            )

    def as_gait(self) -> None:
        """Run the robot along the loop."""
        if self.editor is None:
            return
        with self._refusing():
            self.page.tune("gait", self.editor.stroke.gait().model_dump(mode="json", exclude_none=True))

    def find_best(self) -> None:
        """The best loop, for efficiency where there is a resistance, else for distance."""
        editor = self.editor
        if editor is None:
            return
        aim = "efficiency" if editor.connection.medium == "drag" else "distance"
        with self._refusing():
            editor.take(editor.connection.optimum(aim, starts=2).loop)
            self.draw()


def has_map(scenario: Scenario) -> bool:
    """Whether a map can be asked for: a planar chain or rod without inertia, on wheels, or floating."""
    robot = scenario.robot.build()
    if type(robot).__name__ not in ("Chain", "Rod") or robot.base != "planar":
        return False
    kinds = {item.kind for item in scenario.environment}
    slow = not getattr(scenario.model, "inertia", True)
    return scenario.model.kind not in ("soft", "tendon-statics") and (slow or kinds <= {"wheels"})


def _same(one: Scenario, other: Scenario) -> bool:
    """Whether two scenarios have the same map."""
    return one.robot == other.robot and one.environment == other.environment and one.model == other.model
