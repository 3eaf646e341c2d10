"""Data being made: what may be recorded now, by whom, on what.

`may_open` says what stands against a session, `open_session` opens it or refuses with the same reasons.
"""

from fieldloop.collect.session import Station, may_open, open_session

__all__ = ["Station", "may_open", "open_session"]
