"""Verify repairs: measure and judge repaired episodes again before they enter a release."""

from collections.abc import Mapping
from dataclasses import replace

import fieldloop.check as checks
from fieldloop.errors import Refused
from fieldloop.loop.data.measurements import collect_measuring_rules, read_stored_measurements
from fieldloop.loop.work.measure_part import Rules, measure_recording
from fieldloop.loop.work.reopen import Reopened
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.finding import EpisodeReport, Measured, Status
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.note import Note, note
from fieldloop.model.release import Release
from fieldloop.release import apply_fixes
from fieldloop.release.assemble import make_not_passed_note


def find_episodes_still_failing(
    workspace: Workspace, frozen: Release, reports: Mapping[str, EpisodeReport]
) -> tuple[tuple[str, Note], ...]:
    """Return the episodes that their fixes do not repair, each with why; `reports` are the last before fixing."""
    wanted = sorted({episode for episode, _ in frozen.fixes})
    if not wanted:
        return ()
    episodes = workspace.store.find(Episode, {"id": wanted})
    rules, before = collect_measuring_rules(workspace), dict(read_stored_measurements(workspace, episodes))
    failing = []
    for recording in Reopened(workspace, episodes, "repaired episodes"):
        repaired = recording.episode
        fixes = frozen.get_fixes(repaired.id)
        pixels = _must_decode_pictures(reports[repaired.id], fixes)
        if why := _find_failure_after_fixes(recording, fixes, rules, () if pixels else before[repaired]):
            failing.append((repaired.id, why))
    return tuple(failing)


def _must_decode_pictures(report: EpisodeReport, fixes: tuple[Fix, ...]) -> bool:
    """Do pictures have to be decoded again? Where one of their questions failed, or they now come at other times."""
    asked = (checks.CHECKS.get(finding.check) for finding in report.findings if finding.counts)
    return any(one is not None and one.pixels for one in asked) or any(f.kind is FixKind.RESTAMP for f in fixes)


def _find_failure_after_fixes(
    recording: Recording, fixes: tuple[Fix, ...], rules: Rules, before: tuple[Measured, ...]
) -> Note | None:
    """Return what still fails in a repaired episode, None for nothing.

    With an answer from `before` to what only pictures tell, no picture is decoded: a cut makes none of them worse.
    """
    try:
        mended = apply_fixes(recording, fixes)
    except Refused as wrong:
        return note("release.cannot_be_repaired", error=str(wrong))
    episode = mended.episode
    spans = (
        replace(span, start_ns=max(span.start_ns, episode.start_ns), end_ns=min(span.end_ns, episode.end_ns))
        for span in rules.annotations.get(episode.id, ())
    )
    within = replace(rules, annotations={episode.id: tuple(span for span in spans if span.end_ns >= span.start_ns)})
    answered = {one.check: one for one in before if checks.CHECKS[one.check].pixels}
    measured = (answered.get(one.check, one) for one in measure_recording(mended, within, pixels=not before).measured)
    protocol = rules.get_protocol(episode)
    named = checks.is_protocol_named((episode,), protocol)
    findings = checks.judge_measurements(measured, protocol, named=named)
    report = checks.make_episode_report(episode, findings, protocol.version_name)
    if report.status is Status.PASSED:
        return None
    against = next((finding for finding in report.findings if finding.counts), None)
    return make_not_passed_note("release.not_passed_repaired", against)
