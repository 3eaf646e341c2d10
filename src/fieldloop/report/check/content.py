"""The content of a check report."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fieldloop.model.contents import TaskContents
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.quality import DimensionResult
from fieldloop.model.ranking import Ranking
from fieldloop.model.trend import Series
from fieldloop.protocol import CollectionProtocol


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was checked, under which protocol, and every answer: by episode and for the dataset as a whole.

    `ranking` lists the episodes to look at first, `dimensions` sums up five dimensions of quality, `trends` are changes
    from batch to batch, `contents` describes each task. `outdated` counts episodes measured with other parameters or
    fewer checks than are in force now. `logs` names the file of each episode, in their order; empty where no file was
    opened. `questions` is what each check asks.
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

    @property
    def status(self) -> Status:
        """The worst that counts; a log without any episode has not passed."""
        counting = {episode.status for episode in self.episodes} | {f.status for f in self.dataset if f.counts}
        if not self.episodes or Status.NOT_APPLICABLE in counting:
            counting = (counting - {Status.NOT_APPLICABLE}) | {Status.CANNOT_TELL}
        return next(status for status in Status if status in counting)
