"""Facts that a person states about episodes: applied over what the log states, with their origin."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from fieldloop.errors import BadInput
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import OBJECT_FACTORS, Episode, Stated
from fieldloop.model.episode_text import FLAGS, TEXTS, parse_bool

STATEABLE = (*(name for name in TEXTS if name != "name"), *FLAGS)
"""Fields of an episode that a person may state, beside its object and its conditions."""
UNKNOWN = "unknown"
TRUTH_TEXTS = {True: "true", False: "false", None: ""}


@dataclass(frozen=True, slots=True, eq=False)
class Amendments:
    """What is known of a log's episodes beside the log: earlier facts, earlier statements, and new ones for all.

    An episode in `known` replaces the one that the log states. With `only_missing`, a fact that the log states stays.
    """

    known: Mapping[str, Episode] = field(default_factory=dict)
    earlier: Mapping[str, tuple[Stated, ...]] = field(default_factory=dict)
    stated: tuple[Stated, ...] = ()
    only_missing: bool = False

    def apply(self, episode: Episode) -> Episode:
        """Return an episode with everything that people stated about it."""
        if episode.id in self.known:
            return self.known[episode.id]
        new = self.stated
        if self.only_missing:
            new = tuple(one for one in new if not get_fact_text(episode, one.name))
        return apply_statements(episode, (*self.earlier.get(episode.id, ()), *new))


def apply_statements(episode: Episode, statements: Iterable[Stated]) -> Episode:
    """Return the episode with these facts; each keeps its origin, and what the log states.

    >>> changed = apply_statements(Episode("e1", "take 1", "mcap", site="lab"), [Stated("site", "hall 2", "anna")])
    >>> changed.site, changed.stated[0].instead_of
    ('hall 2', 'lab')
    """
    for one in statements:
        before = next((known for known in episode.stated if known.name == one.name), None)
        # an earlier version kept the log's fact only where it differed
        in_log = (before.in_log or before.instead_of) if before else get_fact_text(episode, one.name)
        replaced = _list_replaced_names(one)
        kept = tuple(known for known in episode.stated if known.name not in replaced)
        origin = replace(one, instead_of="" if in_log == one.value else in_log, in_log=in_log)
        episode = replace(_set_fact(episode, one.name, one.value), stated=(*kept, origin))
    return episode


def get_fact_text(episode: Episode, name: str) -> str:
    """Return a fact as text, '' where it is not stated: a field, the object, or a condition."""
    if name in FLAGS:
        return TRUTH_TEXTS[getattr(episode, name)]
    field_text = str(getattr(episode, name)) if name in STATEABLE else ""
    fact = episode.get_fact(name) if name in OBJECT_FACTORS else ""
    return field_text or fact or episode.stratum.level(name) or ""


def find_conflicting_statements(episode: Episode, names: Iterable[str]) -> tuple[Stated, ...]:
    """Return the statements of these names that differ from what the log states."""
    wanted = set(names)
    return tuple(one for one in episode.stated if one.name in wanted and one.instead_of)


def parse_result(text: str) -> bool | None:
    """Return what a result says: success, failure or unknown; other words are refused.

    >>> parse_result("success"), parse_result("no"), parse_result("unknown")
    (True, False, None)
    """
    plain = text.strip().lower()
    if plain in ("", UNKNOWN):
        return None
    truth = {"success": True, "failure": False}.get(plain, parse_bool(plain))
    if truth is None:
        raise BadInput(f"{text!r} is not a result. Write success, failure or unknown.")
    return truth


def _list_replaced_names(statement: Stated) -> tuple[str, ...]:
    """Return the names whose earlier statements end: a class of failure ends with the failure."""
    ends_failure = statement.name == "succeeded" and parse_result(statement.value) is not False
    return (statement.name, "failure") if ends_failure else (statement.name,)


def _set_fact(episode: Episode, name: str, value: str) -> Episode:
    if name == "succeeded":
        result = parse_result(value)
        return replace(episode, succeeded=result, failure=episode.failure if result is False else "")
    if name == "simulated":
        return replace(episode, simulated=parse_result(value))
    if name in STATEABLE:
        episode = replace(episode, **{name: value})  # type: ignore[arg-type]  # every STATEABLE field here is a text
    if name in OBJECT_FACTORS:
        facts = [(key, text) for key, text in episode.facts if key != name]
        episode = replace(episode, facts=tuple(sorted([*facts, (name, value)] if value else facts)))
    if name in (*STATEABLE, *OBJECT_FACTORS) and name not in episode.stratum.levels:
        return episode
    levels = {factor: level for factor, level in episode.stratum.levels.items() if factor != name}
    return replace(episode, stratum=Stratum.of(levels | ({name: value} if value else {})))
