"""Invariants are tried on the same examples every time, and never against a clock."""

from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")
