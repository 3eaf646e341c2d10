"""What the steps of one episode hold, feature by feature: a table, pictures, words, or a reason why none of them."""

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.pictures.picture_bytes import Picture
from fieldloop.ingest.readers.rlds.example import Kind, Values
from fieldloop.ingest.readers.rlds.pixels import (
    detect_picture_form,
    holds_pictures,
    make_float_decoder,
    make_packed_decoder,
    make_picture_decoder,
    make_stored_decoder,
)
from fieldloop.ingest.readers.rlds.schema import Leaf
from fieldloop.ingest.readers.rlds.varints import Unparsable, find_run_boundaries

FLAT, LENGTHS = "ragged_flat_values", "ragged_row_lengths_"
DYNAMIC = ("value", "shape")
MOST_PADDING = 1 << 22
MOST_INFLATED = 1 << 29
Decode = Callable[[bytes], Picture]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One feature of the steps: values, or places of pictures in the record, or words; else a note says why none.

    `undecoded`: it holds bytes of an unknown kind or uneven steps, so that nothing of it was read.
    """

    path: str
    leaf: Leaf | None = None
    values: NDArray[Any] | None = None
    places: NDArray[np.int64] | None = None
    decode: Decode | None = None
    words: tuple[str, ...] | None = None
    depth: bool = False
    note: str = ""
    undecoded: bool = False

    @property
    def holds_nothing(self) -> bool:
        """Is there only a note?"""
        return self.values is None and self.places is None and self.words is None

    def __len__(self) -> int:
        held = next((h for h in (self.values, self.places, self.words) if h is not None), ())
        return len(held)


def group_features(features: Mapping[str, Values], prefix: str) -> dict[str, dict[str, Values]]:
    """Gather what belongs together: a ragged feature is stored as several, which differ in the ends of their names."""
    groups: dict[str, dict[str, Values]] = {}
    for name, values in features.items():
        if name.startswith(prefix):
            path, _, end = name.removeprefix(prefix).rpartition("/")
            ragged = end == FLAT or end.startswith(LENGTHS)
            groups.setdefault(path if ragged else name.removeprefix(prefix), {})[end if ragged else ""] = values
    return groups


def join_dynamic_tensors(groups: dict[str, dict[str, Values]], leaves: Mapping[str, Leaf], prefix: str) -> None:
    """Join tensors of changing shape, which are stored as a value and a shape, under the name they were declared by."""
    for path in [p for p in groups if p.endswith("/value")]:
        name = path.removesuffix("/value")
        leaf = leaves.get(prefix + name)
        if leaf and leaf.encoding and f"{name}/shape" in groups:
            groups[name] = {"": groups.pop(path)[""]}
            groups.pop(f"{name}/shape")


def read_column(path: str, parts: Mapping[str, Values], leaf: Leaf | None, steps: int) -> Column:
    """Read one feature; Unparsable says why it cannot be."""
    if FLAT in parts:
        return _read_ragged_column(path, parts, leaf, steps)
    values = parts.get("")
    if values is None or values.kind is Kind.NONE:
        return Column(path, leaf, note="the record lists it but holds no values")
    if values.kind is Kind.BYTES:
        return _read_bytes_column(path, values, leaf)
    if leaf and holds_pictures(path, leaf) and leaf.size and len(values.spans) == 1:
        return _read_pixel_column(path, values, leaf)
    numbers = cast_to_declared(values.read_numbers(), leaf)
    width = leaf.size if leaf and leaf.size is not None else (len(numbers) // steps if steps else 0)
    if not width or len(numbers) % width:
        raise Unparsable(f"{len(numbers)} values cannot be divided evenly into steps of {width or 'unknown size'}")
    return Column(path, leaf, numbers.reshape(-1, width))


def cast_to_declared(numbers: NDArray[Any], leaf: Leaf | None) -> NDArray[Any]:
    """Give numbers the type they were declared with; tf.train.Example keeps only float32 and int64."""
    if leaf is None or leaf.form != "tensor":
        return numbers
    try:
        wanted = np.dtype(leaf.dtype)
    except TypeError:
        return numbers
    if wanted == np.uint64 and numbers.dtype == np.int64:
        return numbers.view(np.uint64)
    return numbers.astype(wanted, copy=False) if wanted.kind in "fiub" else numbers


def _read_bytes_column(path: str, values: Values, leaf: Leaf | None) -> Column:
    places = values.locate_blobs()
    head = bytes(values.payload[places[0, 0] : places[0, 1]][:32]) if len(places) else b""
    form = detect_picture_form(head)
    if (leaf and leaf.form == "image") or (leaf is None and form):
        depth = leaf.dtype != "uint8" if leaf else form.startswith("16UC1")
        return Column(path, leaf, places=places, decode=make_picture_decoder(leaf), depth=depth)
    if leaf and leaf.encoding:
        if holds_pictures(path, leaf):
            return Column(path, leaf, places=places, decode=make_stored_decoder(leaf), depth=leaf.dtype != "uint8")
        return _read_stored_tensor_column(path, values, leaf)
    if leaf and leaf.form == "text" and leaf.size not in (1, None):
        return Column(path, leaf, note="it holds several texts a step")
    texts = [blob.decode("utf-8", "surrogateescape") for blob in values.read_blobs()]
    if any(_has_invalid_utf8(text) and (leaf is None or _has_control_character(text)) for text in texts):
        return Column(path, leaf, note="it holds bytes of an unknown kind", undecoded=True)
    return Column(path, leaf, words=tuple(text.encode("utf-8", "replace").decode() for text in texts))


def _read_pixel_column(path: str, values: Values, leaf: Leaf) -> Column:
    """Pictures kept as a tensor: where each one lies in the list, so that it can be read when asked for."""
    assert leaf.size is not None
    span = values.locate_packed()
    places: NDArray[np.int64] | None = None
    decode = make_packed_decoder(leaf)
    if span and values.kind is Kind.INT64:
        places = find_run_boundaries(values.payload[span.start : span.end], leaf.size)
    elif span and (span.end - span.start) % (4 * leaf.size) == 0:
        begins = np.arange(0, span.end - span.start, 4 * leaf.size, dtype=np.int64)
        places, decode = np.column_stack([begins, begins + 4 * leaf.size]), make_float_decoder(leaf)
    if span is None or places is None:
        raise Unparsable(f"its values cannot be divided evenly into pictures of {' × '.join(map(str, leaf.shape))}")
    return Column(path, leaf, places=places + span.start, decode=decode, depth=leaf.dtype != "uint8")


def _read_stored_tensor_column(path: str, values: Values, leaf: Leaf) -> Column:
    """Tensors kept as the bytes of their array, plain or deflated; all of one size make a table."""
    dtype = np.dtype(leaf.dtype)
    rows, left = [], MOST_INFLATED
    for blob in values.read_blobs():
        plain = _inflate_blob(blob, leaf, left)
        left -= len(plain)
        rows.append(np.frombuffer(plain, dtype, len(plain) // dtype.itemsize))
    if len({len(row) for row in rows}) > 1:
        return _make_padded_column(path, leaf, np.concatenate(rows), np.asarray([len(row) for row in rows]))
    return Column(path, leaf, np.stack(rows) if rows else np.zeros((0, 0), dtype))


def _inflate_blob(blob: bytes, leaf: Leaf, max_bytes: int) -> bytes:
    if leaf.encoding != "zlib":
        return blob
    opened = zlib.decompressobj()
    try:
        plain = opened.decompress(blob, max(max_bytes, 1))
    except zlib.error as wrong:
        raise Unparsable(f"a deflated tensor cannot be opened ({wrong})") from None
    if opened.unconsumed_tail:
        raise Unparsable(f"its deflated tensors hold more than {MOST_INFLATED >> 20} MiB")
    return plain


def _read_ragged_column(path: str, parts: Mapping[str, Values], leaf: Leaf | None, steps: int) -> Column:
    flat = parts[FLAT]
    if flat.kind is Kind.BYTES:
        return Column(path, leaf, note="it holds several pictures or texts a step", undecoded=True)
    numbers = cast_to_declared(flat.read_numbers(), leaf)
    counts: NDArray[np.int64] | None = None
    for level in _read_ragged_levels(parts):  # outermost first: how many of the next does each step have?
        counts = level if counts is None else _sum_lengths(level, counts)
    if counts is None or len(counts) != steps:
        raise Unparsable(f"its lengths are {0 if counts is None else len(counts)}, the steps {steps}")
    rows = int(counts.sum())
    width = len(numbers) // rows if rows else 1
    if (counts < 0).any() or width * rows != len(numbers):
        raise Unparsable(f"its lengths add up to {rows} rows, and it has {len(numbers)} values")
    return _make_padded_column(path, leaf, numbers, counts * width)


def _read_ragged_levels(parts: Mapping[str, Values]) -> Iterator[NDArray[np.int64]]:
    index = 0
    while (level := parts.get(f"{LENGTHS}{index}")) is not None:
        yield level.read_ints()
        index += 1


def _sum_lengths(level: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    if (counts < 0).any() or int(counts.sum()) != len(level):
        raise Unparsable(f"its inner lengths are {len(level)}, the outer ones add up to {int(counts.sum())}")
    ends = np.concatenate([[0], np.cumsum(level)])
    edges = np.concatenate([[0], np.cumsum(counts)])
    return np.asarray(ends[edges[1:]] - ends[edges[:-1]])


def _make_padded_column(path: str, leaf: Leaf | None, flat: NDArray[Any], counts: NDArray[np.int64]) -> Column:
    """Make rows of one length: what a step does not have is NaN, and a number says how much it has."""
    longest = int(counts.max()) if len(counts) else 0
    if (counts == longest).all():
        return Column(path, leaf, flat.reshape(len(counts), longest))
    if len(counts) * longest > MOST_PADDING + 8 * len(flat):
        uneven = f"its steps have from {int(counts.min())} to {longest} values, too uneven for a table"
        return Column(path, leaf, note=uneven, undecoded=True)
    table = np.full((len(counts), longest), np.nan, np.result_type(flat.dtype, np.float32))
    table[np.arange(longest) < counts[:, None]] = flat
    return Column(path, leaf, table, note="steps have different numbers of values; what a step does not have is NaN")


def _has_control_character(text: str) -> bool:
    """Does it hold what no text holds in any encoding? TFDS declares a tensor of bytes as it declares a text."""
    return any(letter < " " and letter not in "\t\n\r" for letter in text)


def _has_invalid_utf8(text: str) -> bool:
    return any(0xDC80 <= ord(letter) <= 0xDCFF for letter in text)  # noqa: PLR2004 - bytes that are not UTF-8
