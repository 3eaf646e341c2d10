"""Convert logs into training formats; needs no workspace."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypedDict

from fieldloop.errors import BadInput
from fieldloop.ingest import open_log
from fieldloop.loop.data.mapping import find_mapping_in_force
from fieldloop.loop.ship.same_content import Compared, Pairing, compare_content
from fieldloop.loop.ship.target import measure_size_mb, prepare_target
from fieldloop.loop.workspace import Track, track_silently
from fieldloop.model.episode import Defect, Recording
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.model.stream_notes import LEFT_OUT, ROUNDED, VALUES
from fieldloop.protocol import Section, default_operations
from fieldloop.release import writers
from fieldloop.release.writers import Pair, Written
from fieldloop.say.numbers import format_number

Format = Literal["lerobot", "hdf5", "rlds", "mcap"]
Codec = Literal["keep", "h264", "av1"]
LOSSES = (LEFT_OUT, ROUNDED, VALUES)
"""Keys of stream notes that state what a stream does not hold."""
ATTACHED = "attachment."
PART_FOLLOWS = ("/", ":", " ")
"""What separates the name of an episode from that of its part."""
WRITTEN_AS = {"lerobot": "LeRobot v3.0", "hdf5": "robomimic HDF5", "rlds": "RLDS", "mcap": "MCAP"}


class _Rows(TypedDict):
    clock: str
    hz: float | None
    pair: Pair
    longest_gap_s: float


@dataclass(frozen=True, slots=True)
class Options:
    """How a training format is written, beyond what it must hold."""

    clock: str = ""
    hz: float | None = None
    codec: Codec = "keep"
    actions_from: str = ""
    pair: Pair = ""


@dataclass(frozen=True, slots=True)
class Converted:
    """What was written, how each stream got onto the frame grid, and what the target could not hold.

    `compared` is what a look into the written files found: do rows still show the frames and values of the source?
    """

    path: str
    format: str
    episodes: int
    frames: int
    clock: str
    rules: tuple[tuple[str, str], ...]
    left_out: tuple[Note, ...]
    rows_left_out: int = 0
    size_mb: float = 0.0
    compared: tuple[Compared, ...] = ()

    @property
    def exit_ok(self) -> bool:
        """Does no comparison with the source fail?"""
        return all(one.status is not Status.FAILED for one in self.compared)


def convert_log(  # noqa: PLR0913 - each is an option of the command
    source: Path,
    target: Path,
    *,
    to: Format = "lerobot",
    clock: str = "",
    hz: float | None = None,
    codec: Codec = "keep",
    actions_from: str = "",
    pair: Pair = "",
    mapping: Path | None = None,
    track: Track = track_silently,
) -> Converted:
    """Convert a log or dataset into a training format, and list what the target cannot hold.

    Arguments:
        source: a log file, a dataset folder, or a folder of logs
        target: a new path; the dataset is written completely or not. A file gets the ending of its format
        to: the format to write; mcap keeps every rate and clock, the other formats have one row per frame
        clock: the stream that sets the rows' timestamps (default: the first camera, else the actions)
        hz: frames per second to write (default: the timestamps of the stream in --clock)
        codec: how LeRobot's videos are compressed; `keep` copies h264 and AV1 videos, and encodes others as h264
        actions_from: the stream to use as actions in HDF5 if no stream is of the kind action
        pair: how samples are paired with rows: by index or by time (default: as the source's format defines)
        mapping: the mapping file that translates your names, units and frames
    """
    if target.resolve().is_relative_to(source.resolve()):
        raise BadInput(f"{target} lies inside {source}. Choose a target outside of it.")
    log = open_log(source, find_mapping_in_force(None, mapping))
    episodes = log.expected_recordings
    target = prepare_target(target, to, episodes)
    recordings = WithLosses(lambda: track(log.recordings, f"reading {source.name}", episodes))
    options, settings = Options(clock, hz, codec, actions_from, pair), default_operations()["convert"]
    try:
        written = write_recordings(to, recordings, target, options, settings)
    except BadInput as refused:
        if recordings.count:
            raise
        raise BadInput(f"{source} has no episode to convert. See what is wrong: fieldloop check {source}") from refused
    done = make_conversion_result(to, written, options, (*recordings.losses, *log.defects))
    return replace(done, compared=compare_with_source(log.recordings, written, options, settings))


def compare_with_source(
    source: Iterable[Recording], written: Written, options: Options, settings: Section
) -> tuple[Compared, ...]:
    """Read back what was written and compare it with the source."""
    pair: Pair = "time" if options.hz else options.pair
    how = Pairing(written.clock, written.rules or {}, pair)
    return compare_content(source, written.path, written.episodes, how, settings)


def write_recordings(
    to: Format, recordings: Iterable[Recording], target: Path, options: Options, settings: Section
) -> Written:
    """Write recordings in one of the formats; they are read more than once."""
    rows: _Rows = {
        "clock": options.clock, "hz": options.hz, "pair": options.pair,
        "longest_gap_s": settings.number("longest_gap_s"),
    }  # fmt: skip
    match to:
        case "mcap":
            return writers.write_mcap(recordings, target, pair=options.pair)
        case "hdf5":
            return writers.write_hdf5(recordings, target, **rows, actions_from=options.actions_from)
        case "rlds":
            return writers.write_rlds(recordings, target, **rows)
        case _:
            return writers.write_lerobot(recordings, target, **rows, codec=options.codec)


def make_conversion_result(to: Format, written: Written, options: Options, defects: Iterable[Defect]) -> Converted:
    """Return the result; defects of the source are among what is left out."""
    rules = tuple(sorted((written.rules or {}).items()))
    clock = (
        f"{written.clock}, evenly at {format_number(options.hz, 6)} Hz"
        if options.hz and written.clock
        else written.clock
    )
    source_defects = [
        note("release.source_defect", source=f"{d.subject} {d.place}".rstrip(), defect=d.message) for d in defects
    ]
    return Converted(
        str(written.path), WRITTEN_AS[to], written.episodes, written.frames, clock, rules,
        fold_similar_losses((*written.left_out, *source_defects)), written.rows_left_out, measure_size_mb(written.path),
    )  # fmt: skip


def fold_similar_losses(losses: Iterable[Note]) -> tuple[Note, ...]:
    """Keep the first of many losses of one kind, and count the others.

    >>> late = [note("release.no_samples", stream=name) for name in "ab"]
    >>> [(loss.code, loss.details[0]["more"]) for loss in fold_similar_losses(late)]
    [('release.no_samples', 1)]
    """
    alike: dict[tuple[str, ...], list[Note]] = {}
    for loss in dict.fromkeys(losses):
        alike.setdefault(_get_loss_kind(loss), []).append(loss)
    return tuple(
        first if not more else replace(first, details=(*first.details, note("release.more_alike", more=len(more))))
        for first, *more in alike.values()
    )


def _get_loss_kind(loss: Note) -> tuple[str, ...]:
    """Return what losses of one kind share: their code, and of a defect of the source that of the defect."""
    values = dict(loss.numbers)
    defect = values.get("defect")
    part = str(values.get("name") or values.get("what") or values.get("clock") or values.get("stored") or "")
    if not isinstance(defect, Note):
        return loss.code, part
    # a reader's own text is the only thing that tells its defects apart
    text = next((str(value) for name, value in defect.numbers if name in ("text", "what")), "")
    return loss.code, defect.code, text


class WithLosses:
    """Recordings that a writer can read as often as it needs; `losses` and `count` are those of the last time.

    Recordings of which no stream has two samples are refused: no time passes in them.
    """

    def __init__(self, read: Callable[[], Iterable[Recording]]) -> None:
        self._read = read
        self.losses: list[Defect] = []
        self.count = 0

    def __iter__(self) -> Iterator[Recording]:
        self.losses, self.count, longest = [], 0, 0
        for recording in self._read():
            self.count += 1
            longest = max(longest, *map(len, recording.streams.values()), 0)
            self.losses += _list_recording_losses(recording)
            yield recording
        if self.count and longest == 1:
            raise BadInput("No stream has two samples, so no time passes and nothing moves. It cannot be converted.")


def _list_recording_losses(recording: Recording) -> list[Defect]:
    """Return what of a recording cannot be in any target: its defects, and what its reader left out."""
    name = recording.episode.name
    lost = [
        d if _is_about_episode(d.subject, name) else replace(d, subject=f"{name}: {d.subject}")
        for d in recording.defects
    ]
    for stream in recording.streams.values():
        lost += [
            Defect(stream.name, key, note("ingest.not_in_stream", what=stream.notes[key]))
            for key in LOSSES
            if key in stream.notes
        ]
    files = [key.removeprefix(ATTACHED) for key, _ in recording.episode.facts if key.startswith(ATTACHED)]
    return lost + [Defect("attachment", file, note("ingest.attachment_not_kept")) for file in files]


def _is_about_episode(subject: str, episode: str) -> bool:
    """Does a subject name this episode, or a part of it?

    >>> [_is_about_episode(subject, "ep1") for subject in ("ep1", "ep1/obs/state", "ep1: camera", "ep10", "ep10/obs")]
    [True, True, True, False, False]
    """
    return subject == episode or subject.startswith(tuple(f"{episode}{behind}" for behind in PART_FOLLOWS))
