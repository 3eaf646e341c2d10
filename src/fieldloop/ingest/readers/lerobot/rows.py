"""The rows of one episode, wherever they lie: numbers as arrays, texts and pictures on demand."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.lerobot.parquet_rows import NotNumeric, convert_to_array
from fieldloop.ingest.readers.lerobot.shard import Batch, Shard
from fieldloop.model.episode import Defect

Piece = tuple[Batch, int, int]


@dataclass(slots=True, eq=False)
class Rows:
    """What an episode's table holds. `places` are the data files its rows are in, with first and last row."""

    places: Sequence[tuple[Shard, int, int]]
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    reasons: dict[str, ValueError] = field(default_factory=dict)
    pieces: list[Piece] = field(default_factory=list)

    def __len__(self) -> int:
        return sum(stop - start for _, start, stop in self.places)

    def get_plain_values(self, name: str) -> list[Any]:
        """Return a column that is not numeric as plain values."""
        return [cell for batch, a, b in self.pieces for cell in batch.columns[name].slice(a, b - a).to_pylist()]


def gather_rows(places: Sequence[tuple[Shard, int, int]], episode: int, defects: list[Defect]) -> Rows:
    """Bring an episode's rows together; what cannot be read is reported."""
    rows = Rows(places)
    for shard, start, stop in places:
        for batch, a, b in shard.read_pieces(start, stop):
            for name, why in batch.broken.items():
                defects.append(Defect(shard.name, f"episode {episode}, column {name}", why))
            rows.pieces.append((batch, a, b))
    names = [name for name in rows.pieces[0][0].columns if _is_in_all_pieces(rows.pieces, name)] if rows.pieces else []
    for name in names:
        parts = [_get_piece_array(piece, name, rows.reasons) for piece in rows.pieces]
        if len(parts) == 1 and parts[0] is not None:
            rows.arrays[name] = parts[0]
        elif len({part.shape[1] for part in parts if part is not None}) == 1 and name not in rows.reasons:
            rows.arrays[name] = np.concatenate([part for part in parts if part is not None])
        else:
            rows.reasons.setdefault(name, ValueError("its rows differ in length"))
    return rows


def _is_in_all_pieces(pieces: list[Piece], name: str) -> bool:
    return all(name in batch.columns for batch, _, _ in pieces)


def _get_piece_array(piece: Piece, name: str, reasons: dict[str, ValueError]) -> NDArray[Any] | None:
    batch, a, b = piece
    if name in batch.arrays:
        return batch.arrays[name][a:b]
    if not isinstance(batch.reasons[name], NotNumeric):  # another episode's rows may be at fault
        try:
            return convert_to_array(batch.columns[name].slice(a, b - a))
        except ValueError as wrong:
            reasons[name] = wrong
            return None
    reasons[name] = batch.reasons[name]
    return None
