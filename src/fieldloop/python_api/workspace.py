"""An open workspace whose methods are the commands: `ws.plan(budget=60)` is `fieldloop plan --budget 60`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from fieldloop.loop.catalogue import USE_CASES, Needs
from fieldloop.python_api.commands import make_command_function

if TYPE_CHECKING:
    from fieldloop.loop.ship.dataset import FrameDataset

METHODS = {
    case.command.replace(" ", "_").replace("-", "_"): case for case in USE_CASES if case.needs is not Needs.NOTHING
}
"""Every command that works on a workspace, by the name of its method: `plan show` is `plan_show`."""


class OpenWorkspace:
    """An open workspace. Close it, or use it in a `with` statement."""

    def __init__(self, folder: str | Path) -> None:
        """Open the workspace in a folder."""
        from fieldloop.cli.progress import track_progress
        from fieldloop.loop.workspace import open_workspace

        self.workspace = open_workspace(Path(folder), track=track_progress)

    @property
    def folder(self) -> Path:
        """Where the workspace is."""
        return self.workspace.root

    @property
    def name(self) -> str:
        """What people call it."""
        return self.workspace.name

    def open_dataset(  # noqa: PLR0913 - each is an option of the dataset
        self,
        release: str,
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
        """Open a release as frames for a trainer, with its fixes, weights and labels; see `fl.open_dataset`."""
        from fieldloop.loop.ship.dataset import FrameOptions, open_release_dataset

        asked = FrameOptions(tuple(streams), deltas_s or {}, chunk, clock, hz, "", tensors, on_broken)
        return open_release_dataset(self.workspace, release, split, asked)

    def close(self) -> None:
        """Close the database."""
        self.workspace.close()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return a command as a method; a misspelt one gets a suggestion."""
        if name not in METHODS:
            raise AttributeError(_write_unknown_command_message(name), name=name, obj=self)
        return make_command_function(METHODS[name], name, self.workspace)

    def __dir__(self) -> list[str]:
        """List the commands too, so that completion offers them."""
        return sorted({*super().__dir__(), *METHODS})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<fieldloop workspace {self.name!r} in {self.folder}>"


def open_folder(folder: str | Path) -> OpenWorkspace:
    """Open the workspace in a folder; its methods are the commands."""
    return OpenWorkspace(folder)


def init(folder: str | Path, *, name: str = "", task: str = "pick") -> OpenWorkspace:
    """Make a workspace in a folder and open it.

    Arguments:
        folder: a new folder, or an existing one; files in it stay as they are
        name: what people call it; the folder's name unless given
        task: the task that is collected here
    """
    from fieldloop.loop.house.setup import init as make

    make(Path(folder), name=name, task=task)
    return OpenWorkspace(folder)


def _write_unknown_command_message(name: str) -> str:
    from fieldloop.errors import UnknownName

    return str(UnknownName("command", name, METHODS))
