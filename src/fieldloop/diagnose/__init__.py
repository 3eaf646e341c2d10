"""Which of the gaps made it fail: is the loss real, what is it made of, and where is it concentrated?

`diagnose` answers from outcomes before and after, and from what was demonstrated (`demonstrations_of`).
"""

from fieldloop.diagnose.diagnose import Evidence, demonstrations_of, diagnose

__all__ = ["Evidence", "demonstrations_of", "diagnose"]
