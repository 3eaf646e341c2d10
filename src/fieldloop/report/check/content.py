"""The content of a check report."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fieldloop.model.contents import TaskContents
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.quality import DimensionResult
from fieldloop.model.ranking import Ranking
from fieldloop.model.trend import Series
from fieldloop.protocol import CollectionProtocol
from fieldloop.say.numbers import format_plural


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was checked, under which protocol, and every answer: by episode and for the dataset as a whole.

    `ranking` lists the episodes to look at first, `dimensions` sums up five dimensions of quality, `trends` are changes
    from batch to batch, `contents` describes each task. `outdated` counts episodes measured with other parameters or
    fewer checks than are in force now. `logs` names the file of each episode, in their order; empty where no file was
    opened. `questions` is what each check asks. `paths` are where each episode can be opened, empty like `logs`.
    """

    source: str
    format: str
    protocol: CollectionProtocol
    episodes: tuple[EpisodeReport, ...]
    dataset: tuple[Finding, ...] = ()
    ranking: Ranking = field(default_factory=Ranking)
    dimensions: tuple[DimensionResult, ...] = ()
    trends: tuple[Series, ...] = ()
    contents: tuple[TaskContents, ...] = ()
    outdated: int = 0
    logs: tuple[str, ...] = ()
    questions: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """The worst that counts; a log without any episode has not passed."""
        counting = {episode.status for episode in self.episodes} | {f.status for f in self.dataset if f.counts}
        if not self.episodes or Status.NOT_APPLICABLE in counting:
            counting = (counting - {Status.NOT_APPLICABLE}) | {Status.CANNOT_TELL}
        return next(status for status in Status if status in counting)


def name_protocols_used(report: CheckReport) -> str:
    """Name the protocols whose limits were used: that of each episode's task, and that of the dataset as a whole."""
    used = count_episodes_by_protocol(report.episodes)
    if set(used) <= {report.protocol.version_name}:
        return report.protocol.label
    parts = [f"{name} ({format_plural(count, 'episode')})" for name, count in used.items()]
    return f"{', '.join(parts)}; the dataset as a whole by {report.protocol.label}"


def count_episodes_by_protocol(episodes: Sequence[EpisodeReport]) -> dict[str, int]:
    """Count the episodes that each protocol judged, the most frequent first."""
    return dict(Counter(episode.judged_by for episode in episodes if episode.judged_by).most_common())
