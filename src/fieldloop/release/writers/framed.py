"""A recording on one frame grid: what every training format holds, decided here once for all of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.episode_text import find_losses_in_texts
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.model.stream_notes import RECORDED_HZ, RESAMPLED
from fieldloop.protocol import default_operations
from fieldloop.release.writers.far import find_rows_without_sample, report_far_rows, report_left_out_rows
from fieldloop.release.writers.features import Features
from fieldloop.release.writers.grid import (
    Rule,
    Times,
    choose_rule,
    count_even_moments,
    make_grid_ns,
    pick_samples,
    resample_stream,
)
from fieldloop.release.writers.pairing import find_paired_streams, report_time_disagreement, report_unpaired_samples
from fieldloop.release.writers.seen import measure_time_stretch
from fieldloop.release.writers.utf8 import escape_recording_texts

MISSING: NDArray[Any] = np.empty((0, 0, 3), np.uint8)
MOST_ROWS = 50_000_000
"""More than two weeks at 30 Hz: a grid longer than that comes of a broken stamp."""

TRUST = tuple(ClockKind)


@dataclass(slots=True, eq=False)
class Framed:
    """One row a moment of the grid. `notes` says what was not as it should be; it grows while pictures are drawn.

    `picks` says for every stream whose rows are samples which sample each row is. `rows_left_out` counts moments for
    which some stream has no sample near enough.
    """

    episode: Episode
    clock: str
    hz: float
    times_ns: Times
    values: Mapping[str, NDArray[Any]]
    picks: Mapping[str, NDArray[np.int64]]
    rules: Mapping[str, Rule]
    streams: Mapping[str, Stream]
    notes: list[Note]
    rows_left_out: int = 0

    def __len__(self) -> int:
        return len(self.times_ns)

    @property
    def grid_clock(self) -> ClockKind:
        """Which clock the stamps of the grid are from."""
        return self.streams[self.clock].clock

    def compute_row_clocks(self, name: str) -> dict[ClockKind, Times]:
        """Return every stamp of a stream's rows: those its samples came with, else those of the grid.

        A value between two samples is trusted no more than the worse of its own clock and the grid's.
        """
        stream = self.streams[name]
        if name in self.picks:
            return {kind: stream.clocks[kind][self.picks[name]] for kind in TRUST if kind in stream.clocks}
        return {max(stream.clock, self.grid_clock, key=TRUST.index): self.times_ns}

    def get_stamps_ns(self, name: str) -> Times:
        """When was the sample that each row shows really taken? By its most trusted clock."""
        return next(iter(self.compute_row_clocks(name).values()))

    def describe_stream(self, name: str) -> dict[str, Any]:
        """Describe a stream's rows for readers: names, unit, rate, notes, and the resampling rule."""
        stream, rule = self.streams[name], self.rules[name]
        return {
            "name": name, "kind": stream.kind.value, "unit": stream.unit, "columns": list(stream.columns),
            "frame_id": stream.frame_id, "serial": stream.serial, "rule": rule.value,
            "nominal_hz": stream.nominal_hz if rule is Rule.AS_RECORDED else self.hz,
            "notes": dict(stream.notes) | add_resampling_notes(stream.notes, rule.value, stream.hz),
        }  # fmt: skip

    def iterate_pictures(self, camera: str) -> Iterator[NDArray[Any]]:
        """Yield one picture a row; one that does not decode is replaced by the one before, and named."""
        stream = self.streams[camera]
        assert stream.pictures is not None
        width, height = stream.pictures.size
        depth = stream.kind is StreamKind.DEPTH
        before: NDArray[Any] = (
            np.full((height, width), np.nan, np.float32) if depth else np.zeros((height, width, 3), np.uint8)
        )
        broken = 0
        for run in split_into_ascending_runs(self.picks[camera]):
            wanted, times = np.unique(run, return_counts=True)
            source = iter(stream.pictures.frames(wanted.tolist()))
            for rows in times.tolist():
                picture = next(source, MISSING)
                if picture.shape == before.shape:
                    before = picture
                else:
                    broken += rows
                yield from [before] * rows
        if broken:
            about = Subject(camera, episode=self.episode.name)
            self.notes.append(note("release.frames_repeated", about=about, frames=broken))


def add_resampling_notes(notes: Mapping[str, str], rule: str, hz: float | None) -> dict[str, str]:
    """Note by which rule rows came to be and how often their stream was sampled; what was noted earlier stays.

    >>> add_resampling_notes({"resampled": "linear", "recorded_hz": "500"}, "hold", 30.0)
    {'resampled': 'linear, then hold', 'recorded_hz': '500'}
    >>> add_resampling_notes({}, "as recorded", 30.0)
    {}
    """
    if rule == Rule.AS_RECORDED.value:
        return {}
    earlier = notes.get(RESAMPLED)
    made = {RESAMPLED: f"{earlier}, then {rule}" if earlier else rule}
    rate = notes.get(RECORDED_HZ) or (f"{hz:g}" if hz else "")
    return made | ({RECORDED_HZ: rate} if rate else {})


def split_into_ascending_runs(sample_indices: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Cut picks into runs that never step back: a source hands out its frames in ascending order only.

    >>> [run.tolist() for run in split_into_ascending_runs(np.array([0, 1, 1, 3, 2]))]
    [[0, 1, 1, 3], [2]]
    """
    return np.split(sample_indices, np.flatnonzero(np.diff(sample_indices) < 0) + 1)


def put_recording_on_grid(recording: Recording, features: Features) -> Framed:
    """Bring a recording onto the grid of the dataset it will be part of."""
    lost = find_losses_in_texts(recording.episode)
    recording, strange = escape_recording_texts(recording)
    episode, streams = recording.episode, recording.streams
    wanted = [f.name for f in features.list_all]
    if missing := [name for name in wanted if name not in streams or not len(streams[name])]:
        raise BadInput(
            f"{episode.name} has no sample of {', '.join(missing)}, but every episode of the dataset needs one."
        )
    paired = frozenset() if features.uniform else find_paired_streams(recording, wanted, features.clock, features.pair)
    times = _make_grid(streams[features.clock].times_ns, features, [len(streams[name]) for name in paired])
    rules = {n: Rule.AS_RECORDED if n in paired else choose_rule(streams[n], times) for n in wanted}
    kept, gaps = _find_rows_with_samples(streams, times, rules, features)
    odd = [*report_unpaired_samples(recording, paired, len(times)), *gaps]
    odd += filter(None, [report_time_disagreement(recording, paired, features.clock, features.hz)])
    odd += filter(None, [report_far_rows(streams[name], times[kept], rules[name], features.hz) for name in wanted])
    odd += filter(None, [report_time_by_row_number(times[kept], features.clock, features.hz)])
    return Framed(
        episode, features.clock, features.hz, times[kept],
        values={f.name: resample_stream(streams[f.name], times, rules[f.name])[kept] for f in features.signals},
        picks={n: pick_samples(streams[n], times, rule)[kept] for n, rule in rules.items() if rule.keeps_samples},
        rules=rules, streams={name: streams[name] for name in wanted},
        notes=[_add_episode_to_note(episode, loss) for loss in (*lost, *strange, *odd)],
        rows_left_out=len(times) - len(times[kept]),
    )  # fmt: skip


def report_time_by_row_number(times_ns: Times, clock: str, hz: float) -> Note | None:
    """Return how long the rows last and how long a reader takes them to last that divides row numbers by the rate.

    None where both differ by at most one row, or by less than what counts as even.
    """
    if len(times_ns) < 2:  # noqa: PLR2004 - one moment has no length
        return None
    uneven_share = default_operations()["convert"].number("uneven_share")
    stretch = measure_time_stretch(times_ns, hz)
    read_s = (len(times_ns) - 1) / hz
    if abs(stretch - 1) * read_s * hz <= 1 or abs(stretch - 1) <= uneven_share:
        return None
    return note(
        "release.time_by_row_number", about=Subject(clock), lasts_s=stretch * read_s, read_s=read_s, hz=hz,
        rows=len(times_ns),
    )  # fmt: skip


def _find_rows_with_samples(
    streams: Mapping[str, Stream], times: Times, rules: Mapping[str, Rule], features: Features
) -> tuple[NDArray[np.bool_] | slice, list[Note]]:
    """Return which rows have a sample of every stream within the longest gap, and how many rows each stream costs."""
    limit_s = features.longest_gap_s
    without = {name: find_rows_without_sample(streams[name], times, rule, limit_s) for name, rule in rules.items()}
    notes = [report_left_out_rows(streams[name], missing, limit_s) for name, missing in without.items()]
    missing = np.any([*without.values()], axis=0) if without else np.zeros(len(times), bool)
    return (~missing if missing.any() else slice(None)), [one for one in notes if one]


def _add_episode_to_note(episode: Episode, loss: Note) -> Note:
    return replace(loss, subject=replace(loss.subject, episode=episode.name))


def _make_grid(stamps_ns: Times, features: Features, paired_lengths: Sequence[int]) -> Times:
    if paired_lengths:
        return stamps_ns[: min(paired_lengths)]  # in the order of the rows, whatever the clock says
    if not features.uniform:
        return make_grid_ns(stamps_ns)
    if (count := count_even_moments(stamps_ns, features.hz)) > MOST_ROWS:
        span_s = count / features.hz
        raise BadInput(
            f"{features.clock} spans {span_s:.0f} s, which is {count} rows at {features.hz:g} Hz. Its timestamps "
            "are probably wrong; use its own samples as the rows instead."
        )
    return make_grid_ns(stamps_ns, features.hz)
