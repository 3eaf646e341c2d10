"""Questions about a dataset as a whole, a file a subject."""

from fieldloop.check.corpus import dataset

SUBJECTS = (dataset,)
