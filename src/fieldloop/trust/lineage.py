"""From a policy back to its release, its episodes, and what each of them rests on."""

from collections.abc import Iterable
from dataclasses import dataclass

from fieldloop.errors import BadInput
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode
from fieldloop.model.person import Provider
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.release import Release


@dataclass(frozen=True, slots=True)
class Origin:
    """What one episode rests on: who, where, on what, by which protocol, calibrated how, delivered by whom."""

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
    """The whole way back from a policy; `open_ends` says what could not be followed."""

    policy: str
    release: str
    protocol: str
    taxonomy: str
    origins: tuple[Origin, ...]
    open_ends: tuple[str, ...]

    def resting_on(self, name: str) -> tuple[Origin, ...]:
        """Return what rests on an operator, session, robot, site, provider, protocol or calibration of this name."""
        return tuple(
            o for o in self.origins
            if name in (o.operator, o.session, o.robot, o.site, o.protocol, o.provider, *o.calibrations)
        )  # fmt: skip


def trace(
    policy: PolicyVersion,
    release: Release,
    episodes: Iterable[Episode],
    calibrations: Iterable[Calibration] = (),
    providers: Iterable[Provider] = (),
) -> Lineage:
    """Follow a policy back through its release to the episodes and what they rest on."""
    if policy.release != release.id:
        raise BadInput(f"{policy.id} was trained on release {policy.release}, not on {release.id}; trace that one.")
    known = {e.id: e for e in episodes}
    of_robot: dict[str, list[Calibration]] = {}
    for calibration in calibrations:
        of_robot.setdefault(calibration.robot, []).append(calibration)
    validation = set(release.validation)
    origins = tuple(
        _origin(known[key], of_robot.get(known[key].robot, []), "validation" if key in validation else "train")
        for key in release.episodes
        if key in known
    )
    ends = _open_ends(release, known.keys(), origins, {p.id for p in providers})
    return Lineage(policy.id, release.id, release.protocol, release.taxonomy, origins, ends)


def _origin(episode: Episode, calibrations: Iterable[Calibration], split: str) -> Origin:
    in_force = tuple(sorted(c.id for c in calibrations if c.holds_at(episode.start_ns)))
    return Origin(
        episode.id, episode.name, split, episode.operator, episode.session, episode.robot, episode.site,
        episode.protocol, episode.provider, in_force,
    )  # fmt: skip


def _open_ends(
    release: Release, known: Iterable[str], origins: tuple[Origin, ...], providers: set[str]
) -> tuple[str, ...]:
    lost = sorted(set(release.episodes) - set(known))
    ends = [f"episode {key} of the release is not known here" for key in lost]
    ends.extend(
        f"{silent} of {len(origins)} episodes do not say their {field}"
        for field in ("operator", "session", "robot", "protocol")
        if (silent := sum(not getattr(o, field) for o in origins))
    )
    if bare := sum(not o.calibrations for o in origins):
        ends.append(f"{bare} of {len(origins)} episodes had no calibration in force")
    unknown = sorted({o.provider for o in origins if o.provider} - providers)
    ends.extend(f"provider {name} has no contract here" for name in unknown)
    return tuple(ends)
