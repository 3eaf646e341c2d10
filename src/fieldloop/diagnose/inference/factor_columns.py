"""CodedColumns of conditions: one block a factor, from the codes of its levels."""

from collections.abc import Sequence

import numpy as np

from fieldloop.diagnose.inference.coding import code_columns, code_factor, join_blocks, worth_coding
from fieldloop.diagnose.inference.columns import Block, CodedColumns, Counted, Floats, uncoded
from fieldloop.diagnose.inference.table import Table
from fieldloop.model.condition import Condition


def indicator_blocks(tables: Sequence[Table], conditions: Sequence[Condition], first: int) -> list[Block]:
    """Return which conditions hold in the rows of all tables; their places begin at `first`."""
    return [
        _stack([_level_block(table, several, np.eye(len(several)), at) for table in tables])
        for several, at in _by_factor(conditions, first)
    ]


def centred_blocks(tables: Sequence[Table], conditions: Sequence[Condition], usual: Floats, first: int) -> list[Block]:
    """Return conditions centred on their usual shares; 0 where a row has an unknown level.

    Centred, so that the intercept is the average row: were it a row without any known level, a baseline from a single
    site would make every other site uncertain.
    """
    return [
        _stack([_level_block(table, several, np.eye(len(several)) - usual[at - first], at) for table in tables])
        for several, at in _by_factor(conditions, first)
    ]


def constant_block(values: Sequence[float], rows: Sequence[int], at: int) -> Block:
    """Return one column that has one value in each of several parts of the rows."""
    codes = np.repeat(np.arange(len(rows)), rows)
    return code_factor(codes, np.array(values, dtype=np.float64)[:, None], np.array([at]))


def arrange(rows: int, size: int, blocks: Sequence[Block], extra: Floats | None = None) -> CodedColumns:
    """Make columns of blocks, and of further columns behind them; few rows are not coded."""
    if not worth_coding(rows):
        plain = CodedColumns(rows, size, tuple(blocks), np.empty((rows, 0)), np.empty(0, np.int64)).unpack()
        return uncoded(plain if extra is None else np.column_stack([plain, extra]))
    made = CodedColumns(rows, size, join_blocks(blocks), np.empty((rows, 0)), np.empty(0, np.int64))
    return made if extra is None else made.beside(code_columns(rows, extra.shape[1], enumerate(extra.T)))


def _by_factor(conditions: Sequence[Condition], first: int) -> list[tuple[list[Condition], Counted]]:
    """Group conditions by factor, each group with its places."""
    groups: dict[str, list[int]] = {}
    for at, condition in enumerate(conditions):
        groups.setdefault(condition.factor, []).append(at)
    return [([conditions[at] for at in some], first + np.array(some)) for some in groups.values()]


def _level_block(table: Table, conditions: Sequence[Condition], values: Floats, at: Counted) -> Block:
    """Return a factor's block: `values` has a row for each of the conditions; other levels are 0."""
    levels = table.levels.get(conditions[0].factor)
    if levels is None:
        return Block(np.zeros(len(table), dtype=np.uint8), np.zeros((1, len(conditions))), at)
    patterns = np.zeros((len(levels.names) + 1, len(conditions)))
    for condition, row in zip(conditions, values, strict=True):
        if condition.level in levels.place:
            patterns[levels.place[condition.level]] = row
    return Block(levels.codes, patterns, at)


def _stack(blocks: Sequence[Block]) -> Block:
    """Put blocks of the same columns below each other."""
    patterns, number = np.unique(np.vstack([b.patterns for b in blocks]), axis=0, return_inverse=True)
    ends = np.cumsum([0, *(len(b.patterns) for b in blocks)])
    parts = [number.ravel()[begin:][block.codes] for block, begin in zip(blocks, ends[:-1].tolist(), strict=True)]
    return code_factor(np.concatenate(parts), patterns, blocks[0].at)
