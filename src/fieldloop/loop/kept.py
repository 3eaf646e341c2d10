"""A folder of measurements: an interrupted check goes on where it stopped, and can be judged without the logs."""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from fieldloop import check as checks
from fieldloop.errors import BadInput
from fieldloop.ingest import open_log
from fieldloop.loop.looking import Looked, Part, Rules, Seen
from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.episode import Defect, Episode
from fieldloop.model.imprint import Imprint
from fieldloop.protocol.layers import fingerprint
from fieldloop.store.arrays import pack_arrays, unpack_arrays

SCHEMA = "kept/2"


@dataclass(frozen=True, slots=True)
class SeenBefore:
    """What was seen of a part in an earlier run: `outdated` by what is in force now, `pixels` looked at or not."""

    seen: Seen
    outdated: bool
    pixels: bool


@dataclass(frozen=True, slots=True)
class Kept:
    """Measurements of parts, a pair of files each.

    A log is known by names, sizes and times of change of its files, which are read without reading the log; a part by
    that and by everything its episodes were held against.
    """

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
            "path": str(part.path.resolve()),
            "identity": _identity(part),
            "start": part.start,
            "pixels": part.pixels,
            "held_against": held_against(part.rules),
            "format": seen.format,
            "defects": to_plain(seen.defects),
            "episodes": [to_plain(one.episode) for one in seen.episodes],
            "rows": [to_plain(checks.rows(one.episode.id, one.measured)) for one in seen.episodes],
        }
        _write(file, json.dumps(told).encode())

    def everything(self, rules: Rules) -> Iterator[SeenBefore]:
        """Yield every part once, by log and place in it: the newest look of the best kind.

        Looks at what a log was before it changed are left out. Of several looks at a part, one by what is in force now
        is better than an outdated one, and one with pictures better than one at the numbers alone.
        """
        files = sorted(self.folder.glob("*.json")) if self.folder.is_dir() else []
        if not files:
            raise BadInput(f"{self.folder} holds no measurements. Make some: fieldloop check PATH --keep {self.folder}")
        now = held_against(rules)
        told = sorted((_read(file) for file in files), key=lambda t: int(t["written_ns"]))
        current = {one["path"]: one["identity"] for one in told}
        best: dict[tuple[str, int], dict[str, Any]] = {}
        for one in sorted(told, key=lambda t: (t["held_against"] == now, t["pixels"])):  # stable: the newest last
            if current[one["path"]] == one["identity"]:
                best[one["identity"], one["start"]] = one
        for one in sorted(best.values(), key=lambda t: (t["log"], t["identity"], t["start"])):
            yield SeenBefore(self._load(self.folder / one["file"]), one["held_against"] != now, one["pixels"])

    def _file(self, part: Part) -> Path:
        mapping = part.mapping.fingerprint if part.mapping else ""
        key = [_identity(part), part.start, part.stop, part.pixels, held_against(part.rules), mapping]
        return self.folder / f"{_short(key)}.json"

    def _load(self, file: Path) -> Seen:
        told, arrays = _read(file), unpack_arrays(file.with_suffix(".arrays").read_bytes())
        looked = []
        for number, (plain, rows) in enumerate(zip(told["episodes"], told["rows"], strict=True)):
            episode, head = from_plain(Episode, plain), f"{number}/"
            imprint = Imprint({n.removeprefix(head): a for n, a in arrays.items() if n.startswith(head)})
            looked.append(Looked(episode, checks.from_rows(rows).get(episode.id, ()), imprint))
        return Seen(told["format"], tuple(looked), tuple(from_plain(Defect, d) for d in told["defects"]))


@lru_cache(maxsize=8)
def held_against(rules: Rules) -> str:
    """Name all that an episode is held against: what is measured, and the calibrations and annotations known."""
    return fingerprint([rules.measuring, to_plain(rules.calibrations), to_plain(rules.annotations)])


def _identity(part: Part) -> str:
    files = open_log(part.path).files
    return _short([(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files])


def _short(content: Any) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]


def _read(file: Path) -> dict[str, Any]:
    try:
        told: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as wrong:
        raise BadInput(f"{file} is damaged: {wrong}. Delete it; its episodes are then looked at again.") from wrong
    if told.get("schema") != SCHEMA:
        raise BadInput(f"{file} holds no measurements of this version ({SCHEMA}). Name another folder.")
    return {**told, "file": file.name, "written_ns": file.stat().st_mtime_ns}


def _write(file: Path, content: bytes) -> None:
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    part.write_bytes(content)
    part.replace(file)
