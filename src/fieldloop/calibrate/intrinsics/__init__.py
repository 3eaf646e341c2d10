"""Camera intrinsics from pictures of a board, with what they leave undetermined."""

from fieldloop.calibrate.intrinsics.board import Board, BoardKind, parse_board
from fieldloop.calibrate.intrinsics.board_size import TRIED_PICTURES, find_shown_board
from fieldloop.calibrate.intrinsics.detect import Sighting, convert_to_grey, detect_board
from fieldloop.calibrate.intrinsics.judge import calibrate_intrinsics, make_factory_intrinsics
from fieldloop.calibrate.intrinsics.lens import Lens
from fieldloop.calibrate.intrinsics.look import Look, find_board_in_picture, make_unreadable_look

__all__ = [
    "TRIED_PICTURES",
    "Board",
    "BoardKind",
    "Lens",
    "Look",
    "Sighting",
    "calibrate_intrinsics",
    "convert_to_grey",
    "detect_board",
    "find_board_in_picture",
    "find_shown_board",
    "make_factory_intrinsics",
    "make_unreadable_look",
    "parse_board",
]
