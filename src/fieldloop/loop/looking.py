"""One look at some episodes of a log: every check is asked, what questions about many need is kept. Runs anywhere."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fieldloop import check as checks
from fieldloop.errors import ProtocolError
from fieldloop.ingest import LogMapping, open_log
from fieldloop.loop.streams import StreamShown, streams_of
from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Defect, Episode, Recording
from fieldloop.model.finding import Measured
from fieldloop.model.imprint import Imprint
from fieldloop.protocol import CollectionProtocol
from fieldloop.protocol.layers import fingerprint


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """What an episode is held against: the protocol of its task, the calibrations of its robot, what people said.

    `refused` says why nobody may work by the protocol of a task; only its own episodes are held up by that.
    """

    usual: CollectionProtocol
    by_task: Mapping[str, CollectionProtocol] = field(default_factory=dict)
    calibrations: Mapping[str, tuple[Calibration, ...]] | None = None
    annotations: Mapping[str, tuple[Annotation, ...]] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def measuring(self) -> str:
        """Name everything that changes what is measured: parameters of every protocol, and the checks themselves."""
        tasks = {task: checks.measuring_fingerprint(protocol) for task, protocol in self.by_task.items()}
        return fingerprint([checks.measuring_fingerprint(self.usual), tasks, checks.revisions()])

    def protocol(self, episode: Episode) -> CollectionProtocol:
        """Return the protocol of the episode's task; refuse where nobody may work by it."""
        if episode.task in self.refused:
            raise ProtocolError(self.refused[episode.task])
        return self.by_task.get(episode.task, self.usual)

    def case(self, recording: Recording) -> checks.Case:
        """Assemble what the checks may look at."""
        episode = recording.episode
        # of a robot that was never calibrated here nothing is known; whether that counts is the protocol's to say
        known = None if self.calibrations is None else self.calibrations.get(episode.robot)
        return checks.Case(recording, self.protocol(episode), known, self.annotations.get(episode.id, ()))


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some episodes of a log (`stop` None: to its end), and what they are held against."""

    path: Path
    rules: Rules
    mapping: LogMapping | None = None
    start: int = 0
    stop: int | None = None
    pixels: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """What one look at an episode found."""

    episode: Episode
    measured: tuple[Measured, ...]
    imprint: Imprint
    streams: tuple[StreamShown, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """What one look at a part found; `defects` are those of the log as a whole, told by its first part alone."""

    format: str
    episodes: tuple[Looked, ...]
    defects: tuple[Defect, ...]


def look(part: Part) -> Seen:
    """Read a part and measure its episodes; writes nothing."""
    from threadpoolctl import threadpool_limits

    opened = open_log(part.path, part.mapping)
    chosen = opened.part(part.start, part.stop)
    # many small matrices: threads of the linear algebra would only wait for each other, and for the other workers'
    with threadpool_limits(limits=1):
        looked = tuple(look_at(recording, part.rules, pixels=part.pixels) for recording in chosen)
    return Seen(opened.format, looked, opened.defects)  # complete once the recordings have been walked


def look_at(recording: Recording, rules: Rules, *, pixels: bool = True) -> Looked:
    """Ask every check about one recording and take its imprint."""
    case = rules.case(recording)
    measured = checks.measure(case, pixels=pixels)
    return Looked(recording.episode, measured, checks.take_imprint(case, pixels=pixels), streams_of(recording))
