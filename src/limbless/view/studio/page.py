"""One browser page of the studio: its own controls, its own run, its own scene. Pages do not disturb each other."""

from __future__ import annotations

import contextlib
import threading
import time as clock
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import InputError
from limbless.scenarios import loader
from limbless.scenarios.document import parse_value
from limbless.scenarios.scenario import Scenario
from limbless.simulation import comparison
from limbless.view.figures.style import colour_of
from limbless.view.scene.cameras import VIEWS, camera_for, followed, seen_from
from limbless.view.scene.frames import Frames, frames_of
from limbless.view.scene.palette import theme_of
from limbless.view.scene.scene import Display, Rungs
from limbless.view.scene.stage import Stage
from limbless.view.scene.world import World
from limbless.view.studio.controls import Controls
from limbless.view.studio.lesion_panel import LesionPanel
from limbless.view.studio.map_panel import MapPanel
from limbless.view.studio.messages import by_field, in_page_words
from limbless.view.studio.mode_panel import ModePanel
from limbless.view.studio.plot_panels import Plots, left_panel
from limbless.view.studio.reproduce import python_lines
from limbless.view.studio.run_thread import RunThread
from limbless.view.studio.scene_tools import SceneTools, picture_file
from limbless.view.studio.screen_sizes import Screen
from limbless.view.studio.server import BRAND, handed_over, in_one_piece, removed
from limbless.view.studio.studio_limits import too_large
from limbless.view.studio.sweep_panel import SweepPanel
from limbless.view.studio.tip_target import Target

if TYPE_CHECKING:
    from viser import ClientHandle

    from limbless.search.sweeps.sweep import Sweep
    from limbless.simulation.result import Result
    from limbless.view.studio.studio import Studio

TICK = 1.0 / 25.0  # s between frames while playing
Wish = tuple[str | Scenario | None, dict[str, Any]]
"""What a run comes from, and what was changed of it."""


class Page:
    """What one visitor sees and does.

    Parameters
    ----------
    client : the connection.
    studio : what is shown first, what it came from, another result to compare with, and where Save writes: nothing is
        written elsewhere.
    """

    def __init__(self, client: ClientHandle, studio: Studio) -> None:
        self.client, self.studio = client, studio
        self.result, self.source, self.folder = studio.result, studio.source, studio.folder
        result, source, ghost = studio.result, studio.source, studio.ghost
        self.changes: dict[str, Any] = {}
        self._shown: Wish = (source, {})
        self._asked: tuple[Scenario, Wish] | None = None
        self.other = ghost  # what is compared with, and its frames
        runs = [] if ghost is None else [result, ghost, *studio.others]
        self._coloured = [frames_of(one) for one in runs[1:]]  # a colour and a lane each, where models are compared
        self.ghost = self._coloured[0] if runs else None
        self._names = comparison.names_of(runs, [f"{one.name or 'run'} ({n})" for n, one in enumerate(runs, 1)])
        ladder = len({one.name for one in runs}) == 1 and len(set(comparison.models_of(runs))) > 1
        if len(runs) < 3 and not ladder:
            self._coloured, self._names = [], []
        self.rungs: Rungs
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._began = 0.0
        self._other_fields = False  # whether what is being run has other fields than what is shown
        self._changing: str | None = None  # the field that was changed last
        self.frames: Frames = frames_of(result)
        self.display: Display
        self.stage: Stage
        self._ghosts: list[Display]
        self._others: list[Display | Rungs] = []
        self.roots = [client.scene.add_frame(name, show_axes=False) for name in ("/robot", "/ghost", "/surroundings")]
        self.screen = Screen(client.camera.image_width, client.camera.image_height)
        self.controls = Controls(client.gui, self)
        self.panel: Any = left_panel(client.gui, self.screen) if self.screen.wide else self.controls.tabs
        self.sweep = None if studio.sweep is None else SweepPanel(self, *studio.sweep)
        self.plots = Plots(client.gui, self.told_together, self.panel)
        self.target, self.modes, self.map, self.tools = Target(self), ModePanel(self), MapPanel(self), SceneTools(self)
        self._panels = self.target, self.modes, LesionPanel(self), self.map, self.tools
        self.worker: RunThread = RunThread(
            self._ran, self._refused, self.controls.show_progress, studio.turns, compiling=self.controls.show_compiling
        )
        self._present(result, first=True)
        self._player = threading.Thread(target=self._play, name="limbless player", daemon=True)
        self._player.start()
        if self.sweep is not None:
            self.sweep.watch()

    @contextlib.contextmanager
    def told_together(self) -> Iterator[None]:
        """One at a time, and in one piece."""
        with self._lock, in_one_piece(self.client):
            yield

    # What the controls ask for

    def tune(self, path: str, value: Any) -> None:
        """Change a field and run again; an error is shown and the last good run stays."""
        with self._lock:
            self.changes[path], self._changing = value, path
        self._run()

    def take_gait(self, gait: dict[str, Any]) -> None:
        """The gait of another scenario, in place of all that was changed of this one."""
        with self._lock:
            self.changes = {path: value for path, value in self.changes.items() if path.partition(".")[0] != "gait"}
            self._other_fields = True
        self.tune("gait", gait)

    def tune_text(self, path: str, text: str) -> None:
        """The same with a value written as YAML; nothing written means none."""
        self._changing = path
        try:
            value = parse_value(text, path) if text.strip() else None
        except InputError as error:
            self._refused(str(error))
        else:
            self.tune(path, value)

    def pick(self, name: str) -> None:
        """Another scenario of the library."""
        if name in loader.names():
            with self._lock:
                self.source, self.changes = name, {}
            self.controls.show_scenario(name)
            self._run()

    def show_run(self, sweep: Sweep, run: int) -> None:
        """A run of a sweep, which is run for it."""
        with self._lock:
            self.source, self.changes, self._other_fields = sweep.scenario(run), {}, True
        self.controls.scenario.value = self.controls.own
        self._run()

    def save(self) -> None:
        """Write the scenario and the result into a fresh folder below the working folder."""
        from limbless.core import as_word, below, fresh_folder

        if not self.studio.saving.acquire(blocking=False):
            return self._refused("a run is being saved; press again when it is")
        result = self.result
        try:
            target = fresh_folder(below(self.folder, "runs") / as_word(result.name or ""))
            result.write(target)
            self.controls.say(f"saved in {target.relative_to(self.folder)}")
        except (InputError, OSError) as error:
            self._refused(f"nothing is saved: {error}")
        finally:
            self.studio.saving.release()

    def python(self) -> str:
        """The lines that give the run that is shown, whatever has been refused since."""
        return python_lines(*self._shown)

    def switch(self, key: str, on: bool) -> None:
        with self.told_together():
            if any(key == one for one, *_ in self.rungs.switches):
                self._lay_rungs()
                return
            for display in (self.display, *self._ghosts):
                display.switch(key, on)

    def show_angles(self) -> None:
        """Fields, numbers and plots with angles in the unit that is chosen."""
        with self.told_together():
            self.plots.degrees = not self.controls.radians.value
            self.controls.show_angles(self.result)
            self.controls.show_numbers(self.result)
            self.plots.show(self.frames, self.ghost)
            self.plots.mark(self.display.frame, moving=False)

    def cast_shadows(self, on: bool) -> None:
        """With or without: software that draws them takes a processor for itself."""
        self.stage.cast_shadows(on)

    def relight(self) -> None:
        """Day or dark, scene and panels."""
        dark = self.controls.lighting.value == "dark"
        self.client.gui.configure_theme(dark_mode=dark, show_logo=False, show_share_button=False, brand_color=BRAND)
        self._present(self.result)

    def send_picture(self, kind: str) -> None:
        """A file of what is seen, for the visitor."""
        name = f"{self.result.name or 'limbless'}.{kind.lower()}"
        self.controls.say(f"drawing {name} ...")
        try:
            self.client.send_file_download(name, picture_file(self, kind.lower()), save_immediately=True)
        except TimeoutError:
            return self.controls.refuse(
                "this page was too slow to draw a picture; switch shadows off, or use a smaller window"
            )
        self.controls.say(f"{name} is in the folder of your browser's downloads")

    @property
    def ghost_name(self) -> str:
        """What the run that is compared is called; nothing without one, or where it has a colour of its own."""
        return (self.other.name or "other run") if self.other is not None and self._ghosts else ""

    def _lay_rungs(self) -> None:
        """Runs in lanes or on top of each other, and those that are switched off out of sight."""
        apart = [self.controls.is_on(key, first) for key, _, first in self.rungs.switches]
        if apart:
            self.rungs.lay(apart[0])
        for root, on in zip([self.roots[0], *self.rungs.roots], apart[1:], strict=False):
            root.visible = on

    def compare(self, on: bool) -> None:
        """Keep the run that is shown as a ghost, with its own numbers, beside those that follow; or let it go."""
        with self.told_together():
            self.other, self.ghost = (self.result, self.frames) if on else (None, None)
            self._show_others()
            self.controls.show_legend(self.display)
            self.controls.show_numbers(self.result)
            self.plots.show(self.frames, self.ghost)
            self._show(self.display.frame)

    def jump(self, time: float) -> None:
        """Show the frame at a time."""
        with self._lock:
            self._show(self.frames.at(time))

    def pose(self, frames: Frames) -> None:
        """Show a posture that is no frame of the result, until play or the slider goes on with it."""
        with self.told_together():
            self.controls.pause()
            self.display.pose(frames)

    def _run(self) -> None:
        with self._lock:
            if self.source is None:
                return self._refused(
                    "this result was made of Python objects that no scenario can express; it can be watched, not tuned"
                )
            try:
                scenario = Scenario.load(self.source, self.changes, allow_code=self.studio.allow_code)
                scenario.refuse_incomplete()
            except InputError as error:
                return self._refused(str(error))
            if (refusal := too_large(scenario)) is not None:
                return self._refused(refusal)
            self._asked = scenario, (self.source, dict(self.changes))
        self._began = clock.perf_counter()
        self.controls.show_running(scenario.name)
        self.worker.ask(scenario)

    # What the worker answers

    def _ran(self, result: Result) -> None:
        took = clock.perf_counter() - self._began
        if self._closed.is_set():
            return None
        newest = self._asked is not None and self._asked[0] is result.scenario
        self._shown = self._asked[1] if newest and self._asked is not None else (result.scenario, {})
        try:
            self._present(result)
        except InputError as error:
            return self._refused(str(error))
        lasts = self.frames.times[-1] - self.frames.times[0]
        told = f"{lasts:g} s simulated" if self.frames.axis == "time" else f"{self.frames.count} equilibria"
        self.controls.say(f"{result.name}: {told}, answered in {took:.2g} s")

    def _refused(self, message: str) -> None:
        self.tools.take_back(self._changing)
        told = in_page_words(message, self.result.scenario)
        self.controls.refuse(told, by_field(message, told, self._changing))

    # What is seen

    def _present(self, result: Result, first: bool = False) -> None:
        """Show a result in place of the one before."""
        frames = frames_of(result)
        with self.told_together():
            another = first or result.name != self.result.name
            time = 0.0 if another else self.frames.times[self.display.frame]
            if not first:
                self.display.remove()
                self.stage.remove()
            self.result, self.frames = result, frames
            self._way = followed(frames)
            beside = [one for one in (self.ghost, *self._coloured) if one is not None]
            theme = theme_of(frames, self.controls.lighting.value)
            world = World([frames, *beside], replace(theme, shell=colour_of(0)) if self._coloured else theme)
            self.display = Display(self.client.scene, frames, world)
            self.stage = Stage(self.client.scene, world, self.controls.shadows.value)
            self._show_others()
            self.controls.show_result(result, self.display, another)
            if self._other_fields and not another:
                self.controls.show_angles(result)
            self._other_fields = False
            self.plots.show(frames, self.ghost)
            for panel in self._panels:
                panel.show(result)
            if another:
                self.look_from()
            self._show(frames.at(float(time)))
        if first:
            self.controls.say(f"{result.name or 'result'}: ready")

    def _show_others(self) -> None:
        """The runs that are compared, as large as this one is drawn."""
        removed(self._others)
        scene, world = self.client.scene, self.display.world
        pale = [] if self.ghost is None or any(one is self.ghost for one in self._coloured) else [self.ghost]
        self._ghosts = [Display(scene, one, world, "/ghost", ghost=True) for one in pale]
        self.rungs = Rungs(scene, world, self._coloured, self._names)
        self._others = [*self._ghosts, self.rungs]
        self._lay_rungs()

    def look_from(self, view: str = "start") -> None:
        """Put the camera where it sees the robot, or at a side of it; afterwards it is the visitor's."""
        position, look_at = camera_for(self.frames, self.controls.follow.value, self.screen.aspect)
        position = seen_from(position, look_at, *VIEWS[view]) if view in VIEWS else position
        self.stage.lay_fog(self.display.world.fog_from(position, look_at))
        self.display.world.put_camera(self.client.camera, position, look_at)

    def _show(self, frame: int) -> None:
        """Everything of one frame, in one piece: body, ground, ghost, mark and slider."""
        with self.told_together():
            if self.display.frames is not self.frames:
                self.display.pose(self.frames)
            self.display.show(frame)
            self.stage.show(frame)
            time, playing = float(self.frames.times[frame]), self.controls.play.value
            moved = self._way[0] - self._way[frame] if self.controls.follow.value else np.zeros(3)
            for root in self.roots:
                root.position = self.display.k * moved
            for ghost in self._ghosts:
                ghost.show(ghost.frames.at(time))
            self.rungs.show(time)
            self.target.rest_at(self.frames.head[frame], playing)
            self.controls.show_time(time)
            self.plots.mark(frame, playing)

    def _play(self) -> None:
        """Move on while playing, by the clock: slow pages skip frames and keep the time. A frame is told when the one
        before has been handed over.
        """
        last = clock.perf_counter()
        while not self._closed.wait(TICK):
            now = clock.perf_counter()
            passed, last = now - last, now
            with self._lock:
                # asked under the lock: whoever pauses and then jumps stays there
                if not self.controls.play.value:
                    self.modes.swing(now)
                    continue
                times = self.frames.times
                after = self.controls.time + passed * float(self.controls.speed.value)
                after = times[0] if after > times[-1] else after
                self.controls.time = float(after)
                if handed_over(self.client):
                    self._show(self.frames.at(float(after)))

    def close(self) -> None:
        """The visitor has left: end the threads."""
        self._closed.set()
        self.controls.entries.close()
        self.worker.close()
        if self.sweep is not None:
            self.sweep.close()
        if threading.current_thread() is not self._player:
            self._player.join(timeout=10.0)
