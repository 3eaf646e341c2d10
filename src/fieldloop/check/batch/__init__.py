"""Questions about episodes collected together, a file a subject."""

from fieldloop.check.batch import alignment, approach, balance, coverage, operators, rotation, session, style, view

SUBJECTS = (operators, rotation, balance, coverage, approach, style, session, view, alignment)
