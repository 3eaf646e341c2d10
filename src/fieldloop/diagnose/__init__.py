"""Which of the gaps made it fail: is the loss real, what is it made of, and where is it concentrated?

`diagnose` answers from `Evidence`: outcomes before and after, what was demonstrated (`demonstrations_of`), lags,
agreements. The way through: `table`, explanations with what is believed of each beforehand (`lacking`, `numbers`,
`changed`, `faults`), `nature` beside them, `sets` of explanations that compete by `laplace`, `shares`, `causes`.
"""

from fieldloop.diagnose.demonstrated import Demonstrations, demonstrations_of
from fieldloop.diagnose.diagnose import diagnose
from fieldloop.diagnose.evidence import Evidence

__all__ = ["Demonstrations", "Evidence", "demonstrations_of", "diagnose"]
