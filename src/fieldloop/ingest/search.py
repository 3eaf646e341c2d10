"""Find the logs at a path, by content and never by file name."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from fieldloop.ingest.reader import Reader
from fieldloop.ingest.text_mode import is_file_damaged_by_text_mode
from fieldloop.model.episode import Defect
from fieldloop.model.note import note

SQLITE = b"SQLite format 3\x00"
STRANGERS = {
    b"#ROSBAG V": "a ROS 1 bag of another version than 2.0; `rosbag fix` converts it",
    SQLITE: "an SQLite file without the tables of a rosbag2 recording",
    b"PAR1": "a Parquet file; give the dataset's folder, the one that holds meta/info.json",
}
TEXT_MODE = "that was copied in text mode, which changed its line ends and destroyed it; copy it again in binary mode"
MANGLED = {
    b"\x89MCAP0\r\r\n": "an MCAP log",
    b"\x89MCAP0\n": "an MCAP log",
    b"\xef\xbf\xbdMCAP0": "an MCAP log",
    b"\xc2\x89MCAP0": "an MCAP log",
    b"\x89HDF\r\r\n": "an HDF5 file",
    b"\x89HDF\n": "an HDF5 file",
    b"\xef\xbf\xbdHDF\r": "an HDF5 file",
    b"\xc2\x89HDF\r": "an HDF5 file",
    b"#ROSBAG V2.0\r\n": "a ROS 1 bag",
}
"""Beginnings after \\n became \\r\\n or the reverse, or after bytes were taken for characters."""

MP4_MARK = slice(4, 8)
HEAD_BYTES = 16


class FoundLog(NamedTuple):
    """A log and the reader that recognises it."""

    reader: Reader
    path: Path


def find_logs(path: Path, readers: Sequence[Reader]) -> tuple[tuple[FoundLog, ...], tuple[Defect, ...]]:
    """Find every log at or below a path, by name; a file beside them that looks like one but is not is a defect."""
    defects: list[Defect] = []
    if reader := _find_recognising_reader(path, readers, defects):
        return (FoundLog(reader, path),), tuple(defects)
    logs: list[FoundLog] = []
    others: list[Path] = []
    if path.is_dir():
        for candidate in _collect_logs_and_files(path, readers, logs, defects):
            if reader := _find_recognising_reader(candidate, readers, defects):
                logs.append(FoundLog(reader, candidate))
            else:
                others.append(candidate)
    defects += _find_split_bags(logs, path)
    suffixes = {log.path.suffix for log in logs if log.path.is_file()} - {""}
    defects += [
        Defect.from_place(
            other.relative_to(path).as_posix(), "byte", 0, note("ingest.not_a_log", reason=explain_not_a_log(other))
        )
        for other in others
        if other.suffix in suffixes or _detect_mangled_format(_read_head(other))
    ]
    return tuple(sorted(logs, key=lambda log: log.path)), tuple(defects)


def explain_not_a_log(path: Path) -> str:
    """Return, as a sentence, why this is not a readable log."""
    if path.is_dir():
        entries = sorted(entry.name for entry in path.iterdir())
        inside = (
            f"it holds {', '.join(entries[:5])}{' …' if len(entries) > len(entries[:5]) else ''}"
            if entries
            else "it is empty"
        )
        seen = next((kind for file in _list_files(path) if (kind := _detect_foreign_format(_read_head(file)))), "")
        hint = f" At least one file in it is {seen}." if seen else ""
        return (
            f"{path} is a folder without a log: {inside}. "
            f"Looked for files with the signature of a log and for a folder with meta/info.json or metadata.yaml.{hint}"
        )
    size = path.stat().st_size
    if size == 0:
        return f"{path.name} is empty (0 bytes)."
    head = _read_head(path)
    if head.startswith(SQLITE) and is_file_damaged_by_text_mode(path):  # its beginning stays as it is
        return f"{path.name} is an SQLite file {TEXT_MODE}."
    if known := _detect_foreign_format(head):
        return f"{path.name} is {known}."
    return f"{path.name} is not a known log format ({size} bytes, starting with {head[:8].hex(' ')})."


def _find_split_bags(logs: Sequence[FoundLog], root: Path) -> Iterator[Defect]:
    """Files `<folder>_0`, `<folder>_1` … are how ROS 2 splits one recording; without metadata.yaml they are several."""
    folders: dict[Path, list[Path]] = {}
    for log in logs:
        stem, _, number = log.path.stem.rpartition("_")
        if log.path.is_file() and stem == log.path.resolve().parent.name and number.isdecimal():
            folders.setdefault(log.path.parent, []).append(log.path)
    for folder, files in sorted(folders.items()):
        if len(files) > 1:
            yield Defect(
                folder.relative_to(root).as_posix(),
                "metadata.yaml",
                note("ingest.split_without_metadata", files=len(files)),
            )


def _collect_logs_and_files(
    root: Path, readers: Sequence[Reader], logs: list[FoundLog], defects: list[Defect]
) -> Iterator[Path]:
    """Yield files; a folder that is itself a log is taken whole and not entered."""
    for place, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in list(folders):
            if reader := _find_recognising_reader(Path(place, name), readers, defects):
                logs.append(FoundLog(reader, Path(place, name)))
                folders.remove(name)
        yield from (Path(place, name) for name in sorted(files))


def _find_recognising_reader(path: Path, readers: Sequence[Reader], defects: list[Defect]) -> Reader | None:
    for reader in readers:
        try:
            if reader.recognises(path):
                return reader
        except Exception as broken:  # noqa: BLE001 - a stranger's reader may raise anything; the others are still asked
            message = note("ingest.reader_failed", reader=reader.name, file=path.name, reason=repr(broken))
            complaint = Defect(f"reader {reader.name}", "", message)
            if complaint not in defects:
                defects.append(complaint)
    return None


def _list_files(folder: Path) -> Iterator[Path]:
    return (Path(place, name) for place, _, files in os.walk(folder) for name in sorted(files))


def _read_head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError:
        return b""


def _detect_foreign_format(head: bytes) -> str:
    if head[MP4_MARK] == b"ftyp":
        return "a video; give the dataset's folder, the one that holds meta/info.json"
    if mangled := _detect_mangled_format(head):
        return f"{mangled} {TEXT_MODE}"
    return next((name for magic, name in STRANGERS.items() if head.startswith(magic)), "")


def _detect_mangled_format(head: bytes) -> str:
    return next((name for magic, name in MANGLED.items() if head.startswith(magic)), "")
