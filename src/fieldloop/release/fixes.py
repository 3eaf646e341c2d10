"""What a check proposed and somebody accepted, done on the way into a release. The log itself is never touched."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from fieldloop.model.episode import Recording
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.stream import Stream
from fieldloop.model.taken import taken


def mend(recording: Recording, fixes: Iterable[Fix]) -> Recording:
    """Return the recording with these fixes applied, clocks before cuts: what is cut depends on when it was."""
    for fix in sorted(fixes, key=lambda f: (f.kind is not FixKind.RESTAMP, f.stream)):
        if fix.kind is FixKind.RESTAMP:
            recording = _restamped(recording, fix)
        elif fix.kind is FixKind.TRIM:
            recording = _trimmed(recording, fix)
    return recording


def accepted(report: EpisodeReport, kinds: Iterable[FixKind]) -> tuple[Fix, ...] | None:
    """Return the fixes that make an episode sound, None where something against it has no fix of these kinds.

    An episode that passed needs none; one that should be dropped has none.
    """
    allowed = set(kinds) - {FixKind.DROP}
    against = [finding for finding in report.findings if finding.counts]
    if any(not _mends(finding, allowed) for finding in against):
        return None
    return tuple(dict.fromkeys(finding.fix for finding in against if finding.fix))


def _mends(finding: Finding, allowed: set[FixKind]) -> bool:
    return finding.status is Status.FAILED and finding.fix is not None and finding.fix.kind in allowed


def _restamped(recording: Recording, fix: Fix) -> Recording:
    streams = dict(recording.streams)
    if (stream := streams.get(fix.stream)) is not None:
        moved = {kind: times + fix.shift_ns for kind, times in stream.clocks.items()}
        streams[fix.stream] = replace(stream, clocks=moved)
    return replace(recording, streams=streams)


def _trimmed(recording: Recording, fix: Fix) -> Recording:
    start = recording.episode.start_ns if fix.start_ns is None else fix.start_ns
    end = recording.episode.end_ns if fix.end_ns is None else fix.end_ns
    streams = {name: _between(stream, start, end) for name, stream in recording.streams.items()}
    episode = replace(
        recording.episode, start_ns=max(start, recording.episode.start_ns), end_ns=min(end, recording.episode.end_ns)
    )
    return replace(recording, episode=episode, streams=streams)


def _between(stream: Stream, start_ns: int, end_ns: int) -> Stream:
    """Keep what was sensed from start to end; a stream on another clock, such as a video that counts from 0, stays."""
    if not len(stream):
        return stream
    times = stream.times_ns
    if int(times.max()) < start_ns or int(times.min()) > end_ns:
        return stream
    return taken(stream, np.flatnonzero((times >= start_ns) & (times <= end_ns)))
