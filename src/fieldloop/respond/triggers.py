"""When to train again: after a real drop, before a new article reaches volume, and every quarter."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.finding import Status
from fieldloop.model.stream import NS_PER_S
from fieldloop.protocol import Section

NS_PER_DAY = 86_400 * NS_PER_S


@dataclass(frozen=True, slots=True)
class Trigger:
    """One reason to train again."""

    kind: str
    why: str
    source: str = ""


def due(
    settings: Section,
    at_ns: int,
    trained_ns: int | None,
    diagnoses: Iterable[Diagnosis] = (),
    new_articles: Mapping[str, float] | None = None,
) -> tuple[Trigger, ...]:
    """List every reason to train again now; none means that the policy may stay as it is.

    `new_articles` gives each article without demonstrations and its expected share of picks.
    """
    return (
        *_drops(settings, trained_ns, diagnoses),
        *_articles(settings, new_articles or {}),
        *_quarter(settings, at_ns, trained_ns),
    )


def _drops(settings: Section, trained_ns: int | None, diagnoses: Iterable[Diagnosis]) -> Iterator[Trigger]:
    for made in diagnoses:
        fresh = trained_ns is None or made.made_ns > trained_ns
        if fresh and made.status is Status.FAILED and made.loss > settings.number("max_drop"):
            why = f"Success at {made.site or 'all sites'} really fell by {100 * made.loss:.0f} points, with a cause."
            yield Trigger("drop", why, made.id)


def _articles(settings: Section, new_articles: Mapping[str, float]) -> Iterator[Trigger]:
    volume = settings.number("new_article_share")
    for article, share in sorted(new_articles.items()):
        if share >= volume:
            yield Trigger(
                "new article", f"{article} makes up {share:.1%} of picks and was never demonstrated.", article
            )


def _quarter(settings: Section, at_ns: int, trained_ns: int | None) -> Iterator[Trigger]:
    if trained_ns is None:
        yield Trigger("never trained", "There is no policy yet.")
        return
    days = (at_ns - trained_ns) / NS_PER_DAY
    if days >= settings.number("quarter_days"):
        yield Trigger("quarter", f"{days:.0f} days since the last training; take all production failures in.")
