"""Doors: robots and films in, runs and learning environments out."""
