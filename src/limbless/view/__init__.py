"""Seeing a result: figures now; replay, studio, movie and report later."""
