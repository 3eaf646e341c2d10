"""Labels of a release inside the dataset that it was exported to, in the forms that its library reads."""

import json
from collections.abc import Sequence
from pathlib import Path

from fieldloop.annotate import choose_labels
from fieldloop.model.annotation import Annotation
from fieldloop.model.note import Note, note
from fieldloop.release.writers.lerobot.labels import write_lerobot_labels

LEROBOT = "lerobot"


def add_labels_to_dataset(target: Path, to: str, labels: Sequence[Annotation]) -> tuple[Note, ...]:
    """Add labels to an exported LeRobot dataset; return what it cannot hold. Other formats keep them in their list."""
    if to != LEROBOT or not labels:
        return ()
    by_episode: dict[str, list[Annotation]] = {}
    for label in choose_labels(labels):
        by_episode.setdefault(label.episode, []).append(label)
    fps = float(json.loads((target / "meta" / "info.json").read_text(encoding="utf-8"))["fps"])
    written = write_lerobot_labels(target, by_episode, fps)
    lost: list[Note] = []
    if written.kinds_left_out:
        lost.append(note("release.labels_of_other_kinds", kinds=written.kinds_left_out))
    if written.gaps:
        lost.append(note("release.labels_without_gaps", gaps=written.gaps))
    return tuple(lost)
