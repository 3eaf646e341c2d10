"""Phases of an episode as one lane over its duration."""

from collections.abc import Sequence

from fieldloop.model.annotation import Annotation
from fieldloop.model.stream import NS_PER_S
from fieldloop.model.taxonomy import PHASES
from fieldloop.say.html import Markup, tag
from fieldloop.say.numbers import format_fixed, format_whole_percent


def draw_phase_lane(spans: Sequence[Annotation], start_ns: int, end_ns: int) -> Markup:
    """Draw spans with their label; hover says the seconds."""
    whole = max(1, end_ns - start_ns)
    drawn = [
        tag(
            "span",
            span.label,
            title=f"{span.label}: {_format_seconds(span.start_ns - start_ns)} to "
            f"{_format_seconds(span.end_ns - start_ns)}{_write_confidence(span.confidence)}",
            style=f"left:{_format_share(span.start_ns - start_ns, whole)};"
            f"width:{_format_share(span.end_ns - span.start_ns, whole)};"
            f"background:var(--ph-{_choose_label_colour(span.label)})",
        )
        for span in spans
    ]
    return tag("div", *drawn, class_="lane", role="img", aria_label=", ".join(span.label for span in spans))


def _write_confidence(confidence: float | None) -> str:
    return "" if confidence is None else f", confidence {format_whole_percent(confidence)}"


def _format_share(part_ns: int, whole_ns: int) -> str:
    return f"{100 * min(1.0, max(0.0, part_ns / whole_ns)):.2f}%"


def _format_seconds(ns: int) -> str:
    return f"{format_fixed(ns / NS_PER_S, 2)} s"


def _choose_label_colour(label: str) -> int:
    return PHASES.index(label) if label in PHASES else 0
