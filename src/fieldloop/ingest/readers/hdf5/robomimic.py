"""robomimic's layout: one group a demonstration, observations by key, filter keys beside them."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fieldloop.ingest.readers.hdf5.described import described_draft
from fieldloop.ingest.readers.hdf5.draft import ASSUMED_HZ, Draft, Part, counted_rows_note, text_of
from fieldloop.ingest.readers.hdf5.names import kind_of_array
from fieldloop.ingest.readers.hdf5.opened import HDF5_ERRORS, Opened, reason
from fieldloop.ingest.readers.hdf5.parts import observation_parts, part_of
from fieldloop.ingest.readers.hdf5.rows import stored_rows
from fieldloop.ingest.readers.hdf5.shifted import is_one_step_later
from fieldloop.ingest.readers.hdf5.tree import Folder, Leaf, to_plain_value
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.note import note
from fieldloop.model.stream import Stream

LATER = "next_obs"
SIMULATED_TYPES = (1, 3)  # robosuite and iGibson; 2 is gym, which may be either
NOT_FACTS = {"num_samples", "env_args", "total", "fieldloop"}


class Robomimic:
    """`data/demo_<i>` with actions, rewards, dones, states, obs and next_obs; `mask/<key>` lists demonstrations."""

    name = "robomimic"

    def matches(self, root: Folder) -> bool:
        """Is there a group `data` with demonstrations in it?"""
        data = root.find("data")
        return isinstance(data, Folder) and any(str(name).startswith("demo") for name in data.names())

    def count(self, root: Folder) -> int:
        """Every group is tried."""
        return len(_demonstrations(root))

    def drafts(self, opened: Opened, root: Folder) -> Iterator[Draft]:
        """Yield the demonstrations by number."""
        shared = _shared_attributes(root)
        masks, _ = _masks(opened, root)
        demonstrations = _demonstrations(root)
        for number, folder in demonstrations:
            opened.defects = []
            facts = {"dataset": opened.path.stem, "dataset_episodes": str(len(demonstrations))}
            facts |= {"episode_index": str(number)} if number is not None else {}
            facts |= {"masks": ", ".join(masks[folder.name])} if folder.name in masks else {}
            draft = described_draft(opened, folder) or _foreign_draft(opened, folder, shared)
            draft.facts |= facts
            draft.defects += opened.defects
            yield draft
            folder.forget()

    def check(self, opened: Opened, root: Folder) -> None:
        """Compare attributes and filter keys with the demonstrations that are there."""
        demonstrations = _demonstrations(root)
        shared = _shared_attributes(root)
        if "env_args" not in shared.attributes:
            message = note("ingest.attribute_missing", note("ingest.rate_assumed", hz=ASSUMED_HZ))
            opened.defects.append(Defect("data", "env_args", message, Harm.HARMLESS))
        elif shared.hz is None:
            message = note("ingest.rate_not_stated", note("ingest.rate_assumed", hz=ASSUMED_HZ))
            opened.defects.append(Defect("data", "env_args", message, Harm.HARMLESS))
        _, listed = _masks(opened, root)
        names = {folder.name for _, folder in demonstrations}
        gone = {mask: len(set(demos) - names) for mask, demos in listed.items() if set(demos) - names}
        if gone:
            named = tuple(f"{mask} ({count} of {len(listed[mask])})" for mask, count in sorted(gone.items()))
            opened.defects.append(Defect("mask", "", note("ingest.filter_keys_without_episodes", keys=named)))
        _check_total(opened, shared.attributes.get("total"), [folder for _, folder in demonstrations])


class _Shared:
    """Attributes of `data`, which apply to all demonstrations."""

    def __init__(self, attributes: Mapping[str, Any]) -> None:
        self.attributes = attributes
        self.environment = _parse_json_object(attributes.get("env_args"))
        options = self.environment.get("env_kwargs")
        self.options: Mapping[str, Any] = options if isinstance(options, dict) else {}
        rate = self.options.get("control_freq")
        good = isinstance(rate, int | float) and not isinstance(rate, bool) and 0 < rate < 1e6  # noqa: PLR2004
        self.hz = float(rate) if good and rate is not None else None

    def facts(self) -> dict[str, str]:
        """Return task, robot and whether it was simulated, as far as stated."""
        facts = {
            key: text for key, value in self.attributes.items() if key not in NOT_FACTS and (text := fact_text(value))
        }
        if args := fact_text(self.attributes.get("env_args")):
            facts["env_args"] = args
        problem = _parse_json_object(self.attributes.get("problem_info"))
        if task := problem.get("language_instruction") or self.environment.get("env_name"):
            facts["task"] = text_of(task)
        if robots := self.options.get("robots"):
            facts["robot"] = text_of(robots)
        if self.environment.get("type") in SIMULATED_TYPES:
            facts["simulated"] = "true"
        return facts


def fact_text(value: Any) -> str:
    """Write an attribute as a fact."""
    return "" if value is None else text_of(value)


def _shared_attributes(root: Folder) -> _Shared:
    data = root.find("data")
    return _Shared(data.attributes() if isinstance(data, Folder) else {})


def _demonstrations(root: Folder) -> list[tuple[int | None, Folder]]:
    data = root.find("data")
    folders = data.folders if isinstance(data, Folder) else {}
    numbered = [
        (int(tail) if (tail := name.rsplit("_", 1)[-1]).isdecimal() else None, f) for name, f in folders.items()
    ]
    return sorted(numbered, key=lambda pair: (pair[0] is None, pair[0] or 0, pair[1].name))


def _masks(opened: Opened, root: Folder) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return demonstration → filter keys, and filter key → demonstrations."""
    folder = root.find("mask")
    by_demo: dict[str, list[str]] = {}
    listed: dict[str, list[str]] = {}
    for name, leaf in folder.leaves.items() if isinstance(folder, Folder) else ():
        try:
            listed[name] = [str(to_plain_value(row.rstrip(b"\x00"))) for row in _rows(leaf, stored_rows(opened, leaf))]
        except HDF5_ERRORS as wrong:
            message = note("ingest.part_unreadable", part="filter key", reason=reason(wrong))
            opened.defects.append(Defect(leaf.path, "", message))
            continue
        for demo in listed[name]:
            by_demo.setdefault(demo, []).append(name)
    return by_demo, listed


def _rows(leaf: Leaf, count: int) -> list[bytes]:
    """Return the first rows' bytes; rows of one length in one go, for there are thousands."""
    if leaf.free is not None:
        return [leaf.row(i) for i in range(count)]
    return [row.tobytes() for row in np.asarray(leaf.data[:count])]


def _foreign_draft(opened: Opened, folder: Folder, shared: _Shared) -> Draft:
    """Make what can be made of a demonstration by the names robomimic gives its arrays."""
    attributes = folder.attributes()
    parts: list[Part] = [
        part_of(leaf, leaf.name, kind_of_array(leaf.name)) for leaf in folder.leaves.values()
    ]  # fmt: skip
    facts = shared.facts() | _attribute_facts(attributes)
    for name, group in folder.folders.items():
        if name == LATER:
            parts += _next_step_parts(opened, folder, facts)
        elif name == "obs":
            parts += observation_parts(group, "")
        else:
            parts += [
                part_of(leaf, leaf.path.removeprefix(f"{folder.path}/"), kind_of_array(leaf.name))
                for leaf in group.all_leaves()
            ]
    draft = Draft(folder.name, parts, hz=shared.hz, facts=facts, conclude=_infer_success)
    draft.clock_note = counted_rows_note(shared.hz)
    _check_count(opened, folder, attributes.get("num_samples"))
    return draft


def _attribute_facts(attributes: Mapping[str, Any]) -> dict[str, str]:
    facts = {
        key: text
        for key, value in attributes.items()
        if key not in {*NOT_FACTS, "model_file"} and (text := fact_text(value))
    }
    model = attributes.get("model_file")
    if isinstance(model, str):
        data = model.encode()
        facts["attachment.model_file"] = f"text/xml, {len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}"
        if "<mujoco" in model[:1000]:
            facts["simulated"] = "true"
    return facts


def _next_step_parts(opened: Opened, folder: Folder, facts: dict[str, str]) -> Iterator[Part]:
    """Yield those observations of the next step that are not just the observations, one step later."""
    group, same = folder.folders[LATER], 0
    for path, leaf in ((leaf.path.removeprefix(f"{folder.path}/{LATER}/"), leaf) for leaf in group.all_leaves()):
        now = folder.find(f"obs/{path}")
        if isinstance(now, Leaf) and is_one_step_later(opened, now, leaf):
            same += 1
        else:
            yield part_of(leaf, f"{LATER}/{path}", kind_of_array(leaf.name))
    if same:
        facts[LATER] = f"{same} arrays are obs one step later; the row after the last step was not taken over"


def _check_count(opened: Opened, folder: Folder, stated: Any) -> None:
    actions = folder.leaves.get("actions")
    if not isinstance(stated, int):
        message = note("ingest.attribute_missing", note("ingest.rows_counted"))
        opened.defects.append(Defect(folder.path, "num_samples", message, Harm.HARMLESS))
    elif actions is not None and actions.shape and actions.shape[0] != stated:
        message = note("ingest.count_mismatch", stated=stated, what="rows", found=actions.shape[0])
        opened.defects.append(Defect(folder.path, "num_samples", message))


def _check_total(opened: Opened, stated: Any, folders: list[Folder]) -> None:
    if not isinstance(stated, int):
        return
    counts = [rows for folder in folders if (rows := _rows_of(folder)) is not None]
    if len(counts) == len(folders) and (total := sum(counts)) != stated:
        message = note("ingest.count_mismatch", stated=stated, what="rows", found=total)
        opened.defects.append(Defect("data", "total", message, Harm.HARMLESS))  # no loader reads it


def _rows_of(folder: Folder) -> int | None:
    """Count the rows that are there, whatever the demonstration states; None where it has no actions."""
    actions = folder.find("actions")
    folder.forget()
    return actions.shape[0] if isinstance(actions, Leaf) and actions.shape else None


def _infer_success(streams: Mapping[str, Stream]) -> dict[str, Any]:
    """A reward that goes from 0 to 1 is robosuite's mark of success; a constant 1 means nothing."""
    rewards = streams.get("rewards")
    if rewards is None or rewards.values is None or set(np.unique(rewards.values).tolist()) != {0, 1}:
        return {}
    return {"succeeded": True}


def _parse_json_object(text: Any) -> dict[str, Any]:
    try:
        parsed = json.loads(text) if isinstance(text, str) else {}
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}
