"""Pictures kept as rows of an array, as pixels or as encoded bytes: decoded when asked for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import UnreadableLog
from fieldloop.ingest.pictures.picture_bytes import NOTHING, Picture, decode_compressed_picture, find_picture_size
from fieldloop.ingest.readers.hdf5.opened import HDF5_ERRORS, open_hdf5
from fieldloop.ingest.readers.hdf5.tree import Leaf
from fieldloop.ingest.words import split_into_words
from fieldloop.model.stream import MM_PER_M

CHANNELS = (1, 3, 4)
SMALLEST_SIDE = 8
ENCODED = (b"\xff\xd8\xff", b"\x89PNG\r\n")
FLAT, STACKED = 3, 4  # axes: rows of grey or depth; rows with channels


class Form(StrEnum):
    """How a row holds its picture."""

    PIXELS = "pixels"
    CHANNELS_FIRST = "channels first"
    DEPTH = "depth"
    ENCODED = "encoded"


def detect_picture_form(leaf: Leaf) -> Form | None:
    """Recognise by type and shape whether rows are pictures, and in which form; None where they are numbers."""
    shape, kind = leaf.shape, leaf.dtype
    if kind == np.uint8 and len(shape) == STACKED:
        if shape[3] in CHANNELS and min(shape[1:3]) >= SMALLEST_SIDE:
            return Form.PIXELS
        if shape[1] in CHANNELS and min(shape[2:]) >= SMALLEST_SIDE:
            return Form.CHANNELS_FIRST
    grey = len(shape) == FLAT or (len(shape) == STACKED and shape[3] == 1)
    if grey and min(shape[1:3]) >= SMALLEST_SIDE:
        if kind == np.uint8:
            return Form.PIXELS
        if "depth" in split_into_words(leaf.name) and (kind == np.uint16 or kind.kind == "f"):
            return Form.DEPTH
    return Form.ENCODED if _holds_encoded_pictures(leaf) else None


def _holds_encoded_pictures(leaf: Leaf) -> bool:
    in_bytes = leaf.dtype == np.uint8 and len(leaf.shape) == 2  # noqa: PLR2004 - rows of padded bytes
    if not (in_bytes or leaf.is_bytes) or not leaf.shape or not leaf.shape[0]:
        return False
    try:
        return leaf.read_row(0).startswith(ENCODED)
    except HDF5_ERRORS:
        return False


@dataclass(eq=False)
class PictureRows:
    """A FrameSource over rows `first` to `last` (not included) of one array."""

    path: Path
    dataset: str
    form: Form
    first: int
    last: int
    shape: tuple[int, ...]

    @cached_property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels; of encoded pictures those of the first that decodes."""
        if self.form is Form.ENCODED:
            return find_picture_size(self.frames())
        height, width = self.shape[2:4] if self.form is Form.CHANNELS_FIRST else self.shape[1:3]
        return int(width), int(height)

    def __len__(self) -> int:
        return self.last - self.first

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[Picture]:
        """Yield frames in ascending order; one that cannot be read as an empty array."""
        wanted = range(len(self)) if indices is None else sorted(indices)
        done = 0
        try:
            with open_hdf5(self.path) as file:
                leaf = Leaf.from_dataset(file, self.dataset, file.file[self.dataset])
                for index in wanted:
                    picture = self._read_picture(leaf, self.first + index)
                    done += 1
                    yield picture
        except (UnreadableLog, *HDF5_ERRORS):
            yield from (NOTHING for _ in range(len(wanted) - done))

    def _read_picture(self, leaf: Leaf, row: int) -> Picture:
        try:
            if self.form is Form.ENCODED:
                return decode_compressed_picture(leaf.read_row(row))
            stored = leaf.data[row]
        except HDF5_ERRORS:
            return NOTHING
        return convert_to_depth_metres(stored) if self.form is Form.DEPTH else convert_to_colour(stored, self.form)


def convert_to_colour(stored: NDArray[Any], form: Form) -> Picture:
    """Return H×W×3 of whatever channels were stored: grey is repeated, transparency dropped."""
    picture = np.moveaxis(stored, 0, -1) if form is Form.CHANNELS_FIRST else stored
    if picture.ndim == 2 or picture.shape[2] == 1:  # noqa: PLR2004 - grey
        picture = np.repeat(picture.reshape(*picture.shape[:2], 1), 3, axis=2)
    return np.ascontiguousarray(picture[:, :, :3])


def convert_to_depth_metres(stored: NDArray[Any]) -> Picture:
    """Return metres: whole numbers are millimetres, and 0 means no measurement."""
    flat = stored.reshape(stored.shape[:2])
    if flat.dtype.kind == "f":
        return np.asarray(flat, np.float32)
    metres = flat.astype(np.float32) / np.float32(MM_PER_M)
    metres[flat == 0] = np.nan
    return metres
