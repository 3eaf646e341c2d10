"""The protocols of a workspace by task; an invalid one blocks only its own task."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from fieldloop.errors import ProtocolError, WorkspaceError
from fieldloop.model.event import ProtocolLocked
from fieldloop.protocol import CollectionProtocol, parse_protocol
from fieldloop.protocol.layers import parse_toml
from fieldloop.store import Store
from fieldloop.text_files import read_text

PROTOCOL_TEXT = """# How {task} is collected here. Only what differs from the shipped defaults stands here.
# All defaults: fieldloop protocol
[protocol]
name    = "{task}"
version = 1
"""
"""What a new workspace holds; it counts as the user's own protocol once someone edits or locks it."""


class ProtocolsInForce(Mapping[str, CollectionProtocol]):
    """Reads each file once, on demand; refuses unreadable files and changed locked versions.

    Editing the protocol of one task must not block work on another.
    """

    def __init__(self, folder: Path, store: Store) -> None:
        """List the files; none is read yet."""
        self._paths = {path.stem: path for path in sorted(folder.glob("*.toml"))}
        self._store = store
        self._read: dict[str, CollectionProtocol] = {}

    def __getitem__(self, task: str) -> CollectionProtocol:
        """Return the protocol of a task, or raise why it may not be used."""
        written = self.read_as_written(task)
        locks = self._store.find(ProtocolLocked, {"name": written.name, "version": written.version})
        for lock in locks:
            if lock.fingerprint != written.fingerprint:
                raise ProtocolError(
                    f"Protocol {written.name!r} version {written.version} is locked as {lock.fingerprint}, but its "
                    f"file is now {written.fingerprint}. Raise `version` to {written.version + 1}, or undo "
                    "the change. To see what changed in the file or in the shipped defaults: fieldloop protocol lint"
                )
        return replace(written, is_own=True) if locks else written

    def __contains__(self, task: object) -> bool:
        """Whether there is a file for this task, valid or not."""
        return task in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def read_as_written(self, task: str) -> CollectionProtocol:
        """Return the protocol as the file states it, even where a locked version was changed."""
        if task not in self._read:
            path = self._paths[task]
            text = read_text(path, WorkspaceError)
            written = parse_protocol(text, f"protocols/{path.name}")
            untouched = parse_toml(PROTOCOL_TEXT.format(task=task), task)  # comments and layout state nothing
            self._read[task] = replace(written, is_own=parse_toml(text, path.name) != untouched)
        return self._read[task]

    def list_reasons_of_refusal(self) -> dict[str, str]:
        """Return the reason for each task whose protocol may not be used."""
        reasons = {}
        for task in self:
            try:
                self[task]
            except (ProtocolError, WorkspaceError) as wrong:
                reasons[task] = str(wrong)
        return reasons

    def list_readable(self) -> dict[str, CollectionProtocol]:
        """Return all protocols that can be read, as their files state them."""
        protocols = {}
        for task in self:
            try:
                protocols[task] = self.read_as_written(task)
            except (ProtocolError, WorkspaceError):
                continue  # using this task raises the error
        return protocols
