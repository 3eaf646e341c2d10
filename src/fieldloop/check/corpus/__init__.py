"""Questions about a dataset as a whole, a file a subject."""

from fieldloop.check.corpus import annotated, change, dataset, divided, near, shortcut

SUBJECTS = (dataset, near, divided, shortcut, annotated, change)
