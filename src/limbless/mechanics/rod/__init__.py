"""Cosserat rods whose strains are given."""
