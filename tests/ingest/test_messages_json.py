"""JSON messages and encodings that nobody decodes."""

import base64
import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ingest.mcap_makers import SECOND, read, write

from fieldloop.ingest.messages.json_messages import JsonDecoder
from fieldloop.ingest.messages.spans import Spans
from fieldloop.model.stream import StreamKind


def test_json_messages(tmp_path):
    rows = [
        (
            i,
            i,
            json.dumps(
                {"timestamp": {"sec": i, "nsec": 5}, "pose": {"x": i, "ok": True}, "s": "t", "v": [1, 2]}
            ).encode(),
        )
        for i in range(1, 4)
    ]
    stream = read(write(tmp_path / "a.mcap", {"/tool_pose": ("json", None, rows)})).streams["tool_pose"]
    assert stream.columns == ("pose.x", "pose.ok", "v[0]", "v[1]")
    assert stream.values.tolist() == [[i, 1, 1, 2] for i in (1.0, 2.0, 3.0)]
    assert stream.times_ns.tolist() == [i * SECOND + 5 for i in (1, 2, 3)]
    assert stream.kind is StreamKind.POSE


def test_an_unknown_encoding_gives_stamps_and_a_note(tmp_path):
    got = read(write(tmp_path / "a.mcap", {"/blob": ("protobuf", None, [(5, 4, b"\x08\x01"), (9, 8, b"")])}))
    stream = got.streams["blob"]
    assert stream.values is None
    assert stream.times_ns.tolist() == [4, 8]
    assert "'protobuf' are not decoded" in stream.notes["encoding"]
    assert got.defects == ()


def test_pictures_in_base64(tmp_path):
    import cv2

    jpeg = cv2.imencode(".png", np.full((4, 6, 3), 90, np.uint8))[1].tobytes()
    stamp = {"sec": 3, "nsec": 4}
    good = {"timestamp": stamp, "frame_id": "lens", "format": "png", "data": base64.b64encode(jpeg).decode()}
    raw = {"timestamp": stamp, "encoding": "rgb8", "width": 1, "height": 2, "step": 3, "data": "AAECAwQF"}
    rows = [(i, i, json.dumps(message).encode()) for i, message in enumerate((good, {"data": 5}, good), 1)]
    got = read(
        write(
            tmp_path / "a.mcap",
            {
                "/front": ("json", ("foxglove.CompressedImage", "jsonschema", "{}"), rows),
                "/raw": ("json", ("foxglove.RawImage", "jsonschema", "{}"), [(1, 1, json.dumps(raw).encode())]),
            },
        )
    )
    front = got.streams["front"]
    assert (front.kind, front.frame_id, len(front)) == (StreamKind.RGB, "lens", 2)
    assert front.times_ns.tolist() == [3 * SECOND + 4] * 2
    assert front.pictures.size == (6, 4)
    assert list(front.pictures.encoded([0])) == [("png", jpeg)]
    (defect,) = got.defects
    assert (defect.subject, defect.place) == ("/front", "message 1")
    np.testing.assert_array_equal(next(got.streams["raw"].pictures.frames()), [[[0, 1, 2]], [[3, 4, 5]]])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(JSON | st.dictionaries(st.sampled_from(["header", "timestamp", "stamp", "sec", "nsec", "frame_id"]), JSON))
def test_any_json_is_read_or_fails_alone(message):
    payload = json.dumps(message).encode()
    got = JsonDecoder("")(Spans.from_payloads([b'{"a": 1}', payload, b'{"a": 2}']))
    assert got.failed <= 1
    assert {0, 2} <= set(got.groups["", ("a",)].messages.tolist())
