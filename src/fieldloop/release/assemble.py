"""Select the episodes of a release, split and weigh them, and identify the result by content."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fieldloop.errors import Refused
from fieldloop.model.annotation import PHASE, Annotation
from fieldloop.model.codec import to_plain
from fieldloop.model.condition import Exposure
from fieldloop.model.episode import Episode
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.fix import FixKind
from fieldloop.model.identity import compute_content_id
from fieldloop.model.note import Note, note
from fieldloop.model.release import LeavingOut, Release
from fieldloop.protocol import Section
from fieldloop.release.fixes import select_fixes
from fieldloop.release.shares import weigh_strata
from fieldloop.release.split import split_episodes

NO_REASON = Note("")


class NothingToRelease(Refused):
    """No episode may enter a release; `reasons` are why, each once, `excluded` is why by episode."""

    def __init__(self, name: str, excluded: tuple[tuple[str, Note], ...]) -> None:
        super().__init__(f"No episode may enter release {name!r}.", tuple(dict.fromkeys(why for _, why in excluded)))
        self.excluded = excluded


LATER_FIELDS = ("object", "values", "blob", "error", "error_unit")
"""Fields of annotations that releases made before they existed do not hash."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a release stands on: the protocol it was judged by, the taxonomy it was labelled by, the map it is for.

    `fix`: the kinds of repair that may be made on the way in; `still_wrong`: episodes that these do not repair, with
    why. `worst`: episodes left out for their worth, with why, and `left_out` what was left out. `apart`: what may not
    be on both sides of the split; `together`: ids that belong on one side, such as near-duplicates. `phases_required`:
    an episode without phases stays out, provided that its task has a taxonomy: `taxonomies` names the locked one of
    each task, '' for none. Without these, `taxonomy` holds for every task.
    """

    protocol: str
    taxonomy: str = ""
    exposures: tuple[Exposure, ...] = ()
    seed: int = 0
    fix: tuple[FixKind, ...] = ()
    apart: tuple[str, ...] = ("session",)
    together: tuple[tuple[str, ...], ...] = ()
    still_wrong: tuple[tuple[str, Note], ...] = ()
    phases_required: bool = True
    worst: tuple[tuple[str, Note], ...] = ()
    left_out: LeavingOut | None = None
    taxonomies: tuple[tuple[str, str], ...] = ()

    def get_taxonomy(self, task: str) -> str:
        """Return the locked taxonomy that an episode of this task must be labelled by, '' where none."""
        return dict(self.taxonomies).get(task, "") if self.taxonomies else self.taxonomy


def assemble_release(
    name: str,
    episodes: Iterable[Episode],
    reports: Iterable[EpisodeReport],
    annotations: Iterable[Annotation],
    terms: Terms,
    settings: Section,
) -> Release:
    """Freeze every episode that passed its checks and has the required phases; the others are listed with the reason.

    Failed attempts at the task are data and stay in; failed checks are not and stay out. The same selection has the
    same id, whatever order it comes in and whatever it is called.
    """
    offered = {e.id: e for e in episodes}
    spans = _group_by_episode(annotations)
    last = {r.episode: r for r in reports}
    reasons = _explain_exclusions(offered, last, spans, terms)
    kept = [offered[key] for key in sorted(offered) if key not in reasons]
    if not kept:
        raise NothingToRelease(name, tuple((key, reasons[key]) for key in sorted(reasons)))
    share = settings.number("validation_share")
    train, validation = split_episodes(kept, share, terms.seed, terms.apart, terms.together)
    shares = weigh_strata(kept, terms.exposures, settings)
    labels = compute_labels_id(span for e in kept for span in spans.get(e.id, ()))
    fixes = tuple((e.id, fix) for e in kept for fix in select_fixes(last[e.id], terms.fix) or ())
    frozen = Release(
        id="",
        name=name,
        episodes=tuple(e.id for e in kept),
        train=train,
        validation=validation,
        protocol=terms.protocol,
        taxonomy=terms.taxonomy,
        shares=shares,
        annotations_sha256=labels,
        excluded=tuple((key, reasons[key]) for key in sorted(reasons)),
        fixes=fixes,
        left_out=terms.left_out,
    )
    return replace(frozen, id=compute_release_id(frozen))


def compute_release_id(release: Release) -> str:
    """Name a release by what is selected, split, weighed, labelled and repaired; its name and reasons do not count."""
    content: list[Any] = [
        release.episodes, release.train, release.validation, release.protocol, release.taxonomy,
        to_plain(release.shares), release.annotations_sha256,
    ]  # fmt: skip
    if release.fixes:
        # the reason explains a fix and does not change it: other words must not make another release
        content.append(to_plain(tuple((key, replace(fix, why=NO_REASON)) for key, fix in release.fixes)))
    return compute_content_id(json.dumps(part).encode() for part in content)


def compute_labels_id(annotations: Iterable[Annotation]) -> str:
    """Name labels by their content, in whatever order they come."""
    return compute_content_id(sorted(json.dumps(_convert_label(span), sort_keys=True).encode() for span in annotations))


def _convert_label(span: Annotation) -> dict[str, Any]:
    """Leave out later fields that hold nothing, so that labels made before these fields existed keep their id."""
    plain: dict[str, Any] = to_plain(span)
    return {name: value for name, value in plain.items() if value not in ("", [], None) or name not in LATER_FIELDS}


def _group_by_episode(annotations: Iterable[Annotation]) -> dict[str, list[Annotation]]:
    spans: dict[str, list[Annotation]] = {}
    for annotation in sorted(annotations, key=lambda a: (a.episode, a.kind, a.author, a.start_ns, a.end_ns, a.label)):
        spans.setdefault(annotation.episode, []).append(annotation)
    return spans


def _explain_exclusions(
    offered_episodes: Mapping[str, Episode],
    reports: Mapping[str, EpisodeReport],
    annotations_by_episode: Mapping[str, Sequence[Annotation]],
    terms: Terms,
) -> dict[str, Note]:
    """Return why each excluded episode stays out."""
    reasons = {key: why for key, why in (*terms.worst, *terms.still_wrong) if key in offered_episodes}
    for key in offered_episodes.keys() - reasons.keys():
        report, taxonomy = reports.get(key), terms.get_taxonomy(offered_episodes[key].task)
        if report is None:
            reasons[key] = note("release.never_checked")
        elif report.status is not Status.PASSED and select_fixes(report, terms.fix) is None:
            against = next((f for f in report.findings if f.counts), None)
            reasons[key] = make_not_passed_note("release.not_passed", against)
        elif taxonomy and terms.phases_required and not _has_phases(annotations_by_episode.get(key, ())):
            reasons[key] = note("release.not_annotated", taxonomy=taxonomy)
    return reasons


def _has_phases(annotations: Sequence[Annotation]) -> bool:
    return any(annotation.kind == PHASE for annotation in annotations)


def make_not_passed_note(code: str, failed_finding: Finding | None) -> Note:
    """Return that an episode did not pass, with the first finding that counts against it."""
    if failed_finding is None:
        return note("release.nothing_measured")
    return note(
        code,
        check=failed_finding.check,
        status=failed_finding.status.value.replace("_", " "),
        finding=failed_finding.fact,
    )
