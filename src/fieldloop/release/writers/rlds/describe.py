"""What RLDS has no place for, as JSON in each episode's metadata: names, units, clocks, rules and every fact."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.episode import Episode
from fieldloop.model.episode_text import convert_to_texts
from fieldloop.model.stream import ClockKind, Stream
from fieldloop.release.writers.framed import Framed

KEPT = "fieldloop"
GRID = "timestamp_ns"
STAMPS = "stamps_ns"
NO_STAMP = -1  # no real time is negative

Stamped = Mapping[str, tuple[str, Sequence[ClockKind]]]
"""In which feature a stream's own stamps are, and which column is which clock."""


def collect_episode_facts(episode: Episode) -> dict[str, str]:
    """Return every field and further fact of an episode as text; what the log does not state is left out."""
    return {"source_episode": episode.id} | convert_to_texts(episode)


def collect_stamps(framed: Framed, name: str, kinds: Sequence[ClockKind]) -> NDArray[np.int64]:
    """Return the stamps a stream's rows really had, one column a clock; NO_STAMP where a row is not a sample."""
    stamp_table = np.full((len(framed), len(kinds)), NO_STAMP, np.int64)
    if name in framed.picks:
        for kind, times in framed.compute_row_clocks(name).items():
            stamp_table[:, kinds.index(kind)] = times
    return stamp_table


def format_description(framed: Framed, paths: Mapping[str, str], stamp_paths: Stamped) -> str:
    """Write the description as JSON."""
    streams = {path: _describe_stream(framed, name, stamp_paths) for name, path in paths.items()}
    kept = {"facts": collect_episode_facts(framed.episode), "streams": streams}
    return json.dumps(kept, sort_keys=True, ensure_ascii=False)


def _describe_stream(framed: Framed, name: str, stamp_paths: Stamped) -> dict[str, Any]:
    has = framed.compute_row_clocks(name)
    where, kinds = stamp_paths[name] if name in stamp_paths and name in framed.picks else (GRID, tuple(has))
    clocks = [kind.value if kind in has else None for kind in kinds]
    return (
        framed.describe_stream(name)
        | {"clocks": clocks, "stamps": where}
        | _describe_dtype_and_shape(framed.streams[name])
    )


def _describe_dtype_and_shape(stream: Stream) -> dict[str, Any]:
    if stream.values is None:
        return {}
    shape = stream.values.shape[1:]
    return {"dtype": stream.values.dtype.name} | ({} if len(shape) == 1 else {"shape": list(shape)})
