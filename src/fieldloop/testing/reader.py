"""The contract of every reader, ours and those of plug-ins: call `check_reader` in your test."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.errors import UnreadableLog
from fieldloop.ingest import Reader
from fieldloop.model.episode import Defect, Recording
from fieldloop.model.stream import Stream, StreamKind

CUTS = (0.0, 0.1, 0.35, 0.5, 0.8, 0.99)


def check_reader(reader: Reader, log: Path, scratch: Path) -> None:
    """Test a reader against its contract with one good log of its format; `scratch` is an empty folder to write in."""
    _check_recognition(reader, log, scratch)
    first, second = list(reader.read(log)), list(reader.read(log))
    assert first, "a good log holds at least one recording"
    assert [r.episode.id for r in first] == [r.episode.id for r in second], "reading again gives the same episodes"
    assert len({r.episode.id for r in first}) == len(first), "every episode has an id of its own"
    for recording in first:
        assert recording.episode.name, "an episode has a name"
        assert recording.episode.format.startswith(reader.name), "an episode states its format"
        for name, stream in recording.streams.items():
            _check_stream(name, stream)
    if log.is_file():
        _check_truncated_logs(reader, log, scratch)


def _check_recognition(reader: Reader, log: Path, scratch: Path) -> None:
    assert reader.recognises(log) is True, "it recognises its own log"
    strange = scratch / "strange"
    for content in (b"", b"\x00", b"hello", bytes(range(256))):
        strange.write_bytes(content)
        assert reader.recognises(strange) is False, f"it does not claim {content[:8]!r}"
    assert reader.recognises(scratch) is False, "it does not claim a folder without a log"
    assert reader.recognises(scratch / "nothing") is False, "it does not claim what is not there"


def _check_stream(name: str, stream: Stream) -> None:
    assert stream.name == name, "a stream is listed under its name"
    for times in stream.clocks.values():
        assert times.dtype == np.int64, f"{name}: stamps are whole nanoseconds"
        assert len(times) == len(stream), f"{name}: every clock has a stamp for every sample"
        assert not times.flags.writeable, f"{name}: stamps cannot be changed"
    if stream.values is not None:
        assert len(stream.values) == len(stream), f"{name}: one row a stamp"
        assert not stream.values.flags.writeable, f"{name}: values cannot be changed"
        assert not stream.columns or len(stream.columns) == stream.values.shape[1], f"{name}: one name a column"
    if stream.pictures is not None and len(stream.pictures):
        _check_pictures(stream)


def _check_pictures(stream: Stream) -> None:
    assert stream.pictures is not None
    count = len(stream.pictures)
    assert count == len(stream), f"{stream.name}: one frame a stamp"
    picks = sorted({0, count // 2, count - 1})
    frames, again = list(stream.pictures.frames(reversed(picks))), list(stream.pictures.frames(picks))
    assert len(frames) == len(picks), f"{stream.name}: as many frames as were asked for"
    for one, other in zip(frames, again, strict=True):
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f"), f"{stream.name}: always in ascending order"
    shown = [frame for frame in frames if frame.size]
    width, height = stream.pictures.size
    assert all(frame.shape[:2] == (height, width) for frame in shown), f"{stream.name}: frames have the stated size"
    wanted: Any = np.float32 if stream.kind is StreamKind.DEPTH else np.uint8
    assert all(frame.dtype == wanted for frame in shown), f"{stream.name}: depth in float32 metres, colour in uint8"


def _check_truncated_logs(reader: Reader, log: Path, scratch: Path) -> None:
    """A truncated log is read as far as possible and reported, or refused; it never passes as complete."""
    data = log.read_bytes()
    for share in CUTS:
        cut = scratch / f"cut-{share}{log.suffix}"
        cut.write_bytes(data[: int(len(data) * share)])
        if not reader.recognises(cut):
            continue
        try:
            recordings = list(reader.read(cut))
        except UnreadableLog:
            continue
        assert not recordings or list(_list_defects(reader, cut, recordings)), (
            f"cut at {share:.0%}, and nothing was reported"
        )


def _list_defects(reader: Reader, path: Path, recordings: Iterable[Recording]) -> Iterable[Defect]:
    yield from (defect for recording in recordings for defect in recording.defects)
    yield from getattr(reader, "defects", lambda _path: ())(path)
