"""Camera intrinsics from pictures of a board, with what they leave undetermined."""

from fieldloop.calibrate.intrinsics.board import Board, BoardKind, parse_board
from fieldloop.calibrate.intrinsics.board_size import TRIED_PICTURES, find_shown_board
from fieldloop.calibrate.intrinsics.detect import Sighting, detect_board, grey
from fieldloop.calibrate.intrinsics.judge import factory_intrinsics, intrinsics
from fieldloop.calibrate.intrinsics.lens import Lens
from fieldloop.calibrate.intrinsics.look import Look, look_at_picture, unreadable

__all__ = [
    "TRIED_PICTURES",
    "Board",
    "BoardKind",
    "Lens",
    "Look",
    "Sighting",
    "detect_board",
    "factory_intrinsics",
    "find_shown_board",
    "grey",
    "intrinsics",
    "look_at_picture",
    "parse_board",
    "unreadable",
]
