"""What people call things: policies, releases, logs and episodes by name, the rest by kind and number."""

import re
from typing import Any, TypeVar

from fieldloop.errors import UnknownName
from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Alarm
from fieldloop.model.decision import Decision
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.episode import Episode, Log
from fieldloop.model.incident import Incident
from fieldloop.model.plan import Plan, WorkOrder
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.release import Release
from fieldloop.model.rollout import Rollout

N = TypeVar("N", Alarm, Diagnosis, Incident, Plan, WorkOrder, Rollout, Decision)
NUMBERED: dict[str, type] = {
    "alarm": Alarm, "diagnosis": Diagnosis, "incident": Incident, "plan": Plan, "order": WorkOrder,
    "rollout": Rollout, "decision": Decision,
}  # fmt: skip
"""Nouns that people number, by the kind that their ids begin with."""
WORDS = {"decision": "gate"}


class Names:
    """Names of ids in a workspace; a kind is read when one of its ids is met, and once."""

    def __init__(self, workspace: Workspace) -> None:
        """Take the workspace; nothing is read yet."""
        self._workspace = workspace
        self._numbers: dict[str, dict[str, str]] = {}
        self._contents: dict[str, str] | None = None

    def __call__(self, id_: str) -> str:
        """Return what an id is called, '' where it has no name."""
        kind, _, rest = id_.partition("_")
        if not rest:
            return self._make_content_name(id_)
        if kind not in NUMBERED:
            return ""
        if kind not in self._numbers:
            word = WORDS.get(kind, kind)
            numbers = _number_ids(self._workspace, NUMBERED[kind])
            self._numbers[kind] = {one: f"{word} {number}" for one, number in numbers.items()}
        return self._numbers[kind].get(id_, "")

    def _make_content_name(self, id_: str) -> str:
        if self._contents is None:
            nouns = self._workspace.find_all_of_several(PolicyVersion, Release)
            named = [*nouns[Release], *nouns[PolicyVersion]]
            often = [noun.name for noun in named]
            self._contents = {noun.id: noun.name for noun in named if noun.name and often.count(noun.name) == 1}
        if id_ not in self._contents:
            store = self._workspace.store
            episodes, logs = store.find(Episode, {"id": id_}), store.find(Log, {"blob": id_})
            self._contents[id_] = next((name for name in [*(e.name for e in episodes), *(g.name for g in logs)]), "")
        return self._contents[id_]


def find_numbered(workspace: Workspace, noun: type[N], text: str) -> N:
    """Find an object, such as an incident, by number (2, incident-2), id, or a unique beginning of its id."""
    kind = next(kind for kind, numbered in NUMBERED.items() if numbered is noun)
    number = re.fullmatch(rf"(?:{kind}[ -]?)?(\d{{1,6}})", text.strip().lower())
    if number is None:
        return workspace.store.get(noun, text)
    ids = {count: one for one, count in _number_ids(workspace, noun).items()}
    if int(number[1]) not in ids:
        listed = f"{kind} {min(ids)} to {max(ids)}" if ids else "none yet"
        raise UnknownName(kind, text, [str(count) for count in ids], listed)
    return workspace.store.get(noun, ids[int(number[1])])


def _number_ids(workspace: Workspace, noun: type) -> dict[str, int]:
    """Return the number of each id: the one that an order was given, the place in time of anything else."""
    every: list[Any] = sorted(workspace.store.find(noun), key=lambda one: one.id)
    if noun is WorkOrder:
        return {order.id: order.number for order in every if order.number}
    return {one.id: place for place, one in enumerate(every, 1)}
