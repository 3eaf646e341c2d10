"""What the ledger remembers of a check: verdicts that changed, once; the same answer again leaves it as it is."""

from collections import Counter
from collections.abc import Sequence

from fieldloop.loop.page_reads import newest
from fieldloop.loop.workspace import Workspace
from fieldloop.model.codec import to_plain
from fieldloop.model.event import DatasetJudged, EpisodeJudged
from fieldloop.model.finding import EpisodeReport
from fieldloop.model.quality import DatasetReport
from fieldloop.model.ranking import Ranking
from fieldloop.report.check import CheckReport

MOST_LOOKS = 50
"""Episodes to look at that are remembered: more than anybody looks at before checking again."""


def remember_episodes(workspace: Workspace, judged: Sequence[EpisodeJudged]) -> None:
    """Write down the verdicts that are not the last ones anyway."""
    last = {report.episode: report for report in workspace.store.find(EpisodeReport)}
    workspace.write(*(event for event in judged if not _is_known(workspace, event, last.get(event.report.episode))))


def remember_dataset(workspace: Workspace, report: CheckReport) -> DatasetReport:
    """Write down how the dataset stands, where that has changed."""
    made = summary(report)
    known = newest(workspace, DatasetReport)
    if known is None or to_plain(known) != to_plain(made):
        workspace.write(DatasetJudged(made))
    return made


def summary(report: CheckReport) -> DatasetReport:
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
        outdated=report.outdated,
    )


def _is_known(workspace: Workspace, event: EpisodeJudged, last: EpisodeReport | None) -> bool:
    """Was the same said last, and under this protocol? Compared as written: a number that is none is null there."""
    if last is None or to_plain(last) != to_plain(event.report):
        return False
    return workspace.store.count(EpisodeReport, {"episode": last.episode, "protocol": event.protocol}) > 0
