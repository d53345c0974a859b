"""How a gait acts on a robot: what drives the joints, and how a gait becomes joint motion or strains."""

from limbless.actuation.base import Actuation, Motion, Torque
from limbless.actuation.feedback import RATE, ProportionalDerivative, Servo
from limbless.actuation.switched import DrivePhase, Switched

__all__ = ["RATE", "Actuation", "DrivePhase", "Motion", "ProportionalDerivative", "Servo", "Switched", "Torque"]
