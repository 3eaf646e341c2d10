"""Questions about episodes collected together, a file a subject."""

from fieldloop.check.batch import operators

SUBJECTS = (operators,)
