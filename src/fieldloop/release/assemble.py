"""Select what may be learnt from, split it, weigh it, and name the result by its content."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fieldloop.errors import Refused
from fieldloop.model.annotation import Annotation
from fieldloop.model.codec import to_plain
from fieldloop.model.condition import Exposure
from fieldloop.model.episode import Episode
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.fix import FixKind
from fieldloop.model.identity import content_id
from fieldloop.model.release import Release
from fieldloop.protocol import Section
from fieldloop.release.fixes import accepted
from fieldloop.release.shares import weigh
from fieldloop.release.split import split


@dataclass(frozen=True, slots=True)
class Terms:
    """What a release stands on: the protocol it was judged by, the taxonomy it was labelled by, the map it is for.

    `fix`: the kinds of repair that may be made on the way in; `still_wrong`: episodes that these do not put right, with
    why. `apart`: what may not be on both sides of the split; `together`: ids that belong on one side, such as
    near-duplicates.
    """

    protocol: str
    taxonomy: str = ""
    exposures: tuple[Exposure, ...] = ()
    seed: int = 0
    fix: tuple[FixKind, ...] = ()
    apart: tuple[str, ...] = ("session",)
    together: tuple[tuple[str, ...], ...] = ()
    still_wrong: tuple[tuple[str, str], ...] = ()


def assemble(
    name: str,
    episodes: Iterable[Episode],
    reports: Iterable[EpisodeReport],
    annotations: Iterable[Annotation],
    terms: Terms,
    settings: Section,
) -> Release:
    """Freeze every episode that passed its checks and is annotated; the others are named with why not.

    Failed attempts at the task are data and stay in; failed checks are not and stay out. The same selection has the
    same id, whatever order it comes in and whatever it is called.
    """
    offered = {e.id: e for e in episodes}
    spans = _by_episode(annotations)
    last = {r.episode: r for r in reports}
    reasons = _reasons(offered, last, spans, terms)
    kept = [offered[key] for key in sorted(offered) if key not in reasons]
    if not kept:
        listed = "; ".join(sorted(set(reasons.values()))[:3]) or "none was offered"
        raise Refused(f"No episode may enter release {name!r}: {listed}.")
    share = settings.number("validation_share")
    train, validation = split(kept, share, terms.seed, terms.apart, terms.together)
    shares = weigh(kept, terms.exposures, settings)
    labels = labels_id(span for e in kept for span in spans.get(e.id, ()))
    fixes = tuple((e.id, fix) for e in kept for fix in accepted(last[e.id], terms.fix) or ())
    content = [[e.id for e in kept], train, validation, terms.protocol, terms.taxonomy, to_plain(shares), labels]
    if fixes:
        content.append(to_plain(fixes))
    return Release(
        id=content_id(json.dumps(part).encode() for part in content),
        name=name,
        episodes=tuple(e.id for e in kept),
        train=train,
        validation=validation,
        protocol=terms.protocol,
        taxonomy=terms.taxonomy,
        shares=shares,
        annotations_sha256=labels,
        excluded=tuple(sorted(reasons.items())),
        fixes=fixes,
    )


def labels_id(annotations: Iterable[Annotation]) -> str:
    """Name labels by their content, in whatever order they come."""
    return content_id(sorted(json.dumps(to_plain(span), sort_keys=True).encode() for span in annotations))


def _by_episode(annotations: Iterable[Annotation]) -> dict[str, list[Annotation]]:
    spans: dict[str, list[Annotation]] = {}
    for one in sorted(annotations, key=lambda a: (a.episode, a.kind, a.author, a.start_ns, a.end_ns, a.label)):
        spans.setdefault(one.episode, []).append(one)
    return spans


def _reasons(
    offered: Mapping[str, Episode],
    reports: Mapping[str, EpisodeReport],
    spans: Mapping[str, Sequence[Annotation]],
    terms: Terms,
) -> dict[str, str]:
    """Say why an episode stays out; those that may enter are not in the answer."""
    reasons = {key: why for key, why in terms.still_wrong if key in offered}
    for key in offered.keys() - reasons.keys():
        report = reports.get(key)
        if report is None:
            reasons[key] = "never checked"
        elif report.status is not Status.PASSED and accepted(report, terms.fix) is None:
            against = next((f for f in report.findings if f.counts), None)
            reasons[key] = (
                f"{report.status}: {f'{against.check}, {against.message}' if against else 'nothing was measured'}"
            )
        elif terms.taxonomy and not spans.get(key):
            reasons[key] = f"not annotated by {terms.taxonomy}"
    return reasons
