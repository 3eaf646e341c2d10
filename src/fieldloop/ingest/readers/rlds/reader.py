"""Read RLDS and other TFDS datasets kept as TFRecord files, without TensorFlow."""

from collections.abc import Iterator
from pathlib import Path

from fieldloop.ingest.readers.rlds.episode import Position, add_place_to_note, read_recording
from fieldloop.ingest.readers.rlds.framing import begins_with_record, read_records
from fieldloop.ingest.readers.rlds.inflated import open_shard
from fieldloop.ingest.readers.rlds.layout import HEAD_BYTES, INFO, DatasetFiles, Shard, is_dataset, read_layout
from fieldloop.ingest.readers.rlds.schema import Leaf, read_schema
from fieldloop.model.episode import Defect, Recording
from fieldloop.model.note import note


class RldsReader:
    """A version's folder with features.json and shards, or one TFRecord file of tf.train.Examples."""

    name = "rlds"

    def recognises(self, path: Path) -> bool:
        """Is it a TFDS dataset, or a file that begins with a framed tf.train.Example?"""
        try:
            if path.is_dir():
                return is_dataset(path)
            if not path.is_file():
                return False
            file, _ = open_shard(path)
            with file:
                return begins_with_record(file.read(HEAD_BYTES))
        except OSError:
            return False

    def read(self, path: Path) -> Iterator[Recording]:
        """Yield the episodes, one a record, split by split and shard by shard."""
        layout = read_layout(path)
        leaves = read_schema(path)[0] if path.is_dir() else {}
        for shard in layout.shards:
            yield from _read_shard(layout, shard, leaves)

    def count(self, path: Path) -> int:
        """How many records are there?"""
        return sum(shard.expected or _count_records(shard)[0] for shard in read_layout(path).shards)

    def defects(self, path: Path) -> tuple[Defect, ...]:
        """Return what is missing, and where files and dataset_info.json disagree; records are counted, not opened."""
        layout = read_layout(path)
        defects = list(layout.defects)
        if path.is_dir():
            defects += read_schema(path)[1]
        for shard in layout.shards:
            count, wrong = _count_records(shard)
            defects += wrong
            if shard.expected is not None and count != shard.expected:
                message = note("ingest.count_mismatch", stated=shard.expected, what="records", found=count)
                defects.append(Defect(shard.path.name, INFO, message))
        return tuple(defects)


def _read_shard(layout: DatasetFiles, shard: Shard, leaves: dict[str, Leaf]) -> Iterator[Recording]:
    try:
        file, size = open_shard(shard.path)
    except OSError:
        return  # reported by `defects`
    with file:
        for record in read_records(file, size):
            if not record.payload:
                continue  # reported by `defects`
            index = shard.first + record.index
            facts = {"dataset": layout.name, "episode_index": str(index)}
            if shard.split:
                facts["split"] = shard.split
            if layout.episodes is not None:
                facts["dataset_episodes"] = str(layout.episodes)
            name = f"{shard.split or layout.name}_{index:06d}"
            recording = read_recording(Position(shard.path, name, facts), record, leaves)
            del record  # its pictures stay in the file
            yield recording


def _count_records(shard: Shard) -> tuple[int, list[Defect]]:
    """Count a shard's records by their heads alone."""
    try:
        file, size = open_shard(shard.path)
    except OSError as wrong:
        return 0, [Defect(shard.path.name, "", note("ingest.file_unreadable", reason=str(wrong)))]
    count, defects = 0, []
    with file:
        for record in read_records(file, size, with_payloads=False):
            if record.wrong:
                place = f"record {record.index}, byte {record.offset}"
                defects.append(Defect(shard.path.name, place, add_place_to_note(record.wrong, record)))
            count += record.length > 0
    return count, defects
