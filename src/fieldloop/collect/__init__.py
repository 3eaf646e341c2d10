"""Collection sessions: who may record now, and on which robot.

`list_reasons_against_opening` lists what blocks a session, `open_session` opens it or refuses with the same reasons.
"""

from fieldloop.collect.session import Station, list_reasons_against_opening, open_session

__all__ = ["Station", "list_reasons_against_opening", "open_session"]
