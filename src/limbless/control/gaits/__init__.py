"""What a robot is told: one file per family of gaits."""
