"""Packets of a stretch of video in decoding order: enough to decode every frame, none that is not needed."""

from fractions import Fraction

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.ingest.pictures.codec_config import read_codec_config
from fieldloop.ingest.pictures.encoded_span import list_encoded_packets, select_decoding_order
from fieldloop.ingest.pictures.packets import Packets
from fieldloop.ingest.pictures.video import VideoSpan, read_packets
from fieldloop.testing.barcode import Mark, MarkedPictures, read_barcode
from fieldloop.testing.shared import find_shared_data

COUNT = 40
ENCODERS = {
    "reordered": ("libx264", {"g": "12", "bf": "3"}),
    "open": ("libx264", {"g": "12", "bf": "3", "x264-params": "open-gop=1"}),
    "plain": ("libx264", {"g": "8", "bf": "0"}),
}


@pytest.fixture(scope="module", params=list(ENCODERS))
def video(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("video") / f"{request.param}.mp4"
    name, options = ENCODERS[request.param]
    with av.open(str(path), "w") as target:
        stream = target.add_stream(name, rate=30, options={**options, "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = 96, 72, "yuv420p"
        for number, picture in enumerate(MarkedPictures(0, 1, COUNT, (96, 72)).frames()):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 30)
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    return path


def decode(span):
    """Decode what a browser is given, as it does: set-up, then packets in their order."""
    context = av.CodecContext.create("h264", "r")
    context.extradata = span.config.description
    data, found = span.path.read_bytes(), {}
    for at, size, shown in zip(span.positions, span.sizes, span.shown, strict=True):
        packet = av.Packet(data[at : at + size])
        packet.pts = packet.dts = int(shown)
        found |= {f.pts: f.to_ndarray(format="rgb24") for f in context.decode(packet)}
    return found | {f.pts: f.to_ndarray(format="rgb24") for f in context.decode(None)}


@pytest.mark.parametrize(("first", "last"), [(0, COUNT), (0, 1), (13, 14), (5, 31), (24, 25), (COUNT - 1, COUNT)])
def test_a_stretch_decodes_from_its_own_packets(video, first, last):
    span = list_encoded_packets(VideoSpan(video, read_packets(video), first, last))
    assert span.keys[0]
    assert sorted(n for n in span.shown.tolist() if 0 <= n < last - first) == list(range(last - first))
    found = decode(span)
    for frame in range(last - first):
        assert read_barcode(found[frame]) == Mark(0, 1, first + frame)


def test_the_codec_is_named_as_browsers_name_it(video):
    config = read_codec_config(video)
    assert config.codec.startswith("avc1.")
    assert config.description[0] == 1, "the configuration as MP4 stores it"


@pytest.mark.parametrize(
    ("name", "codec", "described"),
    [("test_av1.mp4", "av01.0.", False), ("test_hevc.mp4", "h", True), ("test_h264_bframes_deep.mp4", "avc1.", True)],
)
def test_other_peoples_codecs_are_named(name, codec, described):
    folder = find_shared_data("video-codec-edge")
    if folder is None:
        pytest.skip("the shared data set video-codec-edge is not on this machine (FIELDLOOP_SHARED)")
    config = read_codec_config(folder / name)
    assert config.codec.startswith(codec)
    assert bool(config.description) is described


def test_what_is_no_video_is_refused(tmp_path):
    (tmp_path / "a.mp4").write_bytes(b"not a video, but long enough to look into")
    with pytest.raises(ValueError, match="begin as an MP4"):
        read_codec_config(tmp_path / "a.mp4")


@given(st.data())
def test_decoding_begins_at_a_key_frame_that_leads_to_every_frame(data):
    """Groups that begin with a key frame; the frames of a group are stored in any order behind it."""
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=6))
    stored, keys = [], []
    for size in sizes:
        begin = len(stored)
        stored += [begin, *data.draw(st.permutations(range(begin + 1, begin + size)))]
        keys += [begin]
    count = len(stored)
    positions = np.empty(count, np.int64)
    positions[stored] = np.arange(count) * 10
    flags = np.isin(np.arange(count), keys)
    times = np.arange(count)
    packets = Packets(8, 8, times, times, np.full(count, 10), flags, positions, "h264", (1, 30))
    first = data.draw(st.integers(0, count - 1))
    last = data.draw(st.integers(first + 1, count))
    chosen = select_decoding_order(packets, first, last)
    assert set(range(first, last)) <= set(chosen.tolist())
    assert flags[chosen[0]]
    assert chosen[0] <= first
    assert (np.diff(positions[chosen]) > 0).all()
    assert chosen[0] == max(key for key in keys if key <= first), "not an earlier one than needed"
