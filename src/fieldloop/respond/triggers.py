"""Reasons to train again: a drop in success, a new article at volume, and every quarter."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.protocol import Section


@dataclass(frozen=True, slots=True)
class Trigger:
    """One reason to train again."""

    kind: str
    why: Note
    source: str = ""


def list_retraining_triggers(
    settings: Section,
    at_ns: int,
    trained_ns: int | None,
    diagnoses: Iterable[Diagnosis] = (),
    new_articles: Mapping[str, float] | None = None,
) -> tuple[Trigger, ...]:
    """List every reason to train again now; an empty result means that the policy may stay as it is.

    `new_articles` gives each article without demonstrations and its expected share of picks.
    """
    return (
        *_list_drop_triggers(settings, trained_ns, diagnoses),
        *_list_article_triggers(settings, new_articles or {}),
        *_list_quarter_triggers(settings, at_ns, trained_ns),
    )


def _list_drop_triggers(settings: Section, trained_ns: int | None, diagnoses: Iterable[Diagnosis]) -> Iterator[Trigger]:
    for made in diagnoses:
        fresh = trained_ns is None or made.made_ns > trained_ns
        if fresh and made.status is Status.FAILED and made.loss > settings.number("max_drop"):
            why = note("respond.train_after_drop", site=made.site, loss_points=100 * made.loss)
            yield Trigger("drop", why, made.id)


def _list_article_triggers(settings: Section, new_articles: Mapping[str, float]) -> Iterator[Trigger]:
    volume = settings.number("new_article_share")
    for article, share in sorted(new_articles.items()):
        if share >= volume:
            yield Trigger("new article", note("respond.train_new_article", article=article, share=share), article)


def _list_quarter_triggers(settings: Section, at_ns: int, trained_ns: int | None) -> Iterator[Trigger]:
    if trained_ns is None:
        yield Trigger("never trained", note("respond.never_trained"))
        return
    days = (at_ns - trained_ns) / NS_PER_DAY
    if days >= settings.number("quarter_days"):
        yield Trigger("quarter", note("respond.train_quarterly", days=days))
