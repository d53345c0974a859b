"""Parameters from measured motion: least squares, intervals, what is not determined, logs and films beside runs."""
