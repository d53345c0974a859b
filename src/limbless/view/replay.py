"""`replay.html`: the motion of a run in one file that plays in any browser, without a server
and without the internet.

A replay inside a notebook.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from limbless.core import write_text
from limbless.simulation.result import red_line
from limbless.view.figures.style import colour_of
from limbless.view.scene.cameras import camera_for, followed
from limbless.view.scene.frames import Frames, frames_of
from limbless.view.scene.legend import legend, recorder
from limbless.view.scene.palette import theme_of
from limbless.view.scene.scene import Display, Rungs
from limbless.view.scene.stage import Stage
from limbless.view.scene.world import World
from limbless.view.studio.screen_sizes import LEGEND_STYLE
from limbless.view.studio.server import quiet_server, stop

if TYPE_CHECKING:
    from limbless.simulation.result import Result


FILE_NAME = "replay.html"
RATE = 20.0  # frames per second, where the run is short enough
FINE = 2.0**-11  # places are rounded to this share of the body's length: less than a pixel of a picture of it
MOST_BYTES = 0.8e6  # of numbers before compression, which leaves about half: longer runs have fewer frames per
# second

_ABOVE_BAR = "<style>#legend { bottom: 56px }</style>"  # of the player
_BUTTON = (
    "position:fixed;right:12px;top:40px;z-index:5;padding:5px 12px;border:0;border-radius:6px;background:#0072B2;"
    "color:#fff;font:13px system-ui,sans-serif;opacity:.85;cursor:pointer"
)


def replay(result: Result, beside: Mapping[str, Result] | None = None) -> str:
    """The page as text. Records are shown at their own times, at most `RATE` per second; a long way is followed.
    Of several runs by name, the first and those `beside` it, each has a colour and a lane of its own.
    """
    names, runs = [*(beside or ())], [frames_of(one) for one in (beside or {}).values()]
    frames = runs[0] if runs else frames_of(result)
    server = quiet_server()
    try:
        theme = theme_of(frames)
        world = World(runs or [frames], replace(theme, shell=colour_of(0)) if runs else theme)
        display, stage = Display(server.scene, frames, world, fine=FINE), Stage(server.scene, world)
        rungs = Rungs(server.scene, world, runs[1:], names)
        rungs.lay(rungs.free)
        follow = follows(frames)
        where = followed(frames)
        world.put_camera(server.initial_camera, *camera_for(frames, follow))
        shown = chosen(frames, sum(one.numbers for one in (display, *rungs.displays)))
        roots = [server.scene.add_frame(name, show_axes=False) for name in ("/robot", "/ghost", "/surroundings")]
        recording = server.get_scene_serializer()
        for here, after in zip(shown, [*shown[1:], shown[-1]], strict=True):
            display.show(here)
            rungs.show(float(frames.times[here]))
            stage.show(here)
            for root in roots if follow else ():
                root.position = world.k * (where[0] - where[here])
            recording.insert_sleep(max(float(frames.times[after] - frames.times[here]), 0.0 if after > here else 0.5))
        return _titled(recording.as_html(), result, legend(display, rungs=rungs.rows()))
    finally:
        stop(server)


def write_replay(result: Result, folder: str | Path, beside: Mapping[str, Result] | None = None) -> Path:
    """Write the page into a folder."""
    return write_text(Path(folder) / FILE_NAME, replay(result, beside))


def follows(frames: Frames) -> bool:
    """Whether the robot goes so far that a view of all its way would show it too small."""
    return float(np.linalg.norm(np.ptp(followed(frames), axis=0))) > 2.0 * frames.size


def chosen(frames: Frames, numbers: int) -> list[int]:
    """The frames that are shown: evenly in time, not more than the file can hold."""
    lasts = float(frames.times[-1] - frames.times[0])
    most = int(np.clip(MOST_BYTES / (4 * numbers), 60, 2000))
    count = int(np.clip(round(lasts * RATE) + 1, 2, most))
    times = np.linspace(frames.times[0], frames.times[-1], count)
    return sorted({frames.at(float(time)) for time in times} | {frames.count - 1})


def _titled(page: str, result: Result, card: str) -> str:
    """The page under the name of the run, and above the motion what is to be known of it: in red why it is not proven,
    then its notes; its legend below.
    """
    before, _, rest = page.partition("<title>")
    if rest:
        page = f"{before}<title>{escape(result.name or 'limbless')}{rest[rest.index('</title>') :]}"
    said = red_line(result.warning) + "".join(f"<div>Note: {escape(note)}</div>" for note in result.notes)
    body = re.search(r"<body[^>]*>", page)
    if body is None:
        return page
    place = (
        "position:fixed;top:0;left:0;right:0;z-index:1000;font:13px system-ui,sans-serif;"
        "background:#fffe;color:#444;padding:2px 8px"
    )
    told = f"<div id='said' style='{place}'>{said}</div>" if said else ""
    return f"{page[: body.end()]}{LEGEND_STYLE}{_ABOVE_BAR}{card}{recorder(_BUTTON)}{told}{page[body.end() :]}"


HEIGHT = 420  # of the frame in the notebook, pixels


class Replay:
    """Shows itself in a notebook as the replay of a result; `page` is the text."""

    def __init__(self, result: Result) -> None:
        self.page = replay(result)

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{HEIGHT}px;border:1px solid #ddd"
        return f'<iframe srcdoc="{escape(self.page, quote=True)}" style="{style}"></iframe>'

    def __repr__(self) -> str:
        return f"Replay ({len(self.page) / 1e6:.2g} MB)"


def in_notebook() -> bool:
    """Whether this Python runs behind a notebook."""
    import sys

    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"
