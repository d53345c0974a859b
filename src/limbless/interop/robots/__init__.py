"""Robot files of other tools, in and out."""
