"""Camera intrinsics from pictures of a board, with what they leave undetermined."""

from fieldloop.calibrate.intrinsics.board import Board, BoardKind, parse_board
from fieldloop.calibrate.intrinsics.board_size import TRIED_PICTURES, board_shown
from fieldloop.calibrate.intrinsics.detect import Sighting, grey, sight
from fieldloop.calibrate.intrinsics.judge import factory_intrinsics, intrinsics
from fieldloop.calibrate.intrinsics.lens import Lens
from fieldloop.calibrate.intrinsics.look import Look, look, unreadable

__all__ = [
    "TRIED_PICTURES",
    "Board",
    "BoardKind",
    "Lens",
    "Look",
    "Sighting",
    "board_shown",
    "factory_intrinsics",
    "grey",
    "intrinsics",
    "look",
    "parse_board",
    "sight",
    "unreadable",
]
