"""Several publishers of one topic: what each states is kept once."""

import numpy as np

from fieldloop.ingest.messages.arrived import Arrived, Described
from fieldloop.ingest.readers.rosbag.gathering import Gathering
from fieldloop.model.stream_notes import SENDERS


class NoPayloads:
    def fetch(self, _places):
        yield from ()


def connection(caller, definition="float64 x  # in m, along the rail"):
    metadata = {"callerid": caller, "definition": definition}
    return Described("/rail", "lab/Rail", "json", metadata=metadata)


def test_a_text_with_a_comma_is_noted_once_for_all_publishers():
    bag = Gathering(NoPayloads())
    stamps = np.asarray([10**18], dtype=np.int64)
    for caller in ("/a", "/b", "/a"):
        bag.note_publisher(connection(caller))
    bag.add_messages(connection("/a"), Arrived(stamps, None, [b'{"x": 1.5}'], np.zeros((1, 1), dtype=np.int64)))
    recording = bag.make_recording("bag", "ros1", {}, (), ())
    (stream,) = recording.streams.values()
    assert stream.notes["callerid"] == "/a, /b"
    assert stream.notes[SENDERS] == "2"
    assert stream.notes["definition"] == "float64 x  # in m, along the rail"
