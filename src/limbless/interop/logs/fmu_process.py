"""The process in which the robot of an FMU lives: `python -m limbless.interop.logs.fmu_process RESOURCES`.

The FMU's binary (`fmu.c`) starts it with a socket as standard input. It first sends the numbers of inputs and outputs
and the start values of the inputs, then answers each request with the outputs, or with the message of an error.
"""

from __future__ import annotations

import socket
import struct
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.core import InputError, SimulationError, unit_of
from limbless.simulation.session import Session

_TORQUE = "torque"


class FmuInput(NamedTuple):
    """What a host may set: a field of the gait, or the torque of a joint."""

    name: str
    start: float
    unit: str
    meaning: str


class SteppedRobot:
    """A scenario with flat inputs and outputs, stepped by a host."""

    def __init__(self, source: str | Path | Mapping[str, Any]) -> None:
        self.session = Session(source, allow_code=True)
        self.start = self.session.save()
        self.step = self.session.scenario.step
        seen = self.session.observe()
        self.outputs = [
            f"{name}[{','.join(str(one + 1) for one in place)}]" if np.ndim(value) else name
            for name, value in seen.items()
            if name != "time"
            for place in np.ndindex(np.shape(value))
        ]
        self.inputs = [*self._fields(), *self._torques(len(seen.get("joint_position", ())))]
        self._given = [one.start for one in self.inputs]

    def _fields(self) -> list[FmuInput]:
        """Numbers of the gait that may change while it runs."""
        gait = self.session.scenario.gait
        found = []
        for name, field in type(gait).model_fields.items():
            value = getattr(gait, name)
            if not isinstance(value, float) or name in gait.start_fields:
                continue
            try:
                gait.passage({name: value + 1e-6 * (abs(value) + 1e-3)}, 0.0, self.step)
            except (InputError, ValueError):
                continue
            found.append(FmuInput(f"gait.{name}", value, unit_of(field), field.description or ""))
        return found

    def _torques(self, count: int) -> list[FmuInput]:
        """Torques in addition to those of the actuation, where joints take some."""
        try:
            self.session.command(np.zeros(count))
        except InputError:
            return []
        self.session.command(None)
        meaning = "additional torque of degree of freedom"
        return [FmuInput(f"{_TORQUE}[{i}]", 0.0, "N.m", f"{meaning} {i}") for i in range(1, count + 1)]

    def seen(self) -> NDArray[np.float64]:
        """The outputs now."""
        found = [np.ravel(value) for name, value in self.session.observe().items() if name != "time"]
        return np.concatenate(found).astype(np.float64)

    def reset(self) -> None:
        """Back to the start, all inputs as they were."""
        self.session.restore(self.start)
        self._given = [one.start for one in self.inputs]

    def go(self, time: float, step: float, values: tuple[float, ...]) -> None:
        """Step on under these inputs.

        Raises
        ------
        InputError : the host is at another time, or its step is not a multiple of the scenario's.
        """
        count = round(step / self.step)
        if abs(time - self.session.time) > 1e-6 * self.step:
            raise InputError(
                f"the host is at {time:g} s and the robot at {self.session.time:g} s; steps cannot be redone"
            )
        if count < 1 or abs(step - count * self.step) > 1e-6 * self.step:
            raise InputError(f"the step of {step:g} s is not a multiple of the scenario's, {self.step:g} s")
        wished = zip(self.inputs, self._given, values, strict=True)
        changed = {one.name: value for one, before, value in wished if value != before}
        fields = {name.removeprefix("gait."): value for name, value in changed.items() if name.startswith("gait.")}
        if fields:
            self.session.command(fields)
        if len(fields) < len(changed):
            rows = zip(self.inputs, values, strict=True)
            self.session.command(np.array([value for one, value in rows if one.name.startswith(_TORQUE)]))
        self._given = list(values)
        self.session.period = count * self.step  # a changed gait is reached at the end of the host's step
        self.session.step()


def _whole(wire: socket.socket, size: int) -> bytes:
    """So many bytes of the socket, or none if the host is gone."""
    data = b""
    while len(data) < size:
        more = wire.recv(size - len(data))
        if not more:
            return b""
        data += more
    return data


def serve(resources: Path, wire: socket.socket) -> None:
    """Answer a host until it lets go."""
    try:
        robot = SteppedRobot(resources / "scenario.yaml")
    except (InputError, SimulationError) as refused:
        wire.sendall(struct.pack("2I", 0, 0) + _error(refused))
        return
    starts = [one.start for one in robot.inputs]
    wire.sendall(struct.pack(f"2I{len(starts)}d", len(starts), len(robot.outputs), *starts))
    wire.sendall(b"\0" + robot.seen().tobytes())
    while (letter := wire.recv(1)) in (b"s", b"r"):
        try:
            if letter == b"r":
                robot.reset()
            else:
                data = _whole(wire, 8 * (2 + len(starts)))
                if not data:
                    return
                time, step, *values = struct.unpack(f"{2 + len(starts)}d", data)
                robot.go(time, step, tuple(values))
            wire.sendall(b"\0" + robot.seen().tobytes())
        except (InputError, SimulationError, ValueError) as refused:
            wire.sendall(_error(refused))


def _error(refused: Exception) -> bytes:
    text = str(refused).encode()[:4000]
    return b"\1" + struct.pack("I", len(text)) + text


if __name__ == "__main__":
    serve(Path(sys.argv[1]), socket.socket(fileno=0))
