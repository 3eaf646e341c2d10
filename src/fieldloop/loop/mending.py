"""Whether what a release puts right is right then: mended, looked at and judged once more before it is let in."""

from collections.abc import Mapping
from dataclasses import replace

from fieldloop import check as checks
from fieldloop.errors import Refused
from fieldloop.loop.looking import Rules, look_at
from fieldloop.loop.measurements import measured_in, rules_of
from fieldloop.loop.reopen import Reopened
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.finding import EpisodeReport, Measured, Status
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.release import Release
from fieldloop.release import mend


def still_wrong(
    workspace: Workspace, frozen: Release, reports: Mapping[str, EpisodeReport]
) -> tuple[tuple[str, str], ...]:
    """Return the episodes that their fixes do not put right, each with why; `reports` are the last before fixing."""
    wanted = sorted({episode for episode, _ in frozen.fixes})
    if not wanted:
        return ()
    episodes = workspace.store.find(Episode, {"id": wanted})
    rules, before = rules_of(workspace), dict(measured_in(workspace, episodes))
    found = []
    for recording in Reopened(workspace, episodes, "what is put right"):
        own = recording.episode
        fixes = frozen.fixes_of(own.id)
        pixels = _shows_in_pictures(reports[own.id], fixes)
        if why := _against(recording, fixes, rules, () if pixels else before[own]):
            found.append((own.id, why))
    return tuple(found)


def _shows_in_pictures(report: EpisodeReport, fixes: tuple[Fix, ...]) -> bool:
    """Do pictures have to be decoded again? Where one of their questions failed, or they now come at other times."""
    asked = (checks.CHECKS.get(finding.check) for finding in report.findings if finding.counts)
    return any(one is not None and one.pixels for one in asked) or any(f.kind is FixKind.RESTAMP for f in fixes)


def _against(recording: Recording, fixes: tuple[Fix, ...], rules: Rules, before: tuple[Measured, ...]) -> str:
    """Say what stands against a mended episode, '' for nothing.

    With an answer from `before` to what only pictures tell, no picture is decoded: a cut makes none of them worse.
    """
    try:
        mended = mend(recording, fixes)
    except Refused as wrong:
        return f"cannot be put right: {wrong}"
    own = mended.episode
    spans = (
        replace(span, start_ns=max(span.start_ns, own.start_ns), end_ns=min(span.end_ns, own.end_ns))
        for span in rules.annotations.get(own.id, ())
    )
    within = replace(rules, annotations={own.id: tuple(span for span in spans if span.end_ns >= span.start_ns)})
    told = {one.check: one for one in before if checks.CHECKS[one.check].pixels}
    measured = (told.get(one.check, one) for one in look_at(mended, within, pixels=not before).measured)
    protocol = rules.protocol(own)
    report = checks.report(own, checks.judge(measured, protocol), protocol.version_name)
    if report.status is Status.PASSED:
        return ""
    against = next((finding for finding in report.findings if finding.counts), None)
    return f"{report.status} once put right: {f'{against.check}, {against.message}' if against else 'nothing measured'}"
