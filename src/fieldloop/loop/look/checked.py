"""Findings and lags of an episode that was not checked yet, measured while someone already looks at it."""

from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from typing import Any

from numpy.typing import NDArray

import fieldloop.check as checks
from fieldloop.check.content_lag import estimate_pooled_lag, read_content_lag_settings
from fieldloop.loop.protocol.in_force import require_protocol_in_force
from fieldloop.loop.work.measure_part import Part, Rules, measure_part, measure_recording
from fieldloop.loop.work.run_on import run_apart
from fieldloop.model.episode import Recording
from fieldloop.model.explored import Beside, CameraLag
from fieldloop.model.imprint import Imprint
from fieldloop.model.stream import MS_PER_S
from fieldloop.protocol import CollectionProtocol

LAG = "lag"
"""Where an imprint keeps the evidence of a camera's lag: `lag/<camera>/<array>`."""


def check_part(part: Part, recording: Recording) -> Beside:
    """Judge one episode by the shipped protocol, as `check` does, in a process of its own."""
    rules = Rules(require_protocol_in_force(None))
    measured = run_apart(partial(measure_part, rules=rules), part).episodes
    found = next((one for one in measured if one.episode.id == recording.episode.id), None)
    result = found or measure_recording(recording, rules)  # the listing counts otherwise than the data files do
    protocol = rules.get_protocol(recording.episode)
    named = checks.is_protocol_named((result.episode,), protocol)
    findings = checks.judge_measurements(result.measured, protocol, named=named)
    report = checks.make_episode_report(recording.episode, findings, protocol.version_name)
    return Beside(report=report, lags=estimate_camera_lags(result.imprint, protocol))


def estimate_camera_lags(imprint: Imprint, protocol: CollectionProtocol) -> tuple[CameraLag, ...]:
    """Estimate each camera's lag from one episode's imprint; cameras without an estimate are left out."""
    evidence: dict[str, dict[str, NDArray[Any]]] = defaultdict(dict)
    for name, array in imprint.list_arrays_under(LAG):
        camera, _, key = name.rpartition("/")
        evidence[camera][key] = array
    estimates = {camera: _estimate_lag(kept, protocol) for camera, kept in sorted(evidence.items())}
    return tuple(CameraLag(camera, *lag) for camera, lag in estimates.items() if lag is not None)


def _estimate_lag(
    evidence: Mapping[str, NDArray[Any]], protocol: CollectionProtocol
) -> tuple[float, float, float] | None:
    lag = estimate_pooled_lag([evidence], read_content_lag_settings(protocol))
    return (lag.lag_s * MS_PER_S, lag.low_s * MS_PER_S, lag.high_s * MS_PER_S) if lag.has_estimate else None
