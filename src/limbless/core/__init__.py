"""What knows no robot: refusals, units, files, descriptions and their registry, users' functions, splines."""

__version__ = "0.1.0"
