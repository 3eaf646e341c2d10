"""MCAP logs: cut, damaged, mangled, hostile."""

import struct

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.writer import CompressionType
from tests.ingest.mcap_makers import SECOND, read, ros, small_log, write

from fieldloop.errors import UnreadableLog
from fieldloop.ingest import open_log
from fieldloop.ingest.readers.mcap import McapReader
from fieldloop_robot.messages import JointState


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


def test_a_damaged_chunk_is_left_out_and_the_rest_is_read(tmp_path):
    log = small_log(tmp_path / "a.mcap", compression=CompressionType.NONE)
    data = bytearray(log.read_bytes())
    at = data.find(struct.pack("<d", 0.1 * 20))  # a value in the middle
    data[at] ^= 0xFF
    log.write_bytes(data)
    got = read(log)
    assert any("checksum does not fit" in d.message for d in got.defects)
    times = got.streams["joints"].times_ns
    assert 20 < len(times) < 40
    assert times[0] == SECOND
    assert times[-1] == SECOND + 39 * 10_000_000


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
    assert any("reading went on at the next chunk" in d.message for d in got.defects)
    assert 30 <= len(got.streams["joints"]) < 40
    assert got.streams["joints"].times_ns[-1] == SECOND + 39 * 10_000_000


def test_a_changed_byte_outside_chunks_is_noticed(tmp_path):
    log = small_log(tmp_path / "a.mcap", use_chunking=False, enable_data_crcs=True)
    data = bytearray(log.read_bytes())
    data[data.find(struct.pack("<d", 0.1 * 20))] ^= 1
    log.write_bytes(data)
    assert any("data section's checksum" in d.message for d in read(log).defects)


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
    assert "1 of 5 messages" in defect.message


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
    assert f"Bytes {places[1]} to {places[2]} are damaged; reading went on at the next chunk that could be found." in [
        d.message for d in got.defects
    ]
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


def test_a_count_that_does_not_fit_is_said(tmp_path):
    log = small_log(tmp_path / "a.mcap", enable_crcs=False)
    data = bytearray(log.read_bytes())
    at = data.rfind(b"\x0b" + struct.pack("<Q", 56))
    data[at + 9 : at + 17] = struct.pack("<Q", 41)
    log.write_bytes(data)
    assert [d.message for d in read(log).defects] == ["The summary counts 41 messages, 40 could be read."]


def test_a_changed_summary_is_noticed(tmp_path):
    log = small_log(tmp_path / "a.mcap")
    data = bytearray(log.read_bytes())
    data[data.rfind(b"JointState")] ^= 1
    log.write_bytes(data)
    got = read(log)
    assert any("summary's checksum does not fit" in d.message for d in got.defects)
    assert len(got.streams["joints"]) == 40


def test_a_changed_attachment_is_noticed(tmp_path):
    log = write(tmp_path / "a.mcap", {"/t": ("json", None, [(1, 1, b"[1]")])}, attachments=[("a", "b", b"precious")])
    data = bytearray(log.read_bytes())
    data[data.find(b"precious")] ^= 1
    log.write_bytes(data)
    assert any("attachment 'a' does not fit" in d.message for d in read(log).defects)


def test_channels_of_a_broken_chunk_are_found_in_the_summary(tmp_path):
    log = small_log(tmp_path / "a.mcap", compression=CompressionType.NONE)
    data = bytearray(log.read_bytes())
    data[chunk_places(data)[0] + 60] ^= 0xFF
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
    assert any("compression 'zst9' is not known" in d.message for d in got.defects)


def test_a_chunk_that_claims_all_memory_is_a_defect(tmp_path):
    for compression in (CompressionType.ZSTD, CompressionType.LZ4):
        log = small_log(tmp_path / "a.mcap", compression=compression)
        data = bytearray(log.read_bytes())
        for place in chunk_places(data):
            data[place + 25 : place + 33] = struct.pack("<Q", 1 << 31)
        log.write_bytes(data)
        got = read(log)
        assert got.streams == {}
        assert any("cannot be read" in d.message for d in got.defects)


# ── mangled


@pytest.mark.parametrize(
    ("before", "after"), [(b"\n", b"\r\n"), (b"\r\n", b"\n"), (b"\x89", "\ufffd".encode()), (b"\x89", "\x89".encode())]
)
def test_a_log_copied_in_text_mode_is_refused_with_that_sentence(tmp_path, before, after):
    log = small_log(tmp_path / "a.mcap")
    log.write_bytes(log.read_bytes().replace(before, after))
    with pytest.raises(UnreadableLog, match=r"a\.mcap is an MCAP log that was copied in text mode"):
        open_log(log)


def test_a_log_copied_in_text_mode_is_a_defect_of_its_folder(tmp_path):
    good = small_log(tmp_path / "good.mcap")
    (tmp_path / "bad.bin").write_bytes(good.read_bytes().replace(b"\n", b"\r\n"))
    (defect,) = open_log(tmp_path).defects
    assert (defect.subject, "text mode" in defect.message) == ("bad.bin", True)


def test_line_ends_changed_only_inside_are_recognised(tmp_path):
    rows = [(i, i, b'{"a":\n%d}' % i) for i in range(1, 40)]
    log = write(tmp_path / "a.mcap", {"/t": ("json", None, rows)}, use_chunking=False)
    data = log.read_bytes()
    log.write_bytes(data[:8] + data[8:].replace(b"\n", b"\r\n"))
    assert any("text mode" in d.message for d in read(log).defects)


@pytest.mark.parametrize("content", [b"", b"\x89MCAP0\r\n", 2 * b"\x89MCAP0\r\n", b"\x89MCAP0\r\n\x00" * 9])
def test_next_to_nothing_is_refused_or_said(tmp_path, content):
    log = tmp_path / "a.mcap"
    log.write_bytes(content)
    if not content:
        with pytest.raises(UnreadableLog, match="empty"):
            open_log(log)
        return
    got = read(log)
    assert got.streams == {}
    assert got.defects


def test_endless_damage_is_counted_when_it_is_no_longer_listed(tmp_path):
    path = write(tmp_path / "a.mcap", {"/t": ("json", None, [(1, 1, b"{}")])}, use_chunking=False)
    data = path.read_bytes()
    strangers = b"".join(
        struct.pack("<BQHIQQ", 0x05, 22, channel, 0, 1, 1) for channel in range(1000, 1300)
    )  # messages of channels that nobody described
    at = data.index(struct.pack("<BQ", 0x0F, 4))  # before the end of the data
    path.write_bytes(data[:at] + strangers + data[at:])
    messages = [defect.message for defect in read(path).defects]
    assert 100 < len(messages) < 110
    (more,) = (message for message in messages if "further defects are not listed" in message)
    assert int(more.split()[0]) >= 200
