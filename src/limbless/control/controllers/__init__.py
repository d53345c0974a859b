"""Controllers: what is asked in every period, and controllers with compiled state."""
