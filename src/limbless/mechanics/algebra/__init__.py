"""Vectors, inertias, rotations and small dense systems: what every kernel computes with."""
