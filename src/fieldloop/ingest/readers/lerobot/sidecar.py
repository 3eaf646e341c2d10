"""The file in which a release keeps its episodes' origin a second time: LeRobot's own tools drop unknown columns."""

from pathlib import Path
from typing import NamedTuple

from fieldloop.errors import BadInput
from fieldloop.ingest.readers.lerobot.info import read_json_lines
from fieldloop.model.codec import from_plain
from fieldloop.model.episode import Defect, Episode
from fieldloop.model.episode_text import convert_to_texts
from fieldloop.model.note import note

SIDECAR = "meta/fieldloop.jsonl"
Key = tuple[int, int, int]
"""How an episode is found again after others were deleted: its length, its first and its last real stamp."""


class Remembered(NamedTuple):
    """One line: the number the episode had when it was written, and what the table of episodes stated about it."""

    number: int
    stated: dict[str, str]


Sidecar = dict[Key, list[Remembered]]


def look_up_sidecar_facts(sidecar: Sidecar, key: Key, index: int, listed_episodes: int) -> dict[str, str]:
    """Return what is remembered of an episode; nothing where several match."""
    lines = sidecar.get(key, [])
    if len(lines) > 1 and listed_episodes == sum(
        map(len, sidecar.values())
    ):  # none was deleted: numbers are what they were
        lines = [line for line in lines if line.number == index]
    return dict(lines[0].stated) if len(lines) == 1 else {}


def read_sidecar(root: Path, defects: list[Defect]) -> Sidecar:
    """Return what each episode's line says, as the columns of the table of episodes would."""
    if not (root / SIDECAR).is_file():
        return {}
    sidecar: Sidecar = {}
    for number, line in enumerate(read_json_lines(root / SIDECAR, defects), 1):
        try:
            first, last = line["capture_ns"]
            episode = from_plain(Episode, line["episode"])
            key = (int(line["length"]), int(first), int(last))
            stated = {**convert_to_texts(episode), "uid": str(line.get("uid") or episode.id)}
            remembered = Remembered(int(line["episode_index"]), stated)
        except (BadInput, KeyError, TypeError, ValueError, AttributeError, OverflowError) as wrong:
            defects.append(
                Defect.from_place(SIDECAR, "line", number, note("ingest.origin_unreadable", reason=repr(wrong)))
            )
            continue
        sidecar.setdefault(key, []).append(remembered)
    return sidecar


def check_sidecar(root: Path, defects: list[Defect]) -> None:
    """Report lines that are not valid JSON; the rest is used only where the table of episodes has lost it."""
    if (root / SIDECAR).is_file():
        for _ in read_json_lines(root / SIDECAR, defects):
            pass
