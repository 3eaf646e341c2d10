"""What pages show: the loop at a glance, and the reads behind every list."""
