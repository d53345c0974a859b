"""How a gait acts on a robot: what drives the joints, and how a gait becomes joint motion or strains."""

from limbless.control.actuation.base import Actuation, Motion, Torque
from limbless.control.actuation.feedback import RATE, Motor, ProportionalDerivative, Servo
from limbless.control.actuation.muscles import Muscles
from limbless.control.actuation.switched import DrivePhase, Switched

__all__ = [
    "RATE",
    "Actuation",
    "DrivePhase",
    "Motion",
    "Motor",
    "Muscles",
    "ProportionalDerivative",
    "Servo",
    "Switched",
    "Torque",
]
