"""Recordings to write, and what is found in the log."""

import numpy as np
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

from fieldloop.ingest import open_log
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import ClockKind, Stream, StreamKind

START = 1_767_225_600_000_000_000


def messages(path):
    """Topic → list of (message, publish, log), read by the format's own packages."""
    found = {}
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for _, channel, raw, message in reader.iter_decoded_messages(log_time_order=False):
            found.setdefault(channel.topic, []).append((message, raw.publish_time, raw.log_time))
    return found


def channels(path):
    with path.open("rb") as file:
        return {channel.topic: channel for channel in make_reader(file).get_summary().channels.values()}


def read_again(path):
    (got,) = open_log(path).recordings
    return got


def series(name, values, *, kind=StreamKind.OTHER, unit="", columns=(), clocks=None, **more):
    times = START + np.arange(len(values)) * 10_000_000
    return Stream(name, kind, unit, clocks or {ClockKind.HEADER: times}, np.asarray(values), columns=columns, **more)


def of(*streams, **facts):
    return Recording(Episode("id", "one", "test", **facts), {stream.name: stream for stream in streams})


def same_stream(before, after):
    assert (after.name, after.kind, after.unit) == (before.name, before.kind, before.unit)
    assert (after.columns, after.frame_id, after.serial) == (before.columns, before.frame_id, before.serial)
    assert (after.nominal_hz, after.notes) == (before.nominal_hz, before.notes)
    assert after.clocks.keys() == before.clocks.keys()
    for kind, times in before.clocks.items():
        assert np.array_equal(after.clocks[kind], times), kind
    if before.values is not None:
        assert after.values.dtype == before.values.dtype
        assert np.array_equal(after.values, before.values, equal_nan=before.values.dtype.kind == "f")
