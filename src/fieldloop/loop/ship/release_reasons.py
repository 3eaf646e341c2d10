"""Reasons against a release: a failed check of the selection, a device that is undeclared, or clocks not verified."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import fieldloop.check as checks
from fieldloop.errors import Refused
from fieldloop.loop.collect.synchronisation import CLOCK_NOT_VERIFIED, list_clock_reasons
from fieldloop.loop.work.stated_reason import require_stated_reason
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.identity import compute_content_id
from fieldloop.model.note import Note, note
from fieldloop.model.release import CarriedChecks, Release
from fieldloop.say import write_sentence
from fieldloop.say.refusals import write_refusal

ANNOTATED = "corpus.annotated"
MOST_NAMED = 8
NOT_DECLARED = note("protocol.clock_not_declared")
VERIFY = "Record each measured offset: fieldloop collect synchronise STREAM --robot ROBOT --offset-ms 1.2 --how 'HOW'"
OVERRIDE = "To release all the same, give a reason, which is recorded with your name: --override 'REASON'"


def judge_selection(
    workspace: Workspace, frozen: Release, batch: checks.Batch, *, unlabelled: bool
) -> tuple[Finding, ...]:
    """Ask the dataset checks about a release's own episodes and split; no log is opened.

    With --unlabelled it is decided already that episodes may lack annotations.
    """
    asked = list(workspace.operations["release"]["dataset_checks"])
    chosen = [checks.BATCH_CHECKS[name] for name in asked if not (unlabelled and name == ANNOTATED)]
    inside = set(frozen.episodes)
    selected = replace(
        batch,
        episodes=tuple(episode for episode in batch.episodes if episode.id in inside),
        defects=(),
        split={e: part for part in ("train", "validation") for e in getattr(frozen, part)},
    )
    # selection and split are ours, not a stranger's reading: the workspace's own limits apply to them in full
    return checks.judge_measurements(checks.measure_batch_with(chosen, selected), batch.protocol, named=True)


def summarise_checks(
    until_seq: int, frozen: Release, reports: Mapping[str, EpisodeReport], dataset: tuple[Finding, ...]
) -> CarriedChecks:
    """Sum up what was judged of a release, so that the judgements in the ledger can be found and compared again."""
    inside = [reports[episode] for episode in frozen.episodes]
    counted = {status: sum(one.status is status for one in inside) for status in Status}
    return CarriedChecks(until_seq, name_verdicts(inside), {status: n for status, n in counted.items() if n}, dataset)


def name_verdicts(reports: Iterable[EpisodeReport]) -> str:
    """Name verdicts on episodes by their content: which check answered what, and under which protocol."""
    return compute_content_id(sorted("\n".join(_list_answers(one)).encode() for one in reports))


def _list_answers(report: EpisodeReport) -> Iterator[str]:
    yield from (report.episode, report.status.value, report.judged_by)
    yield from (f"{finding.check} {finding.subject} {finding.status.value}" for finding in report.findings)


def list_release_reasons(
    workspace: Workspace, episodes: Sequence[Episode], reports: Mapping[str, EpisodeReport], dataset: Iterable[Finding]
) -> tuple[Note, ...]:
    """Return every reason against a release, failed checks of the selection first."""
    failed = [note("release.dataset_check_failed", check=f.check, finding=f.fact) for f in dataset if f.counts]
    return (*failed, *list_clock_reasons(workspace, episodes, reports))


def require_reason(workspace: Workspace, name: str, reasons: Sequence[Note], override: str) -> str:
    """Refuse a release for these reasons; return who overrode them and why, '' where nothing had to be."""
    if not reasons:
        return ""
    if reason := require_stated_reason(workspace, override):
        return f"{reason} (overridden by {workspace.actor.id})"
    listed = [write_sentence(one) for one in reasons[:MOST_NAMED]]
    listed += [f"And {len(reasons) - MOST_NAMED} more."] if len(reasons) > MOST_NAMED else []
    unverified = any(one.code == CLOCK_NOT_VERIFIED and one["why"] != NOT_DECLARED for one in reasons)
    raise Refused(write_refusal(f"Release {name} refused", listed, *[VERIFY] * unverified, OVERRIDE), reasons)
