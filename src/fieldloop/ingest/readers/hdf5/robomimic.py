"""robomimic's layout: one group a demonstration, observations by key, filter keys beside them."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fieldloop.ingest.readers.hdf5.described import read_described_draft
from fieldloop.ingest.readers.hdf5.draft import ASSUMED_HZ, Draft, Part, describe_counted_rows, format_attribute
from fieldloop.ingest.readers.hdf5.names import infer_array_kind
from fieldloop.ingest.readers.hdf5.opened import HDF5_ERRORS, Opened, shorten_error
from fieldloop.ingest.readers.hdf5.parts import make_observation_parts, make_part
from fieldloop.ingest.readers.hdf5.rows import count_stored_rows
from fieldloop.ingest.readers.hdf5.shifted import is_one_step_later
from fieldloop.ingest.readers.hdf5.tree import Folder, Leaf, convert_to_plain_value
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.note import note
from fieldloop.model.provenance import METADATA_NOTES, StreamFact
from fieldloop.model.stream import Stream

LATER = "next_obs"
SIMULATED_TYPES = (1, 3)  # robosuite and iGibson; 2 is gym, which may be either
SIMULATOR_STATE = "the layout: what its simulator needs to start from this step"
NOT_FACTS = {"num_samples", "env_args", "total", "fieldloop"}


class Robomimic:
    """`data/demo_<i>` with actions, rewards, dones, states, obs and next_obs; `mask/<key>` lists demonstrations."""

    name = "robomimic"

    def matches_file(self, root: Folder) -> bool:
        """Is there a group `data` with demonstrations in it?"""
        data = root.find_member("data")
        return isinstance(data, Folder) and any(str(name).startswith("demo") for name in data.list_names())

    def count_episodes(self, root: Folder) -> int:
        """Every group is tried."""
        return len(_list_demonstrations(root))

    def read_drafts(self, opened: Opened, root: Folder) -> Iterator[Draft]:
        """Yield the demonstrations by number."""
        shared = _read_shared_attributes(root)
        masks, _ = _read_filter_keys(opened, root)
        demonstrations = _list_demonstrations(root)
        for number, folder in demonstrations:
            opened.defects = []
            facts = {"dataset": opened.path.stem, "dataset_episodes": str(len(demonstrations))}
            facts |= {"episode_index": str(number)} if number is not None else {}
            facts |= {"masks": ", ".join(masks[folder.name])} if folder.name in masks else {}
            draft = read_described_draft(opened, folder) or _draft_foreign_demonstration(opened, folder, shared)
            draft.facts |= facts
            draft.defects += opened.defects
            yield draft
            folder.clear_cache()

    def add_file_defects(self, opened: Opened, root: Folder) -> None:
        """Compare attributes and filter keys with the demonstrations that are there."""
        demonstrations = _list_demonstrations(root)
        shared = _read_shared_attributes(root)
        if "env_args" not in shared.attributes:
            message = note("ingest.attribute_missing", note("ingest.rate_assumed", hz=ASSUMED_HZ))
            opened.defects.append(Defect("data", "env_args", message, Harm.HARMLESS))
        elif shared.hz is None:
            message = note("ingest.rate_not_stated", note("ingest.rate_assumed", hz=ASSUMED_HZ))
            opened.defects.append(Defect("data", "env_args", message, Harm.HARMLESS))
        _, listed = _read_filter_keys(opened, root)
        names = {folder.name for _, folder in demonstrations}
        gone = {mask: len(set(demos) - names) for mask, demos in listed.items() if set(demos) - names}
        if gone:
            named = tuple(f"{mask} ({count} of {len(listed[mask])})" for mask, count in sorted(gone.items()))
            opened.defects.append(Defect("mask", "", note("ingest.filter_keys_without_episodes", keys=named)))
        _check_total_samples(opened, shared.attributes.get("total"), [folder for _, folder in demonstrations])


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

    def collect_facts(self) -> dict[str, str]:
        """Return task, robot and whether it was simulated, as far as stated."""
        facts = {
            key: text for key, value in self.attributes.items() if key not in NOT_FACTS and (text := format_fact(value))
        }
        if args := format_fact(self.attributes.get("env_args")):
            facts["env_args"] = args
        problem = _parse_json_object(self.attributes.get("problem_info"))
        if task := problem.get("language_instruction") or self.environment.get("env_name"):
            facts["task"] = format_attribute(task)
        if robots := self.options.get("robots"):
            facts["robot"] = format_attribute(robots)
        if self.environment.get("type") in SIMULATED_TYPES:
            facts["simulated"] = "true"
        return facts


def format_fact(value: Any) -> str:
    """Write an attribute as a fact."""
    return "" if value is None else format_attribute(value)


def _read_shared_attributes(root: Folder) -> _Shared:
    data = root.find_member("data")
    return _Shared(data.read_attributes() if isinstance(data, Folder) else {})


def _list_demonstrations(root: Folder) -> list[tuple[int | None, Folder]]:
    data = root.find_member("data")
    folders = data.folders if isinstance(data, Folder) else {}
    numbered = [
        (int(tail) if (tail := name.rsplit("_", 1)[-1]).isdecimal() else None, f) for name, f in folders.items()
    ]
    return sorted(numbered, key=lambda pair: (pair[0] is None, pair[0] or 0, pair[1].name))


def _read_filter_keys(opened: Opened, root: Folder) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return demonstration → filter keys, and filter key → demonstrations."""
    folder = root.find_member("mask")
    by_demo: dict[str, list[str]] = {}
    listed: dict[str, list[str]] = {}
    for name, leaf in folder.leaves.items() if isinstance(folder, Folder) else ():
        try:
            listed[name] = [
                str(convert_to_plain_value(row.rstrip(b"\x00")))
                for row in _read_first_rows(leaf, count_stored_rows(opened, leaf))
            ]
        except HDF5_ERRORS as wrong:
            message = note("ingest.part_unreadable", part="filter key", reason=shorten_error(wrong))
            opened.defects.append(Defect(leaf.path, "", message))
            continue
        for demo in listed[name]:
            by_demo.setdefault(demo, []).append(name)
    return by_demo, listed


def _read_first_rows(leaf: Leaf, count: int) -> list[bytes]:
    """Return the first rows' bytes; rows of one length in one go, for there are thousands."""
    if leaf.free is not None:
        return [leaf.read_row(i) for i in range(count)]
    return [row.tobytes() for row in np.asarray(leaf.data[:count])]


def _draft_foreign_demonstration(opened: Opened, folder: Folder, shared: _Shared) -> Draft:
    """Make what can be made of a demonstration by the names robomimic gives its arrays."""
    attributes = folder.read_attributes()
    parts: list[Part] = [
        make_part(leaf, leaf.name, infer_array_kind(leaf.name)) for leaf in folder.leaves.values()
    ]  # fmt: skip
    facts = shared.collect_facts() | _collect_attribute_facts(attributes)
    for name, group in folder.folders.items():
        if name == LATER:
            parts += _make_next_observation_parts(opened, folder, facts)
        elif name == "obs":
            parts += make_observation_parts(group, "")
        else:
            parts += [
                make_part(leaf, leaf.path.removeprefix(f"{folder.path}/"), infer_array_kind(leaf.name))
                for leaf in group.list_all_leaves()
            ]
    for part in parts:
        if part.name == "states" and facts.get("simulated") == "true":
            part.notes[METADATA_NOTES[StreamFact.MEANING]] = SIMULATOR_STATE
    draft = Draft(folder.name, parts, hz=shared.hz, facts=facts, conclude=_infer_success)
    draft.clock_note = describe_counted_rows(shared.hz)
    _check_sample_count(opened, folder, attributes.get("num_samples"))
    return draft


def _collect_attribute_facts(attributes: Mapping[str, Any]) -> dict[str, str]:
    facts = {
        key: text
        for key, value in attributes.items()
        if key not in {*NOT_FACTS, "model_file"} and (text := format_fact(value))
    }
    model = attributes.get("model_file")
    if isinstance(model, str):
        data = model.encode()
        facts["attachment.model_file"] = f"text/xml, {len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}"
        if "<mujoco" in model[:1000]:
            facts["simulated"] = "true"
    return facts


def _make_next_observation_parts(opened: Opened, folder: Folder, facts: dict[str, str]) -> Iterator[Part]:
    """Yield those observations of the next step that are not just the observations, one step later."""
    group, same = folder.folders[LATER], 0
    for path, leaf in ((leaf.path.removeprefix(f"{folder.path}/{LATER}/"), leaf) for leaf in group.list_all_leaves()):
        now = folder.find_member(f"obs/{path}")
        if isinstance(now, Leaf) and is_one_step_later(opened, now, leaf):
            same += 1
        else:
            yield make_part(leaf, f"{LATER}/{path}", infer_array_kind(leaf.name))
    if same:
        facts[LATER] = f"{same} arrays are obs one step later; the row after the last step was not taken over"


def _check_sample_count(opened: Opened, folder: Folder, stated_count: Any) -> None:
    actions = folder.leaves.get("actions")
    if not isinstance(stated_count, int):
        message = note("ingest.attribute_missing", note("ingest.rows_counted"))
        opened.defects.append(Defect(folder.path, "num_samples", message, Harm.HARMLESS))
    elif actions is not None and actions.shape and actions.shape[0] != stated_count:
        message = note("ingest.count_mismatch", stated=stated_count, what="rows", found=actions.shape[0])
        opened.defects.append(Defect(folder.path, "num_samples", message))


def _check_total_samples(opened: Opened, stated_total: Any, folders: list[Folder]) -> None:
    if not isinstance(stated_total, int):
        return
    counts = [rows for folder in folders if (rows := _count_rows(folder)) is not None]
    if len(counts) == len(folders) and (total := sum(counts)) != stated_total:
        message = note("ingest.count_mismatch", stated=stated_total, what="rows", found=total)
        opened.defects.append(Defect("data", "total", message, Harm.HARMLESS))  # no loader reads it


def _count_rows(folder: Folder) -> int | None:
    """Count the rows that are there, whatever the demonstration states; None where it has no actions."""
    actions = folder.find_member("actions")
    folder.clear_cache()
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
