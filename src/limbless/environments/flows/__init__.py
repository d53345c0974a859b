"""How water moves by itself, one file per kind: what a `water` has in its list `flow`."""
