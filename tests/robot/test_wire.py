"""Arrays come back bit for bit; nothing that could run code or fill the memory comes in."""

import contextlib

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fieldloop_robot.wire import WireError, pack, unpack

plain_dtypes = st.one_of(
    hnp.boolean_dtypes(), hnp.integer_dtypes(), hnp.unsigned_integer_dtypes(), hnp.floating_dtypes(sizes=(16, 32, 64))
)


@given(hnp.arrays(plain_dtypes, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)))
def test_every_plain_array_comes_back_bit_for_bit(array):
    back = unpack(pack({"it": array}))["it"]
    assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert not back.size or not back.flags.writeable


@given(st.binary(max_size=200))
def test_bytes_of_strangers_are_a_message_or_a_wire_error(data):
    with contextlib.suppress(WireError):
        assert isinstance(unpack(data), dict)


def test_the_framing_is_openpis():
    raw = msgpack.unpackb(pack({"state": np.array([[1.0, 2.0]]), "scalar": np.float32(0.5), "prompt": "pick"}))
    assert raw["state"] == {
        b"__ndarray__": True, b"data": np.array([[1.0, 2.0]]).tobytes(), b"dtype": "<f8", b"shape": [1, 2]
    }  # fmt: skip
    assert raw["scalar"] == {b"__npgeneric__": True, b"data": 0.5, b"dtype": "<f4"}
    assert raw["prompt"] == "pick"


def test_scalars_and_nested_values_come_back():
    back = unpack(pack({"a": {"b": [np.int16(3), None, True]}, "t": 1 << 60}))
    assert back == {"a": {"b": [3, None, True]}, "t": 1 << 60}
    assert back["a"]["b"][0].dtype == np.int16


def test_slices_and_other_byte_orders_keep_their_values():
    array = np.arange(24, dtype=">i4").reshape(4, 6)[::2, ::3]
    np.testing.assert_array_equal(unpack(pack({"it": array}))["it"], array)


@pytest.mark.parametrize(
    "value",
    [
        np.array([object()]),
        np.array([(1, 2.0)], dtype="i4,f8"),
        np.array([1 + 2j]),
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        object(),
        1 << 70,
    ],
)
def test_what_cannot_be_sent_is_refused(value):
    with pytest.raises(WireError, match="cannot be sent"):
        pack({"it": value})


def framed(**changes):
    frame = {b"__ndarray__": True, b"data": bytes(16), b"dtype": "<f8", b"shape": [2]}
    frame.update({key.encode(): value for key, value in changes.items()})
    return msgpack.packb({"it": frame})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dtype": "|O"}, "cannot be sent"),
        ({"dtype": "f8,f8"}, "cannot be sent"),
        ({"dtype": "(2,3)f8"}, "cannot be sent"),
        ({"dtype": "<M8[ns]"}, "cannot be sent"),
        ({"dtype": "<U0", "shape": [1 << 40], "data": b""}, "cannot be sent"),
        ({"dtype": "nonsense"}, "cannot be sent"),
        ({"dtype": 7}, "cannot be sent"),
        ({"data": "text"}, "not bytes"),
        ({"data": bytes(15)}, "does not have 15 bytes"),
        ({"shape": [3]}, "does not have 16 bytes"),
        ({"shape": [-2]}, "not a valid array shape"),
        ({"shape": [1 << 62, 1 << 62]}, "does not have"),
        ({"shape": [2, *[1] * 40]}, "not a valid array shape"),
        ({"shape": "2"}, "not a valid array shape"),
    ],
)
def test_a_frame_that_lies_is_refused_when_reading(changes, message):
    with pytest.raises(WireError, match=message):
        unpack(framed(**changes))


def test_size_is_bounded_both_ways():
    big = {"it": np.zeros(1000)}
    with pytest.raises(WireError, match="at most 1000"):
        pack(big, max_bytes=1000)
    with pytest.raises(WireError, match="at most 1000"):
        unpack(pack(big), max_bytes=1000)


@pytest.mark.parametrize("data", [b"", b"\xc1", msgpack.packb([1, 2]), pack({"a": 1}) + b"\x00"])
def test_what_is_no_message_is_refused(data):
    with pytest.raises(WireError):
        unpack(data)
