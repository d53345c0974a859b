"""Macro-continuous dynamics of a strain-actuated Cosserat rod (paper 000: Boyer, Ali and Porez 2012)."""

from limbless.models.macro_continuous.model import MacroContinuous
from limbless.models.macro_continuous.settings import MacroContinuousSettings
from limbless.models.macro_continuous.solution import Solution

__all__ = ["MacroContinuous", "MacroContinuousSettings", "Solution"]
