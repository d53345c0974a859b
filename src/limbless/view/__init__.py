"""Seeing a result: figures, replay, studio, report and movie."""
