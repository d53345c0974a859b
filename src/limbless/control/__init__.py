"""What drives a robot: gaits, how they act on joints and strains, controllers; knows robots."""
