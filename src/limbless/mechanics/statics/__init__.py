"""Spines of vertebrae under tendons."""
