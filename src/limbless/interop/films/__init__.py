"""Filmed animals in: readers, smoothing, kinematics, the model beside the film, identification."""

FILMED = "filmed.nc"
"""In the folder of a film: the filmed midline, as a result that all that shows results can show."""
