"""Geometric dynamics of locomotion and manipulation of a chain (paper 003: Wang, Ma, Li and Wang)."""
from limbless.models.geometric.equations import Geodesic, GeometricSolution, Impact, Poses
from limbless.models.geometric.model import Geometric, GeometricSettings

__all__ = ["Geodesic", "Geometric", "GeometricSettings", "GeometricSolution", "Impact", "Poses"]
