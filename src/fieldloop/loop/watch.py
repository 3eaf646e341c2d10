"""Take logs in as they appear in a folder."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fieldloop.errors import BadInput, StoreBusy
from fieldloop.ingest import LogMapping
from fieldloop.ingest.readers import all_readers
from fieldloop.ingest.search import find_logs
from fieldloop.loop.ingest import Signature, TakenIn, signature_of, take_in
from fieldloop.loop.mapping import mapping_in_force
from fieldloop.loop.workspace import Workspace
from fieldloop.model.finding import Status

Tell = Callable[..., None]
UNFINISHED = ".part"
"""What our recorder calls a log until it is closed; it is read when somebody names it, not by itself."""


@dataclass(frozen=True, slots=True)
class Watched:
    """How many logs were taken in, and how many could not be."""

    taken_in: int
    refused: int


def watch(
    workspace: Workspace,
    folder: Path,
    *,
    seconds: float | None = None,
    mapping: Path | None = None,
    tell: Tell = lambda *_: None,
) -> Watched:
    """Watch a folder and take in every log that appears, once nobody writes to it any more; Ctrl-C ends it.

    Arguments:
        folder: where logs arrive
        seconds: end by itself after so long (default: never)
        mapping: the house's names, units and frames (default: mapping.toml of the workspace, if it has one)
    """
    if not folder.is_dir():
        raise BadInput(f"{folder} is no folder.")
    conventions = mapping_in_force(workspace, mapping)
    settle_s = workspace.operations["ingest"].number("settle_s")
    end_s = None if seconds is None else time.monotonic() + seconds
    before: dict[Path, Signature] = {}
    done: dict[Path, Signature] = {}
    taken: list[TakenIn] = []
    tell(f"Watching {folder}. A log is taken in once it has not changed for {settle_s:g} s. Ctrl-C ends this.")
    try:
        while True:
            now = dict(_logs_in(folder))
            for path, signature in now.items():
                if signature == before.get(path) and signature != done.get(path):
                    done[path] = signature
                    taken += _take(workspace, path, conventions, done, tell)
            before = now
            if end_s is not None and time.monotonic() >= end_s:
                break
            time.sleep(settle_s if end_s is None else max(0.0, min(settle_s, end_s - time.monotonic())))
    except KeyboardInterrupt:
        tell("Ended.")
    refused = sum(log.status is Status.ERRORED for log in taken)
    return Watched(len(taken) - refused, refused)


def _logs_in(folder: Path) -> Iterator[tuple[Path, Signature]]:
    for log in find_logs(folder, all_readers()[0])[0]:
        if log.path.suffix != UNFINISHED:
            try:
                yield log.path, signature_of(log.path)
            except OSError:  # it was moved away while we looked
                continue


def _take(
    workspace: Workspace, path: Path, mapping: LogMapping | None, done: dict[Path, Signature], tell: Tell
) -> tuple[TakenIn, ...]:
    try:
        logs = take_in(workspace, [path], mapping).logs
    except StoreBusy as busy:
        del done[path]  # the next look tries again
        tell(f"{path.name}: {busy}")
        return ()
    for log in logs:
        known = "here already" if log.already_here else f"{len(log.episodes)} episodes, {log.status}"
        tell(f"{log.name}: {log.message or known}")
    return logs
