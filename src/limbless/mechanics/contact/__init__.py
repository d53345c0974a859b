"""Non-smooth contact: gaps, friction laws, and their solvers."""
