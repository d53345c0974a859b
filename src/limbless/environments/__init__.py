"""What pushes back on a robot: one file per environment."""
