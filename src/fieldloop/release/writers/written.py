"""The result of writing, and atomic writes: a target appears completely or not at all."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.model.note import Note


@dataclass(frozen=True, slots=True)
class Written:
    """The result of writing. `left_out` is what the format cannot hold or could not be decoded.

    `rules` says for every stream how its samples were brought onto the frame grid; `clock` is the stream whose stamps
    are that grid, '' where nothing was resampled. `rows_left_out` counts moments of the grid that are not written.
    """

    path: Path
    episodes: int
    frames: int
    left_out: tuple[Note, ...] = ()
    clock: str = ""
    rules: Mapping[str, str] | None = None
    rows_left_out: int = 0


@contextmanager
def write_whole_or_nothing(target: Path) -> Iterator[Path]:
    """Give a path to write to; it becomes `target` when the block ends well and is removed when it does not."""
    part = refuse_taken_target(target)
    try:
        yield part
        part.rename(target)
    except BaseException:
        _remove_partial(part)  # half a dataset is none
        raise


def refuse_taken_target(target: Path) -> Path:
    """Return the path under which a target is written first; BadInput where either is taken or has no folder."""
    if target.exists() or target.is_symlink():
        raise BadInput(f"{target} already exists. Choose another name.")
    if not target.parent.is_dir():
        raise BadInput(f"{target.parent} is not a folder, so {target.name} cannot be written there.")
    part = target.with_name(f".{target.name}.part")
    if part.exists():
        raise BadInput(
            f"{part} was left by an earlier attempt, or is being written by another process. Remove it, then try again."
        )
    return part


def _remove_partial(part: Path) -> None:
    if part.is_dir():
        shutil.rmtree(part, ignore_errors=True)
    else:
        part.unlink(missing_ok=True)
