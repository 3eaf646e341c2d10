"""Articles that are picked and that the catalogue lacks: they have no tier, so they belong to no stratum."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import Deployment, Sku
from fieldloop.model.plan import CoverageGap, GapKind
from fieldloop.model.policy import Outcome

MOST_NAMED = 3


def is_stranger(catalogue: Mapping[str, Sku], where: Stratum, handled: str) -> bool:
    """Does an attempt say its article but nothing from which its tier would follow?

    Without a catalogue nothing is strange to it.
    """
    return bool(catalogue and handled and handled not in catalogue and not where.level("tier"))


def named(articles: Sequence[str]) -> str:
    """The articles that occur most, each with its count, and how many more there are.

    >>> named(["b", "a", "b", "c", "d"])
    'b (2), a (1), c (1) and 1 more'
    """
    counts = sorted(Counter(articles).items(), key=lambda pair: (-pair[1], pair[0]))
    more = f" and {len(counts) - MOST_NAMED} more" if len(counts) > MOST_NAMED else ""
    return ", ".join(f"{article} ({count})" for article, count in counts[:MOST_NAMED]) + more


def stranger_gaps(deployment: Deployment | None, outcomes: Sequence[Outcome]) -> Iterator[CoverageGap]:
    """Say how much of production picks such articles, and how it fares: no plan can ask for what no stratum holds."""
    catalogue = {sku.id: sku for sku in deployment.skus} if deployment else {}
    strange = [o for o in outcomes if is_stranger(catalogue, o.stratum, o.item)]
    if not strange:
        return
    share, failed = len(strange) / len(outcomes), sum(not o.succeeded for o in strange) / len(strange)
    text = (
        f"{share:.1%} of production picks articles that are not in skus.csv: {len(strange)} attempts, {failed:.0%} "
        f"failed: {named([o.item for o in strange])}. Nothing is planned for them; add them to the catalogue."
    )
    yield CoverageGap(GapKind.ARTICLE, Stratum(), share, text)
