"""Compare annotators: of the workspace, or of plain files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldloop.annotate import Source, classify_author, find_edge_cases
from fieldloop.annotate.agreeing import AgreementLimits, compare_all_authors
from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.annotate.numbers import BOUNDARY, KAPPA, read_annotation_number
from fieldloop.loop.annotate.visible import select_visible_labels
from fieldloop.loop.data.measurements import IN_USE
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.workspace import Workspace
from fieldloop.model.agreement import EDGE_CASES, AgreementEstimate, AgreementReport, AgreementVector
from fieldloop.model.annotation import Annotation
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.note import Note
from fieldloop.protocol import default_operations
from fieldloop.protocol.operations import Section
from fieldloop.report.agree import render_agreement_page
from fieldloop.say.spelled import spell_out_facts

NUMBERS = ("kappa", "boundary_mae_frames", "boundary_bias_frames", "boundary_f1", "boundary_hits", "edit", "gamma")


@dataclass(frozen=True, slots=True)
class Agreed:
    """How far annotators agree. `source` names the files; where all count frames, seconds are not known."""

    report: AgreementReport
    source: tuple[str, ...] = ()
    remarks: tuple[Note, ...] = ()
    counted_in_frames: bool = False

    @property
    def status(self) -> Status:
        """The worst status of any kind of label."""
        return self.report.status

    @property
    def exit_ok(self) -> bool:
        """Whether every kind of label passed."""
        return self.report.exit_ok

    def json_object(self) -> dict[str, Any]:
        """The form others may rely on: schema agreement/1. What is undefined is null."""
        report = self.report
        head = max(report.vectors, key=lambda vector: vector.segments, default=None)
        plain: dict[str, Any] = {
            "schema": "agreement/1",
            "status": report.status,
            "authors": report.authors,
            "episodes": report.episodes,
            "fps": None if self.counted_in_frames else report.frame_hz,
            "kind": head.kind if head else None,
            **(self._write_numbers(head) if head else {}),
            "by_kind": [self._write_vector(vector) for vector in report.vectors],
            "pairs": [self._write_vector(vector) for vector in report.pairs],
            "slices": [self._write_vector(vector) for vector in report.slices],
            "boundaries": [
                {
                    "kind": b.kind, "boundary": b.name, "before": b.before, "after": b.after, "matched": b.matched,
                    "mae_frames": b.mae_frames.value, "bias_frames": b.bias_frames.value,
                    "spread_frames": b.spread_frames,
                }
                for b in report.boundaries
            ],
            "confused": [
                {"kind": c.kind, "labels": c.labels, "confused": c.confused, "segments": c.segments, "share": c.share}
                for c in report.confused
            ],
            "people": [
                {
                    "kind": p.kind, "author": p.author, "episodes": p.episodes, "kappa": p.kappa,
                    "others_kappa": p.others_kappa, "bias_frames": p.bias_frames, "mae_frames": p.mae_frames,
                    "confused": p.confused,
                }
                for p in report.people
            ],
            "findings": [
                {
                    "remedy": f.remedy, "kinds": f.kinds, "authors": f.authors, "labels": f.labels, "message": f.says,
                    "code": f.says.code, "numbers": dict(f.says.numbers),
                }
                for f in report.findings
            ],
            "remarks": [*self.remarks, *report.remarks],
            "limits": {"min_kappa": report.min_kappa, "max_boundary_frames": report.max_boundary_frames},
            "files": self.source,
        }  # fmt: skip
        written: dict[str, Any] = spell_out_facts(plain)
        return written

    def _write_vector(self, vector: AgreementVector) -> dict[str, Any]:
        return {
            "kind": vector.kind,
            "slice": vector.slice or None,
            "authors": vector.authors,
            "episodes": vector.episodes,
            "segments": vector.segments,
            "status": vector.status,
            "reason": vector.reason,
            **self._write_numbers(vector),
        }

    def _write_numbers(self, vector: AgreementVector) -> dict[str, Any]:
        shares = {"10": vector.f1_10, "50": vector.f1_50, "90": vector.f1_90}
        seconds = vector.boundary_mae_frames.value
        hz = None if self.counted_in_frames else self.report.frame_hz
        return {
            **{name: getattr(vector, name).value for name in NUMBERS},
            "boundary_mae_s": None if seconds is None or hz is None else seconds / hz,
            "f1": {at: share.value for at, share in shares.items()},
            "intervals": {
                **{name: _write_interval(getattr(vector, name)) for name in NUMBERS},
                "f1": {at: _write_interval(share) for at, share in shares.items()},
            },
        }


def compare_annotators(
    workspace: Workspace,
    author: tuple[str, ...] = (),
    *,
    kind: tuple[str, ...] = (),
    fps: float | None = None,
    edge: tuple[str, ...] = (),
    html: Path | None = None,
) -> Agreed:
    """Compare annotators on the episodes that at least two of them labelled.

    Every number is given for each kind of label, each pair of annotators, each condition, and for edge cases alone.
    Findings state whom to retrain, and which boundary or labels the taxonomy leaves open. Labels that you may not see
    before you hand in your own, or before you qualify, are left out.

    Arguments:
        author: annotators to compare (default: all people who share episodes)
        kind: only these kinds of labels, such as phase
        fps: frames per second in which boundaries are counted (default: agree.frame_hz of operations)
        edge: episodes under this condition are edge cases, such as bin=buried (repeatable; default: failures, episodes
            stated to be edge cases, and rare conditions)
        html: also write the report to this HTML file
    """
    settings = workspace.operations["agree"]
    found = _find_annotations(workspace, author, kind)
    episodes = {e.id: e for e in workspace.store.find(Episode, {"id": sorted({a.episode for a in found})})}
    slices = _find_slices(workspace, episodes, edge)
    report = compare_all_authors(found, fps or settings.number("frame_hz"), _read_limits(workspace), settings, slices)
    return write_report(Agreed(report), html)


def compare_people_quickly(workspace: Workspace, annotations: Sequence[Annotation]) -> AgreementReport | None:
    """Compare people as `agree` does, without gamma, which takes long; None where no two labelled the same episode."""
    people = [a for a in annotations if classify_author(a.author) is Source.PERSON]
    authors: dict[tuple[str, str], str] = {}
    if all(authors.setdefault((a.episode, a.kind), a.author) == a.author for a in people):
        return None
    settings = workspace.operations["agree"].replace_values(gamma_episodes=0)
    return compare_all_authors(people, settings.number("frame_hz"), _read_limits(workspace), settings)


def write_report(agreed: Agreed, html: Path | None) -> Agreed:
    """Write the page where one is asked for."""
    if html:
        write_atomically(html, render_agreement_page(agreed.report, agreed.remarks, agreed.source))
    return agreed


def compare_spans(
    workspace: Workspace | None, annotations: Sequence[Annotation], hz: float, edge_cases: Iterable[str]
) -> AgreementReport:
    """Compare annotators by the limits in force, or by the shipped ones without a workspace."""
    operations = workspace.operations if workspace else default_operations()
    marked = frozenset(edge_cases)
    slices = {EDGE_CASES: marked} if marked else {}
    return compare_all_authors(annotations, hz, _read_limits(workspace), operations["agree"], slices)


def get_agree_settings(workspace: Workspace | None) -> Section:
    """Return the settings in force."""
    return (workspace.operations if workspace else default_operations())["agree"]


def _find_annotations(workspace: Workspace, authors: Sequence[str], kinds: Sequence[str]) -> list[Annotation]:
    where: dict[str, Any] = ({"author": list(authors)} if authors else {}) | ({"kind": list(kinds)} if kinds else {})
    found = workspace.store.find(Annotation, where)
    known = {a.author for a in found}
    if missing := [name for name in authors if name not in known]:
        every = sorted({a.author for a in workspace.store.find(Annotation)})
        raise UnknownName("annotator", missing[0], every, ", ".join(every) or "none yet")
    visible, hidden = select_visible_labels(workspace, found)
    found = list(visible)
    if not authors:
        found = [a for a in found if classify_author(a.author) is Source.PERSON]
    people = sorted({a.author for a in found})
    if len(people) < 2 and hidden:  # noqa: PLR2004 - agreement takes two
        raise Refused(
            "Labels that you may not see yet are not compared: hand in your own labels of these episodes, and qualify, "
            "first. See: fieldloop annotate next"
        )
    if len(people) < 2:  # noqa: PLR2004 - agreement takes two
        so_far = f"{people[0]} is the only one so far" if people else "no person has labelled an episode yet"
        raise BadInput(
            f"Agreement needs two annotators, and {so_far}. Let two people label some of the same episodes, or name a "
            "program as an annotator."
        )
    return found


def _find_slices(
    workspace: Workspace, episodes: Mapping[str, Episode], edge: Sequence[str]
) -> dict[str, frozenset[str]]:
    """Return edge cases first, then every condition that some but not all of the episodes share."""
    if edge:
        asked = [Stratum.parse(text) for text in edge]
        rare = {name for name, e in episodes.items() if any(one.covers(e.circumstances) for one in asked)}
    else:
        share = workspace.operations["annotate"].number("edge_case_share")
        rare = set(find_edge_cases(workspace.store.find(Episode, IN_USE), share) & episodes.keys())
    by_condition: dict[str, set[str]] = {}
    for name, episode in episodes.items():
        for condition in episode.circumstances.conditions:
            by_condition.setdefault(str(condition), set()).add(name)
    partial = {name: ids for name, ids in sorted(by_condition.items()) if len(ids) < len(episodes)}
    slices = {EDGE_CASES: frozenset(rare)} if rare else {}
    return slices | {name: frozenset(ids) for name, ids in partial.items()}


def _read_limits(workspace: Workspace | None) -> AgreementLimits:
    return AgreementLimits(*(read_annotation_number(workspace, name) for name in (KAPPA, BOUNDARY)))


def _write_interval(estimate: AgreementEstimate) -> list[float] | None:
    return None if estimate.low is None or estimate.high is None else [estimate.low, estimate.high]
