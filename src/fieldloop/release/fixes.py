"""Apply accepted repairs when a release is read. The log itself is never changed."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from fieldloop.errors import Refused
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream
from fieldloop.model.taken import select_samples

PERIODS_APART = 2
"""A stream as long as its episode begins and ends less than a period of its own inside of it, at either end."""


def apply_fixes(recording: Recording, fixes: Iterable[Fix]) -> Recording:
    """Return the recording with these fixes applied, clocks before cuts: what is cut depends on when it was.

    Refused where a cut would leave streams that no longer show the same time.
    """
    for fix in sorted(fixes, key=lambda f: (f.kind is not FixKind.RESTAMP, f.stream)):
        if fix.kind is FixKind.RESTAMP:
            recording = _restamp_stream(recording, fix)
        elif fix.kind is FixKind.TRIM:
            recording = _trim_recording(recording, fix)
    return recording


def select_fixes(report: EpisodeReport, allowed_kinds: Iterable[FixKind]) -> tuple[Fix, ...] | None:
    """Return the fixes that repair an episode, None where a failure has no fix of these kinds.

    An episode that passed needs none; one that should be dropped has none.
    """
    allowed = set(allowed_kinds) - {FixKind.DROP}
    against = [finding for finding in report.findings if finding.counts]
    if any(not _is_fixable(finding, allowed) for finding in against):
        return None
    return tuple(dict.fromkeys(finding.fix for finding in against if finding.fix))


def _is_fixable(finding: Finding, allowed_kinds: set[FixKind]) -> bool:
    return finding.status is Status.FAILED and finding.fix is not None and finding.fix.kind in allowed_kinds


def _restamp_stream(recording: Recording, fix: Fix) -> Recording:
    streams = dict(recording.streams)
    if (stream := streams.get(fix.stream)) is not None:
        meant = set(stream.clocks) & {ClockKind(fix.clock)} if fix.clock else set(stream.clocks)
        moved = {kind: times + fix.shift_ns if kind in meant else times for kind, times in stream.clocks.items()}
        streams[fix.stream] = replace(stream, clocks=moved)
    return replace(recording, streams=streams)


def _trim_recording(recording: Recording, fix: Fix) -> Recording:
    whole = recording.episode
    start = whole.start_ns if fix.start_ns is None else max(fix.start_ns, whole.start_ns)
    end = whole.end_ns if fix.end_ns is None else min(fix.end_ns, whole.end_ns)
    streams = {name: _cut_stream(stream, whole, start, end) for name, stream in recording.streams.items()}
    return replace(recording, episode=replace(whole, start_ns=start, end_ns=end), streams=streams)


def _cut_stream(stream: Stream, episode: Episode, start_ns: int, end_ns: int) -> Stream:
    """Keep what was sensed from start to end."""
    if not len(stream) or (start_ns, end_ns) == (episode.start_ns, episode.end_ns):
        return stream
    times = stream.times_ns + _measure_clock_lag_ns(stream, episode)
    return select_samples(stream, np.flatnonzero((times >= start_ns) & (times <= end_ns)))


def _measure_clock_lag_ns(stream: Stream, episode: Episode) -> int:
    """How far a stream's clock is behind the episode's: not at all where they meet anywhere.

    A stream on a clock of its own, such as a video that counts from 0, is taken to begin with the episode if it is as
    long; for any other it is unknown what belongs to the part that is cut off.
    """
    times = np.sort(stream.times_ns)
    first, last = int(times[0]), int(times[-1])
    if first <= episode.end_ns and last >= episode.start_ns:
        return 0
    lasts, asked = last - first, episode.end_ns - episode.start_ns
    period = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
    if abs(lasts - asked) > PERIODS_APART * period:
        raise Refused(
            f"{stream.name} has a clock of its own and lasts {lasts / NS_PER_S:.2f} s, the episode "
            f"{asked / NS_PER_S:.2f} s, so it is unknown which part to cut off"
        )
    return episode.start_ns - first
