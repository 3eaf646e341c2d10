"""The protocols of a workspace by task; one that may not be relied on stops only what asks for it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from fieldloop.errors import ProtocolError, WorkspaceError
from fieldloop.model.event import ProtocolLocked
from fieldloop.protocol import CollectionProtocol, parse_protocol
from fieldloop.store import Store


class ProtocolsInForce(Mapping[str, CollectionProtocol]):
    """Reads each file once, when it is asked for; refuses what cannot be read, and a locked version that was changed.

    Somebody who edits the protocol of one task must not stop those who work on another.
    """

    def __init__(self, folder: Path, store: Store) -> None:
        """Look which files there are; none is read yet."""
        self._paths = {path.stem: path for path in sorted(folder.glob("*.toml"))}
        self._store = store
        self._read: dict[str, CollectionProtocol] = {}

    def __getitem__(self, task: str) -> CollectionProtocol:
        """Return the protocol of a task, or say why nobody may work by it."""
        written = self.as_written(task)
        for lock in self._store.find(ProtocolLocked, {"name": written.name, "version": written.version}):
            if lock.fingerprint != written.fingerprint:
                raise ProtocolError(
                    f"Protocol {written.name!r} version {written.version} is locked as {lock.fingerprint}, but its "
                    f"file now says {written.fingerprint}. Raise `version` to {written.version + 1}, or undo it. "
                    "See what changed, in the file or in the shipped numbers under it: fieldloop protocol lint"
                )
        return written

    def __contains__(self, task: object) -> bool:
        """Is there a file for this task, whatever stands in it?"""
        return task in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def as_written(self, task: str) -> CollectionProtocol:
        """Return what the file of a task says, also where a locked version was changed."""
        if task not in self._read:
            path = self._paths[task]
            self._read[task] = parse_protocol(read_text(path), f"protocols/{path.name}")
        return self._read[task]

    def refused(self) -> dict[str, str]:
        """Return why nobody may work by the protocol of a task, for each of which that is so."""
        found = {}
        for task in self:
            try:
                self[task]
            except (ProtocolError, WorkspaceError) as wrong:
                found[task] = str(wrong)
        return found

    def readable(self) -> dict[str, CollectionProtocol]:
        """Return what the files say, of all that can be read."""
        found = {}
        for task in self:
            try:
                found[task] = self.as_written(task)
            except (ProtocolError, WorkspaceError):
                continue  # whoever asks for this task is told
        return found


def read_text(path: Path) -> str:
    """Read one of a workspace's own files; what is not text is refused with its place."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as wrong:
        raise WorkspaceError(f"{path} is not UTF-8 text (byte {wrong.start}).") from wrong
