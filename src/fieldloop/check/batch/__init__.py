"""Checks of episodes collected together, one file per subject."""

from fieldloop.check.batch import alignment, approach, balance, coverage, operators, rotation, session, style, view

SUBJECTS = (operators, rotation, balance, coverage, approach, style, session, view, alignment)
