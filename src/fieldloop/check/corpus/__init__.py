"""Checks of a dataset as a whole, one file per subject."""

from fieldloop.check.corpus import annotated, change, dataset, divided, near, shortcut

SUBJECTS = (dataset, near, divided, shortcut, annotated, change)
