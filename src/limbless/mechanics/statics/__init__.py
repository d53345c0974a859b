"""Spines at rest: potential energy of vertebrae under tendons, projected Newton, inverse statics."""
