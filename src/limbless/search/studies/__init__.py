"""Studies: a scenario run several times over, for the errors of its numbers or their derivatives."""
