"""Tools in the scene: a measuring tape, handles that move pegs, boxes and objects, and a picture of what is seen."""

from __future__ import annotations

from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.view.scene.frames import Array
from limbless.view.scene.legend import Row, legend_rows
from limbless.view.scene.palette import linear, rgb
from limbless.view.scene.world import DRAWN, metres
from limbless.view.studio.server import by_visitor, removed

if TYPE_CHECKING:
    from limbless.simulation.result import Result
    from limbless.view.studio.page import Page

MOVED = {"pegs": "feet", "boxes": "centres"}
"""Obstacles that are moved by hand, and the field that says where they are."""
MOST = 40  # handles
_GRIP = 0.12  # size of a handle, in body lengths
_PATIENCE = 300.0  # s that a page may take to draw a picture: without a graphics card it is slow
_DOTS = 150.0  # of a picture per inch
_LINE, _COLUMN = 0.14, 2.3  # height and width of a row of its legend, inches


class SceneTools:
    """Two switches in the tab Show, and what they put into the scene."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._tape: list[Any] = []
        self._handles: list[Any] = []
        gui = page.client.gui
        with page.controls.show_tab:
            self.tape: Any = by_visitor(
                gui.add_checkbox("measuring tape", False, order=1e3 - 2, hint="drag its ends"), self._show_tape
            )
            self.move: Any = by_visitor(
                gui.add_checkbox(
                    "move obstacles",
                    False,
                    order=1e3 - 1,
                    hint="drag a peg, a box or the place where an object starts; "
                    "the run starts again when it is let go",
                ),
                self._show_handles,
            )

    def show(self, result: Result) -> None:
        """Tools for a new result."""
        self.move.visible = bool(self._movable())
        self._show_tape()
        self._show_handles()

    # The tape

    def _show_tape(self) -> None:
        """Two ends beside the body, a line between them, and how long it is."""
        ends = [np.array(handle.position) for handle in self._tape[:2]]
        self._tape = removed(self._tape)
        if not self.tape.value:
            return
        page, world = self.page, self.page.display.world
        scene = page.client.scene
        if not ends:
            place = page.frames.position[page.display.frame]
            y = place[:, 1].min() - 0.1 * world.size
            ends = [
                world.k * np.array([x, y, world.height(x, y) + 0.02 * world.size])
                for x in np.sort(place[:, 0])[[0, -1]]
            ]
        self._tape = [
            *(
                scene.add_transform_controls(
                    f"/surroundings/tape {number}", scale=_GRIP * DRAWN, disable_rotations=True, position=end
                )
                for number, end in enumerate(ends)
            ),
            scene.add_line_segments(
                "/surroundings/tape",
                np.stack(ends)[None],
                linear(rgb(world.theme.text)),
                thickness=3.0,
                thickness_units="screen",
            ),
            scene.add_label("/surroundings/tape length", "", anchor="bottom-center"),
        ]
        for handle in self._tape[:2]:
            handle.on_update(lambda _: self._measure())
        self._measure()

    def _measure(self) -> None:
        one, two = (np.array(handle.position) for handle in self._tape[:2])
        line, label = self._tape[2:]
        line.points, label.position = np.stack([one, two])[None].astype(np.float32), 0.5 * (one + two)
        label.text = metres(float(np.linalg.norm(two - one)) / self.page.display.k)

    # Pegs, boxes and free objects

    def _movable(self) -> dict[str, tuple[Array, Array]]:
        """Path of the field -> places (n, 3) and heights of the tops above them (n,), m, of all that is moved."""
        scenario = self.page.result.scenario
        there: tuple[Any, ...] = () if scenario is None else tuple(scenario.environment)
        found: dict[str, tuple[Array, Array]] = {}
        for number, item in enumerate(there):
            if item.kind in MOVED:
                places = np.array(getattr(item, MOVED[item.kind]), float)
                high = item.span[2] if item.kind == "pegs" else 0.5 * np.array(item.sizes)[:, 2]
                found[f"environment.{number}.{MOVED[item.kind]}"] = places, np.broadcast_to(high, len(places))
            for place, body in enumerate(item.bodies if item.kind == "objects" else ()):
                high = np.abs(body.rotation()[2]) @ body.half
                found[f"environment.{number}.bodies.{place}.position"] = np.array([body.position]), np.array([high])
        return found

    def _show_handles(self) -> None:
        self._handles = removed(self._handles)
        if not (self.move.value and self.move.visible):
            return
        for path, (places, tops) in self._movable().items():
            grips = places + tops[:, None] * [0.0, 0.0, 1.0]
            for number, place in enumerate(grips[: MOST - len(self._handles)]):
                handle = self.page.client.scene.add_transform_controls(
                    f"/surroundings/grip {len(self._handles)}",
                    scale=_GRIP * DRAWN,
                    active_axes=(True, True, False),
                    disable_rotations=True,
                    position=self.page.display.k * place,
                )
                handle.on_update(partial(self._dropped, path, number))
                self._handles.append(handle)

    def _dropped(self, path: str, number: int, event: Any) -> None:
        if event.phase == "end":
            self.put(path, number, np.array(event.target.position))

    def put(self, path: str, number: int, place: Array) -> None:
        """One of them elsewhere, at a place in the scene: run again."""
        places, _ = self._movable()[path]
        places[number, :2] = place[:2] / self.page.display.k
        rows = [[float(f"{value:.6g}") for value in row] for row in places]
        self.page.tune(path, rows[0] if path.endswith(".position") else rows)

    def take_back(self, path: str | None) -> None:
        """What was moved and is refused stands where it stood: the next run does not ask for it again."""
        if path in self._movable():
            self.page.changes.pop(path, None)
            self._show_handles()


def _mark(row: Row, colour: str) -> Any:
    """What stands before a row of the legend."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if row.mark in ("", "bar"):
        return Patch(color=colour, linewidth=0.0)
    return Line2D([], [], color=colour, marker=">" if row.mark == "arrow" else None, markersize=5.0)


def picture_file(page: Page, kind: str) -> bytes:
    """What is seen, with its legend below it, as the bytes of a `png`, `svg` or `pdf`."""
    from matplotlib.figure import Figure
    from matplotlib.legend_handler import HandlerTuple

    camera = page.client.camera
    drawn = page.client.get_render(camera.image_height, camera.image_width, timeout=_PATIENCE)
    tall, wide = (side / _DOTS for side in drawn.shape[:2])
    rows = [Row(page.result.name or ""), *legend_rows(page.display, page.ghost_name, page.rungs.rows())]
    columns = max(1, int(wide / _COLUMN))
    below = _LINE * (1 + -(-len(rows) // columns))
    sheet = Figure(figsize=(wide, tall + below))
    axes = sheet.add_axes((0.0, below / (tall + below), 1.0, tall / (tall + below)))
    axes.imshow(drawn, aspect="auto", interpolation="none")
    axes.set_axis_off()
    marks: list[Any] = [tuple(_mark(row, colour) for colour in row.colours or ("none",)) for row in rows]
    sheet.legend(
        marks,
        [row.text + (f": {row.numbers[0]} to {row.numbers[-1]}" if row.numbers else "") for row in rows],
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0.0)},
        loc="lower left",
        ncols=columns,
        fontsize=6.5,
        frameon=False,
        borderaxespad=0.3,
    )
    out = BytesIO()
    sheet.savefig(out, format=kind, dpi=_DOTS)
    return out.getvalue()
