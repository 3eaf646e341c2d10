"""A folder of measurements: an interrupted check goes on where it stopped, and can be judged without the logs."""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldloop import check as checks
from fieldloop.errors import BadInput
from fieldloop.ingest import open_log
from fieldloop.loop.looking import Looked, Part, Seen
from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.episode import Defect, Episode
from fieldloop.model.imprint import Imprint
from fieldloop.store.arrays import pack_arrays, unpack_arrays

SCHEMA = "kept/1"


@dataclass(frozen=True, slots=True)
class Kept:
    """Measurements of parts, a pair of files each; a part is known by its log's bytes and the numbers in force."""

    folder: Path

    def __post_init__(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise BadInput(f"{self.folder} is a file. Name a folder to keep measurements in.")

    def find(self, part: Part) -> Seen | None:
        """Return what was seen of this part before; None where it was not, or its log or the rules changed since."""
        file = self._file(part)
        return self._load(file) if file.is_file() else None

    def put(self, part: Part, seen: Seen) -> None:
        """Keep what was seen, whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self._file(part)
        arrays = {
            f"{number}/{name}": array
            for number, one in enumerate(seen.episodes)
            for name, array in one.imprint.arrays.items()
        }
        _write(file.with_suffix(".arrays"), pack_arrays(arrays))
        told = {
            "schema": SCHEMA,
            "log": part.path.name,
            "start": part.start,
            "format": seen.format,
            "defects": to_plain(seen.defects),
            "episodes": [to_plain(one.episode) for one in seen.episodes],
            "rows": [to_plain(checks.rows(one.episode.id, one.measured)) for one in seen.episodes],
        }
        _write(file, json.dumps(told).encode())

    def everything(self) -> Iterator[tuple[str, Seen]]:
        """Yield all that was kept, by log and place in it."""
        files = sorted(self.folder.glob("*.json")) if self.folder.is_dir() else []
        if not files:
            raise BadInput(f"{self.folder} holds no measurements. Make some: fieldloop check PATH --keep {self.folder}")
        told = sorted((_read(file) for file in files), key=lambda t: (t["log"], t["start"]))
        for one in told:
            yield one["log"], self._load(self.folder / one["file"])

    def _file(self, part: Part) -> Path:
        files = open_log(part.path).files
        stats = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
        mapping = part.mapping.fingerprint if part.mapping else ""
        key = json.dumps([stats, part.start, part.stop, part.pixels, part.rules.measuring, mapping])
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"

    def _load(self, file: Path) -> Seen:
        told, arrays = _read(file), unpack_arrays(file.with_suffix(".arrays").read_bytes())
        looked = []
        for number, (plain, rows) in enumerate(zip(told["episodes"], told["rows"], strict=True)):
            episode, head = from_plain(Episode, plain), f"{number}/"
            imprint = Imprint({n.removeprefix(head): a for n, a in arrays.items() if n.startswith(head)})
            looked.append(Looked(episode, checks.from_rows(rows).get(episode.id, ()), imprint))
        return Seen(told["format"], tuple(looked), tuple(from_plain(Defect, d) for d in told["defects"]))


def _read(file: Path) -> dict[str, Any]:
    try:
        told: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as wrong:
        raise BadInput(f"{file} is damaged: {wrong}. Delete it; its episodes are then looked at again.") from wrong
    if told.get("schema") != SCHEMA:
        raise BadInput(f"{file} holds no measurements of this version ({SCHEMA}). Name another folder.")
    return {**told, "file": file.name}


def _write(file: Path, content: bytes) -> None:
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    part.write_bytes(content)
    part.replace(file)
