"""What pushes: elements, one file per kind.

A law on slices of body is a table, a marker and a formula (`laws`); an element may also be its own version of `push`.
"""
