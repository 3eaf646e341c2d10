"""Read HDF5 files: known by their signature, then by how they are laid out inside."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from fieldloop.ingest.readers.hdf5.aloha import Aloha
from fieldloop.ingest.readers.hdf5.build import build_recording
from fieldloop.ingest.readers.hdf5.d4rl import D4rl
from fieldloop.ingest.readers.hdf5.draft import Layout
from fieldloop.ingest.readers.hdf5.generic import Generic
from fieldloop.ingest.readers.hdf5.minari import Minari
from fieldloop.ingest.readers.hdf5.opened import HDF5_ERRORS, open_hdf5, shorten_error
from fieldloop.ingest.readers.hdf5.robomimic import Robomimic
from fieldloop.ingest.readers.hdf5.superblock import find_signature
from fieldloop.ingest.readers.hdf5.tree import Folder
from fieldloop.model.episode import Defect, Recording
from fieldloop.model.note import note

LAYOUTS: tuple[Layout, ...] = (Robomimic(), Minari(), D4rl(), Aloha(), Generic())
"""Tried in this order; the last takes whatever has rows."""


class Hdf5Reader:
    """A file with HDF5's signature. Nothing outside the file is ever read on its behalf."""

    name = "hdf5"

    def recognises(self, path: Path) -> bool:
        """Is the signature at one of its allowed places?"""
        return path.is_file() and find_signature(path) is not None

    def read(self, path: Path) -> Iterator[Recording]:
        """Yield the episodes one by one."""
        return self.read_part(path, 0, None)

    def read_part(self, path: Path, start: int, stop: int | None) -> Iterator[Recording]:
        """Yield some of the episodes; of the others only the outline is read."""
        with open_hdf5(path) as file:
            root = Folder(file, file.file)
            layout = _choose_layout(root)
            for draft in islice(layout.read_drafts(file, root), start, stop):
                yield build_recording(file, draft, layout.name)

    def count(self, path: Path) -> int:
        """How many episodes can be attempted?"""
        with open_hdf5(path) as file:
            root = Folder(file, file.file)
            return _choose_layout(root).count_episodes(root)

    def defects(self, path: Path) -> tuple[Defect, ...]:
        """Return the defects of the file as a whole."""
        with open_hdf5(path) as file:
            try:
                root = Folder(file, file.file)
                layout = _choose_layout(root)
                layout.add_file_defects(file, root)
                if not layout.count_episodes(root):
                    file.defects.append(Defect("file", "", note("ingest.no_episode")))
            except HDF5_ERRORS as wrong:
                message = note("ingest.part_unreadable", part="list of groups", reason=shorten_error(wrong))
                file.defects.append(Defect("file", "", message))
            return tuple(dict.fromkeys([*file.defects, *file.take_damaged_heaps()]))


def _choose_layout(root: Folder) -> Layout:
    return next((layout for layout in LAYOUTS if layout.matches_file(root)), LAYOUTS[-1])
