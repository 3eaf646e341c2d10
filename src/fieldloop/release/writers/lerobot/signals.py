"""The columns of numbers of a dataset being written, and their statistics."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.note import Note, Subject, note
from fieldloop.release.writers.features import Feature, Features
from fieldloop.release.writers.framed import Framed
from fieldloop.release.writers.lerobot.files import Limits, Place, Places
from fieldloop.release.writers.lerobot.info import CAPTURE, choose_stored_type
from fieldloop.release.writers.lerobot.quantiles import compute_quantiles
from fieldloop.release.writers.lerobot.stats import QUANTILES, Stats, ValueStats, compute_stats
from fieldloop.release.writers.lerobot.tables import DATA_PATH, ParquetFiles, make_frames_table, read_column


def list_stamped_streams(features: Features) -> list[str]:
    """Name the streams with stamps beside the grid's: all cameras, and signals that were sampled at other moments."""
    return [feature.name for feature in (*features.cameras, *(f for f in features.signals if f.own_stamps))]


class Signals:
    """Rows in, Parquet out: one row group an episode."""

    def __init__(self, folder: Path, features: Features, keys: Mapping[str, str], limits: Limits) -> None:
        self._features, self._keys = features, keys
        self._files = ParquetFiles(folder, DATA_PATH, Places(limits.data_mb, limits.files_a_chunk))
        self._seen: dict[str, ValueStats] = {}
        self._rounded: dict[str, float] = {}

    def write_episode(self, framed: Framed, bookkeeping: Mapping[str, NDArray[Any]]) -> tuple[Place, dict[str, Stats]]:
        """Write an episode's rows; return where they went, and their statistics."""
        columns = {
            self._keys[f.name]: self._cast_to_stored_type(f, framed.values[f.name]) for f in self._features.signals
        }
        columns[CAPTURE] = np.stack(
            [framed.times_ns, *map(framed.get_stamps_ns, list_stamped_streams(self._features))], axis=1
        )
        columns |= bookkeeping
        place = self._files.choose_file(len(framed))
        self._files.write(make_frames_table(columns))
        for key, values in columns.items():
            self._seen.setdefault(key, ValueStats(values.shape[1])).add_rows(values)
        return place, {key: compute_stats(values) for key, values in columns.items()}

    def close(self) -> None:
        """Finish the last file."""
        self._files.close()

    def compute_stats(self) -> dict[str, Stats]:
        """Return the statistics of all rows; for the quantiles they are read back from the files."""
        shares = list(QUANTILES.values())
        stats_by_key = {}
        for key, seen in self._seen.items():
            columns = seen.columns
            stats_by_key[key] = seen.compute_stats(
                compute_quantiles(lambda key=key: read_column(self._files.paths, key), seen.rows, columns, shares)  # type: ignore[misc]
            )
        return stats_by_key

    def report_losses(self) -> list[Note]:
        """Return which values were rounded, and which no statistics can be made of."""
        lost = [
            note("release.values_rounded", about=Subject(name), stored="float32", most=most)
            for name, most in sorted(self._rounded.items())
        ]
        for key, seen in self._seen.items():
            if seen.unfit:
                lost.append(note("release.not_finite_in_statistics", about=Subject(key), values=seen.unfit))
        return lost

    def _cast_to_stored_type(self, feature: Feature, values: NDArray[Any]) -> NDArray[Any]:
        wanted = np.dtype(choose_stored_type(feature))
        if values.dtype == wanted:
            return values
        with np.errstate(over="ignore", invalid="ignore"):
            stored = values.astype(wanted)
            change = np.abs(stored.astype(np.float64) - values.astype(np.float64))
        most = float(np.nanmax(np.where(np.isfinite(values), change, 0.0), initial=0.0))
        if most > 0:
            self._rounded[feature.name] = max(most, self._rounded.get(feature.name, 0.0))
        return stored
