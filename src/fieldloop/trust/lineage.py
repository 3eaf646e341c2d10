"""The lineage of a policy: its release, its episodes, and what each of them depends on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from fieldloop.errors import BadInput
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode
from fieldloop.model.note import Note, note
from fieldloop.model.person import Provider
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.release import Release

NOWHERE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Origin:
    """What one episode depends on: operator, site, robot, protocol, calibrations and provider."""

    episode: str
    name: str
    split: str
    operator: str
    session: str
    robot: str
    site: str
    protocol: str
    provider: str
    calibrations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lineage:
    """Everything a policy depends on; `open_ends` lists what could not be traced."""

    policy: str
    release: str
    protocol: str
    taxonomy: str
    origins: tuple[Origin, ...]
    open_ends: tuple[Note, ...]


def trace_lineage(
    policy: PolicyVersion,
    release: Release,
    episodes: Iterable[Episode],
    calibrations: Iterable[Calibration] = (),
    providers: Iterable[Provider] = (),
) -> Lineage:
    """Trace a policy through its release to the episodes and what they depend on."""
    if policy.release != release.id:
        raise BadInput(f"{policy.id} was trained on release {policy.release}, not on {release.id}; trace that one.")
    known = {e.id: e for e in episodes}
    sides = dict.fromkeys(release.train, "train") | dict.fromkeys(release.validation, "validation")
    origins = make_origins((known[key] for key in release.episodes if key in known), calibrations, sides)
    ends = _list_open_ends(release, known.keys(), origins, {p.id for p in providers})
    return Lineage(policy.id, release.id, release.protocol, release.taxonomy, origins, ends)


def make_origins(
    episodes: Iterable[Episode], calibrations: Iterable[Calibration], sides: Mapping[str, str] = NOWHERE
) -> tuple[Origin, ...]:
    """Return what each episode depends on; `sides` says for an episode's id on which side of a split it is."""
    of_robot: dict[str, list[Calibration]] = {}
    for calibration in calibrations:
        of_robot.setdefault(calibration.robot, []).append(calibration)
    return tuple(_make_origin(one, of_robot.get(one.robot, []), sides.get(one.id, "")) for one in episodes)


def find_origins_depending_on(origins: Iterable[Origin], kind: str, name: str) -> tuple[Origin, ...]:
    """Return what depends on one thing; `kind` says what the name is of: an operator and a site may share one."""
    if kind == "calibration":
        return tuple(origin for origin in origins if name in origin.calibrations)
    return tuple(origin for origin in origins if getattr(origin, kind) == name)


def _make_origin(episode: Episode, calibrations: Iterable[Calibration], split: str) -> Origin:
    in_force = tuple(sorted(c.id for c in calibrations if c.is_in_force_at(episode.start_ns)))
    return Origin(
        episode.id, episode.name, split, episode.operator, episode.session, episode.robot, episode.site,
        episode.protocol, episode.provider, in_force,
    )  # fmt: skip


def _list_open_ends(
    release: Release, known_episodes: Iterable[str], origins: tuple[Origin, ...], providers: set[str]
) -> tuple[Note, ...]:
    lost = sorted(set(release.episodes) - set(known_episodes))
    ends = [note("trust.episode_unknown", episode=key) for key in lost]
    ends.extend(
        note("trust.fact_missing", missing=silent, episodes=len(origins), field=field)
        for field in ("operator", "session", "robot", "protocol")
        if (silent := sum(not getattr(o, field) for o in origins))
    )
    if bare := sum(not o.calibrations for o in origins):
        ends.append(note("trust.no_calibration", missing=bare, episodes=len(origins)))
    unknown = sorted({o.provider for o in origins if o.provider} - providers)
    ends.extend(note("trust.no_contract", provider=name) for name in unknown)
    return tuple(ends)
