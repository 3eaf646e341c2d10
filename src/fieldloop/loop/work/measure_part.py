"""Measure some episodes of a log: run every check, and keep what checks of the whole dataset need. Runs anywhere."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import fieldloop.check as checks
from fieldloop.errors import ProtocolError
from fieldloop.ingest import LogMapping, OpenLog, open_log
from fieldloop.loop.data.streams import StreamShown, describe_streams
from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Defect, Episode, Recording
from fieldloop.model.finding import Measured
from fieldloop.model.imprint import Imprint
from fieldloop.model.stated import Amendments
from fieldloop.protocol import CollectionProtocol
from fieldloop.protocol.layers import compute_fingerprint


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """What an episode is compared with: the protocol of its task, calibrations of its robot, its annotations.

    `refused` states why the protocol of a task may not be used; only episodes of that task are refused for it.
    """

    usual: CollectionProtocol
    by_task: Mapping[str, CollectionProtocol] = field(default_factory=dict)
    calibrations: Mapping[str, tuple[Calibration, ...]] | None = None
    annotations: Mapping[str, tuple[Annotation, ...]] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Fingerprint of all that changes what is measured: parameters of every protocol, and the checks themselves."""
        tasks = {task: checks.fingerprint_measuring_numbers(protocol) for task, protocol in self.by_task.items()}
        return compute_fingerprint(
            [checks.fingerprint_measuring_numbers(self.usual), tasks, checks.list_code_revisions()]
        )

    def keep_annotations_of(self, episodes: Iterable[str]) -> "Rules":
        """Return the same rules with the annotations of these episodes alone."""
        known = {episode: self.annotations[episode] for episode in episodes if episode in self.annotations}
        return replace(self, annotations=known)

    def get_protocol(self, episode: Episode) -> CollectionProtocol:
        """Return the protocol of the episode's task; refuse where it may not be used."""
        if episode.task in self.refused:
            raise ProtocolError(self.refused[episode.task])
        return self.by_task.get(episode.task, self.usual)

    def make_case(self, recording: Recording) -> checks.Case:
        """Assemble the input of the checks."""
        episode = recording.episode
        # None for a robot that was never calibrated here; the protocol decides whether that counts
        known = None if self.calibrations is None else self.calibrations.get(episode.robot)
        annotated = self.annotations.get(episode.id, ())
        in_workspace = self.calibrations is not None
        return checks.Case(recording, self.get_protocol(episode), known, annotated, in_workspace)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some episodes of a log (`stop` None: to its end). It stays small, as each part is sent to a worker.

    `reader` names the reader that recognised the log; '' where that is still to be done. `amendments` are facts that
    the log does not state.
    """

    path: Path
    mapping: LogMapping | None = None
    start: int = 0
    stop: int | None = None
    pixels: bool = True
    reader: str = ""
    amendments: Amendments | None = None

    def open(self) -> OpenLog:
        """Open the log; its format is not recognised again."""
        return open_log(self.path, self.mapping, reader=self.reader)

    def amend_recording(self, recording: Recording) -> Recording:
        """Return a recording with the facts that its log does not state."""
        return replace(recording, episode=self.amendments.apply(recording.episode)) if self.amendments else recording


@dataclass(frozen=True, slots=True, eq=False)
class EpisodeResult:
    """What was measured in one episode."""

    episode: Episode
    measured: tuple[Measured, ...]
    imprint: Imprint
    streams: tuple[StreamShown, ...] = ()


@dataclass(frozen=True, slots=True)
class PartResult:
    """What was measured in a part; `defects` are those of the log as a whole, reported by its first part only."""

    format: str
    episodes: tuple[EpisodeResult, ...]
    defects: tuple[Defect, ...]


def measure_part(part: Part, rules: Rules) -> PartResult:
    """Read a part and measure its episodes; writes nothing."""
    from threadpoolctl import threadpool_limits

    opened = part.open()
    chosen = opened.read_part(part.start, part.stop)
    # matrices are small: several threads of linear algebra would wait for each other and for the other workers
    with threadpool_limits(limits=1):
        episodes = tuple(measure_recording(part.amend_recording(one), rules, pixels=part.pixels) for one in chosen)
    return PartResult(opened.format, episodes, opened.defects)  # defects are complete after the last recording


def measure_recording(recording: Recording, rules: Rules, *, pixels: bool = True) -> EpisodeResult:
    """Run every check on one recording and take its imprint."""
    case = rules.make_case(recording)
    measured = checks.measure_episode(case, pixels=pixels)
    return EpisodeResult(
        recording.episode, measured, checks.take_imprint(case, pixels=pixels), describe_streams(recording)
    )
