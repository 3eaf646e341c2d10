"""One MCAP file of a rosbag2 recording."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.complaints import Complaints
from fieldloop.ingest.episode_facts import collect_metadata_facts
from fieldloop.ingest.messages.arrived import Arrived, Described
from fieldloop.ingest.readers.mcap.attached_facts import collect_attachment_facts
from fieldloop.ingest.readers.mcap.payloads import McapPayloads
from fieldloop.ingest.readers.mcap.scan import McapScan
from fieldloop.ingest.readers.rosbag.definitions import fill_in_definition
from fieldloop.ingest.readers.rosbag.unpacked import ScratchFile

RECORDERS_OWN = "rosbag2"  # what metadata.yaml says, once more


class McapPart:
    """A .mcap file; `scratch` is what it was unpacked to, where it is compressed."""

    def __init__(self, path: Path, complain: Complaints, scratch: ScratchFile | None = None) -> None:
        self.path, self.complain, self.distribution = path, complain, ""
        self._held, self._plain = scratch, scratch.path if scratch else path
        self._scan = McapScan(self._plain)

    @property
    def facts(self) -> Mapping[str, str]:
        """What the file says about its episode, once it was read."""
        records = {name: pairs for name, pairs in self._scan.metadata.items() if name != RECORDERS_OWN}
        return collect_attachment_facts(self._scan.attachments) | collect_metadata_facts(records)

    def iterate_messages(self) -> Iterator[tuple[Described, Arrived]]:
        """Yield what can be read, in batches, in the order it was written."""
        for number, arrived in self._scan.iterate_batches():
            yield fill_in_definition(self._scan.catalogue.describe[number], self.distribution), arrived
        for defect in self._scan.defects:
            self.complain(defect.place, defect.message)

    def fetch(self, places: NDArray[np.int64]) -> Iterator[bytes]:
        """Yield messages again by their places."""
        return McapPayloads(self._plain).fetch(places)

    def read_ros_distribution(self) -> str:
        """Return nothing: the file carries its types."""
        return ""

    def find_first_stamp_ns(self) -> int | None:
        """Return nothing: the order of files is the one that is listed."""
        return None
