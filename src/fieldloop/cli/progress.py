"""Show progress of long work: a bar on a terminal, a line every few seconds anywhere else."""

import sys
import time
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from fieldloop.cli.screen import is_plain_terminal

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")
QUIET_S = 3.0
_open: list["Progress"] = []  # a terminal shows one set of bars; nested work adds a bar to it


def track_progress(items: Iterable[Any], description: str, total: int | None = None) -> Iterator[Any]:
    """Iterate over items and show progress on stderr."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    return (
        _print_progress_lines(items, description, total)
        if is_plain_terminal(sys.stderr)
        else _show_progress_bar(items, description, total)
    )


def _show_progress_bar(items: Iterable[T], description: str, total: int | None) -> Iterator[T]:
    with _open_progress_bars() as progress:
        task = progress.add_task(description, total=total)
        try:
            for item in items:
                yield item
                progress.advance(task)
        finally:
            progress.remove_task(task)


@contextmanager
def _open_progress_bars() -> Iterator["Progress"]:
    from rich import progress as rich
    from rich.console import Console

    if _open:
        yield _open[-1]
        return
    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(bar_width=32),
        rich.MofNCompleteColumn(),
        rich.TimeElapsedColumn(),
        rich.TimeRemainingColumn(),
    )
    with rich.Progress(*columns, console=Console(file=sys.stderr), transient=True) as progress:
        _open.append(progress)
        try:
            yield progress
        finally:
            _open.remove(progress)


def _print_progress_lines(items: Iterable[T], description: str, total: int | None) -> Iterator[T]:
    last_line = time.monotonic()
    for done, item in enumerate(items, start=1):
        yield item
        if time.monotonic() - last_line >= QUIET_S:
            last_line = time.monotonic()
            print(f"{description}: {done}{f' of {total}' if total else ''}", file=sys.stderr, flush=True)
