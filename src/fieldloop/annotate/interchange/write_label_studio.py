"""Labels as tasks for Label Studio's timelines: frames from 1, both ends included."""

import json
from collections.abc import Sequence
from typing import Any

from fieldloop.annotate.interchange.label_studio import FIRST_FRAME, TIMELINE
from fieldloop.annotate.interchange.spans import Span
from fieldloop.errors import BadInput
from fieldloop.model.stream import NS_PER_S

KEPT = ("episode", "kind", "label", "annotator", "confidence", "start and end to the frame")


def write_label_studio(spans: Sequence[Span], fps: float) -> str:
    """Write one task for each episode, with one annotation for each author.

    Times become frames; a label shorter than a frame gets one, and neighbours that shared a boundary still share it.
    """
    if not 0 < fps < NS_PER_S:
        raise BadInput(f"fps = {fps!r} is not a valid frame rate.")
    by_episode: dict[str, dict[str, list[Span]]] = {}
    for span in spans:
        by_episode.setdefault(span.episode, {}).setdefault(span.author, []).append(span)
    tasks = [_make_task(number, name, by_author, fps) for number, (name, by_author) in enumerate(by_episode.items(), 1)]
    return json.dumps(tasks, indent=2, ensure_ascii=False) + "\n"


def _make_task(number: int, episode: str, by_author: dict[str, list[Span]], fps: float) -> dict[str, Any]:
    return {
        "id": number,
        "data": {"episode": episode, "video": episode, "fps": fps, FIRST_FRAME: 1},
        "annotations": [
            {"completed_by": {"email": author}, "result": [_make_result(n, s, fps) for n, s in enumerate(several, 1)]}
            for author, several in by_author.items()
        ],
    }  # fmt: skip


def _make_result(number: int, span: Span, fps: float) -> dict[str, Any]:
    first = round(span.start * fps / NS_PER_S)
    last = max(round(span.end * fps / NS_PER_S), first + 1)
    made: dict[str, Any] = {
        "id": f"{span.kind}-{number}",
        "type": TIMELINE,
        "from_name": span.kind,
        "to_name": "video",
        "value": {"ranges": [{"start": first + 1, "end": last}], TIMELINE: [span.label]},
    }
    return made if span.confidence is None else made | {"score": span.confidence}
