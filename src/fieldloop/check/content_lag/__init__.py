"""The true lag between a camera and the joints, estimated from the motion that both show.

`evidence` reduces one camera of one episode to small arrays. `pooled` estimates the lag of a rig from the evidence of
its episodes (or of one alone), `each` that of every episode by a regression fitted on the others. `find_drift` and
`find_step` estimate changes of the lag. Method: optical flow is regressed on joint motion at every lag (`profile`); the
best lag is refined below a frame together with the shutter's readout and the delay of compression (`timing`); the
result is an estimate with an interval, or a reason to give none (`confidence`).
"""

from fieldloop.check.content_lag.drift import Drift, LagStep, estimate_lag_drift, estimate_lag_step
from fieldloop.check.content_lag.estimate import LagEstimate
from fieldloop.check.content_lag.evidence import LagEvidence, collect_lag_evidence
from fieldloop.check.content_lag.pooling import (
    Rig,
    estimate_lag_with_rig,
    estimate_lags_by_cross_validation,
    estimate_pooled_lag,
    fit_rig,
    prepare_sights,
)
from fieldloop.check.content_lag.settings import Settings, read_content_lag_settings

__all__ = [
    "Drift",
    "LagEstimate",
    "LagEvidence",
    "LagStep",
    "Rig",
    "Settings",
    "collect_lag_evidence",
    "estimate_lag_drift",
    "estimate_lag_step",
    "estimate_lag_with_rig",
    "estimate_lags_by_cross_validation",
    "estimate_pooled_lag",
    "fit_rig",
    "prepare_sights",
    "read_content_lag_settings",
]
