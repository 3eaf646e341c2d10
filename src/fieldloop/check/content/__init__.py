"""Time from content: the true lag between a camera and the joints, told by what both show.

`evidence` looks at one camera of one episode and keeps little; `pooled` estimates the lag of a rig from the evidence of
its episodes (or of one alone), `each` that of every episode by what the others taught; `find_drift` and `find_step`
tell of lags that do not stay. How: flow of the picture is regressed on joint motion at every lag (`profile`), the best
lag is refined below a frame together with the shutter's readout and the delay of compression (`timing`), and the answer
comes with an interval or a refusal (`confidence`).
"""

from fieldloop.check.content.drift import Drift, LagStep, find_drift, find_step
from fieldloop.check.content.estimate import LagEstimate
from fieldloop.check.content.evidence import Evidence, evidence
from fieldloop.check.content.pooling import Rig, each, learn_rig, pooled, ready, single
from fieldloop.check.content.settings import Settings, settings_of

__all__ = [
    "Drift",
    "Evidence",
    "LagEstimate",
    "LagStep",
    "Rig",
    "Settings",
    "each",
    "evidence",
    "find_drift",
    "find_step",
    "learn_rig",
    "pooled",
    "ready",
    "settings_of",
    "single",
]
