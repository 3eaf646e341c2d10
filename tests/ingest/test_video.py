"""Videos: packets without decoding, the right frame on demand, and what damage costs."""

import os
import pickle
import struct
from concurrent.futures import ThreadPoolExecutor

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.ingest.pictures.boxes import Unusual
from fieldloop.ingest.pictures.decoder import Decoder
from fieldloop.ingest.pictures.demux import list_packets_by_demuxer
from fieldloop.ingest.pictures.depth_video import DepthCodes, parse_depth_codes
from fieldloop.ingest.pictures.mp4 import list_packets_by_boxes
from fieldloop.ingest.pictures.video import VideoSpan, read_packets

COLUMNS = ("pts", "times_ns", "sizes", "keys", "positions")
KINDS = {
    "no B-frames": ("a.mp4", "libx264", {"g": "2", "bf": "0"}),
    "B-frames": ("a.mp4", "libx264", {"g": "12", "bf": "3", "x264-params": "b-pyramid=normal:scenecut=0"}),
    "open GOP": ("a.mp4", "libx264", {"g": "10", "bf": "2", "x264-params": "open-gop=1:scenecut=0"}),
    "HEVC, open GOP": ("a.mp4", "libx265", {"x265-params": "keyint=10:bframes=3:open-gop=1:log-level=none"}),
    "AV1": ("a.mp4", "libsvtav1", {"g": "6", "preset": "12", "svtav1-params": "fast-decode=1"}),
    "QuickTime": ("a.mov", "libx264", {"g": "12", "bf": "2"}),
    "Matroska": ("a.mkv", "libx264", {"g": "12", "bf": "2"}),
    "fragmented": ("a.mp4", "libx264", {"g": "12", "movflags": "frag_keyframe+empty_moov"}),
}
FRAMES = 45


def make(path, codec, options, frames=FRAMES):
    """Frame n is n bright columns wide: no two alike, and told apart after any codec."""
    flags = {"movflags": options.pop("movflags")} if "movflags" in options else {}
    with av.open(str(path), "w", options=flags) as container:
        stream = container.add_stream(codec, rate=30, options=options)
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        for number in range(frames):
            picture = np.full((64, 96, 3), 40, np.uint8)
            picture[:, : 2 * number + 2] = 200
            for packet in stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("videos")
    return {
        kind: make(folder / f"{kind}{name[1:]}", codec, dict(options)) for kind, (name, codec, options) in KINDS.items()
    }


def span_of(path):
    packets = read_packets(path)
    return VideoSpan(path, packets, 0, len(packets.pts))


def alike(one, other):
    for column in COLUMNS:
        np.testing.assert_array_equal(getattr(one, column), getattr(other, column), err_msg=column)
    assert (one.width, one.height, one.codec) == (other.width, other.height, other.codec)


def numbers(frames):
    """Read the frame's number back from its pixels."""
    return [round((int((frame[32, :, 0] > 120).sum()) - 2) / 2) if frame.size else None for frame in frames]


# ── packets


@pytest.mark.parametrize("kind", KINDS)
def test_boxes_say_what_the_demuxer_says(made, kind):
    if kind in ("Matroska", "fragmented"):
        with pytest.raises(Unusual):
            list_packets_by_boxes(made[kind])
    else:
        alike(list_packets_by_boxes(made[kind]), list_packets_by_demuxer(made[kind]))
    assert len(read_packets(made[kind]).pts) == FRAMES


def test_boxes_say_what_the_demuxer_says_of_real_videos(shared):
    videos = [path for name in ("video-codec-edge", "lerobot-v20-gr1", "lerobot-v21-g1")
              for path in sorted(shared(name).rglob("*.mp4"))]  # fmt: skip
    assert len(videos) == 10
    for path in videos:
        alike(list_packets_by_boxes(path), list_packets_by_demuxer(path))


def with_edits(path, target, *edits):
    """Put a list of edits (duration, media time) of the same length into a copy; the muxer wrote one edit."""
    data = path.read_bytes()
    at = data.index(b"elst")
    body = struct.pack(">II", 0, len(edits)) + b"".join(struct.pack(">IiI", *edit, 1 << 16) for edit in edits)
    assert struct.unpack_from(">I", data, at - 4)[0] == 8 + len(body)
    target.write_bytes(data[: at + 4] + body + data[at + 4 + len(body) :])
    return target


def test_an_edit_that_only_shifts_is_read_from_boxes(made, tmp_path):
    data = made["B-frames"].read_bytes()
    duration, media = struct.unpack_from(">Ii", data, data.index(b"elst") + 12)
    assert media > 0
    path = with_edits(made["B-frames"], tmp_path / "a.mp4", (duration + 1000, media))
    alike(list_packets_by_boxes(path), list_packets_by_demuxer(path))


@pytest.mark.parametrize(("share", "later"), [(0.5, 0), (1.0, 9000), (1.0, -500)])
def test_an_edit_that_leaves_frames_out_is_the_demuxers_business(made, tmp_path, share, later):
    data = made["B-frames"].read_bytes()
    duration, media = struct.unpack_from(">Ii", data, data.index(b"elst") + 12)
    path = with_edits(made["B-frames"], tmp_path / "a.mp4", (int(duration * share), media + later))
    with pytest.raises(Unusual, match="edit list"):
        list_packets_by_boxes(path)
    packets = read_packets(path)
    assert len(packets.pts) <= FRAMES
    shown = numbers(span_of(path).frames())
    assert None not in shown
    assert shown == sorted(set(shown))


def test_a_cut_video_lists_what_is_there(tmp_path):
    path = make(tmp_path / "a.mp4", "libx264", {"movflags": "faststart", "bf": "0"})
    whole = read_packets(path)
    cut = int(whole.positions[30])
    path.write_bytes(path.read_bytes()[:cut])
    assert len(read_packets(path).pts) == 30
    assert numbers(span_of(path).frames()) == list(range(30))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"no video at all" * 100, "does not begin as an MP4 does"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n", "run git lfs pull"),
        (struct.pack(">I4sI", 12, b"ftyp", 0) + struct.pack(">I4s", 1 << 31, b"moov"), "of a 20 byte file"),
        (struct.pack(">I4sI", 12, b"ftyp", 0) + struct.pack(">I4s", 3, b"free"), "at byte 12 states 3 bytes"),
        (struct.pack(">I4sI", 12, b"ftyp", 0) + struct.pack(">I4s", 8, b"mdat"), "(moov) is missing"),
    ],
)
def test_what_is_no_video_says_why_and_where(tmp_path, content, said):
    path = tmp_path / "a.mp4"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=said.replace("(", r"\(").replace(")", r"\)")):
        read_packets(path)


@given(place=st.integers(0, 1 << 30), junk=st.binary(min_size=1, max_size=8))
@settings(max_examples=150, deadline=None)
def test_any_byte_of_the_description_may_be_wrong(made, tmp_path_factory, place, junk):
    data = bytearray(made["B-frames"].read_bytes())
    at = data.index(b"moov") + place % (len(data) - data.index(b"moov"))
    data[at : at + len(junk)] = junk
    path = tmp_path_factory.getbasetemp() / "hurt.mp4"
    path.write_bytes(data)
    try:
        packets = list_packets_by_boxes(path)
    except ValueError:
        return
    assert len(packets.pts) <= len(data)
    assert (packets.positions + packets.sizes <= len(data)).all()


@given(share=st.floats(0, 1))
@settings(max_examples=30, deadline=None)
def test_a_description_may_end_anywhere(made, tmp_path_factory, share):
    data = made["open GOP"].read_bytes()
    path = tmp_path_factory.getbasetemp() / "cut.mp4"
    path.write_bytes(data[: int(len(data) * share)])
    try:
        packets = list_packets_by_boxes(path)
    except ValueError:
        return
    assert len(packets.pts) <= FRAMES


def test_a_table_that_asks_for_all_memory_is_refused(made, tmp_path):
    data = bytearray(made["no B-frames"].read_bytes())
    at = data.index(b"stsz")
    struct.pack_into(">II", data, at + 8, 1, 0xFFFFFFFF)  # four billion packets of one byte
    path = tmp_path / "a.mp4"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="'stsz' at byte"):
        list_packets_by_boxes(path)


# ── frames


@pytest.mark.parametrize("kind", KINDS)
def test_each_frame_is_the_one_that_was_asked_for(made, kind):
    span = span_of(made[kind])
    with av.open(str(made[kind])) as container:
        reference = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    assert numbers(reference) == list(range(FRAMES))
    for wanted, frame in zip(reference, span.frames(), strict=True):
        np.testing.assert_array_equal(frame, wanted)
    order = np.random.default_rng(0).permutation(FRAMES).tolist()
    for index in order:
        (frame,) = span.frames([index])
        np.testing.assert_array_equal(frame, reference[index], err_msg=f"frame {index}")


@pytest.mark.parametrize("kind", ["no B-frames", "open GOP", "AV1"])
def test_some_frames_ascend_and_may_repeat(made, kind):
    span = VideoSpan(made[kind], read_packets(made[kind]), 7, 40)
    assert len(span) == 33
    assert numbers(span.frames([30, 2, 2, 0, 11])) == [7, 9, 9, 18, 37]
    assert numbers(span.frames([])) == []


@pytest.mark.parametrize("kind", ["B-frames", "AV1"])
def test_a_real_video_random_and_in_order(shared, kind):
    name = {"B-frames": "test_h264_bframes_deep.mp4", "AV1": "test_av1.mp4"}[kind]
    span = span_of(shared("video-codec-edge") / name)
    frames = list(span.frames())
    assert all(frame.size for frame in frames)
    for index in (len(frames) - 1, 3, len(frames) // 2, 0):
        np.testing.assert_array_equal(next(span.frames([index])), frames[index])


def test_a_broken_packet_costs_its_own_frames_only(made, tmp_path):
    packets = read_packets(made["no B-frames"])
    data = bytearray(made["no B-frames"].read_bytes())
    for index in (20, 21):  # a whole group of pictures
        start, size = int(packets.positions[index]), int(packets.sizes[index])
        data[start : start + size] = bytes(size)
    path = tmp_path / "a.mp4"
    path.write_bytes(data)
    left = [number if number not in (20, 21) else None for number in range(FRAMES)]
    assert numbers(span_of(path).frames()) == left
    assert [numbers(span_of(path).frames([i]))[0] for i in (22, 21, 20, 19)] == [22, None, None, 19]


def test_a_video_that_went_away_gives_empty_frames(tmp_path):
    span = span_of(make(tmp_path / "a.mp4", "libx264", {}, frames=5))
    (tmp_path / "a.mp4").unlink()
    assert numbers(span.frames()) == [None] * 5


def test_a_rewritten_video_is_opened_anew(tmp_path):
    path = make(tmp_path / "a.mp4", "libx264", {}, frames=5)
    assert numbers(span_of(path).frames([4])) == [4]
    make(tmp_path / "b.mp4", "libx264", {"g": "1"}, frames=9).replace(path)
    assert numbers(span_of(path).frames([8])) == [8]


def test_several_threads_and_a_child_share_a_video(made):
    span = span_of(made["B-frames"])
    with ThreadPoolExecutor(4) as pool:
        seen = list(pool.map(lambda i: numbers(span.frames([i]))[0], list(range(FRAMES)) * 2))
    assert seen == list(range(FRAMES)) * 2
    half_way = span.frames(range(3))
    next(half_way)
    reading, writing = os.pipe()
    if not (child := os.fork()):  # pragma: no cover - the child's coverage is not counted
        os.write(writing, bytes(numbers(span.frames([33, 5]))))
        os._exit(0)
    os.waitpid(child, 0)
    assert list(os.read(reading, 8)) == [5, 33]
    assert numbers(half_way) == [1, 2]
    os.close(reading)
    os.close(writing)


def test_a_span_travels_light(made):
    packets = read_packets(made["open GOP"])
    span = VideoSpan(made["open GOP"], packets, 33, 36)
    sent = pickle.dumps(span)
    assert len(sent) < len(pickle.dumps(packets))
    assert numbers(pickle.loads(sent).frames()) == [33, 34, 35]
    assert list(pickle.loads(sent).fingerprint()) == list(span.fingerprint())


def test_the_fingerprint_is_the_content_not_the_place(made, tmp_path):
    packets = read_packets(made["no B-frames"])
    whole = list(VideoSpan(made["no B-frames"], packets, 2, 10).fingerprint())
    assert whole != list(VideoSpan(made["no B-frames"], packets, 4, 12).fingerprint())
    copy = tmp_path / "other.mp4"
    copy.write_bytes(made["no B-frames"].read_bytes())
    assert whole == list(VideoSpan(copy, read_packets(copy), 2, 10).fingerprint())


# ── distances kept as video


def encode_codes(path, codes):
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx265", rate=30, options={"x265-params": "lossless=1:keyint=1:log-level=none"})
        stream.width, stream.height, stream.pix_fmt = codes.shape[2], codes.shape[1], "gray12le"
        for code in codes:
            for packet in stream.encode(av.VideoFrame.from_ndarray(code, format="gray12le")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return path


def test_depth_comes_back_in_metres(tmp_path):
    codes = np.random.default_rng(0).integers(0, 4096, (4, 64, 64)).astype(np.uint16)
    codes[0, 0, :3] = (0, 1, 4095)
    path = encode_codes(tmp_path / "a.mp4", codes)
    scale = DepthCodes(0.2, 8.0, 1.5)
    packets = read_packets(path)
    frames = list(VideoSpan(path, packets, 0, 4, scale).frames())
    assert all(frame.dtype == np.float32 and frame.shape == (64, 64) for frame in frames)
    for frame, code in zip(frames, codes, strict=True):
        low, high = np.log(0.2 + 1.5), np.log(8.0 + 1.5)
        wanted = np.exp(low + code / 4095 * (high - low)) - 1.5
        np.testing.assert_allclose(frame[code > 0], wanted[code > 0], rtol=1e-5)
        assert np.isnan(frame[code == 0]).all()
    assert frames[0][0, 2] == pytest.approx(8.0)


def test_even_steps_of_depth():
    metres = DepthCodes(0.0, 4.095, use_log=False).convert_to_metres()
    np.testing.assert_allclose(metres[1:], np.arange(1, 4096) / 1000, rtol=1e-5)


@pytest.mark.parametrize(
    "info",
    [
        {"video.depth_min": 3.0, "video.depth_max": 1.0},
        {"video.depth_min": "near"},
        {"video.shift": -5.0},
        {"video.depth_max": float("nan")},
    ],
)
def test_a_depth_scale_that_is_none(info):
    with pytest.raises(ValueError, match="depth scale"):
        parse_depth_codes(info)


def test_a_lost_end_is_looked_for_once(tmp_path, monkeypatch):
    """One key frame, the second half gone: what is missing must not cost a walk from the start each time."""
    path = make(tmp_path / "a.mp4", "libx264", {"g": "1000", "bf": "0", "movflags": "faststart"})
    packets = read_packets(path)
    data = path.read_bytes()
    path.write_bytes(data[: int(packets.positions[20])] + bytes(len(data) - int(packets.positions[20])))
    seeks = []
    go = Decoder._seek_to_key
    monkeypatch.setattr(Decoder, "_seek_to_key", lambda self, *place: (seeks.append(place[0]), go(self, *place))[1])
    assert numbers(VideoSpan(path, packets, 0, FRAMES).frames())[:20] == list(range(20))
    assert len(seeks) == 1
    assert [numbers(VideoSpan(path, packets, 0, FRAMES).frames([i]))[0] for i in range(30, FRAMES)] == [None] * 15
    assert len(seeks) == 1
