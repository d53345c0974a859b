"""Recursive Newton-Euler dynamics of a serial chain (paper 001: Khalil, Gallot and Boyer 2007), inverse, direct and
hybrid.
"""

from limbless.models.newton_euler.model import NewtonEuler
from limbless.models.newton_euler.settings import NewtonEulerSettings
from limbless.models.newton_euler.solution import Solution

__all__ = ["NewtonEuler", "NewtonEulerSettings", "Solution"]
