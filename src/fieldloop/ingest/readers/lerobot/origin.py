"""Build the Episode from what a dataset states: known fields, and facts for the rest."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.lerobot.dataset import Dataset
from fieldloop.ingest.readers.lerobot.layout import Entry
from fieldloop.ingest.readers.lerobot.sidecar import look_up_sidecar_facts
from fieldloop.ingest.readers.lerobot.stamps import CAPTURE
from fieldloop.ingest.readers.lerobot.texts import format_as_text
from fieldloop.ingest.span import find_time_span
from fieldloop.model.episode import Defect, Episode
from fieldloop.model.episode_text import parse_texts
from fieldloop.model.note import note
from fieldloop.model.stream import Stream

SUCCESS = "next.success"
FACTS = "facts"


def build_episode(
    id_: str,
    dataset: Dataset,
    entry: Entry,
    streams: Mapping[str, Stream],
    arrays: Mapping[str, NDArray[Any]],
    texts: Mapping[str, str],
    defects: list[Defect],
) -> Episode:
    """Build the Episode; invalid statements are reported and left out."""
    listed, remembered = _read_listed_facts(entry, defects), _look_up_sidecar_facts(dataset, entry, arrays)
    tasks = entry.tasks or _look_up_tasks(dataset, arrays, entry, defects)
    usual = {"task": tasks[0] if tasks else "", "name": f"episode_{entry.index:06d}"}
    stated = {**usual, **texts, **remembered, **listed}
    if "succeeded" not in stated and SUCCESS in arrays and arrays[SUCCESS].any():
        stated["succeeded"] = "true"
    ours = "uid" in stated
    fields, wrong = parse_texts(stated, from_foreign_log=not ours)
    fields.setdefault("robot", dataset.info.robot)
    defects += [Defect.from_place(key, "episode", entry.index, message) for key, message in wrong]
    place = {"dataset": dataset.root.name, "episode_index": str(entry.index), "dataset_episodes": str(dataset.listed)}
    if len(tasks) > 1:
        place["tasks"] = " | ".join(tasks)
    facts = tuple(sorted((dict(fields.pop("facts")) | place).items()))
    start_ns, end_ns = find_time_span(streams.values())
    return Episode(
        **fields, id=id_, format=f"lerobot {dataset.info.version}", start_ns=start_ns, end_ns=end_ns, facts=facts
    )


def _read_listed_facts(entry: Entry, defects: list[Defect]) -> dict[str, str]:
    """Return what the table of episodes says; further facts are one column of JSON."""
    stated = {key: format_as_text(value) for key, value in entry.facts.items() if value is not None and value != ""}
    packed = stated.pop(FACTS, None)
    if packed is None:
        return stated
    try:
        facts = json.loads(packed)
        further = dict(facts)
    except (ValueError, TypeError, RecursionError) as wrong:
        defects.append(Defect.from_place(FACTS, "episode", entry.index, note("ingest.not_json", reason=str(wrong))))
        return stated
    return {**{str(key): format_as_text(value) for key, value in further.items()}, **stated}


def _look_up_sidecar_facts(dataset: Dataset, entry: Entry, arrays: Mapping[str, NDArray[Any]]) -> dict[str, str]:
    """Look in the file beside the tables where the table of episodes has lost its further columns."""
    stamps = arrays.get(CAPTURE)
    if "uid" in entry.facts or stamps is None or not len(stamps):
        return {}
    key = (len(stamps), int(stamps[0, 0]), int(stamps[-1, 0]))
    return look_up_sidecar_facts(dataset.sidecar(), key, entry.index, dataset.listed)


def _look_up_tasks(
    dataset: Dataset, arrays: Mapping[str, NDArray[Any]], entry: Entry, defects: list[Defect]
) -> tuple[str, ...]:
    """Look the tasks up by number where the listing names none."""
    column = arrays.get("task_index")
    if column is None or not len(column) or column.dtype.kind not in "iu" or not dataset.tasks:
        return ()
    numbers = np.unique(column[:, 0]).tolist()
    if strange := [n for n in numbers if n not in dataset.tasks]:
        message = note("ingest.task_unknown", number=strange[0])
        defects.append(Defect.from_place("task_index", "episode", entry.index, message))
    return tuple(dataset.tasks[n] for n in numbers if n in dataset.tasks)
