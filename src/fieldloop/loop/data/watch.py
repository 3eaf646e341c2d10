"""Ingest logs as they appear in a folder."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fieldloop.errors import BadInput, FieldloopError
from fieldloop.ingest import LogMapping
from fieldloop.ingest.reader import list_log_files
from fieldloop.ingest.readers import load_readers
from fieldloop.ingest.search import find_logs
from fieldloop.loop.data.ingest import Signature, compute_files_signature, ingest_paths
from fieldloop.loop.data.mapping import find_mapping_in_force
from fieldloop.loop.workspace import Workspace
from fieldloop.model.finding import Status
from fieldloop.say import write_sentence
from fieldloop.say.numbers import format_number

Tell = Callable[..., None]
UNFINISHED = ".part"
"""Suffix of a log that the recorder has not closed; such a file is only read when named explicitly."""


@dataclass(frozen=True, slots=True)
class Watched:
    """How many logs were ingested, already known, and unreadable."""

    taken_in: int
    known: int
    refused: int


def watch_folder(
    workspace: Workspace,
    folder: Path,
    *,
    seconds: float | None = None,
    mapping: Path | None = None,
    tell: Tell = lambda *_: None,
) -> Watched:
    """Watch a folder and ingest every log that appears, once it stops changing; Ctrl-C ends it.

    Arguments:
        folder: the folder in which logs arrive
        seconds: stop after this time (default: never)
        mapping: the mapping file that translates your names, units and frames (default: mapping.toml of the workspace)
    """
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder.")
    inbox = Inbox(workspace, folder, find_mapping_in_force(workspace, mapping), tell)
    settle_s = workspace.operations["ingest"].number("settle_s")
    end_s = None if seconds is None else time.monotonic() + seconds
    tell(
        f"Watching {folder}. A log is ingested once it has not changed for {format_number(settle_s, 6)} s. "
        "Stop with Ctrl-C."
    )
    try:
        inbox.poll_folder()
        while end_s is None or time.monotonic() < end_s:
            time.sleep(settle_s if end_s is None else max(0.0, min(settle_s, end_s - time.monotonic())))
            inbox.poll_folder()
    except KeyboardInterrupt:
        tell("Stopped.")
    return Watched(inbox.taken_in, inbox.known, inbox.refused)


@dataclass(slots=True)
class Inbox:
    """A folder that is polled; a log is ingested when two polls find it unchanged."""

    workspace: Workspace
    folder: Path
    mapping: LogMapping | None = None
    tell: Tell = lambda *_: None
    taken_in: int = 0
    known: int = 0
    refused: int = 0
    strangers: set[str] = field(default_factory=set)
    before: dict[Path, Signature] = field(default_factory=dict)
    done: dict[Path, Signature] = field(default_factory=dict)

    def poll_folder(self) -> None:
        """Poll once, and ingest what has not changed since the last poll."""
        now = dict(self._find_logs())
        settled = [p for p, found in now.items() if found == self.before.get(p) and found != self.done.get(p)]
        self.before = now
        if not settled:
            return
        try:
            taken = ingest_paths(self.workspace, settled, self.mapping).logs
        except FieldloopError as trouble:  # a full disk or a busy store may be better at the next look
            self.tell(f"{trouble} Trying again.")
            return
        self.done |= {path: now[path] for path in settled}
        for log in taken:
            standing = "already ingested" if log.already_here else f"{len(log.episodes)} episodes, {log.status}"
            self.tell(f"{log.name}: {log.message or standing}")
            unread = log.status is Status.ERRORED or not log.episodes
            self.refused += unread
            self.known += log.already_here and not unread
            self.taken_in += not log.already_here and not unread

    def _find_logs(self) -> Iterator[tuple[Path, Signature]]:
        logs, strange = find_logs(self.folder, load_readers()[0])
        for defect in strange:
            if defect.subject not in self.strangers and not Path(defect.subject).name.startswith("."):
                self.strangers.add(defect.subject)
                self.tell(f"{defect.subject}: {write_sentence(defect.message)}")
        for log in logs:
            if log.path.suffix == UNFINISHED or log.path.name.startswith("."):  # a copy on its way in is hidden
                continue
            try:
                yield log.path, compute_files_signature(list_log_files(log.reader, log.path))
            except OSError:  # it was moved away while we looked
                continue
