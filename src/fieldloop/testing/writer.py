"""The contract of every writer, ours and those of plug-ins: call `check_writer` in your test."""

import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.episode import Recording
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.release.writers.written import Written
from fieldloop.testing.injuries.injury import keep_span
from fieldloop.testing.round_trip import Limits, find_differences
from fieldloop.testing.synthetic import make_healthy_case, make_healthy_recording, replace_streams

Write = Callable[[Iterable[Recording], Path], Written]
Read = Callable[[Path], Iterable[Recording]]
SECONDS = 0.8


def check_writer(write: Write, read: Read, scratch: Path, limits: Limits | None = None) -> None:
    """Test a writer against its contract; `scratch` is an empty folder, `limits` what the format cannot keep.

    `write` gets recordings that can be iterated more than once.
    """
    recordings = [make_sample_recording(seed) for seed in (1, 2)]
    target = scratch / "written"
    written = write(recordings, target)
    assert written.path == target, "it returns where it wrote"
    assert [path.name for path in scratch.iterdir()] == [target.name], "it writes its target, and nothing beside it"
    assert written.episodes == len(recordings), "it returns how many episodes it wrote"
    assert any(loss.subject.stream == "silent" for loss in written.left_out), (
        "a stream without values is left out, and named"
    )
    read_back = {recording.episode.name: recording for recording in read(target)}
    assert read_back.keys() == {r.episode.name for r in recordings}, "every episode is read back under its name"
    for recording in recordings:
        lost = list(find_differences(recording, read_back[recording.episode.name], written, limits or Limits()))
        assert not lost, "; ".join(lost)
    _check_atomic_write(write, recordings, target)


def make_sample_recording(seed: int) -> Recording:
    """Make a short recording with a bit of everything.

    Whole numbers, a device's serial, a guess that is noted, a rate that is not stated, stamps that repeat, samples next
    to the frames but not at them, facts, a stream of stamps.
    """
    made = keep_span(
        make_healthy_case(recording=make_healthy_recording(seed=seed)), lambda at_s: at_s < SECONDS
    ).recording
    force, joints = made.streams["force"], made.streams["joints"]
    overhead = _repeat_header_stamp(made.streams["camera/overhead"])
    counter = np.arange(len(joints), dtype=np.int64)[:, None]
    changed: dict[str, Stream | None] = {
        "force": replace(force, serial="FT-7", frame_id="wrist", notes={"unit": "newtons are assumed"}),
        "camera/overhead": overhead,
        "state": _make_joints_beside(overhead, seed),
        "counter": replace(joints, name="counter", kind=StreamKind.OTHER, unit="", values=counter, columns=("ticks",)),
        "silent": Stream("silent", StreamKind.OTHER, "", joints.clocks, notes={"encoding": "stamps only"}),
    }
    facts = (("lux", "420"), ("surface", "felt"))
    return replace(
        replace_streams(made, changed), episode=replace(made.episode, facts=facts, failure="slip", succeeded=False)
    )


def _repeat_header_stamp(camera: Stream) -> Stream:
    """Give two frames one header stamp; their log stamps differ."""
    header = camera.times_ns.copy()
    header[3] = header[2]
    return replace(camera, clocks={**camera.clocks, ClockKind.HEADER: header})


def _make_joints_beside(camera: Stream, seed: int) -> Stream:
    """Make joints sampled half a millisecond after each frame."""
    clocks = {ClockKind.HEADER: camera.times_ns + 500_000, ClockKind.LOG: camera.clocks[ClockKind.LOG] + 2_000_000}
    values = np.random.default_rng(seed).normal(size=(len(camera), 2))
    return Stream("state", StreamKind.JOINT_POSITION, "rad", clocks, values)


def _check_atomic_write(write: Write, recordings: list[Recording], target: Path) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in target.parent.rglob("*"))
    _require_refusal(write, recordings, target, BadInput, "a name that is taken is refused")
    _require_refusal(write, [], target.with_name("nothing"), BadInput, "no recording is refused")
    for walk in range(1, _count_reads_of_recordings(write, recordings, target.with_name("counted")) + 1):
        breaking = _Breaking(recordings, walk)
        _require_refusal(write, breaking, target.with_name("broken"), OSError, "an error of the source is raised")
    after = sorted((path, path.stat().st_mtime_ns) for path in target.parent.rglob("*"))
    assert before == after, "it appears whole or not at all, and touches nothing that is there"


def _require_refusal(
    write: Write, recordings: Iterable[Recording], target: Path, problem: type[Exception], promise: str
) -> None:
    try:
        write(recordings, target)
    except problem:
        return
    raise AssertionError(promise)


def _count_reads_of_recordings(write: Write, recordings: list[Recording], target: Path) -> int:
    """How often does the writer walk through its recordings? What it writes meanwhile is removed."""
    counting = _Breaking(recordings, 0)
    write(counting, target)
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    return counting.walks


class _Breaking:
    """Recordings whose source is gone in the middle of the given walk; 0: never."""

    def __init__(self, recordings: list[Recording], walk: int) -> None:
        self.walks = 0
        self._recordings, self._last = recordings, walk

    def __iter__(self) -> Iterator[Recording]:
        self.walks += 1
        yield self._recordings[0]
        if self.walks == self._last:
            raise OSError("the disk is gone")
        yield from self._recordings[1:]
