"""Findings grouped by cause: the same defect in a hundred episodes is one entry with its count, worst first."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from fieldloop.model.finding import EpisodeReport, Finding, Status, compute_limit_excess
from fieldloop.model.fix import FixKind
from fieldloop.model.note import AS_WRITTEN, Note, note

BAD = (Status.FAILED, Status.ERRORED)
DEFECT = "check.defect"
"""The reason of a finding about a defect that a reader met; the defect itself is one of its values."""
EPISODES_ABSENT = {"ingest.episodes_without_data", "ingest.shards_missing"}
"""Defects that take nothing from the episodes that are there; what misleads in those comes first."""
MORE_DEFECTS = "check.more_defects"
"""The reason of a finding that counts defects beyond those that are listed."""
NO_PROTOCOL = {"check.no_protocol", "check.episodes_name_no_protocol"}
MOST_REASONS = 4
"""Reasons of one check that are listed apart; of more, one is shown as an example."""
NAMELESS = {"check.operators_missing"}
"""Reasons of checks of many episodes for which a protocol would have required an answer."""
ASKED_BY_PROTOCOL = ("adherence", "throughput", "metadata")
"""Topics whose questions only a protocol asks."""
UNITS = "metadata.units"
NOT_UNDERSTOOD = {"check.no_units", "check.no_known_stream", "check.states_not_understood", "check.not_understood"}
"""Reasons that a mapping removes."""


@dataclass(frozen=True, slots=True)
class Place:
    """A finding and the episode it is in; None for the dataset as a whole."""

    finding: Finding
    episode: EpisodeReport | None = None


@dataclass(frozen=True, slots=True)
class Cause:
    """Findings alike: of one check, with one status and, for defects, of one kind; worst first. `total` counts all."""

    places: tuple[Place, ...]
    total: int

    @property
    def worst(self) -> Finding:
        """The finding that exceeds its limit most."""
        return self.places[0].finding

    @property
    def check(self) -> str:
        """The check that found it."""
        return self.worst.check

    @property
    def status(self) -> Status:
        """The status of all its findings."""
        return self.worst.status

    @property
    def episodes(self) -> tuple[EpisodeReport, ...]:
        """The episodes it is in, worst first; empty for a finding about the dataset as a whole."""
        return tuple({id(p.episode): p.episode for p in self.places if p.episode is not None}.values())

    @property
    def subjects(self) -> tuple[str, ...]:
        """What it is about, worst first: streams, usually."""
        return tuple(dict.fromkeys(p.finding.subject for p in self.places if p.finding.about))

    @property
    def is_defect(self) -> bool:
        """Is it about data that a reader met, rather than about a measured number?"""
        return _get_defect(self.worst) is not None

    @property
    def have_findings_same_text(self) -> bool:
        """Do all its findings state the same?"""
        first = self.worst
        return all(p.finding.measured == first.measured and p.finding.reason == first.reason for p in self.places)

    @property
    def fixes(self) -> tuple[FixKind, ...]:
        """What a release can do about it."""
        return tuple(dict.fromkeys(p.finding.fix.kind for p in self.places if p.finding.fix is not None))

    @property
    def concerns_absent_episodes(self) -> bool:
        """Is it about listed episodes without files, as in a part of a dataset? It harms none of those with files."""
        return _get_defect_code(self.worst) in EPISODES_ABSENT

    @property
    def harm(self) -> float:
        """Share of the dataset's worth that it takes by itself: its cost, times the share of episodes that have it.

        Several causes take from the same episodes, so their shares are not parts of one whole.
        """
        share = len(self.episodes) / self.total if self.episodes and self.total else 1.0
        return self.worst.cost * share


@dataclass(frozen=True, slots=True)
class Unknown:
    """Checks that gave no answer for the same reason; `example` is one of the findings.

    `subjects` is what they are about, `alike` whether the reason has the same numbers in all of them.
    """

    example: Finding
    checks: tuple[str, ...]
    subjects: tuple[str, ...]
    answers: int
    alike: bool


@dataclass(frozen=True, slots=True)
class Causes:
    """All findings of a report, grouped: what failed, what only warns, what no check could tell.

    `by_protocol` are questions that only a protocol asks, of logs that name none. `not_understood` is a finding about
    streams whose unit or meaning is unknown; `not_applicable` are checks that found nothing to measure anywhere. Of all
    `episodes`, those of `nameless` logs name no protocol.
    """

    failures: tuple[Cause, ...] = ()
    warnings: tuple[Cause, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    by_protocol: tuple[Unknown, ...] = ()
    not_understood: Finding | None = None
    not_applicable: tuple[str, ...] = ()
    nameless: int = 0
    episodes: int = 0

    @property
    def next_steps(self) -> tuple[Note, ...]:
        """What makes more questions answerable: a mapping, a protocol."""
        steps = [note("check.mapping_helps")] if self.not_understood else []
        if asked := len({check for one in self.by_protocol for check in one.checks}):
            steps.append(
                note("check.only_a_protocol_asks", checks=asked, nameless=self.nameless, episodes=self.episodes)
            )
        return tuple(steps)


@dataclass(slots=True)
class _Sorted:
    failures: list[Place] = field(default_factory=list)
    warnings: list[Place] = field(default_factory=list)
    unknown: list[Place] = field(default_factory=list)
    by_protocol: list[Place] = field(default_factory=list)


def group_by_cause(episodes: Sequence[EpisodeReport], dataset_findings: Iterable[Finding] = ()) -> Causes:
    """Group every finding that is neither passed nor beside the point; the most harmful cause comes first."""
    put = _Sorted()
    nameless = {id(e) for e in episodes if any(map(_lacks_protocol, e.findings))}
    places = [Place(finding) for finding in dataset_findings] + [Place(f, e) for e in episodes for f in e.findings]
    for place in places:
        _select_group(put, place, nameless).append(place)
    odd = (
        p.finding
        for p in (*put.unknown, *put.by_protocol, *put.warnings, *put.failures)
        if _concerns_unclear_data(p.finding)
    )
    return Causes(
        _group_into_causes(put.failures, len(episodes)),
        _group_into_causes(put.warnings, len(episodes)),
        _group_by_reason(put.unknown),
        _group_by_reason(put.by_protocol),
        next(odd, None),
        _find_inapplicable_checks(place.finding for place in places),
        len(nameless),
        len(episodes),
    )


def _find_inapplicable_checks(findings: Iterable[Finding]) -> tuple[str, ...]:
    statuses: dict[str, set[Status]] = defaultdict(set)
    for finding in findings:
        statuses[finding.check].add(finding.status)
    return tuple(check for check, met in statuses.items() if met == {Status.NOT_APPLICABLE})


def _select_group(groups: _Sorted, place: Place, unnamed_episode_ids: set[int]) -> list[Place]:
    finding, episode = place.finding, place.episode
    if MORE_DEFECTS in _collect_reason_codes(finding):
        return []  # they are like those listed
    if finding.status in BAD:
        return groups.failures
    if finding.counts or (finding.status is Status.CANNOT_TELL and _get_defect(finding) is not None):
        return groups.warnings
    if finding.status is not Status.CANNOT_TELL:
        return []
    named = id(episode) not in unnamed_episode_ids if episode else not unnamed_episode_ids
    asked = finding.check.partition(".")[0] in ASKED_BY_PROTOCOL or _collect_reason_codes(finding) & NAMELESS
    return groups.by_protocol if _lacks_protocol(finding) or (asked and not named) else groups.unknown


def _group_into_causes(places: Iterable[Place], episode_count: int) -> tuple[Cause, ...]:
    groups: dict[tuple[str, Status, str, bool], list[Place]] = defaultdict(list)
    for place in places:
        finding = place.finding
        groups[finding.check, finding.status, _get_defect_code(finding), place.episode is None].append(place)
    made = [
        Cause(tuple(sorted(alike, key=lambda p: -compute_limit_excess(p.finding))), episode_count)
        for group in groups.values()
        for alike in _split_by_reason(group)
    ]
    return tuple(
        sorted(
            made,
            key=lambda cause: (
                cause.concerns_absent_episodes,
                -cause.harm,
                -compute_limit_excess(cause.worst),
                -len(cause.episodes),
            ),
        )
    )


def _split_by_reason(places: Sequence[Place]) -> Iterable[Sequence[Place]]:
    """Split what no check could tell by the whole reason if no number differs; many reasons stay together."""
    first = places[0].finding
    numbers_differ = any(p.finding.measured != first.measured for p in places)
    if first.status is not Status.CANNOT_TELL or numbers_differ or _get_defect(first) is not None:
        return (places,)
    alike: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        alike[repr(place.finding.reason)].append(place)
    return alike.values() if len(alike) <= MOST_REASONS else (places,)


def _group_by_reason(places: Iterable[Place]) -> tuple[Unknown, ...]:
    groups: dict[str, list[Finding]] = defaultdict(list)
    for place in places:
        reason = place.finding.reason
        groups[reason.code if reason else ""].append(place.finding)
    made = [_summarise_unanswered(findings) for findings in groups.values()]
    return tuple(sorted(made, key=lambda one: (-len(one.checks), -one.answers)))


def _summarise_unanswered(findings: Sequence[Finding]) -> Unknown:
    first = findings[0]
    alike = all((f.reason or f.measured) == (first.reason or first.measured) for f in findings)
    subjects = tuple(dict.fromkeys(f.subject for f in findings))
    return Unknown(first, tuple(dict.fromkeys(f.check for f in findings)), subjects, len(findings), alike)


def _get_defect(finding: Finding) -> Note | str | None:
    if finding.reason is None or finding.reason.code != DEFECT:
        return None
    held = dict(finding.reason.numbers).get("defect")
    return held if isinstance(held, Note) else str(held)


def _get_defect_code(finding: Finding) -> str:
    defect = _get_defect(finding)
    if isinstance(defect, Note):
        return str(defect["text"]) if defect.code == AS_WRITTEN else defect.code
    return defect or ""


def _collect_reason_codes(finding: Finding) -> set[str]:
    reason = finding.reason
    return {reason.code, *(detail.code for detail in reason.details)} if reason else set()


def _lacks_protocol(finding: Finding) -> bool:
    return bool(_collect_reason_codes(finding) & NO_PROTOCOL)


def _concerns_unclear_data(finding: Finding) -> bool:
    return finding.check == UNITS or bool(_collect_reason_codes(finding) & NOT_UNDERSTOOD)
