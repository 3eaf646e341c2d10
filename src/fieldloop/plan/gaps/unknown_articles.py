"""Articles that are picked but missing from the catalogue: they have no tier, so they belong to no stratum."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import Deployment, Sku
from fieldloop.model.note import Note, note
from fieldloop.model.plan import CoverageGap, GapKind
from fieldloop.model.policy import Outcome

MOST_NAMED = 3  # articles in one sentence


def is_unknown_article(catalogue: Mapping[str, Sku], where: Stratum, handled: str) -> bool:
    """Does an attempt log an article without a tier that the catalogue does not list?

    Without a catalogue no article is unknown.
    """
    return bool(catalogue and handled and handled not in catalogue and not where.level("tier"))


def count_names(names: Iterable[str]) -> tuple[Note, ...]:
    """Return the names that occur most, each with its count, and how many more there are.

    >>> [dict(one.numbers) for one in count_names(["b", "a", "b", "c", "d"])]
    [{'name': 'b', 'count': 2}, {'name': 'a', 'count': 1}, {'name': 'c', 'count': 1}, {'more': 1}]
    """
    counts = sorted(Counter(names).items(), key=lambda pair: (-pair[1], pair[0]))
    return keep_first_and_count_rest([note("plan.counted", name=name, count=count) for name, count in counts])


def keep_first_and_count_rest(items: Sequence[Note]) -> tuple[Note, ...]:
    """Keep the first few items and count the rest."""
    rest = (note("plan.more_items", more=len(items) - MOST_NAMED),) if len(items) > MOST_NAMED else ()
    return (*items[:MOST_NAMED], *rest)


def find_unknown_article_gaps(deployment: Deployment | None, outcomes: Sequence[Outcome]) -> Iterator[CoverageGap]:
    """Report how much of production picks such articles, and how often it fails; a plan cannot ask for them."""
    catalogue = {sku.id: sku for sku in deployment.skus} if deployment else {}
    strange = [o for o in outcomes if is_unknown_article(catalogue, o.stratum, o.item)]
    if not strange:
        return
    share, failed = len(strange) / len(outcomes), sum(o.succeeded is False for o in strange) / len(strange)
    articles = count_names(o.item for o in strange)
    message = note(
        "plan.articles_not_in_catalogue", share=share, attempts=len(strange), failed=failed, articles=articles
    )  # fmt: skip
    yield CoverageGap(GapKind.ARTICLE, Stratum(), share, message)
