"""What a dataset says about an episode becomes the Episode: its own fields where they are known, facts else."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.ingest.readers.lerobot.dataset import Dataset
from fieldloop.ingest.readers.lerobot.layout import Entry
from fieldloop.ingest.readers.lerobot.sidecar import recall
from fieldloop.ingest.readers.lerobot.stamps import CAPTURE
from fieldloop.ingest.readers.lerobot.texts import plain_text
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Defect, Episode
from fieldloop.model.stream import ClockKind, Stream

TEXTS = ("name", "task", "robot", "site", "operator", "session", "provider", "protocol", "failure")
ALIASES = {"robot_type": "robot", "robot_id": "robot", "operator_id": "operator", "collector": "operator"}
TRUTHS = ("simulated", "succeeded")
SUCCESS = "next.success"
FACTS = "facts"
REAL_TIME = (ClockKind.HEADER, ClockKind.PUBLISH, ClockKind.LOG, ClockKind.SYNTHETIC, ClockKind.CONTAINER)


def episode_of(
    id_: str,
    dataset: Dataset,
    entry: Entry,
    streams: Mapping[str, Stream],
    arrays: Mapping[str, NDArray[Any]],
    texts: Mapping[str, str],
    defects: list[Defect],
) -> Episode:
    """Build the Episode; what is stated wrongly is named and left out."""
    said = {**texts, **_remembered(dataset, entry, arrays), **_stated(entry, defects)}
    for other, field in ALIASES.items():
        if other in said and field not in said:
            said[field] = said[other]
    tasks = entry.tasks or _tasks(dataset, arrays, entry, defects)
    fields: dict[str, Any] = {key: plain_text(said[key]) for key in TEXTS if key in said}
    fields |= {key: said[key] for key in TRUTHS if isinstance(said.get(key), bool)}
    if "succeeded" not in fields and SUCCESS in arrays and arrays[SUCCESS].any():
        fields["succeeded"] = True
    try:
        fields["stratum"] = Stratum.parse(str(said.get("stratum", "")))
    except BadInput as wrong:
        defects.append(Defect("stratum", f"episode {entry.index}", str(wrong)))
    known = {*TEXTS, *TRUTHS, "stratum"}
    facts = {key: plain_text(value) for key, value in said.items() if key not in known}
    facts |= {"dataset": dataset.root.name, "episode_index": str(entry.index), "dataset_episodes": str(dataset.listed)}
    if len(tasks) > 1:
        facts["tasks"] = " | ".join(tasks)
    start_ns, end_ns = _span(streams)
    usual = {"robot": dataset.info.robot, "name": f"episode_{entry.index:06d}", "task": tasks[0] if tasks else ""}
    return Episode(
        **{**usual, **fields}, id=id_, format=f"lerobot {dataset.info.version}", start_ns=start_ns, end_ns=end_ns,
        facts=tuple(sorted(facts.items())),
    )  # fmt: skip


def _stated(entry: Entry, defects: list[Defect]) -> dict[str, Any]:
    """Return what the table of episodes says; further facts are one column of JSON."""
    said = {key: value for key, value in entry.facts.items() if value is not None and value != ""}
    packed = said.pop(FACTS, None)
    if packed is None:
        return said
    try:
        facts = json.loads(packed)
        further = dict(facts)
    except (ValueError, TypeError, RecursionError) as wrong:
        defects.append(Defect(FACTS, f"episode {entry.index}", f"Further facts are no JSON: {wrong}."))
        return said
    return {**{str(key): value for key, value in further.items()}, **said}


def _remembered(dataset: Dataset, entry: Entry, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Look in the file beside the tables where the table of episodes has lost its further columns."""
    stamps = arrays.get(CAPTURE)
    if "uid" in entry.facts or stamps is None or not len(stamps):
        return {}
    key = (len(stamps), int(stamps[0, 0]), int(stamps[-1, 0]))
    return recall(dataset.sidecar(), key, entry.index, dataset.listed)


def _tasks(
    dataset: Dataset, arrays: Mapping[str, NDArray[Any]], entry: Entry, defects: list[Defect]
) -> tuple[str, ...]:
    """Look the tasks up by number where the listing names none."""
    column = arrays.get("task_index")
    if column is None or not len(column) or column.dtype.kind not in "iu" or not dataset.tasks:
        return ()
    numbers = np.unique(column[:, 0]).tolist()
    if strange := [n for n in numbers if n not in dataset.tasks]:
        defects.append(Defect("task_index", f"episode {entry.index}", f"No task has the number {strange[0]}."))
    return tuple(dataset.tasks[n] for n in numbers if n in dataset.tasks)


def _span(streams: Mapping[str, Stream]) -> tuple[int, int]:
    """Real time where capture stamps were kept, else from 0."""
    for clock in REAL_TIME:
        found = {id(s.clocks[clock]): s.clocks[clock] for s in streams.values() if clock in s.clocks and len(s)}
        if found:
            return int(min(t.min() for t in found.values())), int(max(t.max() for t in found.values()))
    return 0, 0
