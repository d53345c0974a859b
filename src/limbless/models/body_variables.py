"""Variables that every moving body records under the same name, unit and meaning, whatever model moves it."""
from __future__ import annotations

from limbless.models.base import Variable

BODY_VARIABLES = {
    "base_reaction": Variable(("screw",), "N, N m", "wrench that holds the base, about its origin", "base"),
    "head_position": Variable(("axis",), "m", "position of the end of the head", "world"),
    "com_position": Variable(("axis",), "m", "centre of mass", "world"),
    "com_velocity": Variable(("axis",), "m/s", "velocity of the centre of mass", "world"),
    "position": Variable(("section", "axis"), "m", "middle of each section", "world"),
    "orientation": Variable(("section", "quaternion"), "1", "orientation of each section (x along the body), scalar first", "world"),
}
