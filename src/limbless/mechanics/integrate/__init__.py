"""Engines that step a problem through time, and what they count on the way."""
