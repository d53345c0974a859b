"""Noisy samples as smooth curves and surfaces."""
