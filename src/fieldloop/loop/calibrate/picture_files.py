"""Find and read picture files, one at a time."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp", ".pgm", ".ppm"})


def list_picture_files(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return the pictures that files and folders name, each once, in the order of their names."""
    pictures: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if p.suffix.lower() in SUFFIXES and p.is_file())
            if not inside:
                raise BadInput(f"{path} holds no pictures ({', '.join(sorted(SUFFIXES))}).")
            pictures |= dict.fromkeys(inside)
        elif path.is_file():
            pictures[path] = None
        else:
            raise BadInput(f"{path} does not exist.")
    if not pictures:
        raise BadInput("Name pictures of a board, or a folder of them.")
    return tuple(pictures)


def make_distinct_names(files: Iterable[Path]) -> dict[Path, str]:
    """Return a name for each file: its own, with its folder where two are equal."""
    paths = tuple(files)
    names = [path.name for path in paths]
    return {p: p.name if names.count(p.name) == 1 else f"{p.parent.name}/{p.name}" for p in paths}


def read_picture(file: Path) -> NDArray[np.uint8 | np.uint16] | None:
    """Return the grey picture in a file, None where it is not a picture."""
    import cv2

    raw = np.fromfile(file, dtype=np.uint8)
    # grey, in full depth, ignoring the orientation tag: pixels are measured as stored
    flags = cv2.IMREAD_GRAYSCALE | cv2.IMREAD_ANYDEPTH | cv2.IMREAD_IGNORE_ORIENTATION
    return None if len(raw) == 0 else cv2.imdecode(raw, flags)
