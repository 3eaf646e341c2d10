"""Columns over many rows, kept as patterns: rows with equal values in a block of columns share one code.

Sums over rows are then sums over patterns. A block has few patterns because conditions exclude each other, so a million
rows take a byte each instead of eight for every column, and products of columns are counts of pairs of codes. Only
columns of many different values, such as a temperature, are kept as they are. The sums are the same up to rounding.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counted = NDArray[np.int64]
Codes = NDArray[Any]
"""Whole numbers of the smallest type that holds them."""
Some = slice | Counted | NDArray[np.bool_]
"""A choice of rows."""


@dataclass(frozen=True)
class Block:
    """The pattern of each row, and the values of some columns (their places in `at`) in each pattern."""

    codes: Codes
    patterns: Floats
    at: Counted

    def total(self, weights: Floats) -> Floats:
        """Add up weights by pattern."""
        return np.bincount(self.codes, weights, len(self.patterns)).astype(np.float64, copy=False)


@dataclass(frozen=True)
class Columns:
    """Columns over rows: blocks of patterns, and columns that are not coded as a matrix."""

    rows: int
    size: int
    blocks: tuple[Block, ...]
    plain: Floats
    plain_at: Counted

    def __matmul__(self, coefficients: Floats) -> Floats:
        """Weigh the columns and add them up, row by row."""
        total = self.plain @ coefficients[self.plain_at]
        for block in self.blocks:
            total += (block.patterns @ coefficients[block.at])[block.codes]
        return np.asarray(total)

    def sum(self, weights: Floats) -> Floats:
        """Add up each column over the rows, weighted."""
        total = np.zeros(self.size)
        total[self.plain_at] = self.plain.T @ weights
        for block in self.blocks:
            total[block.at] = block.total(weights) @ block.patterns
        return total

    def products(self, other: "Columns", weights: Floats) -> Floats:
        """Add up the products of each column (down) with each of the other columns (across), weighted."""
        made = np.zeros((self.size, other.size))
        twice = self is other
        mine, theirs = _weigh(self.plain, weights), self.plain if twice else _weigh(other.plain, weights)
        made[np.ix_(self.plain_at, other.plain_at)] = mine.T @ other.plain
        for at, block in enumerate(self.blocks):
            if other.plain.shape[1]:
                made[np.ix_(block.at, other.plain_at)] = block.patterns.T @ _total_columns(
                    block, mine if twice else theirs
                )
            for second in other.blocks[at:] if twice else other.blocks:
                made[np.ix_(block.at, second.at)] = block.patterns.T @ _count_pairs(block, second, weights)
        for at, block in enumerate(other.blocks):
            if twice:
                made[np.ix_(self.plain_at, block.at)] = made[np.ix_(block.at, self.plain_at)].T
                for first in self.blocks[:at]:
                    made[np.ix_(block.at, first.at)] = made[np.ix_(first.at, block.at)].T
            elif self.plain.shape[1]:
                made[np.ix_(self.plain_at, block.at)] = _total_columns(block, mine).T @ block.patterns
        return made

    def squares(self, weights: Floats) -> Floats:
        """Add up the square of each column over the rows, weighted."""
        total = np.zeros(self.size)
        total[self.plain_at] = np.einsum("ij,ij,i->j", self.plain, self.plain, weights)
        for block in self.blocks:
            total[block.at] = block.total(weights) @ np.square(block.patterns)
        return total

    def by_group(self, group: Counted, size: int, weights: Floats) -> Floats:
        """Add up each column (across) over the rows of each of so many groups (down), weighted."""
        made = np.zeros((size, self.size))
        groups = Block(group, np.eye(size), np.arange(size))
        if self.plain.shape[1]:
            made[:, self.plain_at] = _total_columns(groups, _weigh(self.plain, weights))
        for block in self.blocks:
            made[:, block.at] = _count_pairs(groups, block, weights)
        return made

    def take(self, columns: list[int]) -> "Columns":
        """Return some of the columns."""
        place = np.full(self.size, -1)
        place[columns] = np.arange(len(columns))
        blocks = []
        for block in self.blocks:
            kept = place[block.at] >= 0
            if kept.any():
                blocks.append(Block(block.codes, block.patterns[:, kept], place[block.at][kept]))
        kept = place[self.plain_at] >= 0
        return Columns(self.rows, len(columns), tuple(blocks), self.plain[:, kept], place[self.plain_at][kept])

    def among(self, rows: Some) -> "Columns":
        """Return the columns in some of the rows."""
        blocks = tuple(Block(block.codes[rows], block.patterns, block.at) for block in self.blocks)
        count = len(range(*rows.indices(self.rows))) if isinstance(rows, slice) else len(np.arange(self.rows)[rows])
        return Columns(count, self.size, blocks, self.plain[rows], self.plain_at)

    def beside(self, other: "Columns") -> "Columns":
        """Return these columns, then the others."""
        moved = tuple(Block(block.codes, block.patterns, block.at + self.size) for block in other.blocks)
        plain = np.column_stack([self.plain, other.plain]) if other.plain.shape[1] else self.plain
        at = np.append(self.plain_at, other.plain_at + self.size)
        return Columns(self.rows, self.size + other.size, (*self.blocks, *moved), plain, at)

    def unpack(self) -> Floats:
        """Return all of them as one matrix."""
        made = np.zeros((self.rows, self.size), order="F")
        made[:, self.plain_at] = self.plain
        for block in self.blocks:
            made[:, block.at] = block.patterns[block.codes]
        return made


def uncoded(columns: Floats) -> Columns:
    """Keep a matrix as it is."""
    rows, size = columns.shape
    return Columns(rows, size, (), np.asarray(columns, dtype=np.float64), np.arange(size))


def _weigh(columns: Floats, weights: Floats) -> Floats:
    return np.asarray(columns * weights[:, None])


def _total_columns(block: Block, columns: Floats) -> Floats:
    """Add up columns (across) by the patterns of a block (down)."""
    if not columns.shape[1]:
        return np.zeros((len(block.patterns), 0))
    return np.column_stack([block.total(column) for column in columns.T])


def _count_pairs(first: Block, second: Block, weights: Floats) -> Floats:
    """Add up weights by the patterns of the first block (down), times the second block's columns (across)."""
    wide = len(second.patterns)
    codes = pair_codes(first.codes, second.codes, wide)
    table = np.bincount(codes, weights, len(first.patterns) * wide).reshape(len(first.patterns), wide)
    return np.asarray(table @ second.patterns)


def pair_codes(first: Codes, second: Codes, wide: int) -> Counted:
    """Number the pairs of two codes, the second of which has so many values."""
    return np.asarray(first, dtype=np.int64) * wide + second
