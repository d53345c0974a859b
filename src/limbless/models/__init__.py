"""The equations: one file, or folder, per published model."""
