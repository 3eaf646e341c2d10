"""What is kept of one picture: the board in it, without the pixels."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from fieldloop.calibrate.intrinsics.board import Board
from fieldloop.calibrate.intrinsics.board_size import count_board_lines
from fieldloop.calibrate.intrinsics.detect import Sighting, convert_to_grey, detect_board
from fieldloop.model.note import Note, note


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A picture's name and size, the board where it shows, and how many corners the pattern really has there."""

    name: str
    width: int
    height: int
    sighting: Sighting | None
    whole: tuple[int, int] | None = None
    unreadable: Note | None = None


def find_board_in_picture(picture: NDArray[Any], board: Board, name: str) -> Look:
    """Find the board in a picture."""
    image = convert_to_grey(picture)
    sighting = detect_board(image, board, name)
    whole = None if sighting is None else count_board_lines(image, sighting, board)
    return Look(name, image.shape[1], image.shape[0], sighting, whole)


def make_unreadable_look(name: str) -> Look:
    """Return the entry of a file that is not a readable picture."""
    return Look(name, 0, 0, None, unreadable=note("calibrate.not_a_picture"))
