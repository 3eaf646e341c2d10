"""Groups and arrays of a file. Links out of the file are reported, never followed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fieldloop.ingest.readers.hdf5.free_lengths import FreeRows, open_variable_length_rows
from fieldloop.ingest.readers.hdf5.opened import HDF5_ERRORS, Opened, shorten_error
from fieldloop.model.episode import Defect
from fieldloop.model.note import Note, note

DEEPEST = 16
LARGEST_ATTRIBUTE = 1 << 24
SAME_FILE = "."
BEST_COMPRESSION = 1100  # deflate reaches no higher ratio; larger declared sizes are false
BOOKKEEPING = {"DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME"}
"""What HDF5's own tools note about axes; it says nothing of the recording."""


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """One array that can be read without leaving the file: its shape, () for a single value, and its NumPy type."""

    path: str
    data: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    free: FreeRows | None = None

    @classmethod
    def from_dataset(cls, opened: Opened, path: str, data: Any) -> "Leaf":
        """Look at an array; where its type is damaged an error comes here and not later."""
        dtype = data.dtype
        if dtype.itemsize > opened.size * BEST_COMPRESSION:
            raise OSError(f"one value of {dtype.itemsize} bytes is more than the file can hold")
        return cls(path, data, tuple(data.shape or ()), dtype, open_variable_length_rows(opened.path, data))

    @property
    def is_bytes(self) -> bool:
        """Is every row a string of bytes, of its own length or a fixed one?"""
        if self.free is not None:
            return self.free.width == 1
        return self.dtype.kind in "SV" and self.dtype.names is None

    @property
    def is_text(self) -> bool:
        """Is every row declared to be text?"""
        import h5py

        return self.is_bytes and h5py.check_string_dtype(self.dtype) is not None

    def read_row(self, index: int) -> bytes:
        """Return the bytes of one row, or of the only value, just as they are stored."""
        if self.free is not None:
            return self.free.read_row(index)
        if self.shape:
            return np.asarray(self.data[index : index + 1]).tobytes()
        whole = np.empty((), self.dtype)
        self.data.read_direct(whole)
        return whole.tobytes()

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def is_numeric(self) -> bool:
        """Does it hold rows of plain numbers or truths, by place or by name?"""
        named = self.dtype.names or ()
        kinds = {self.dtype[name].kind for name in named} or {self.dtype.kind}
        return kinds <= set("biuf") and bool(self.shape)


class Folder:
    """One group. Members are looked at once, when they are first asked for."""

    def __init__(self, opened: Opened, group: Any, path: str = "", above: tuple[int, ...] = ()) -> None:
        self.path, self._opened, self._group = path, opened, group
        self._above = (*above, _get_address(group))
        self._members: dict[str, Folder | Leaf] | None = None

    @property
    def name(self) -> str:
        """The last part of its path; '' for the whole file."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def members(self) -> Mapping[str, "Folder | Leaf"]:
        """Everything directly inside that can be read."""
        if self._members is None:
            self._members = dict(self._open_members())
        return self._members

    @property
    def folders(self) -> dict[str, "Folder"]:
        """The groups directly inside."""
        return {name: member for name, member in self.members.items() if isinstance(member, Folder)}

    @property
    def leaves(self) -> dict[str, Leaf]:
        """The arrays directly inside."""
        return {name: member for name, member in self.members.items() if isinstance(member, Leaf)}

    def clear_cache(self) -> None:
        """Let go of what is inside, so that a file of many episodes is not held open array by array."""
        self._members = None

    def find_member(self, path: str) -> "Folder | Leaf | None":
        """Return what is at a path below, None where there is nothing."""
        here: Folder | Leaf | None = self
        for part in path.split("/"):
            here = here.members.get(part) if isinstance(here, Folder) else None
        return here

    def list_all_leaves(self) -> Iterator[Leaf]:
        """Yield every array below, by path."""
        for _, member in sorted(self.members.items()):
            if isinstance(member, Folder):
                yield from member.list_all_leaves()
            else:
                yield member

    def read_attributes(self) -> dict[str, Any]:
        """Read the group's attributes; one that cannot be read is named."""
        return read_attributes(self._group, self.path or "/", self._opened.defects)

    def list_names(self) -> list[str]:
        """List what is inside without opening any of it; a damaged name may be bytes."""
        try:
            return sorted(self._group, key=str)
        except HDF5_ERRORS as wrong:
            self._add_defect(
                self.path or "/", note("ingest.part_unreadable", part="list of members", reason=shorten_error(wrong))
            )
            return []

    def _open_members(self) -> Iterator[tuple[str, "Folder | Leaf"]]:
        for raw in self.list_names():
            name = str(convert_to_plain_value(raw))
            path = f"{self.path}/{name}" if self.path else name
            try:
                member = self._open_member(raw, path)
            except HDF5_ERRORS as wrong:
                self._add_defect(
                    path, note("ingest.part_unreadable", part="group or array", reason=shorten_error(wrong))
                )
                continue
            if member is not None:
                yield name, member

    def _open_member(self, name: str, path: str) -> "Folder | Leaf | None":
        import h5py

        link = self._group.get(name, getlink=True)
        member = self._group[name] if isinstance(link, h5py.HardLink) else None
        if isinstance(member, h5py.Dataset) and not (outside := _find_external_target(member)):
            return Leaf.from_dataset(self._opened, path, member)
        if isinstance(link, h5py.ExternalLink):
            why = note("ingest.link_not_followed", target=f"another file ({link.filename})")
        elif isinstance(link, h5py.SoftLink):
            why = note("ingest.link_not_followed", target=link.path)
        elif isinstance(member, h5py.Group):
            if _get_address(member) not in self._above and len(self._above) <= DEEPEST:
                return Folder(self._opened, member, path, self._above)
            why = note("ingest.group_nested_too_deeply")
        elif not isinstance(member, h5py.Dataset):
            return None  # a stored type: it holds nothing
        else:
            why = note("ingest.link_not_followed", target=outside)
        self._add_defect(path, why)
        return None

    def _add_defect(self, path: str, message: Note) -> None:
        defect = Defect(path, "", message)
        if defect not in self._opened.defects:
            self._opened.defects.append(defect)


def read_attributes(group_or_array: Any, path: str, defects: list[Defect]) -> dict[str, Any]:
    """Read attributes as plain values: text, numbers, lists of them."""
    attributes: dict[str, Any] = {}
    try:
        names = list(group_or_array.attrs)
    except HDF5_ERRORS as wrong:
        message = note("ingest.part_unreadable", part="list of attributes", reason=shorten_error(wrong))
        defects.append(Defect(path, "", message))
        return attributes
    for name in names:
        if name in BOOKKEEPING:
            continue
        try:
            if why := _explain_unreadable(group_or_array.attrs.get_id(name)):
                raise OSError(why)
            attributes[str(convert_to_plain_value(name))] = convert_to_plain_value(group_or_array.attrs[name])
        except HDF5_ERRORS as wrong:
            message = note("ingest.part_unreadable", part="attribute", reason=shorten_error(wrong))
            defects.append(Defect(path, f"attribute {name}", message))
    return attributes


def _explain_unreadable(attribute: Any) -> str:
    """Return why an attribute is not read: damaged variable-length ones crash the library, and large ones are data."""
    from h5py import h5t

    kind = attribute.get_type()
    base = kind.get_super() if isinstance(kind, h5t.TypeArrayID) else kind
    if not isinstance(base, h5t.TypeIntegerID | h5t.TypeFloatID | h5t.TypeStringID | h5t.TypeEnumID):
        return f"values of the type {attribute.dtype} are not read as facts"
    if attribute.get_storage_size() > LARGEST_ATTRIBUTE:
        return f"{attribute.get_storage_size()} bytes are too many for a fact"
    return ""


def convert_to_plain_value(value: Any) -> Any:
    """Turn what h5py hands out into text, a number, a truth, or a list of them."""
    if isinstance(value, str):  # h5py lets undecodable bytes through, which cannot be written again
        value = value.encode("utf-8", "replace")
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, np.ndarray | np.generic):
        return convert_to_plain_value(value.tolist())
    if isinstance(value, list | tuple):
        return [convert_to_plain_value(item) for item in value]
    return value if isinstance(value, int | float | bool | None) else str(value)


def _find_external_target(dataset: Any) -> str:
    if dataset.external:
        return "another file"
    if dataset.is_virtual and any(source.file_name != SAME_FILE for source in dataset.virtual_sources()):
        return "other files"
    return ""


def _get_address(group: Any) -> int:
    from h5py import h5o

    try:
        return int(h5o.get_info(group.id).addr)
    except HDF5_ERRORS:
        return -1
