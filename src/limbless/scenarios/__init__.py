"""Scenarios: one YAML file per published example, and what reads, checks, changes and writes such files."""
