"""One framed recording becomes one demonstration group; pictures go through one at a time."""

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import StreamKind
from fieldloop.release.writers.features import Feature, Features
from fieldloop.release.writers.framed import Framed
from fieldloop.release.writers.hdf5.keys import ACTIONS, Place, make_key
from fieldloop.release.writers.names import find_free_name

GRID = "timestamps_ns"
STAMPS = "stamps_ns"
ZLIB_LEVEL = 1  # pictures: a higher level takes three times as long for a tenth of the size
MADE = {"rewards": "release.rewards_made", "dones": "release.dones_made"}
"""What robomimic needs in every file, made where it was not recorded."""

Places = Mapping[str, Sequence[Place]]


def write_rows(group: Any, framed: Framed, features: Features, places: Places) -> list[Note]:
    """Write everything but pictures: observations now and one step later, actions, rewards, dones, states.

    Return what of it was not recorded but made.
    """
    action_parts: list[NDArray[Any]] = []
    for feature in features.signals:
        values = framed.values[feature.name]
        for place in places[feature.name]:
            part = values[:, place.first : place.last]
            if place.path == ACTIONS:
                action_parts.append(part)
            elif place.path.startswith("obs/"):
                group.create_dataset(place.path, data=part)
                group.create_dataset(f"next_{place.path}", data=shift_to_next_row(part))
            else:
                group.create_dataset(place.path, data=part[:, 0] if part.shape[1] == 1 else part)
    if action_parts:
        group.create_dataset(ACTIONS, data=np.hstack(action_parts))
    return _write_outcome(group, framed)


def write_pictures(group: Any, framed: Framed, camera: Feature, place: Place) -> None:
    """Write a camera's frames, compressed frame by frame; those one step later are a view of them, not a copy."""
    count, (width, height) = len(framed), camera.size
    depth = camera.kind is StreamKind.DEPTH
    shape = (height, width, 1) if depth else (height, width, 3)
    options: dict[str, Any] = {
        "shape": (count, *shape), "dtype": np.float32 if depth else np.uint8, "chunks": (1, *shape),
        "compression": "gzip", "compression_opts": ZLIB_LEVEL,
    }  # fmt: skip
    now = group.create_dataset(place.path, **options)
    for row, picture in enumerate(framed.iterate_pictures(camera.name)):
        packed = zlib.compress(np.ascontiguousarray(picture.reshape(shape)).data, ZLIB_LEVEL)
        now.id.write_direct_chunk((row, 0, 0, 0), packed)
    if count:
        _write_next_step_view(group, now, f"next_{place.path}")


def _write_next_step_view(group: Any, current: Any, path: str) -> None:
    """Add each row's successor as a virtual dataset of the same file; nothing follows the last, so that it repeats."""
    import h5py

    layout, rows = (
        h5py.VirtualLayout(current.shape, current.dtype),
        h5py.VirtualSource(".", current.name, current.shape),
    )
    layout[:-1], layout[-1:] = rows[1:], rows[-1:]
    group.create_virtual_dataset(path, layout)


def write_stamps(group: Any, framed: Framed, places: Places) -> dict[str, str]:
    """Write the grid, and for every stream whose stamps it does not tell those it has; say where they are."""
    group.create_dataset(GRID, data=framed.times_ns)
    written: dict[str, str] = {}
    taken: set[str] = set()
    for name in places:
        clocks = framed.compute_row_clocks(name)
        if [*clocks] == [framed.grid_clock] and np.array_equal(clocks[framed.grid_clock], framed.times_ns):
            continue
        written[name] = f"{STAMPS}/{find_free_name(make_key(name), taken)}"
        stored = group.create_dataset(written[name], data=np.stack([*clocks.values()], axis=1))
        stored.attrs["clocks"] = [kind.value for kind in clocks]
    return written


def _write_outcome(group: Any, framed: Framed) -> list[Note]:
    last = np.zeros(len(framed))
    last[-1:] = 1.0
    made = {"rewards": last if framed.episode.succeeded else np.zeros(len(framed)), "dones": last.astype(np.int64)}
    missing = [name for name in made if name not in group]
    for name in missing:
        group.create_dataset(name, data=made[name])
    return [note(MADE[name], about=Subject(name)) for name in missing]


def shift_to_next_row(values: NDArray[Any]) -> NDArray[Any]:
    """Return each row's successor; nothing follows the last, so that it stands for itself.

    >>> shift_to_next_row(np.asarray([1, 2, 3])).tolist()
    [2, 3, 3]
    """
    return np.concatenate([values[1:], values[-1:]])
