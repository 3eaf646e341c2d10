"""Collection sessions: who may record now, and on which robot.

`may_open` lists what blocks a session, `open_session` opens it or refuses with the same reasons.
"""

from fieldloop.collect.session import Station, may_open, open_session

__all__ = ["Station", "may_open", "open_session"]
