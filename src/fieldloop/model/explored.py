"""What the explorer shows of one episode: cameras, signals, segments, findings and lags on one timeline."""

from dataclasses import dataclass

from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Defect, Episode
from fieldloop.model.finding import EpisodeReport
from fieldloop.model.provenance import Provenance


@dataclass(frozen=True, slots=True)
class CameraSeen:
    """One camera: `number` names it in addresses. `width` × `height` are 0 where no frame could be opened.

    `packets` is whether a browser may decode it from the file's own packets; `why_not` states why else. `depth_m` are
    the distances drawn as the ends of the colour scale, of depth alone.
    """

    number: int
    name: str
    width: int
    height: int
    frames: int
    hz: float | None
    clock: str
    packets: bool = False
    codec: str = ""
    why_not: str = ""
    depth_m: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class SignalListed:
    """One stream of numbers: `number` names it in addresses. Of a long one, `sent` rows are sent.

    `unit_from` states where its unit comes from; one that a reader assumed is shown as such.
    """

    number: int
    name: str
    kind: str
    unit: str
    columns: tuple[str, ...]
    rows: int
    sent: int
    clock: str
    unit_from: Provenance = Provenance.STORED


@dataclass(frozen=True, slots=True)
class CameraLag:
    """A camera's measured lag: a frame with timestamp t shows the joints as logged at t + lag; with its interval."""

    camera: str
    lag_ms: float
    low_ms: float
    high_ms: float


@dataclass(frozen=True, slots=True)
class EpisodeListed:
    """An episode that can be opened, by the key that addresses use."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Beside:
    """What is known of an episode beside its log."""

    segments: tuple[Annotation, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    report: EpisodeReport | None = None
    lags: tuple[CameraLag, ...] = ()


@dataclass(frozen=True, slots=True)
class ExploredEpisode:
    """One episode, opened to be looked at. Times are seconds from `start_ns`, by each stream's most trusted clock.

    `grid` names the stream whose samples are the steps of the player: the first camera, else the longest signal.
    `report` is None until the episode has been checked.
    """

    key: str
    source: str
    episode: Episode
    start_ns: int
    duration_s: float
    grid: str
    cameras: tuple[CameraSeen, ...]
    signals: tuple[SignalListed, ...]
    segments: tuple[Annotation, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    report: EpisodeReport | None = None
    lags: tuple[CameraLag, ...] = ()
    defects: tuple[Defect, ...] = ()
