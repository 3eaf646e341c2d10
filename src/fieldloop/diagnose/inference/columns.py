"""CodedColumns over many rows, kept as patterns: rows with equal values in a block of columns share one code.

Sums over rows are then sums over patterns. A block has few patterns because conditions exclude each other, so a million
rows take a byte each instead of eight for every column, and products of columns are counts of pairs of codes. Only
columns of many different values that do not depend on one number are kept as they are. The sums are the same up to
rounding.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
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
    """The pattern of each row, and the values of some columns (their places in `at`) in each pattern.

    Where `carrier` is given, a column is its pattern's value plus its pattern's slope times the row's carrier: columns
    that grow with one number are straight lines between a few of its values.
    """

    codes: Codes
    patterns: Floats
    at: Counted
    slopes: Floats | None = None
    carrier: Floats | None = None

    @property
    def terms(self) -> Iterator[tuple[Floats, Floats | None]]:
        """Return values by pattern, each with what they are multiplied by in every row (None: 1)."""
        yield self.patterns, None
        if self.slopes is not None:
            yield self.slopes, self.carrier

    def total(self, weights: Floats) -> Floats:
        """Add up weights by pattern."""
        return np.bincount(self.codes, weights, len(self.patterns)).astype(np.float64, copy=False)

    def sum(self, weights: Floats) -> Floats:
        """Add up each column over the rows, weighted."""
        parts = [self.total(_carry(weights, carrier)) @ values for values, carrier in self.terms]
        return np.asarray(sum(parts[1:], parts[0]))

    def squares(self, weights: Floats) -> Floats:
        """Add up the square of each column over the rows, weighted."""
        made = self.total(weights) @ np.square(self.patterns)
        if self.slopes is not None and self.carrier is not None:
            carried = weights * self.carrier
            made += 2.0 * (self.total(carried) @ (self.patterns * self.slopes))
            made += self.total(carried * self.carrier) @ np.square(self.slopes)
        return np.asarray(made)

    def products_with_itself(self, weights: Floats) -> Floats:
        """Add up the products of all pairs of its columns, weighted."""
        if self.slopes is not None:
            return self.products(self, weights)
        return np.asarray(self.patterns.T @ (self.total(weights)[:, None] * self.patterns))

    def products(self, other: "Block", weights: Floats, codes: Counted | None = None) -> Floats:
        """Add up the products of each column (down) with each of the other block's columns (across), weighted.

        `codes` are those of the pairs of patterns, where they are known.
        """
        made = np.zeros((len(self.at), len(other.at)))
        if codes is None:
            codes = pair_codes(self.codes, other.codes, len(other.patterns))
        shape = len(self.patterns), len(other.patterns)
        for values, carrier in self.terms:
            for others, carried in other.terms:
                table = np.bincount(codes, _carry(_carry(weights, carrier), carried), shape[0] * shape[1])
                made += values.T @ (table.reshape(shape) @ others)
        return made

    def products_with(self, columns: Floats) -> Floats:
        """Add up the products of each column (down) with each column of a matrix (across)."""
        made = np.zeros((len(self.at), columns.shape[1]))
        for values, carrier in self.terms:
            for at, column in enumerate(columns.T):
                made[:, at] += self.total(_carry(column, carrier)) @ values
        return made

    def unpack(self) -> Floats:
        """Return the columns as a matrix."""
        made = self.patterns[self.codes]
        if self.slopes is not None and self.carrier is not None:
            made += self.slopes[self.codes] * self.carrier[:, None]
        return np.asarray(made)

    def among(self, rows: Some) -> "Block":
        """Return the columns in some of the rows."""
        return replace(self, codes=self.codes[rows], carrier=None if self.carrier is None else self.carrier[rows])

    def keep(self, columns: NDArray[np.bool_], at: Counted) -> "Block":
        """Return some of the columns, at these places."""
        slopes = None if self.slopes is None else self.slopes[:, columns]
        return replace(self, patterns=self.patterns[:, columns], slopes=slopes, at=at)


@dataclass(frozen=True)
class CodedColumns:
    """CodedColumns over rows: blocks of patterns, and columns that are not coded as a matrix."""

    rows: int
    size: int
    blocks: tuple[Block, ...]
    plain: Floats
    plain_at: Counted

    def __matmul__(self, coefficients: Floats) -> Floats:
        """Weigh the columns and add them up, row by row."""
        total = self.plain @ coefficients[self.plain_at]
        for block in self.blocks:
            for values, carrier in block.terms:
                total += _carry((values @ coefficients[block.at])[block.codes], carrier)
        return np.asarray(total)

    def sum(self, weights: Floats) -> Floats:
        """Add up each column over the rows, weighted."""
        total = np.zeros(self.size)
        total[self.plain_at] = self.plain.T @ weights
        for block in self.blocks:
            total[block.at] = block.sum(weights)
        return total

    def products(self, other: "CodedColumns", weights: Floats) -> Floats:
        """Add up the products of each column (down) with each of the other columns (across), weighted."""
        made = np.zeros((self.size, other.size))
        if self is other:
            return self._products_with_itself(made, weights)
        mine, theirs = _weigh(self.plain, weights), _weigh(other.plain, weights)
        made[np.ix_(self.plain_at, other.plain_at)] = mine.T @ other.plain
        for block in self.blocks:
            made[np.ix_(block.at, other.plain_at)] = block.products_with(theirs)
            for second in other.blocks:
                made[np.ix_(block.at, second.at)] = block.products(second, weights)
        for block in other.blocks:
            made[np.ix_(self.plain_at, block.at)] = block.products_with(mine).T
        return made

    def _products_with_itself(self, made: Floats, weights: Floats) -> Floats:
        weighed = _weigh(self.plain, weights)
        made[np.ix_(self.plain_at, self.plain_at)] = weighed.T @ self.plain
        for block in self.blocks:
            both = block.products_with(weighed)
            made[np.ix_(block.at, self.plain_at)], made[np.ix_(self.plain_at, block.at)] = both, both.T
            made[np.ix_(block.at, block.at)] = block.products_with_itself(weights)
        for first, second, codes in self._pairs:
            both = first.products(second, weights, codes)
            made[np.ix_(first.at, second.at)], made[np.ix_(second.at, first.at)] = both, both.T
        return made

    @cached_property
    def _pairs(self) -> list[tuple[Block, Block, Counted]]:
        """Return pairs of blocks with their codes, which are needed again and again."""
        return [
            (first, second, pair_codes(first.codes, second.codes, len(second.patterns)))
            for first, second in combinations(self.blocks, 2)
        ]

    def squares(self, weights: Floats) -> Floats:
        """Add up the square of each column over the rows, weighted."""
        total = np.zeros(self.size)
        total[self.plain_at] = np.einsum("ij,ij,i->j", self.plain, self.plain, weights)
        for block in self.blocks:
            total[block.at] = block.squares(weights)
        return total

    def take(self, columns: list[int]) -> "CodedColumns":
        """Return some of the columns."""
        place = np.full(self.size, -1)
        place[columns] = np.arange(len(columns))
        blocks = []
        for block in self.blocks:
            kept = place[block.at] >= 0
            if kept.any():
                blocks.append(block.keep(kept, place[block.at][kept]))
        kept = place[self.plain_at] >= 0
        return CodedColumns(self.rows, len(columns), tuple(blocks), self.plain.T[kept].T, place[self.plain_at][kept])

    def among(self, rows: Some) -> "CodedColumns":
        """Return the columns in some of the rows."""
        blocks = tuple(block.among(rows) for block in self.blocks)
        count = len(range(*rows.indices(self.rows))) if isinstance(rows, slice) else len(np.arange(self.rows)[rows])
        return CodedColumns(count, self.size, blocks, self.plain[rows], self.plain_at)

    def beside(self, other: "CodedColumns") -> "CodedColumns":
        """Return these columns, then the others."""
        moved = tuple(replace(block, at=block.at + self.size) for block in other.blocks)
        plain = np.concatenate([self.plain.T, other.plain.T]).T if other.plain.shape[1] else self.plain
        at = np.append(self.plain_at, other.plain_at + self.size)
        return CodedColumns(self.rows, self.size + other.size, (*self.blocks, *moved), plain, at)

    def widen(self) -> "CodedColumns":
        """Return the same with codes that need no conversion: quicker, for columns that are used again and again."""
        return replace(self, blocks=tuple(replace(b, codes=b.codes.astype(np.int64)) for b in self.blocks))

    def unpack(self) -> Floats:
        """Return all of them as one matrix."""
        made = np.zeros((self.rows, self.size), order="F")
        made[:, self.plain_at] = self.plain
        for block in self.blocks:
            made[:, block.at] = block.unpack()
        return made


def nothing_plain(rows: int) -> tuple[Floats, Counted]:
    """Return a matrix without columns, and their places."""
    return np.empty((rows, 0)), np.empty(0, np.int64)


def one_hot(codes: Codes, count: int) -> Block:
    """Return a column for each of so many codes."""
    return Block(codes, np.eye(count), np.arange(count))


def uncoded(columns: Floats) -> CodedColumns:
    """Keep a matrix as it is."""
    rows, size = columns.shape
    return CodedColumns(rows, size, (), np.asarray(columns, dtype=np.float64), np.arange(size))


def _weigh(columns: Floats, weights: Floats) -> Floats:
    return np.asarray((columns.T * weights).T)  # each column in one piece, because they are used one by one


def _carry(weights: Floats, carrier: Floats | None) -> Floats:
    return weights if carrier is None else np.asarray(weights * carrier)


def pair_codes(first: Codes, second: Codes, wide: int) -> Counted:
    """Number the pairs of two codes, the second of which has so many values."""
    return np.asarray(first, dtype=np.int64) * wide + second
