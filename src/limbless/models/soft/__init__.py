"""Soft bodies in motion: strain cells, tendons, passive strains."""
from limbless.models.soft.model import Soft
from limbless.models.soft.settings import SoftSettings
from limbless.models.soft.solution import Modes

__all__ = ["Modes", "Soft", "SoftSettings"]
