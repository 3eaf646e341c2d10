"""What changed from one release to another."""

from dataclasses import dataclass

from fieldloop.model.condition import Stratum
from fieldloop.model.release import Release


@dataclass(frozen=True, slots=True)
class ReleaseDiff:
    """Episodes that came, went or changed sides, strata whose share changed, and protocol and taxonomy of both."""

    before: str
    after: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    to_validation: tuple[str, ...]
    to_train: tuple[str, ...]
    shares: tuple[tuple[Stratum, float, float], ...]
    relabelled: bool
    protocol: tuple[str, str] | None
    taxonomy: tuple[str, str] | None

    @property
    def same(self) -> bool:
        """Are the two the same selection?"""
        return self.before == self.after


def compare_releases(before: Release, after: Release) -> ReleaseDiff:
    """Compare two releases; protocol and taxonomy are pairs where they differ, else None."""
    old, new = set(before.episodes), set(after.episodes)
    was = {s.stratum: s.sampled for s in before.shares}
    now = {s.stratum: s.sampled for s in after.shares}
    return ReleaseDiff(
        before=before.id,
        after=after.id,
        added=tuple(sorted(new - old)),
        removed=tuple(sorted(old - new)),
        to_validation=tuple(sorted(set(before.train) & set(after.validation))),
        to_train=tuple(sorted(set(before.validation) & set(after.train))),
        shares=tuple(
            (s, was.get(s, 0.0), now.get(s, 0.0)) for s in sorted({**was, **now}) if was.get(s, 0.0) != now.get(s, 0.0)
        ),
        relabelled=before.annotations_sha256 != after.annotations_sha256,
        protocol=(before.protocol, after.protocol) if before.protocol != after.protocol else None,
        taxonomy=(before.taxonomy, after.taxonomy) if before.taxonomy != after.taxonomy else None,
    )
