"""Framing and parsing of TFRecord files, held against protobuf's own parser."""

import gzip
import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ingest.rlds_makers import example, framed, masked, parse, unframed

from fieldloop.ingest.readers.rlds.example import Kind, parse_example
from fieldloop.ingest.readers.rlds.framing import begins_with_record, compute_masked_crc32c, read_records
from fieldloop.ingest.readers.rlds.inflated import open_shard
from fieldloop.ingest.readers.rlds.varints import Unparsable, find_run_boundaries, read_varints
from fieldloop.release.writers.rlds.example import encode_bytes_list, encode_numbers_list
from fieldloop.release.writers.rlds.example import encode_example as our_example
from fieldloop.release.writers.rlds.example import encode_varints as packed
from fieldloop.testing.facts import write_note_facts

int64s = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=30)
floats = st.lists(st.floats(width=32, allow_nan=False), max_size=30)
blobs = st.lists(st.binary(max_size=40), max_size=8)
maps = st.dictionaries(
    st.text(max_size=12), st.one_of(blobs, floats.map(lambda v: np.asarray(v, "f4")), int64s), max_size=6
)


def read(payload):
    """What our parser finds, in plain lists."""
    found, stopped = parse_example(payload)
    assert stopped == ""
    kinds = {
        Kind.BYTES: lambda v: v.read_blobs(),
        Kind.FLOAT: lambda v: v.read_floats().tolist(),
        Kind.INT64: lambda v: v.read_ints().tolist(),
    }
    return {name: kinds[values.kind](values) for name, values in found.items() if values.kind}


@settings(max_examples=50)
@given(maps)
def test_what_protobuf_writes_is_read_as_protobuf_reads_it(features):
    payload = example(features)
    assert read(payload) == parse(payload)


def listed(values):
    return values.tolist() if isinstance(values, np.ndarray) else values


@settings(max_examples=50)
@given(maps)
def test_what_we_write_is_what_protobuf_reads(features):
    made = {
        name: encode_bytes_list(v)
        if isinstance(v, list) and all(isinstance(x, bytes) for x in v)
        else encode_numbers_list(np.asarray(v))
        for name, v in features.items()
    }
    payload = our_example(made)
    whole = b"".join(payload.parts)
    assert len(whole) == payload.size
    assert parse(whole) == {name: listed(values) for name, values in features.items()}


@given(int64s)
def test_whole_numbers_survive_packing(numbers):
    bits = np.asarray(numbers, np.int64)
    assert read_varints(memoryview(packed(bits.view(np.uint64)))).tolist() == numbers


def test_numbers_need_not_be_packed():
    ints = b"".join(b"\x08" + packed(np.asarray([n], np.uint64)) for n in (3, 300, 2**40))
    floats_ = b"".join(b"\x0d" + np.float32(x).tobytes() for x in (0.5, -2.0))

    def entry(name, kind, values):
        feature = bytes([kind << 3 | 2, len(values)]) + values
        inner = b"\x0a" + bytes([len(name)]) + name + b"\x12" + bytes([len(feature)]) + feature
        return b"\x0a" + bytes([len(inner)]) + inner

    features = entry(b"i", 3, ints) + entry(b"f", 2, floats_)
    payload = b"\x0a" + bytes([len(features)]) + features
    assert read(payload) == parse(payload) == {"i": [3, 300, 2**40], "f": [0.5, -2.0]}


def test_a_name_given_twice_and_a_list_in_two_pieces_are_read_as_protobuf_does():
    one, two = example({"a": [1, 2], "b": [5]}), example({"a": [3]})
    assert read(one + two) == parse(one + two)


def test_where_each_picture_of_whole_numbers_lies():
    data = memoryview(packed(np.asarray([1, 200, 3, 255], np.uint64)))
    places = find_run_boundaries(data, 2)
    assert [read_varints(data[a:b]).tolist() for a, b in places.tolist()] == [[1, 200], [3, 255]]
    assert find_run_boundaries(data, 3) is None


@pytest.mark.parametrize("bad", [b"\x80", b"\xff" * 11 + b"\x01"])
def test_a_broken_number_is_refused(bad):
    with pytest.raises(Unparsable):
        read_varints(memoryview(bad))


# ── framing


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=6))
def test_framing_comes_back(payloads):
    data = framed(*payloads)
    assert [r.payload for r in read_records(io.BytesIO(data), len(data))] == payloads == unframed(data)
    assert [r.length for r in read_records(io.BytesIO(data), len(data), with_payloads=False)] == [
        len(p) for p in payloads
    ]


def test_the_checksum_is_that_of_the_format():
    assert compute_masked_crc32c(b"123456789") == masked(b"123456789") == 0xC78AB0E5


@pytest.fixture
def three():
    return [example({"n": [i], "b": [bytes(100)]}) for i in range(3)]


def test_a_wrong_checksum_is_reported_and_the_record_still_read(three):
    data = bytearray(framed(*three))
    data[12 + len(three[0]) - 5] ^= 1
    found = list(read_records(io.BytesIO(data), len(data)))
    assert [bool(r.wrong) for r in found] == [True, False, False]
    assert (found[0].wrong.code, found[0].offset) == ("ingest.checksum_mismatch", 12)


def test_behind_a_damaged_length_the_next_record_is_found(three):
    data = bytearray(framed(*three))
    start = 16 + len(three[0])
    data[start + 1] ^= 0x40
    found = list(read_records(io.BytesIO(data), len(data)))
    assert [r.payload for r in found] == [three[0], b"", three[2]]
    assert write_note_facts(found[1].wrong) == f"ingest.record_length_damaged next_byte={2 * start}"


def test_a_file_cut_anywhere_says_so_or_ends_at_a_record(three):
    data = framed(*three)
    edges = {0, len(three[0]) + 16, 2 * (len(three[0]) + 16)}
    for cut in range(len(data)):
        for payloads in (True, False):
            found = list(read_records(io.BytesIO(data[:cut]), cut, with_payloads=payloads))
            assert (cut in edges) == (not any(r.wrong for r in found)), cut


def test_a_length_that_lies_asks_for_no_memory(three):
    length = struct.pack("<Q", 2**31 - 1)
    data = length + struct.pack("<I", masked(length)) + three[0]
    (found,) = read_records(io.BytesIO(data), len(data))
    assert found.payload == three[0]
    assert found.wrong.code == "ingest.record_cut_off"


@pytest.mark.parametrize(
    "squeeze", [gzip.compress, zlib.compress, lambda d: gzip.compress(d[:100]) + gzip.compress(d[100:])]
)
def test_compressed_files_read_like_plain_ones(squeeze, three, tmp_path):
    path = tmp_path / "a.tfrecord.gz"
    path.write_bytes(squeeze(framed(*three)))
    file, size = open_shard(path)
    with file:
        assert size is None
        assert [r.payload for r in read_records(file, size)] == three
        assert [r.length for r in read_records(file, size, with_payloads=False)] == [len(p) for p in three]
        file.seek(12)
        assert file.read(len(three[0])) == three[0]


def test_a_compressed_file_that_is_cut_says_so(three, tmp_path):
    path = tmp_path / "a.tfrecord.gz"
    whole = gzip.compress(framed(*three), 0)
    path.write_bytes(whole[: len(whole) // 2])
    file, size = open_shard(path)
    with file:
        assert any(r.wrong for r in read_records(file, size))
        assert any(r.wrong for r in read_records(file, size, with_payloads=False))


def test_files_of_other_kinds_are_not_claimed():
    event = b"\x09" + bytes(8) + b"\x1a\x0dbrain.Event:2"  # TensorBoard frames its events the same way
    assert not begins_with_record(framed(event))
    assert begins_with_record(framed(example({"a": [1]})))


@settings(max_examples=60)
@given(maps, st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=4))
def test_hostile_bytes_are_refused_not_crashed_on(features, changes):
    payload = bytearray(example(features | {"x": [1, 2, 3]}))
    for place, value in changes:
        payload[place % len(payload)] = value
    found, _ = parse_example(bytes(payload))
    for values in found.values():
        try:
            values.read_blobs() if values.kind is Kind.BYTES else values.read_numbers()
        except Unparsable:
            continue


@given(st.binary(max_size=300))
def test_any_bytes_can_be_walked_through(data):
    assert sum(r.length for r in read_records(io.BytesIO(data), len(data))) >= 0
    parse_example(data)
