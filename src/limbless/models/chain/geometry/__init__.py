"""The equations of a chain on its manifold, one state at a time."""
