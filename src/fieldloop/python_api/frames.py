"""Frames of a release or a dataset for a trainer, and trainers of one's own."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from fieldloop.loop.ship.dataset import FrameDataset


def open_dataset(  # noqa: PLR0913 - each is an option of the dataset
    path: str | Path,
    split: str = "",
    *,
    streams: Sequence[str] = (),
    deltas_s: Mapping[str, Sequence[float]] | None = None,
    chunk: int = 0,
    hz: float | None = None,
    clock: str = "",
    tensors: bool | None = None,
    on_broken: Literal["raise", "zeros"] = "raise",
) -> "FrameDataset":
    """Open a log or a dataset folder as frames for a trainer: a map-style dataset, with or without PyTorch.

    Arguments:
        path: a log file, a dataset folder, or a folder of logs; `ws.open_dataset(name)` opens a release
        split: only episodes of this split, such as train
        streams: only these streams (default: every stream that all episodes have)
        deltas_s: times relative to the frame, by stream; such streams have a time axis, and `<stream>_is_pad`
        chunk: so many actions from the frame on
        hz: rows at this fixed rate, instead of the timestamps of `clock`
        clock: the stream that sets the rows (default: the first camera, else the actions)
        tensors: tensors or arrays (default: tensors where PyTorch is installed)
        on_broken: what a picture that cannot be decoded gives: an error, or zeros
    """
    from fieldloop.loop.ship.dataset import FrameOptions, open_log_dataset

    asked = FrameOptions(tuple(streams), deltas_s or {}, chunk, clock, hz, "", tensors, on_broken)
    return open_log_dataset(Path(path), split, asked)


def register_trainer(name: str, trainer: Callable[[Any, Any, Path, int], Mapping[str, Any] | None]) -> None:
    """Make a trainer of your own known by name, for `ws.train("r1", trainer=name)` in this process.

    Arguments:
        name: the name to train by
        trainer: called with frames to learn from, frames held out (None without any), an empty folder, and a seed
    """
    from fieldloop.loop.ship.own_trainer import register_trainer as register

    register(name, trainer)
