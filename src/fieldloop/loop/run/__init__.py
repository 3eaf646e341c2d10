"""A policy at work: serve, guard, monitor, roll out, diagnose, respond, prove where it came from."""
