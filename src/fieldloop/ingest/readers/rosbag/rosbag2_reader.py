"""Read rosbag2 recordings: a folder with its metadata.yaml, or one SQLite file of it; one recording, one episode."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from fieldloop.ingest.complaints import Complaints
from fieldloop.ingest.episode_facts import collect_metadata_facts
from fieldloop.ingest.readers.rosbag.bag_metadata import FILE_NAME, ROOT, BagMetadata, parse_metadata, read_metadata
from fieldloop.ingest.readers.rosbag.definitions import choose_definition
from fieldloop.ingest.readers.rosbag.gathering import Gathering
from fieldloop.ingest.readers.rosbag.parts import Part, Parts, open_part
from fieldloop.ingest.readers.rosbag.sqlite_part import SqlitePart, find_leftover_files, is_sqlite_bag
from fieldloop.ingest.readers.rosbag.tally import Tally
from fieldloop.model.episode import Recording
from fieldloop.model.note import note

HEAD_BYTES = 1 << 16
PART_SUFFIXES = {".db3", ".mcap", ".zstd"}


class Rosbag2Reader:
    """SQLite and MCAP storage, split or not, compressed by file or by message."""

    name = "rosbag2"

    def recognises(self, path: Path) -> bool:
        """Is this a folder whose metadata.yaml describes a bag, or an SQLite file with a bag's tables?"""
        if path.is_file():
            return is_sqlite_bag(path)
        described = path / FILE_NAME
        if not described.is_file():
            return False
        with described.open("rb") as file:
            return ROOT.encode() in file.read(HEAD_BYTES)

    def files(self, path: Path) -> tuple[Path, ...]:
        """Return the files of a recording; beside a single file also what its writer left there."""
        if path.is_file():
            return (path, *find_leftover_files(path))
        return tuple(sorted(file for file in path.rglob("*") if file.is_file()))

    def read(self, path: Path) -> Iterator[Recording]:
        """Yield the one recording; what is broken in it is among its defects."""
        complain = Complaints(path.name)
        if path.is_file():
            single = SqlitePart(path, Complaints(path.name))
            metadata = parse_metadata(text, complain) if (text := single.read_stored_metadata()) else BagMetadata()
            yield self._make_recording(path.stem, [single], metadata.reduce_to_single_file(), complain, [path])
            return
        metadata = read_metadata(path / FILE_NAME, complain)
        files, metadata = _list_bag_files(path, metadata, complain)
        parts = [part for file in files if (part := open_part(file, Complaints(file.name)))]
        yield self._make_recording(path.name, _sort_by_time(parts, metadata), metadata, complain, self.files(path))

    def _make_recording(
        self, name: str, opened: Sequence[Part], metadata: BagMetadata, complain: Complaints, files: Sequence[Path]
    ) -> Recording:
        for part in opened:
            part.distribution = metadata.distribution or part.read_ros_distribution()
        parts = Parts(list(opened))
        gathering, tally = Gathering(parts), Tally()
        for part, described, arrived in parts.iterate_messages():
            tally.count_messages(part.path.name, described.topic, arrived)
            if not len(arrived.payloads):
                continue  # none of the batch could be unpacked, which is a defect of its part already
            if gathering.is_new_topic(described):
                described, wrong = choose_definition(described, arrived.payloads[0], part.distribution)  # noqa: PLW2901
                if wrong:
                    part.complain(described.topic, wrong)
            gathering.note_publisher(described)
            gathering.add_messages(described, arrived)
        tally.compare_with_metadata(metadata, complain)
        facts = collect_metadata_facts({"": metadata.custom}) | (
            {"ros_distro": metadata.distribution} if metadata.distribution else {}
        )
        for part in opened:
            facts |= part.facts
        defects = [defect for part in opened for defect in part.complain.list_defects()]
        return gathering.make_recording(name, self.name, facts, [*complain.list_defects(), *defects], files)


def _list_bag_files(folder: Path, metadata: BagMetadata, complain: Complaints) -> tuple[list[Path], BagMetadata]:
    """Return the files of a bag, and its metadata under the names that the files have now.

    They are those that metadata.yaml lists, also where they were renamed; where it lists none, those that look like
    parts.
    """
    there = {file.name: file for file in sorted(folder.iterdir()) if file.is_file() and file.suffix in PART_SUFFIXES}
    if metadata.parts is None:
        complain(FILE_NAME, note("ingest.files_not_listed"))
        return sorted(there.values(), key=_make_number_sort_key), metadata
    listed: dict[str, Path] = {}
    missing: list[str] = []
    for entry in metadata.parts:
        name = Path(entry).name  # older recorders put the folder in front; nothing outside it is ever read
        packed = next((n for n in (name, f"{name}.zstd") if n in there), None)
        if packed is None:
            missing.append(entry)
        else:
            listed[packed] = there[packed]
    extra = sorted((file for name, file in there.items() if name not in listed), key=_make_number_sort_key)
    if missing and len(missing) == len(extra):  # renamed: whether they hold what was recorded, the counts show
        metadata = metadata.rename_parts({old: new.name for old, new in zip(missing, extra, strict=True)})
        return [*listed.values(), *extra], metadata
    for entry in missing:
        complain(entry, note("ingest.listed_file_missing"))
    for file in extra:
        complain(file.name, note("ingest.file_not_listed", note("ingest.not_read")))
    return list(listed.values()), metadata


def _make_number_sort_key(path: Path) -> tuple[int, str]:
    digits = path.name.split(".")[0].rpartition("_")[2]
    return (int(digits) if digits.isdecimal() else 0), path.name


def _sort_by_time(parts: list[Part], metadata: BagMetadata) -> list[Part]:
    """Put the files in order of time, where that is known of all."""
    starts = [metadata.part_starts_ns.get(part.path.name, part.find_first_stamp_ns()) for part in parts]
    known = [start for start in starts if start is not None]
    if len(known) < len(parts):
        return parts
    return [parts[i] for i in sorted(range(len(parts)), key=known.__getitem__)]
