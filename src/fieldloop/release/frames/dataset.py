"""A map-style dataset over frames: what PyTorch's DataLoader asks for, with or without PyTorch."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput, UnreadableLog
from fieldloop.model.episode import Episode
from fieldloop.release.frames.table import Camera, FrameTable
from fieldloop.release.frames.windows import find_window_rows, make_window

Item = dict[str, Any]
Broken = Literal["raise", "zeros"]
PAD = "_is_pad"


class FrameDataset:
    """Frames by index, each a dictionary: streams by name, and where the frame is from.

    `deltas_s` are times relative to the frame, by stream; `chunk` is a number of actions from the frame on. Streams
    with such a window have a time axis in front, and `<stream>_is_pad` marks rows outside of the episode, which repeat
    its first or last one. Pictures are uint8, depth float32 in metres; with tensors, channels come first.

    Batches are read in one go where the loader allows it (`__getitems__`), so that each video is decoded once, forward.
    An instance may be forked or pickled into workers at any time.
    """

    def __init__(
        self,
        table: FrameTable,
        *,
        deltas_s: Mapping[str, Sequence[float]] | None = None,
        chunk: int = 0,
        tensors: bool | None = None,
        on_broken: Broken = "raise",
    ) -> None:
        """Take a table; `tensors` None gives tensors where PyTorch is installed, else arrays."""
        if tensors and not find_spec("torch"):
            raise BadInput("Tensors need PyTorch, which is not installed. Leave out tensors=True to get NumPy arrays.")
        self.table = table
        self.tensors = bool(find_spec("torch")) if tensors is None else tensors
        self._on_broken = on_broken
        streams = [*table.values, *table.cameras]
        self.window = make_window(deltas_s or {}, chunk, table.hz, streams, table.actions)
        self.episode_index: NDArray[np.int64] = np.repeat(np.arange(len(table.episodes)), np.diff(table.starts))

    @property
    def episodes(self) -> tuple[Episode, ...]:
        """The episodes, in the order of `episode_index`."""
        return self.table.episodes

    @property
    def weights(self) -> NDArray[np.float64]:
        """How often each frame counts: the weight of its episode's stratum, for a WeightedRandomSampler."""
        weights: NDArray[np.float64] = self.table.weights[self.episode_index]
        return weights

    @property
    def hz(self) -> float:
        """Rows per second."""
        return self.table.hz

    def make_windowed(
        self,
        *,
        deltas_s: Mapping[str, Sequence[float]] | None = None,
        chunk: int = 0,
        tensors: bool | None = None,
    ) -> "FrameDataset":
        """Return the same frames with another window around each; nothing is read again."""
        kind = self.tensors if tensors is None else tensors
        return FrameDataset(self.table, deltas_s=deltas_s, chunk=chunk, tensors=kind, on_broken=self._on_broken)

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, index: int) -> Item:
        """Return one frame; negative numbers count from the end."""
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: Sequence[int]) -> list[Item]:
        """Return several frames, in the order they are asked for; each video is read forward, once."""
        rows = [self._check_index(int(index)) for index in indices]
        items: list[Item] = [self._describe_row(row) for row in rows]
        for name, values in self.table.values.items():
            self._add_stream(items, rows, name, lambda wanted, table=values: table[wanted])
        for name, camera in self.table.cameras.items():
            self._add_camera(items, rows, name, camera)
        return [self._convert_to_tensors(item) for item in items] if self.tensors else items

    def _check_index(self, index: int) -> int:
        row = index if index >= 0 else len(self) + index
        if not 0 <= row < len(self):
            raise IndexError(f"The dataset has {len(self)} frames; index {index} is out of range.")
        return row

    def _describe_row(self, row: int) -> Item:
        place = int(self.episode_index[row])
        first, episode = int(self.table.starts[place]), self.table.episodes[place]
        item: Item = {
            "index": row,
            "episode_index": place,
            "frame_index": row - first,
            "timestamp": (int(self.table.times_ns[row]) - int(self.table.times_ns[first])) / 1e9,
            "task": episode.task,
            "weight": float(self.table.weights[place]),
        }
        return item | {kind: int(rows[row]) for kind, rows in self.table.labels.items()}

    def _find_rows(self, row: int, stream: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        place = int(self.episode_index[row])
        first, last = int(self.table.starts[place]), int(self.table.starts[place + 1])
        return find_window_rows(row, first, last, self.window.get_offsets(stream))

    def _add_stream(self, items: list[Item], rows: Sequence[int], name: str, read: Any) -> None:
        for item, row in zip(items, rows, strict=True):
            wanted, padding = self._find_rows(row, name)
            if self.window.has_axis(name):
                item[name], item[name + PAD] = read(wanted), padding
            else:
                item[name] = read(row)

    def _add_camera(self, items: list[Item], rows: Sequence[int], name: str, camera: Camera) -> None:
        wanted = [self._find_rows(row, name) for row in rows]
        pictures = self._decode(name, camera, np.concatenate([some for some, _ in wanted]))
        at = 0
        for item, (some, padding) in zip(items, wanted, strict=True):
            part = pictures[at : at + len(some)]
            at += len(some)
            if self.window.has_axis(name):
                item[name], item[name + PAD] = np.stack(part), padding
            else:
                item[name] = part[0]

    def _decode(self, name: str, camera: Camera, rows: NDArray[np.int64]) -> list[NDArray[Any]]:
        """Decode the pictures of some rows: episode by episode, each frame once, in the order of its video."""
        decoded: dict[tuple[int, int], NDArray[Any]] = {}
        places, frames = self.episode_index[rows], camera.picks[rows]
        for place in np.unique(places).tolist():
            distinct = np.unique(frames[places == place]).tolist()
            source = camera.sources[place].frames(distinct)
            for frame in distinct:
                decoded[place, frame] = self._accept_picture(name, camera, place, frame, next(iter(source), None))
        return [decoded[key] for key in zip(places.tolist(), frames.tolist(), strict=True)]

    def _accept_picture(
        self, name: str, camera: Camera, place: int, frame: int, picture: NDArray[Any] | None
    ) -> NDArray[Any]:
        width, height = camera.size
        shape = (height, width) if camera.is_depth else (height, width, 3)
        if picture is not None and picture.shape == shape:
            return picture
        if self._on_broken == "zeros":
            return np.zeros(shape, np.float32 if camera.is_depth else np.uint8)
        raise UnreadableLog(
            f"{self.table.episodes[place].name}: frame {frame} of {name} cannot be decoded as {width} × {height} "
            'pixels. Set the episode aside and freeze again, or open with on_broken="zeros".'
        )

    def _convert_to_tensors(self, item: Item) -> Item:
        torch = import_module("torch")
        return {name: self._convert_to_tensor(torch, name, value) for name, value in item.items()}

    def _convert_to_tensor(self, torch: Any, name: str, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            if name in self.table.cameras and not self.table.cameras[name].is_depth:
                value = np.moveaxis(value, -1, -3)
            return torch.from_numpy(np.array(value))  # a copy: what is shared must not be written to
        if isinstance(value, str):
            return value
        return torch.tensor(value)
