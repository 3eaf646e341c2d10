"""Collection sessions: who may record now, and on which robot.

`reasons_against_opening` lists what blocks a session, `open_session` opens it or refuses with the same reasons.
"""

from fieldloop.collect.session import Station, open_session, reasons_against_opening

__all__ = ["Station", "open_session", "reasons_against_opening"]
