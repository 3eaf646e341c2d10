"""One picture looked at: all that is kept of it, so that a thousand pictures need no room for their pixels."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from fieldloop.calibrate.intrinsics.board import Board
from fieldloop.calibrate.intrinsics.board_size import whole_size
from fieldloop.calibrate.intrinsics.detect import Sighting, grey, sight


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A picture's name and size, the board where it shows, and how many corners the pattern really has there."""

    name: str
    width: int
    height: int
    sighting: Sighting | None
    whole: tuple[int, int] | None = None
    unreadable: str = ""


def look(picture: NDArray[Any], board: Board, name: str) -> Look:
    """Find the board in a picture."""
    image = grey(picture)
    found = sight(image, board, name)
    whole = None if found is None else whole_size(image, found, board)
    return Look(name, image.shape[1], image.shape[0], found, whole)


def unreadable(name: str, why: str) -> Look:
    """Stand in for a file that is no picture."""
    return Look(name, 0, 0, None, unreadable=why)
