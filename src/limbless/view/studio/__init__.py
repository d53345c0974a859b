"""The live page: server, panels, fields, runs in the background."""
