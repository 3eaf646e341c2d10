"""A folder of cached measurements: an interrupted check continues from it, and it can be judged without the logs."""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import fieldloop.check as checks
from fieldloop.errors import BadInput
from fieldloop.loop.work.measure_part import EpisodeResult, Part, PartResult, Rules
from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.episode import Defect, Episode
from fieldloop.model.imprint import Imprint
from fieldloop.protocol.layers import compute_fingerprint
from fieldloop.store.arrays import pack_arrays, unpack_arrays

SCHEMA = "kept/2"
RULES = "held_against"
"""The key of the rules' fingerprint in the files; its name is part of the schema."""


@dataclass(frozen=True, slots=True)
class CachedPart:
    """Result of an earlier run: `outdated` if the rules changed since, `pixels` if pictures were decoded."""

    result: PartResult
    outdated: bool
    pixels: bool


@dataclass(frozen=True, slots=True)
class PartCache:
    """Measurements of parts under some rules, two files per part.

    A log is identified by the names, sizes and modification times of its files, without reading it. A part is
    identified by its log, its place in it, the mapping, the rules and the facts that a person states.
    """

    folder: Path
    rules: Rules

    def __post_init__(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise BadInput(f"{self.folder} is a file. Name a folder to keep measurements in.")

    def find_result(self, part: Part) -> PartResult | None:
        """Return the cached result of this part; None where there is none, or its log or the rules changed since."""
        file = self._get_file(part)
        return self._load_result(file) if file.is_file() else None

    def store_result(self, part: Part, result: PartResult) -> None:
        """Write a result; each file is written atomically."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self._get_file(part)
        arrays = {
            f"{number}/{name}": array
            for number, episode in enumerate(result.episodes)
            for name, array in episode.imprint.arrays.items()
        }
        _write_json_file(file.with_suffix(".arrays"), pack_arrays(arrays))
        content = {
            "schema": SCHEMA,
            "log": part.path.name,
            "path": str(part.path.resolve()),
            "identity": _compute_log_key(part),
            "start": part.start,
            "pixels": part.pixels,
            RULES: fingerprint_rules(self.rules),
            "format": result.format,
            "defects": to_plain(result.defects),
            "episodes": [to_plain(e.episode) for e in result.episodes],
            "rows": [
                to_plain(checks.convert_measurements_to_columns(e.episode.id, e.measured)) for e in result.episodes
            ],
        }
        _write_json_file(file, json.dumps(content).encode())

    def iterate_results(self) -> Iterator[CachedPart]:
        """Yield the best cached result of every part, ordered by log and place in it.

        Results from before a log changed are left out. Results under the current rules are better than outdated ones,
        and those with pictures better than those of numbers only. Among equals the newest counts.
        """
        files = sorted(self.folder.glob("*.json")) if self.folder.is_dir() else []
        if not files:
            raise BadInput(f"{self.folder} holds no measurements. Make some: fieldloop check PATH --keep {self.folder}")
        now = fingerprint_rules(self.rules)
        heads = sorted((_read_json_file(file) for file in files), key=lambda h: int(h["written_ns"]))
        current = {head["path"]: head["identity"] for head in heads}
        best: dict[tuple[str, int], dict[str, Any]] = {}
        for head in sorted(heads, key=lambda h: (h[RULES] == now, h["pixels"])):  # stable: the newest comes last
            if current[head["path"]] == head["identity"]:
                best[head["identity"], head["start"]] = head
        for head in sorted(best.values(), key=lambda h: (h["log"], h["identity"], h["start"])):
            yield CachedPart(self._load_result(self.folder / head["file"]), head[RULES] != now, head["pixels"])

    def _get_file(self, part: Part) -> Path:
        mapping = part.mapping.fingerprint if part.mapping else ""
        key = [_compute_log_key(part), part.start, part.stop, part.pixels, fingerprint_rules(self.rules), mapping]
        if part.amendments:
            key.append([(one.name, one.value) for one in part.amendments.stated])
        return self.folder / f"{_compute_short_hash(key)}.json"

    def _load_result(self, file: Path) -> PartResult:
        content, arrays = _read_json_file(file), unpack_arrays(file.with_suffix(".arrays").read_bytes())
        episodes = []
        for number, (plain, rows) in enumerate(zip(content["episodes"], content["rows"], strict=True)):
            episode, head = from_plain(Episode, plain), f"{number}/"
            imprint = Imprint({n.removeprefix(head): a for n, a in arrays.items() if n.startswith(head)})
            episodes.append(
                EpisodeResult(episode, checks.read_measurements_from_columns(rows).get(episode.id, ()), imprint)
            )
        return PartResult(
            content["format"], tuple(episodes), tuple(from_plain(Defect, plain) for plain in content["defects"])
        )


@lru_cache(maxsize=8)
def fingerprint_rules(rules: Rules) -> str:
    """Fingerprint of all that a result depends on beside the log: what is measured, calibrations and annotations."""
    return compute_fingerprint([rules.fingerprint, to_plain(rules.calibrations), to_plain(rules.annotations)])


def _compute_log_key(part: Part) -> str:
    files = part.open().files
    return _compute_short_hash([(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files])


def _compute_short_hash(content: Any) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]


def _read_json_file(file: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as wrong:
        raise BadInput(f"{file} is damaged: {wrong}. Delete it; its episodes are then measured again.") from wrong
    if content.get("schema") != SCHEMA:
        raise BadInput(
            f"{file} was not written in the measurement format that this fieldloop reads ({SCHEMA}). "
            "Name another folder."
        )
    return {**content, "file": file.name, "written_ns": file.stat().st_mtime_ns}


def _write_json_file(file: Path, content: bytes) -> None:
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    part.write_bytes(content)
    part.replace(file)
