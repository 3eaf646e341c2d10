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
            return self._content_name(id_)
        if kind not in NUMBERED:
            return ""
        if kind not in self._numbers:
            every: list[Any] = self._workspace.store.find(NUMBERED[kind])
            ids = sorted(noun.id for noun in every)
            word = WORDS.get(kind, kind)
            self._numbers[kind] = {one: f"{word} {number}" for number, one in enumerate(ids, 1)}
        return self._numbers[kind].get(id_, "")

    def _content_name(self, id_: str) -> str:
        if self._contents is None:
            nouns = self._workspace.all_of_several(PolicyVersion, Release)
            named = [*nouns[Release], *nouns[PolicyVersion]]
            often = [noun.name for noun in named]
            self._contents = {noun.id: noun.name for noun in named if noun.name and often.count(noun.name) == 1}
        if id_ not in self._contents:
            store = self._workspace.store
            episodes, logs = store.find(Episode, {"id": id_}), store.find(Log, {"blob": id_})
            self._contents[id_] = next((name for name in [*(e.name for e in episodes), *(g.name for g in logs)]), "")
        return self._contents[id_]


def find_numbered(workspace: Workspace, noun: type[N], text: str) -> N:
    """Find a noun by its number (2, incident 2 or incident-2), its id, or a unique beginning of that."""
    kind = next(kind for kind, numbered in NUMBERED.items() if numbered is noun)
    number = re.fullmatch(rf"(?:{kind}[ -]?)?(\d{{1,6}})", text.strip().lower())
    if number is None:
        return workspace.store.get(noun, text)
    ids = sorted(one.id for one in workspace.store.find(noun))
    if not 0 < int(number[1]) <= len(ids):
        listed = f"{kind} 1 to {len(ids)}" if ids else "none yet"
        raise UnknownName(kind, text, [str(place) for place in range(1, len(ids) + 1)], listed)
    return workspace.store.get(noun, ids[int(number[1]) - 1])
