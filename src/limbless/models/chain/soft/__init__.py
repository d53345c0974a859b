"""Rods, spines and chains as rows of strain cells."""
