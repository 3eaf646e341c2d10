"""What the ledger remembers of a check: verdicts that changed, once; the same answer again leaves it as it is."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median_high

from fieldloop.loop.workspace import Workspace
from fieldloop.model.codec import to_plain
from fieldloop.model.event import DatasetJudged, EpisodeJudged
from fieldloop.model.finding import EpisodeReport, Finding
from fieldloop.model.quality import CheckTally, DatasetReport
from fieldloop.model.ranking import Ranking
from fieldloop.report.check import CheckReport
from fieldloop.report.check.content import count_episodes_by_protocol

MOST_LOOKS = 50
"""Episodes to look at that are remembered: more than anybody looks at before checking again."""


def record_episode_verdicts(workspace: Workspace, judged: Sequence[EpisodeJudged]) -> None:
    """Record the verdicts on episodes that differ from the last recorded ones."""
    last = {report.episode: report for report in workspace.store.find(EpisodeReport)}
    workspace.write(
        *(event for event in judged if not _is_verdict_recorded(workspace, event, last.get(event.report.episode)))
    )


def record_dataset_verdict(workspace: Workspace, report: CheckReport) -> DatasetReport:
    """Record the verdict on the dataset if it differs from the last recorded one."""
    made = summarise_dataset(report, workspace.clock())
    known = workspace.find_newest(DatasetReport)
    if known is not None and to_plain(replace(known, at_ns=made.at_ns)) == to_plain(made):
        return replace(made, at_ns=known.at_ns)
    workspace.write(DatasetJudged(made))
    return made


def summarise_dataset(report: CheckReport, at_ns: int) -> DatasetReport:
    """Keep of a report what pages show of the dataset as a whole."""
    ranking = report.ranking
    return DatasetReport(
        protocol=report.protocol.version_name,
        fingerprint=report.protocol.fingerprint,
        status=report.status,
        episodes=dict(Counter(episode.status for episode in report.episodes)),
        findings=report.dataset,
        dimensions=report.dimensions,
        ranking=Ranking(ranking.looks[:MOST_LOOKS], ranking.episodes, ranking.length_correlation),
        look_first=ranking.sentence,
        trends=tuple(series for series in report.trends if series.alerts),
        metrics=len(report.trends),
        contents=report.contents,
        checks=tuple(_count_answers_by_check(report.episodes)),
        outdated=report.outdated,
        at_ns=at_ns,
        judged_by=count_episodes_by_protocol(report.episodes),
    )


def _count_answers_by_check(reports: Sequence[EpisodeReport]) -> Iterator[CheckTally]:
    """Count the answers to every check, those that hold most episodes back first."""
    findings_by_check: dict[str, list[Finding]] = defaultdict(list)
    held: dict[str, set[str]] = defaultdict(set)
    for report in reports:
        for finding in report.findings:
            findings_by_check[finding.check].append(finding)
            if finding.counts:
                held[finding.check].add(report.episode)
    for check in sorted(findings_by_check, key=lambda name: (-len(held[name]), name)):
        findings = findings_by_check[check]
        values = [f.measured for f in findings if f.measured is not None and math.isfinite(f.measured)]
        middle = median_high(values) if values else None
        yield CheckTally(
            check, dict(Counter(f.status for f in findings)), len(held[check]), middle, findings[0].minimum,
            findings[0].maximum,
            findings[0].unit,
        )  # fmt: skip


def _is_verdict_recorded(workspace: Workspace, event: EpisodeJudged, last: EpisodeReport | None) -> bool:
    """Was the same said last, and under this protocol? Compared as written: a number that is none is null there."""
    if last is None or to_plain(last) != to_plain(event.report):
        return False
    return workspace.store.count(EpisodeReport, {"episode": last.episode, "protocol": event.protocol}) > 0
