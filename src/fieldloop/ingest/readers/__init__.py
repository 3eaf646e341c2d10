"""Every reader, listed by hand, and those that other packages bring under the entry-point group `fieldloop.readers`."""

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from fieldloop.ingest.reader import Reader
from fieldloop.ingest.readers.hdf5 import Hdf5Reader
from fieldloop.ingest.readers.lerobot import LeRobotReader
from fieldloop.ingest.readers.mcap import McapReader
from fieldloop.ingest.readers.rlds import RldsReader
from fieldloop.ingest.readers.rosbag import Ros1Reader, Rosbag2Reader
from fieldloop.model.episode import Defect
from fieldloop.model.note import note

READERS: tuple[Reader, ...] = (McapReader(), Ros1Reader(), Rosbag2Reader(), LeRobotReader(), Hdf5Reader(), RldsReader())
GROUP = "fieldloop.readers"


@cache  # looking through everything installed takes longer than reading a small log
def list_plug_ins() -> tuple[EntryPoint, ...]:
    """Return the entry points of other packages."""
    return tuple(entry_points(group=GROUP))


def load_readers() -> tuple[tuple[Reader, ...], tuple[Defect, ...]]:
    """Return our readers and the plugged-in ones; a plug-in that fails to load is a defect."""
    readers, defects = list(READERS), []
    for point in list_plug_ins():
        try:
            loaded = point.load()
            reader = loaded() if isinstance(loaded, type) else loaded
            if not isinstance(reader, Reader):
                missing = [name for name in ("name", "recognises", "read") if not hasattr(reader, name)]
                raise TypeError(f"it has no {', '.join(missing)}")  # noqa: TRY301 - reported like any other fault of it
            readers.append(reader)
        except Exception as broken:  # noqa: BLE001 - a stranger's package may raise anything while it is imported
            defects.append(
                Defect(f"reader plug-in {point.name}", point.value, note("ingest.plug_in_failed", reason=str(broken)))
            )
    return tuple(readers), tuple(defects)
