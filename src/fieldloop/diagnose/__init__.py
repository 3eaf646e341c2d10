"""Which gap between training and production cost success: is the loss real, what caused it, where is it concentrated?

`diagnose` answers from `Evidence`: outcomes before and after, what was demonstrated (`demonstrations_of`), lags,
agreements. The steps: a `table` of attempts; explanations with their priors (`lacking`, `numbers`, `changed`, `faults`)
beside `inherent` difficulty; `sets` of explanations compared by their evidence (`laplace`); `shares`; `causes`.
"""

from fieldloop.diagnose.diagnose import diagnose
from fieldloop.diagnose.evidence import Evidence
from fieldloop.diagnose.explanations.demonstrated import Demonstrations, demonstrations_of

__all__ = ["Demonstrations", "Evidence", "demonstrations_of", "diagnose"]
