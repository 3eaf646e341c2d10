"""The view of an episode in the form that the player reads: sentences written, times in seconds."""

from dataclasses import dataclass
from typing import Any

from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.codec import format_iso_time, to_plain
from fieldloop.model.explored import ExploredEpisode
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.stream import NS_PER_S
from fieldloop.say import write_sentence
from fieldloop.say.findings import format_finding_limit, write_finding
from fieldloop.say.marks import get_status_level

ADDRESS = "/api/look"
MOST_FINDINGS = 200


@dataclass(frozen=True, slots=True)
class EpisodeView(ExploredEpisode):
    """An explored episode; `json_object` is what the player reads."""

    def json_object(self) -> dict[str, Any]:
        """The form others may rely on: schema look/1."""
        episode = self.episode
        facts = {"task": episode.task, "robot": episode.robot, "site": episode.site, "operator": episode.operator}
        return {
            "schema": "look/1",
            "key": self.key,
            "source": self.source,
            "address": f"{ADDRESS}/{self.key}",
            "episode": {"id": episode.id, "name": episode.name, "format": episode.format, **facts},
            "succeeded": episode.succeeded,
            "failure": episode.failure,
            "start": format_iso_time(self.start_ns),
            "start_ns": str(self.start_ns),
            "duration_s": self.duration_s,
            "grid": self.grid,
            "cameras": [to_plain(camera) for camera in self.cameras],
            "signals": [to_plain(signal) for signal in self.signals],
            "segments": [build_segment_json(one, self.start_ns) for one in self.segments],
            "calibrations": [build_calibration_json(one, self.start_ns) for one in self.calibrations],
            "findings": build_findings_json(self.report),
            "status": None if self.report is None else self.report.status.value,
            "lags": [to_plain(lag) for lag in self.lags],
            "defects": [
                {"subject": one.subject, "place": one.place, "message": write_sentence(one.message)}
                for one in self.defects
            ],
        }


def build_segment_json(one: Annotation, start_ns: int) -> dict[str, Any]:
    """A labelled span, in seconds from the episode's start; `start_ns` and `end_ns` are texts, as they are too long."""
    return {
        "kind": one.kind, "label": one.label, "author": one.author, "confidence": one.confidence, "object": one.object,
        "start_s": (one.start_ns - start_ns) / NS_PER_S, "end_s": (one.end_ns - start_ns) / NS_PER_S,
        "start_ns": str(one.start_ns), "end_ns": str(one.end_ns), "verified_by": one.verified_by,
    }  # fmt: skip


def build_calibration_json(one: Calibration, start_ns: int) -> dict[str, Any]:
    """A calibration, and when it was in force, in seconds from the episode's start."""
    end = None if one.valid_to_ns is None else (one.valid_to_ns - start_ns) / NS_PER_S
    return {
        "id": one.id, "sensor": one.sensor, "kind": one.kind, "parent": one.parent, "child": one.child,
        "status": one.status.value, "level": get_status_level(one.status), "method": one.method,
        "residual_mm": one.residual_mm, "residual_deg": one.residual_deg,
        "from_s": (one.valid_from_ns - start_ns) / NS_PER_S, "to_s": end,
    }  # fmt: skip


def build_findings_json(report: EpisodeReport | None) -> list[dict[str, Any]] | None:
    """Findings that did not pass, those that count first; None where the episode has not been checked."""
    if report is None:
        return None
    order = {status: place for place, status in enumerate(Status)}
    not_passed = [f for f in report.findings if f.status not in (Status.PASSED, Status.NOT_APPLICABLE)]
    ranked = sorted(not_passed, key=lambda f: (not f.counts, order[f.status], -f.cost, f.at_s is None, f.check))
    return [_build_finding_json(finding) for finding in ranked[:MOST_FINDINGS]]


def _build_finding_json(finding: Finding) -> dict[str, Any]:
    return {
        "check": finding.check, "code": finding.code, "status": finding.status.value, "counts": finding.counts,
        "level": get_status_level(finding.status), "subject": finding.subject, "streams": list(finding.about.streams),
        "message": write_finding(finding), "limit": format_finding_limit(finding), "at_s": finding.at_s,
    }  # fmt: skip
