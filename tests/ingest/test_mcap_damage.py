"""MCAP logs: cut, damaged, mangled, hostile."""

import functools
import struct
import tempfile
from pathlib import Path

import cv2
import lz4.frame
import numpy as np
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.writer import CompressionType, IndexType
from tests.ingest.mcap_makers import SECOND, read, ros, small_log, write

from fieldloop.ingest.readers.mcap import McapReader
from fieldloop.testing.facts import write_note_facts
from fieldloop_robot.messages import CompressedImage, JointState


@pytest.mark.parametrize("options", [{}, {"compression": CompressionType.LZ4}, {"use_chunking": False}])
def test_cut_anywhere_it_gives_a_prefix_and_a_defect(tmp_path, options):
    whole = small_log(tmp_path / "whole.mcap", **options)
    values = read(whole).streams["joints"].values
    data, counts = whole.read_bytes(), []
    for length in [*range(8, len(data), 61), len(data) - 1]:
        cut = tmp_path / "cut.mcap"
        cut.write_bytes(data[:length])
        got = read(cut)
        assert got.defects, f"cut at {length} of {len(data)} and nothing was said"
        assert all(d.place.startswith("byte ") and int(d.place.split()[1]) <= length for d in got.defects)
        rows = got.streams["joints"].values if got.streams else values[:0]
        np.testing.assert_array_equal(rows, values[: len(rows)])
        counts.append(len(rows))
    assert counts == sorted(counts)
    assert counts[-1] == len(values)


def big_log(path, **options):
    """Two hundred messages of 2 kB in chunks of some hundred: a chunk is several blocks of its compression."""
    rng = np.random.default_rng(7)
    rows = [
        (SECOND + i, SECOND + i, b'{"n": %d, "noise": "%s"}' % (i, rng.bytes(1000).hex().encode())) for i in range(200)
    ]
    return write(path, {"/n": ("json", None, rows)}, **{"chunk_size": 250_000, **options})


def messages_in(records):
    """How many whole messages stand in a stretch of records?"""
    at, count = 0, 0
    while at + 9 <= len(records):
        opcode, length = struct.unpack_from("<BQ", records, at)
        at += 9 + length
        count += opcode == 5 and at <= len(records)
    return count


def messages_before(data, places, compression):
    """How many messages stand wholly before the end of a log that was cut, by the libraries that unpack?"""
    count = messages_in(data[8:])  # those outside chunks
    for at in places:
        head = 49 + len(compression)
        if at + head > len(data):
            break
        (length,) = struct.unpack_from("<Q", data, at + head - 8)
        packed = data[at + head : at + head + length]
        if compression == "zstd":
            packed = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
        elif compression == "lz4":
            packed = lz4.frame.LZ4FrameDecompressor().decompress(packed)
        count += messages_in(packed)
    return count


@functools.cache
def cut_log(kind):
    options = {"use_chunking": False} if kind is None else {"compression": kind}
    with tempfile.TemporaryDirectory() as folder:
        data = big_log(Path(folder, "whole.mcap"), **options).read_bytes()
    return data, chunk_places(data)


KINDS = {None: "", CompressionType.NONE: "", CompressionType.ZSTD: "zstd", CompressionType.LZ4: "lz4"}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(list(KINDS)), st.floats(0, 1))
def test_every_message_wholly_before_a_cut_is_read(tmp_path, kind, share):
    whole, places = cut_log(kind)
    data = whole[: 8 + int(share * (len(whole) - 8))]
    log = tmp_path / "cut.mcap"
    log.write_bytes(data)
    (got,) = McapReader().read(log)
    count = messages_before(data, places, KINDS[kind])
    rows = got.streams["n"].values.ravel().tolist() if got.streams else []
    assert rows == list(range(count))
    assert got.defects or len(data) == len(whole)


@pytest.mark.parametrize("kind", list(KINDS)[1:])
def test_much_of_a_chunk_that_was_cut_off_is_read(tmp_path, kind):
    whole, places = cut_log(kind)
    log = tmp_path / "cut.mcap"
    log.write_bytes(whole[: places[1] - (places[1] - places[0]) // 4])
    got = read(log)
    assert len(got.streams["n"]) > 40
    (defect,) = got.defects
    assert defect.place == f"byte {places[0]}"
    assert (defect.message.code, defect.message["messages"]) == ("ingest.chunk_cut_off", len(got.streams["n"]))


def test_pictures_of_a_chunk_that_was_cut_off_can_be_looked_at(tmp_path):
    made = [CompressedImage("png", cv2.imencode(".png", np.full((4, 4), i, np.uint8))[1].tobytes()) for i in range(9)]
    log = write(tmp_path / "a.mcap", {"/camera": ros(made, range(1, 10))})
    data = log.read_bytes()
    log.write_bytes(data[: data.rfind(b"\x89PNG") + 9])  # within the last picture; the index comes behind all
    last = data.rfind(b"\x89PNG", 0, data.rfind(b"\x89PNG"))
    assert chunk_places(data)[0] < last
    assert [frame[0, 0, 0] for frame in read(log).streams["camera"].pictures.frames()] == list(range(8))


def test_a_damaged_chunk_that_is_not_compressed_is_read_and_doubted(tmp_path):
    log = small_log(tmp_path / "a.mcap", compression=CompressionType.NONE)
    data = bytearray(log.read_bytes())
    at = data.find(struct.pack("<d", 0.1 * 20))  # a value in the middle
    data[at] ^= 0xFF
    log.write_bytes(data)
    got = read(log)
    (defect,) = (d for d in got.defects if d.message.code == "ingest.chunk_damaged")
    assert "checksum" in defect.message["reason"]
    assert defect.place in [f"byte {place}" for place in chunk_places(data)]
    assert got.streams["joints"].times_ns.tolist() == [SECOND + i * 10_000_000 for i in range(40)]


@pytest.mark.parametrize("compression", [CompressionType.ZSTD, CompressionType.LZ4])
def test_a_damaged_chunk_that_is_compressed_is_left_out_and_the_rest_is_read(tmp_path, compression):
    log = small_log(tmp_path / "a.mcap", compression=compression)
    data = bytearray(log.read_bytes())
    data[chunk_places(data)[2] + 28] ^= 0xFF  # its checksum
    data[chunk_places(data)[2] + 33] ^= 0xFF
    log.write_bytes(data)
    got = read(log)
    assert "ingest.chunk_unreadable" in [d.message.code for d in got.defects]
    times = got.streams["joints"].times_ns
    assert 20 < len(times) < 40
    assert (times[0], times[-1]) == (SECOND, SECOND + 39 * 10_000_000)


@pytest.mark.parametrize("indexed", [True, False])
@pytest.mark.parametrize("filling", [b"\x00", b"\xff", b"\x05"])
def test_around_a_hole_in_a_chunk_everything_is_read(tmp_path, indexed, filling):
    log = big_log(
        tmp_path / "a.mcap", **({} if indexed else {"index_types": IndexType.NONE, "use_summary_offsets": False})
    )
    data = bytearray(log.read_bytes())
    (place, behind) = chunk_places(data)[:2]
    begin = place + 60_000
    data[begin : begin + 100_000] = filling * 100_000
    log.write_bytes(data)
    got = read(log)
    assert behind > begin + 100_000
    starts = [data.find(b'{"n": %d,' % i) for i in range(200)]
    clear = [i for i, at in enumerate(starts) if at > 0 and (at + 2100 < begin or at - 31 > begin + 100_000)]
    assert 140 < len(clear) < 155
    assert set(clear) <= set(got.streams["n"].values.ravel().tolist())
    found = {d.message.code: d.message for d in got.defects if d.place == f"byte {place}"}
    assert "checksum" in found["ingest.chunk_damaged"]["reason"]
    assert "ingest.chunk_bytes_lost" in found


def test_a_length_that_swallows_messages_costs_only_its_own(tmp_path):
    log = big_log(tmp_path / "a.mcap")
    data = bytearray(log.read_bytes())
    at = data.find(b'{"n": 20,') - 31
    data[at + 1 : at + 9] = struct.pack("<Q", 20_000)
    log.write_bytes(data)
    assert read(log).streams["n"].values.ravel().tolist() == [i for i in range(200) if i != 20]


def test_a_description_in_a_damaged_chunk_is_not_believed_against_the_summary(tmp_path):
    log = small_log(tmp_path / "a.mcap", compression=CompressionType.NONE)
    data = bytearray(log.read_bytes())
    at = data.find(b"/joints")
    data[at : at + 7] = b"/jaints"
    log.write_bytes(data)
    assert set(read(log).streams) == {"joints"}


def test_a_broken_record_length_is_stepped_over_by_the_index(tmp_path):
    log = small_log(tmp_path / "a.mcap")
    data = bytearray(log.read_bytes())
    at = [
        i
        for i in range(8, len(data))
        if data[i] == 0x06 and data[i + 9 : i + 13] == struct.pack("<Q", SECOND + 2000)[:4]
    ]
    data[at[0] + 1 : at[0] + 9] = struct.pack("<Q", 1 << 60)
    log.write_bytes(data)
    got = read(log)
    assert any(d.message.code == "ingest.bytes_damaged" and d.message["resumed_at"] == "chunk" for d in got.defects)
    assert 30 <= len(got.streams["joints"]) < 40
    assert got.streams["joints"].times_ns[-1] == SECOND + 39 * 10_000_000


def test_a_changed_byte_outside_chunks_is_noticed(tmp_path):
    log = small_log(tmp_path / "a.mcap", use_chunking=False, enable_data_crcs=True)
    data = bytearray(log.read_bytes())
    data[data.find(struct.pack("<d", 0.1 * 20))] ^= 1
    log.write_bytes(data)
    assert "ingest.checksum_mismatch" in [d.message.code for d in read(log).defects]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_damage_crashes_it(tmp_path, data):
    whole = getattr(test_no_damage_crashes_it, "bytes", None)
    if whole is None:
        whole = test_no_damage_crashes_it.bytes = small_log(tmp_path / "whole.mcap").read_bytes()
    spoilt = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        spoilt[data.draw(st.integers(8, len(spoilt) - 1))] = data.draw(st.integers(0, 255))
    log = tmp_path / "spoilt.mcap"
    log.write_bytes(spoilt)
    (got,) = McapReader().read(log)
    assert len(got.streams.get("joints", ())) <= 40


def test_a_message_that_does_not_fit_its_type_is_a_defect_of_that_message(tmp_path):
    encoding, schema, rows = ros([JointState(("a",), (1.0 * i,)) for i in range(5)], range(1, 6))
    rows[2] = (rows[2][0], rows[2][1], rows[2][2][:20])
    got = read(write(tmp_path / "a.mcap", {"/joints": (encoding, schema, rows)}))
    assert got.streams["joints"].values.ravel().tolist() == [0.0, 1.0, 3.0, 4.0]
    (defect,) = got.defects
    assert (defect.subject, defect.place) == ("/joints", "message 2")
    assert (defect.message["failed"], defect.message["messages"]) == (1, 5)


# ── finding the way again


def chunk_places(data):
    """Where chunks begin, by walking the records."""
    at, places = 8, []
    while at < len(data) - 8:
        opcode, length = struct.unpack_from("<BQ", data, at)
        if opcode == 6:
            places.append(at)
        at += 9 + length
    return places


@pytest.mark.parametrize("compression", list(CompressionType))
def test_without_an_index_reading_goes_on_at_the_next_chunk_that_can_be_found(tmp_path, compression):
    log = small_log(tmp_path / "a.mcap", compression=compression)
    data = bytearray(log.read_bytes())
    places = chunk_places(data)
    data[places[1] : places[1] + 9] = bytes(9)
    log.write_bytes(data[: places[-1]])  # the end with its index is gone
    got = read(log)
    damaged = [d.message for d in got.defects if d.message.code == "ingest.bytes_damaged"]
    assert [(m["first_byte"], m["last_byte"]) for m in damaged] == [(places[1], places[2])]
    times = got.streams["joints"].times_ns
    assert times[0] == SECOND
    assert 40 - 3 * 40 // len(places) - 2 < len(times) < 40


def test_a_length_that_runs_over_later_chunks_costs_only_its_own(tmp_path):
    log = small_log(tmp_path / "a.mcap")
    data = bytearray(log.read_bytes())
    places = chunk_places(data)
    index = places[1] - 9 - 6 - 16 * 5  # some byte before the second chunk
    (length,) = struct.unpack_from("<Q", data, places[0] + 1)
    at = places[0] + 9 + length  # the message index behind the first chunk
    assert data[at] == 7
    assert index < places[1]
    data[at + 1 : at + 9] = struct.pack("<Q", places[3] - at)
    log.write_bytes(data)
    got = read(log)
    assert any(d.place == f"byte {at}" for d in got.defects)
    assert len(got.streams["joints"]) == 40


def test_a_count_that_does_not_fit_is_reported(tmp_path):
    log = small_log(tmp_path / "a.mcap", enable_crcs=False)
    data = bytearray(log.read_bytes())
    at = data.rfind(b"\x0b" + struct.pack("<Q", 56))
    data[at + 9 : at + 17] = struct.pack("<Q", 41)
    log.write_bytes(data)
    (defect,) = read(log).defects
    assert write_note_facts(defect.message).startswith("ingest.count_mismatch stated=41 what=messages found=40")


def test_a_changed_summary_is_noticed(tmp_path):
    log = small_log(tmp_path / "a.mcap")
    data = bytearray(log.read_bytes())
    data[data.rfind(b"JointState")] ^= 1
    log.write_bytes(data)
    got = read(log)
    assert any(write_note_facts(d.message).startswith("ingest.checksum_mismatch part=the summary") for d in got.defects)
    assert len(got.streams["joints"]) == 40


def test_a_changed_attachment_is_noticed(tmp_path):
    log = write(tmp_path / "a.mcap", {"/t": ("json", None, [(1, 1, b"[1]")])}, attachments=[("a", "b", b"precious")])
    data = bytearray(log.read_bytes())
    data[data.find(b"precious")] ^= 1
    log.write_bytes(data)
    assert any("ingest.checksum_mismatch part=attachment 'a'" in write_note_facts(d.message) for d in read(log).defects)


def test_channels_of_a_broken_chunk_are_found_in_the_summary(tmp_path):
    log = small_log(tmp_path / "a.mcap")
    data = bytearray(log.read_bytes())
    data[chunk_places(data)[0] + 33] ^= 0xFF  # its checksum
    log.write_bytes(data)
    assert 30 < len(read(log).streams["joints"]) < 40


def test_an_index_that_lies_is_not_believed(tmp_path):
    log = small_log(tmp_path / "a.mcap", enable_crcs=False, enable_data_crcs=False)
    whole, data = read(log), bytearray(log.read_bytes())
    places = chunk_places(data)
    for place in places:
        (length,) = struct.unpack_from("<Q", data, place + 1)
        at = place + 9 + length
        data[at + 9 + 6 + 8] ^= 0x05  # the first message's offset
    log.write_bytes(data)
    got = read(log)
    assert got.episode.id == whole.episode.id
    np.testing.assert_array_equal(got.streams["joints"].values, whole.streams["joints"].values)


def test_an_unknown_compression_is_a_defect(tmp_path):
    log = small_log(tmp_path / "a.mcap", enable_crcs=False)
    log.write_bytes(log.read_bytes().replace(b"\x04\x00\x00\x00zstd", b"\x04\x00\x00\x00zst9"))
    got = read(log)
    assert got.streams == {}
    assert any("compression 'zst9' is not known" in write_note_facts(d.message) for d in got.defects)


def test_a_chunk_that_claims_all_memory_is_a_defect(tmp_path):
    for compression in (CompressionType.ZSTD, CompressionType.LZ4):
        log = small_log(tmp_path / "a.mcap", compression=compression)
        data = bytearray(log.read_bytes())
        for place in chunk_places(data):
            data[place + 25 : place + 33] = struct.pack("<Q", 1 << 31)
        log.write_bytes(data)
        got = read(log)
        assert got.streams == {}
        assert "ingest.chunk_unreadable" in [d.message.code for d in got.defects]


# ── mangled
