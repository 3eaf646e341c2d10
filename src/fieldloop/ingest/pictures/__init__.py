"""Pixels on demand: encoded pictures and stretches of video."""
