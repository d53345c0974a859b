"""Geometric dynamics of locomotion and manipulation of a chain (paper 003: Wang, Ma, Li and Wang)."""

from limbless.models.geometric.model import Geometric
from limbless.models.geometric.settings import GeometricSettings
from limbless.models.geometric.solution import Geodesic, GeometricSolution, Impact, Poses

__all__ = ["Geodesic", "Geometric", "GeometricSettings", "GeometricSolution", "Impact", "Poses"]
