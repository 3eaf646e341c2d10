"""Sketches of the worst episodes met so far, so that one pass over a large log is enough."""

from dataclasses import dataclass, field

from fieldloop.model.episode import Recording
from fieldloop.model.finding import EpisodeReport
from fieldloop.report.check.sketch import Sketch, sketch
from fieldloop.report.check.summary import rank


@dataclass(slots=True)
class Shortlist:
    """Offer every episode while its recording is open; the worst `size` are sketched."""

    size: int = 8
    _kept: dict[str, tuple[EpisodeReport, Sketch]] = field(default_factory=dict)

    def offer(self, recording: Recording, report: EpisodeReport) -> None:
        """Sketch this episode if it is among the worst so far."""
        ranked = rank([kept for kept, _ in self._kept.values()] + [report])[: self.size]
        if report not in ranked:
            return
        names = {kept.episode for kept in ranked}
        self._kept = {name: kept for name, kept in self._kept.items() if name in names}
        self._kept[report.episode] = (report, sketch(recording, report))

    @property
    def sketches(self) -> dict[str, Sketch]:
        """Return the sketches by episode."""
        return {name: made for name, (_, made) in self._kept.items()}
