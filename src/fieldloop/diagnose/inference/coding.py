"""Finds the patterns of columns: which of them are coded together, and the code of every row."""

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from fieldloop.diagnose.inference.columns import Block, CodedColumns, Codes, Counted, Floats, pair_codes
from fieldloop.diagnose.inference.strengths import Strength

MOST_PATTERNS = 256
"""Blocks grow up to so many patterns: a table of two blocks then fits into a processor's cache."""
BITS = 8
"""Number of columns of two values that are coded at once: one byte."""
FEWEST_ROWS = 4096
"""Fewer rows are not coded: products of small matrices are quicker than tables of patterns."""

TwoValued = tuple[int, Strength, Floats]
"""The place of a column, the column, and its one or two values."""


def code_columns(rows: int, size: int, columns: Iterable[tuple[int, Strength]]) -> CodedColumns:
    """Code columns, each with its place; neighbours share a block, so similar ones should follow each other."""
    plain: list[tuple[int, Strength]] = []
    many = worth_coding(rows)

    def coded() -> Iterator[TwoValued]:
        for at, column in columns:
            levels = _one_or_two_values(column) if many else None
            if levels is None:
                plain.append((at, column))
            else:
                yield at, column, levels

    found = coded()
    blocks = join_blocks(_pack(rows, several) for several in iter(lambda: tuple(islice(found, BITS)), ()))
    matrix = np.empty((rows, len(plain)), order="F" if many else "C")
    for place, (_, column) in enumerate(plain):
        matrix[:, place] = column
    return CodedColumns(rows, size, blocks, matrix, np.array([at for at, _ in plain], dtype=np.int64))


def worth_coding(rows: int) -> bool:
    """Are there enough rows that coding them saves time?"""
    return rows >= FEWEST_ROWS


def join_blocks(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Join blocks that follow each other while the patterns stay few."""
    made: list[Block] = []
    for block in blocks:
        joined = _join(made[-1], block) if made else None
        if joined is not None:
            made[-1] = joined
        else:
            made.append(block)
    return tuple(made)


def code_factor(codes: Codes, patterns: Floats, at: Counted) -> Block:
    """Make a block of a factor: the level of each row, and what its columns are at each level."""
    return Block(codes.astype(_smallest_type(len(patterns))), patterns, at)


def _one_or_two_values(column: Strength) -> Floats | None:
    """Return the values of a column of one or two values; None for any other."""
    if column.dtype == np.bool_:
        return np.array([0.0, 1.0])
    low, high = column.min(), column.max()
    two = bool(((column == low) | (column == high)).all())
    return np.unique([low, high]) if two else None


def _pack(rows: int, columns: tuple[TwoValued, ...]) -> Block:
    """Code up to eight columns of two values, a bit each."""
    codes = np.zeros(rows, dtype=np.uint8)
    for bit, (_, column, levels) in enumerate(columns):
        high = column if column.dtype == np.bool_ else column == levels[-1]
        codes |= np.asarray(high, dtype=np.uint8) << np.uint8(bit)
    bits = np.arange(2 ** len(columns))[:, None] >> np.arange(len(columns)) & 1
    values = np.array([[levels[0], levels[-1]] for _, _, levels in columns])
    patterns = np.where(bits > 0, values[:, 1], values[:, 0])
    return _keep_patterns_that_occur(codes, patterns, np.array([at for at, _, _ in columns]))


def _join(first: Block, second: Block) -> Block | None:
    """Return one block with the columns of both; None where it would have too many patterns."""
    wide = len(second.patterns)
    codes = pair_codes(first.codes, second.codes, wide)
    seen = np.flatnonzero(np.bincount(codes, minlength=len(first.patterns) * wide))
    if len(seen) > MOST_PATTERNS:
        return None
    one, other = np.divmod(seen, wide)
    patterns = np.column_stack([first.patterns[one], second.patterns[other]])
    return Block(_number_anew(codes, seen, len(first.patterns) * wide), patterns, np.append(first.at, second.at))


def _keep_patterns_that_occur(codes: Codes, patterns: Floats, at: Counted) -> Block:
    seen = np.flatnonzero(np.bincount(codes, minlength=len(patterns)))
    return Block(_number_anew(codes, seen, len(patterns)), patterns[seen], at)


def _number_anew(codes: Codes, seen: Counted, count: int) -> Codes:
    number = np.zeros(count, dtype=_smallest_type(len(seen)))
    number[seen] = np.arange(len(seen))
    return number[codes]


def _smallest_type(count: int) -> type[np.unsignedinteger]:
    return np.uint8 if count <= 2**8 else np.uint16 if count <= 2**16 else np.uint32
