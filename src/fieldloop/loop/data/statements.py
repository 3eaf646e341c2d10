"""Read facts that a user states about episodes: `site=hall-2 operator=anna lighting=dim`."""

from collections.abc import Iterable, Sequence

from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.run.possible_outcomes import refuse_misspelt_condition
from fieldloop.loop.workspace import Workspace
from fieldloop.model.condition import Condition
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import OBJECT_FACTORS, Episode, Stated
from fieldloop.model.person import LOCAL_ADMIN
from fieldloop.model.stated import STATEABLE, UNKNOWN, apply_statements, find_conflicting_statements, parse_result

CONDITION = "condition."
ALIASES = {"outcome": "succeeded", "result": "succeeded", "success": "succeeded"}
FLAG_TEXTS = {True: "true", False: "false", None: ""}
MOST_LISTED = 3
RESERVED = (",", "=")
"""Signs that separate conditions."""


def read_statements(
    workspace: Workspace | None, words: Sequence[str], *, may_clear: bool = False
) -> tuple[Stated, ...]:
    """Read `name=value` words; an unknown name is refused with a suggestion, a name given twice, too.

    An empty value removes a fact, where that is allowed. Without a workspace, no map states the conditions.
    """
    by = (workspace.actor if workspace else LOCAL_ADMIN).id
    found: dict[str, Stated] = {}
    for word in words:
        name, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not name:
            raise BadInput(f"{word!r} is not a fact. Write name=value, such as site=hall-2; logs come before --set.")
        if not value and not may_clear:
            raise BadInput(f"{name} has no value. Write {name}=value, or leave it out.")
        name = _require_known_name(workspace, name)
        if name in found:
            raise BadInput(f"{name} is stated twice. Keep one of them.")
        found[name] = Stated(name, _require_valid_value(workspace, name, value), by)
    return tuple(found.values())


def refuse_contradiction(episode: Episode) -> Episode:
    """Return the episode; refuse a class of failure for an episode that did not fail."""
    if episode.failure and episode.succeeded is not False:
        ended = "succeeded" if episode.succeeded else "has no known outcome"
        raise BadInput(
            f"{episode.name} {ended}, so it has no class of failure. If the attempt failed, state outcome=failure too."
        )
    return episode


def apply_user_statements(episode: Episode, stated: Iterable[Stated]) -> Episode:
    """Return an episode with facts that a person stated; refuse those that contradict each other."""
    return refuse_contradiction(apply_statements(episode, stated))


def describe_conflicts(episodes: Iterable[Episode], names: Sequence[str]) -> str:
    """Describe where logs state something else than the user; '' where nothing differs."""
    differing: dict[tuple[str, str, str], int] = {}
    for episode in episodes:
        for one in find_conflicting_statements(episode, names):
            key = (one.name, one.instead_of, one.value)
            differing[key] = differing.get(key, 0) + 1
    parts = [
        f"{name} is {in_log!r} in the log, not {value!r}" + (f" ({count} episodes)" if count > 1 else "")
        for (name, in_log, value), count in list(differing.items())[:MOST_LISTED]
    ]
    more = len(differing) - MOST_LISTED
    return "; ".join([*parts, *([f"{more} more differences"] if more > 0 else [])])


def _require_known_name(workspace: Workspace | None, name: str) -> str:
    name = ALIASES.get(name, name)
    if name.startswith(CONDITION) and name != CONDITION:
        return name.removeprefix(CONDITION)
    factors = _list_factors(workspace)
    if name in (*STATEABLE, *OBJECT_FACTORS, *factors):
        return name
    known = sorted({*STATEABLE, *OBJECT_FACTORS, *factors, "outcome"} - {"succeeded"})
    listed = f"{', '.join(known)}, and any condition as {CONDITION}{name}"
    raise UnknownName("fact", name, known, listed)


def _list_factors(workspace: Workspace | None) -> set[str]:
    mapped = workspace.find_newest(Deployment) if workspace else None
    return {c.factor for e in mapped.exposures for c in e.stratum.conditions} if mapped else set()


def _require_valid_value(workspace: Workspace | None, name: str, value: str) -> str:
    if name in ("succeeded", "simulated"):
        truth = parse_result(value)
        return FLAG_TEXTS[truth] or (UNKNOWN if value else "")
    if name not in STATEABLE and any(sign in value for sign in RESERVED):
        raise BadInput(f"{name} = {value!r} contains a comma or an equals sign. Choose a name without them.")
    if workspace and value and name not in (*OBJECT_FACTORS, *(each for each in STATEABLE if each != "site")):
        refuse_misspelt_condition(workspace, Condition(name, value))
    return value
