"""An immutable selection of episodes that policies are trained on."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Finding, Status
from fieldloop.model.fix import Fix
from fieldloop.model.note import Note, note

DEFECT = "check.defect"
NUMBER = re.compile(r"\d+")
LEAST_WORTH = "release.least_worth"
CAUSES = ("check", "status", "method", "share")
"""What tells reasons of one code apart, beside the kind of a defect; not what was measured."""


@dataclass(frozen=True, slots=True)
class StratumShare:
    """How common a stratum is by nature, in the release, and how its episodes are weighted."""

    stratum: Stratum
    natural: float
    sampled: float
    weight: float


@dataclass(frozen=True, slots=True)
class CarriedChecks:
    """What was judged when a release was frozen, by reference to the judgements in the ledger.

    `until_seq` is the newest event then; `verdicts_sha256` names the verdicts on the episodes by content, `episodes`
    counts them by status, `dataset` are the answers of the checks of the selection as a whole, with its own split.
    """

    until_seq: int
    verdicts_sha256: str
    episodes: dict[Status, int]
    dataset: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class LeavingOut:
    """What a release left out by worth: the share of the whole release, by its id, and how worth was estimated."""

    whole: str
    method: str
    share: float


@dataclass(frozen=True, slots=True)
class LeftOutAlike:
    """Episodes left out for one kind of reason: that of the first, and whether it is word for word that of all."""

    episodes: tuple[str, ...]
    example: Note
    same_text: bool

    @property
    def next_step(self) -> Note | None:
        """What admits them where a check gave no answer; None for other reasons, which name their own."""
        numbers = dict(self.example.numbers)
        if numbers.get("status") != Status.CANNOT_TELL.value.replace("_", " "):
            return None
        return note("release.answer_missing", episodes=len(self.episodes), check=numbers["check"])


def group_by_cause(excluded: Iterable[tuple[str, Note]]) -> tuple[LeftOutAlike, ...]:
    """Group episodes by the kind of reason and its check, whatever was measured; most episodes first.

    Defects that differ only by bytes or counts are alike; so are episodes of least worth, whatever their rank.
    """
    groups: dict[tuple[str, ...], list[tuple[str, Note]]] = {}
    for episode, why in excluded:
        numbers, text = dict(why.numbers), repr(why)
        defect = NUMBER.sub("#", text) if DEFECT in text else ""
        key = (why.code, *(str(numbers.get(name, "")) for name in CAUSES), defect)
        groups.setdefault(key, []).append((episode, why))
    alike = (
        LeftOutAlike(tuple(episode for episode, _ in group), group[0][1], all(why == group[0][1] for _, why in group))
        for group in groups.values()
    )
    return tuple(sorted(alike, key=lambda one: -len(one.episodes)))


@dataclass(frozen=True, slots=True)
class Release:
    """Episodes, their split, and the versions they depend on; identified by content. `fixes` are by episode id.

    `query` and `plan` state what was selected from, '' for every accepted episode. `overridden` are reasons against
    it, and `override` states who froze it in spite of them, and why. `left_out` is what was left out by worth.
    """

    id: str
    name: str
    episodes: tuple[str, ...]
    train: tuple[str, ...]
    validation: tuple[str, ...]
    protocol: str
    taxonomy: str
    shares: tuple[StratumShare, ...]
    annotations_sha256: str
    excluded: tuple[tuple[str, Note], ...] = ()
    fixes: tuple[tuple[str, Fix], ...] = ()
    override: str = ""
    query: tuple[str, ...] = ()
    plan: str = ""
    overridden: tuple[Note, ...] = ()
    checks: CarriedChecks | None = None
    left_out: LeavingOut | None = None

    def get_fixes(self, episode: str) -> tuple[Fix, ...]:
        """Return the fixes applied to an episode whenever this release is read."""
        return tuple(fix for of, fix in self.fixes if of == episode)

    def group_left_out(self) -> tuple[LeftOutAlike, ...]:
        """Group the excluded episodes by the kind of reason, most first, as `group_by_cause` does."""
        return group_by_cause(self.excluded)

    @property
    def off_the_map(self) -> Note | None:
        """State that no episode belongs to a stratum of the map, None where one does: then no weight means anything."""
        if not self.shares or any(share.natural > 0 and share.sampled > 0 for share in self.shares):
            return None
        deployed = sum(share.natural > 0 for share in self.shares)
        return note("release.off_the_map", strata=len(self.shares) - deployed, deployed=deployed)

    def get_weights(self, episodes: Iterable[Episode]) -> dict[str, float]:
        """Return how often each episode counts, by id: the weight of its stratum."""
        by_stratum = {share.stratum: share.weight for share in self.shares}
        factors = {condition.factor for stratum in by_stratum for condition in stratum.conditions}
        return {
            e.id: by_stratum.get(e.stratum_with_site.only(factors), by_stratum.get(e.stratum, 1.0)) for e in episodes
        }
