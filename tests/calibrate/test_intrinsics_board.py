"""Boards are read as they are written, and a mistake in one is told in words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.calibrate.intrinsics import Board, BoardKind, parse_board
from fieldloop.errors import BadInput

SIZES = st.integers(3, 40)


@given(SIZES, SIZES, st.integers(1, 500))
def test_what_is_written_is_read_back(columns, rows, side_mm):
    board = Board(BoardKind.CHECKERBOARD, columns, rows, side_mm / 1e3)
    assert parse_board(str(board)) == board
    charuco = Board(BoardKind.CHARUCO, columns, rows, side_mm / 1e3, side_mm / 2e3, "DICT_5X5_100", legacy=True)
    assert parse_board(str(charuco)) == charuco


@pytest.mark.parametrize("text", ["checkerboard:9x6:25mm", "checkerboard:9X6:2.5cm", " checkerboard:9×6:0.025m "])
def test_units_say_the_same_length(text):
    assert parse_board(text).square_m == 0.025


def test_corners_lie_row_by_row_in_metres():
    points = parse_board("checkerboard:4x3:10mm").points()
    np.testing.assert_allclose(points[[0, 1, 4, 11]], [[0, 0, 0], [0.01, 0, 0], [0, 0.01, 0], [0.03, 0.02, 0]])
    assert parse_board("charuco:5x7:40mm:30mm:DICT_4X4_50").points().shape == (24, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "No kind of board called ''"),
        ("chessboard:9x6:25mm", "Write checkerboard:9x6:25mm or charuco"),
        ("checkboard:9x6:25mm", "Did you mean 'checkerboard'"),
        ("checkerboard:9x6", "inner corners and square side"),
        ("checkerboard:9x6:25", "is not a valid length. Write it with its unit"),
        ("checkerboard:9x6:25in", "is not a valid length"),
        ("checkerboard:9x6:0mm", "must be positive"),
        ("checkerboard:9by6:25mm", "is not a valid size"),
        ("checkerboard:2x6:25mm", "at least 3 inner corners"),
        ("charuco:5x7:40mm:30mm", "squares, square side, marker side and dictionary"),
        ("charuco:5x7:40mm:50mm:DICT_4X4_50", "must be smaller than its square"),
        ("charuco:5x7:40mm:30mm:DICT_4x4_50", "Did you mean 'DICT_4X4_50'"),
        ("charuco:1x7:40mm:30mm:DICT_4X4_50", "at least 2 squares"),
    ],
)
def test_a_mistake_is_refused(text, message):
    with pytest.raises(BadInput, match=message):
        parse_board(text)


@given(SIZES, SIZES)
def test_a_board_looks_alike_upside_down_when_its_colours_do(columns, rows):
    dark = np.add.outer(np.arange(rows + 1), np.arange(columns + 1)) % 2
    board = Board(BoardKind.CHECKERBOARD, columns, rows, 0.01)
    assert board.looks_alike_turned == bool((dark == dark[::-1, ::-1]).all())
