"""Calibration boards: their squares, corners and ambiguities."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from fieldloop.errors import BadInput, UnknownName
from fieldloop.geometry.transforms import Floats

METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}
DICTIONARIES = tuple(
    [f"DICT_{bits}X{bits}_{count}" for bits in (4, 5, 6, 7) for count in (50, 100, 250, 1000)]
    + ["DICT_ARUCO_ORIGINAL"]
    + [f"DICT_APRILTAG_{family}" for family in ("16h5", "25h9", "36h10", "36h11")]
)
EXAMPLES = "checkerboard:9x6:25mm or charuco:5x7:40mm:30mm:DICT_4X4_50"
CHECKERBOARD_PARTS, CHARUCO_PARTS = 3, 5  # parts of a board's written form
MIN_INNER, MIN_SQUARES = 3, 2  # what OpenCV's detectors accept
LEGACY = "legacy"


class BoardKind(StrEnum):
    """Which pattern."""

    CHECKERBOARD = "checkerboard"
    CHARUCO = "charuco"


@dataclass(frozen=True, slots=True)
class Board:
    """A flat pattern: inner corners along both sides of a checkerboard, squares along both sides of a ChArUco board.

    `legacy` is the ChArUco layout of OpenCV before 4.6, which begins with a marker where the new one has a square.
    """

    kind: BoardKind
    columns: int
    rows: int
    square_m: float
    marker_m: float = 0.0
    dictionary: str = ""
    legacy: bool = False

    @property
    def corners(self) -> tuple[int, int]:
        """Inner corners along both sides."""
        less = 1 if self.kind is BoardKind.CHARUCO else 0
        return self.columns - less, self.rows - less

    def points(self) -> Floats:
        """Return the inner corners (n × 3, m) in the board's frame, row by row."""
        across, down = self.corners
        grid = np.stack(np.meshgrid(np.arange(across), np.arange(down)), axis=-1).reshape(-1, 2)
        return np.column_stack([grid, np.zeros(len(grid))]).astype(float) * self.square_m

    @property
    def looks_alike_turned(self) -> bool:
        """Whether it looks the same upside down; a pose read from it may then be half a turn off.

        >>> parse_board("checkerboard:9x6:25mm").looks_alike_turned
        False
        >>> parse_board("checkerboard:8x6:25mm").looks_alike_turned
        True
        """
        return self.kind is BoardKind.CHECKERBOARD and (self.columns + self.rows) % 2 == 0

    def with_counts(self, columns: int, rows: int) -> "Board":
        """Return the same board with other counts."""
        return replace(self, columns=columns, rows=rows)

    def __str__(self) -> str:
        """Write it as it is given on the command line."""
        words = [self.kind.value, f"{self.columns}x{self.rows}", _format_length(self.square_m)]
        if self.kind is BoardKind.CHARUCO:
            words += [_format_length(self.marker_m), self.dictionary, *([LEGACY] if self.legacy else [])]
        return ":".join(words)


def parse_board(text: str) -> Board:
    """Read a board from words such as `checkerboard:9x6:25mm`.

    >>> parse_board("checkerboard:9x6:2.5cm")
    Board(kind=<BoardKind.CHECKERBOARD: 'checkerboard'>, columns=9, rows=6, square_m=0.025, marker_m=0.0, \
dictionary='', legacy=False)
    >>> str(parse_board("charuco:5x7:40mm:30mm:DICT_4X4_50"))
    'charuco:5x7:40mm:30mm:DICT_4X4_50'
    """
    kind, *parts = text.strip().split(":")
    if kind.lower() not in list(BoardKind):
        raise BadInput(f"{UnknownName('kind of board', kind, [k.value for k in BoardKind])} Write {EXAMPLES}.")
    if kind.lower() == BoardKind.CHECKERBOARD:
        return _parse_checkerboard(text, parts)
    return _parse_charuco(text, parts)


def _parse_checkerboard(text: str, parts: list[str]) -> Board:
    if len(parts) != CHECKERBOARD_PARTS - 1:
        raise BadInput(
            f"Board {text!r} needs inner corners and square side, such as checkerboard:9x6:25mm "
            "(a board of 10 × 7 squares has 9x6 inner corners)."
        )
    columns, rows = _parse_counts(text, parts[0])
    if min(columns, rows) < MIN_INNER:
        raise BadInput(f"Board {text!r}: a checkerboard needs at least {MIN_INNER} inner corners along each side.")
    return Board(BoardKind.CHECKERBOARD, columns, rows, _parse_length_m(text, parts[1]))


def _parse_charuco(text: str, parts: list[str]) -> Board:
    legacy = parts[-1:] == [LEGACY]
    parts = parts[:-1] if legacy else parts
    if len(parts) != CHARUCO_PARTS - 1:
        raise BadInput(
            f"Board {text!r} needs squares, square side, marker side and dictionary, "
            "such as charuco:5x7:40mm:30mm:DICT_4X4_50."
        )
    columns, rows = _parse_counts(text, parts[0])
    square, marker, dictionary = _parse_length_m(text, parts[1]), _parse_length_m(text, parts[2]), parts[3]
    if dictionary not in DICTIONARIES:
        raise UnknownName("marker dictionary", dictionary, DICTIONARIES)
    if min(columns, rows) < MIN_SQUARES:
        raise BadInput(f"Board {text!r}: a ChArUco board needs at least {MIN_SQUARES} squares along each side.")
    if marker >= square:
        raise BadInput(f"Board {text!r}: a marker ({parts[2]}) must be smaller than its square ({parts[1]}).")
    return Board(BoardKind.CHARUCO, columns, rows, square, marker, dictionary, legacy)


def _parse_counts(text: str, part: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,3})[xX×](\d{1,3})", part)
    if not match:
        raise BadInput(f"Board {text!r}: {part!r} is not a valid size. Write it as 9x6.")
    return int(match[1]), int(match[2])


def _parse_length_m(text: str, part: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(mm|cm|m)", part)
    if not match:
        raise BadInput(
            f"Board {text!r}: {part!r} is not a valid length. Write it with its unit, such as 25mm, 2.5cm or 0.025m."
        )
    length = round(float(match[1]) * METRES[match[2]], 9)
    if length <= 0:
        raise BadInput(f"Board {text!r}: {part!r} must be positive.")
    return length


def _format_length(metres: float) -> str:
    return f"{metres * 1e3:.6g}mm"
