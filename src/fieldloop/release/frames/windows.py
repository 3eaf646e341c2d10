"""Windows around a frame: which rows of its episode are asked for, and which of them lie outside of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput

Rows = NDArray[np.int64]
NOW = np.zeros(1, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Offsets in rows by stream; a stream that is not listed is given for the frame itself, without a time axis."""

    offsets: Mapping[str, Rows]

    def get_offsets(self, stream: str) -> Rows:
        """Return the offsets of a stream."""
        return self.offsets.get(stream, NOW)

    def has_axis(self, stream: str) -> bool:
        """Has a stream a time axis?"""
        return stream in self.offsets


def make_window(
    deltas_s: Mapping[str, Sequence[float]],
    chunk: int,
    hz: float,
    streams: Sequence[str],
    action_streams: Sequence[str],
) -> Window:
    """Make a window from times relative to the frame, and a number of actions from the frame on.

    >>> made = make_window({"joints": [-0.1, 0.0]}, 3, 30.0, ["joints", "action"], ["action"])
    >>> {name: made.offsets[name].tolist() for name in ("joints", "action")}
    {'joints': [-3, 0], 'action': [0, 1, 2]}
    """
    if unknown := [name for name in deltas_s if name not in streams]:
        raise BadInput(f"No stream is called {unknown[0]!r}. Streams: {', '.join(streams)}.")
    if chunk < 0:
        raise BadInput(f"chunk is {chunk}; it counts the actions from a frame on, so 1 or more.")
    if chunk and not action_streams:
        raise BadInput(f"chunk needs actions, and no stream is of the kind action. Streams: {', '.join(streams)}.")
    chunks = {name: np.arange(chunk) for name in action_streams} if chunk else {}
    asked = {name: np.rint(np.asarray(times, np.float64) * hz).astype(np.int64) for name, times in deltas_s.items()}
    if empty := [name for name, rows in asked.items() if not len(rows)]:
        raise BadInput(f"{empty[0]}: the list of times is empty. Leave the stream out to get the frame itself.")
    return Window({**chunks, **asked})


def find_window_rows(row: int, first: int, last: int, offsets: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """Return the rows of a window, kept inside its episode `first` to `last` (not included), and which are padding.

    >>> rows, padding = find_window_rows(9, 0, 10, np.array([-1, 0, 1]))
    >>> rows.tolist(), padding.tolist()
    ([8, 9, 9], [False, False, True])
    """
    wanted = row + offsets
    return np.clip(wanted, first, last - 1), (wanted < first) | (wanted >= last)
