"""When the robot moved: by its joints and gripper, else by its commands, else by its poses."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.signals.signal import Signal, find_signals, has_timed_stamps, read_signal
from fieldloop.check.signals.stamps import find_arrival_clock, has_two_clocks
from fieldloop.model.note import Note, note
from fieldloop.model.provenance import Provenance, StreamFact
from fieldloop.model.stream import NS_PER_S, Stream, StreamKind

FORCES = ("N", "N·m")
FULL_TURN = 360.0  # degrees

FALLBACKS = (
    (StreamKind.JOINT_POSITION, StreamKind.GRIPPER),
    (StreamKind.ACTION,),
    (StreamKind.POSE, StreamKind.HAND_POSE),
)


@dataclass(frozen=True, slots=True)
class Movement:
    """Moments at which something moved, and the streams that show it."""

    moving_ns: NDArray[np.int64]
    window_ns: int
    start_ns: int
    end_ns: int
    sources: str
    paced: bool = True
    """Do the timestamps of these streams show how much time passed?"""
    commanded: bool = False
    """Is it known from commands alone? The robot may still move after the last command."""
    known_from_ns: int = 0
    known_to_ns: int = 0
    """All of these streams have samples from the one time to the other."""
    signals: tuple[Signal, ...] = ()
    assumed: str = ""
    """A stream among them of which nothing states what it describes, nor in which unit; '' where all are known."""

    @property
    def onset_ns(self) -> int:
        """First movement."""
        return int(self.moving_ns[0])

    @property
    def offset_ns(self) -> int:
        """Last movement."""
        return int(self.moving_ns[-1])

    def measure_seconds_moving(self, start_ns: int, end_ns: int) -> float:
        """How many seconds of this span are known to be in motion?"""
        inside = self.moving_ns[(self.moving_ns >= start_ns) & (self.moving_ns <= end_ns)]
        if len(inside) < 2:  # noqa: PLR2004 - a duration needs two moments
            return 0.0
        steps = np.diff(inside)
        return float(steps[steps <= 2 * self.window_ns].sum() / NS_PER_S)

    def find_slow_stream(self, case: Case, start_ns: int, end_ns: int) -> str:
        """Return a stream of unknown unit of which a column changes clearly within this span of stillness; '' if none.

        What counts as still depends on the stream's top speed, so beside a fast column a slow one looks still. Columns
        that hardly change at all show noise.
        """
        share = float(case.protocol.setting("episode.still_share"))
        for signal in self.signals:
            rows = signal.find_rows_between(start_ns, end_ns)
            inside, whole = signal.values[rows], signal.values
            if signal.stream.unit or len(inside) < 2 or not np.isfinite(inside).any():  # noqa: PLR2004 - a change
                continue
            extent, total = (
                np.nan_to_num(np.ptp(inside, axis=0)),
                np.nan_to_num(np.nanmax(whole, axis=0) - np.nanmin(whole, axis=0)),
            )
            if ((extent > share * total) & (total > share * total.max())).any():
                return signal.name
        return ""


def find_movement(case: Case, excluded_stream: str = "") -> Movement | None:
    """Return when the robot moved, by streams other than `excluded_stream`; None without a moving stream."""
    return case.compute_once(("movement", excluded_stream), lambda: _compute_movement(case, excluded_stream))


def explain_unknown_movement(case: Case) -> Note:
    """Return why it is not known when the robot moved."""
    known = [stream for kinds in FALLBACKS for stream in case.find_streams(*kinds) if stream.values is not None]
    return note("check.nothing_moves") if known else note("check.movement_unknown")


def _compute_movement(case: Case, excluded_stream: str) -> Movement | None:
    groups = [
        [signal for signal in find_signals(case, *kinds) if _is_usable_signal(signal, excluded_stream)]
        for kinds in FALLBACKS
    ]
    if excluded_stream:  # when one stream is in doubt, use every other one
        groups = [[signal for group in groups for signal in group]]
    used = _put_on_one_clock(case, next((group for group in groups if group), []))
    times = (
        np.sort(np.concatenate([_list_moving_times_ns(case, signal) for signal in used]))
        if used
        else np.empty(0, np.int64)
    )
    if not len(times):
        return None
    window = round(case.protocol.setting("episode.moving_window_s") * NS_PER_S)
    start, end = min(signal.times_ns[0] for signal in used), max(signal.times_ns[-1] for signal in used)
    names, known = ", ".join(signal.name for signal in used), all(has_timed_stamps(signal.stream) for signal in used)
    commanded = all(signal.stream.kind is StreamKind.ACTION for signal in used)
    assumed = next((signal.name for signal in used if _is_meaning_unknown(signal.stream)), "")
    known_from, known_to = max(signal.times_ns[0] for signal in used), min(signal.times_ns[-1] for signal in used)
    return Movement(
        times,
        window,
        int(start),
        int(end),
        names,
        known,
        commanded,
        int(known_from),
        int(known_to),
        tuple(used),
        assumed,
    )


def _put_on_one_clock(case: Case, signals: list[Signal]) -> list[Signal]:
    """Give the signals whose clock is not that of the others, or that have two, the times of their arrival.

    Where none has timestamps within the episode, all may count another time together, such as simulated time.
    """
    off = [has_two_clocks(signal.stream) or not _is_within_episode(case, signal) for signal in signals]
    alike = all(off) and not any(has_two_clocks(signal.stream) for signal in signals)
    if alike or not any(off):
        return signals
    return [_read_by_arrival(case, one) if wrong else one for one, wrong in zip(signals, off, strict=True)]


def _is_within_episode(case: Case, signal: Signal) -> bool:
    start, end = case.episode.start_ns, case.episode.end_ns
    return bool(end <= start or (signal.times_ns[0] <= end and signal.times_ns[-1] >= start))


def _read_by_arrival(case: Case, signal: Signal) -> Signal:
    arrival = find_arrival_clock(signal.stream)
    if arrival is None:
        return signal
    arrived = replace(signal.stream, clocks={arrival: signal.stream.clocks[arrival]})
    return case.compute_once(("arrived", signal.name), lambda: read_signal(arrived)) or signal


def _is_meaning_unknown(stream: Stream) -> bool:
    """Is it unknown what the numbers describe? Positions and speeds in one stream have no common scale of movement."""
    return not stream.unit and stream.get_provenance(StreamFact.MEANING) is Provenance.ASSUMED


def _is_usable_signal(signal: Signal, excluded_stream: str) -> bool:
    excluded = bool(excluded_stream) and (
        signal.name == excluded_stream or signal.name.startswith(f"{excluded_stream}/")
    )
    return signal.stream.unit not in FORCES and not excluded


def _list_moving_times_ns(case: Case, signal: Signal) -> NDArray[np.int64]:
    """Return the timestamps within movement; computed once per signal."""
    key = ("moving", signal.name, signal.stream.clock)
    return case.compute_once(key, lambda: _compute_moving_times_ns(case, signal))


def _compute_moving_times_ns(case: Case, signal: Signal) -> NDArray[np.int64]:
    """Find the timestamps within movement: the value differs from that one window before and one window after.

    A movement is therefore found slightly too short, and the stillness before it is never cut short.
    """
    times, columns = signal.times_ns, np.ascontiguousarray(signal.values.T)
    if not signal.stream.unit:
        columns = _unwrap_degrees(columns, float(case.protocol.setting("episode.wrap_slack_deg")))
    window_ns = round(case.protocol.setting("episode.moving_window_s") * NS_PER_S)
    here = np.arange(len(times))
    before = np.maximum(np.minimum(np.searchsorted(times, times - window_ns, side="right") - 1, here - 1), 0)
    behind = np.minimum(np.maximum(np.searchsorted(times, times + window_ns), here + 1), len(times) - 1)
    came, goes = (
        _compute_fastest_column_speed(times, columns, before, here),
        _compute_fastest_column_speed(times, columns, here, behind),
    )
    threshold = _choose_movement_threshold(case, signal.stream.unit, came)
    return times[(came > threshold) & (goes > threshold)]


def _unwrap_degrees(columns: NDArray[np.float64], slack: float) -> NDArray[np.float64]:
    """Unwrap degrees, columns that jump by 360 within a range of 360: beside such a jump all other motion looks still.

    >>> _unwrap_degrees(np.asarray([[170.0, 179.0, -179.0, -170.0], [0.0, 1.0, 2.0, 3.0]]), 30.0).tolist()
    [[170.0, 179.0, 181.0, 190.0], [0.0, 1.0, 2.0, 3.0]]
    """
    jumps = np.abs(np.diff(columns, axis=1)).max(axis=1, initial=0.0)
    wraps = (jumps > FULL_TURN - slack) & (np.ptp(columns, axis=1) <= FULL_TURN + slack)
    if not wraps.any():
        return columns
    unwrapped = columns.copy()
    unwrapped[wraps] = np.unwrap(columns[wraps], axis=1, period=FULL_TURN)
    return unwrapped


def _compute_fastest_column_speed(
    times: NDArray[np.int64],
    columns: NDArray[np.float64],
    start_indices: NDArray[np.int64],
    end_indices: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return how fast the fastest column went from one sample to another; values that are not finite count as still."""
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(columns.take(end_indices, axis=1) - columns.take(start_indices, axis=1))
    distance[~np.isfinite(distance)] = 0.0
    span_s = np.maximum(times[end_indices] - times[start_indices], 1) / NS_PER_S
    speed: NDArray[np.float64] = distance.max(axis=0, initial=0.0) / span_s
    return speed


def _choose_movement_threshold(case: Case, unit: str, speed: NDArray[np.float64]) -> float:
    named = {"rad": "episode.moving_rad_s", "m": "episode.moving_m_s"}.get(unit)
    if named:
        return float(case.protocol.setting(named))
    return float(case.protocol.setting("episode.moving_share")) * float(speed.max(initial=0.0))
