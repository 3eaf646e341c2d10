"""Label Studio's timelines: frames, both ends included, counted from 1 by its documentation and from 0 by others."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from fieldloop.annotate.interchange.spans import FileLabels, Span, Unit, parse_frame, refuse_wrong
from fieldloop.errors import BadInput, Refused
from fieldloop.model.annotation import KINDS, PHASE
from fieldloop.model.note import note

TIMELINE = "timelinelabels"
FIRST_FRAMES = (0, 1)
FIRST_FRAME = "first_frame"
"""Our own exports state the number of the first frame under this name."""
Json = Mapping[str, Any]


def parse_json(text: str, name: str) -> Any:
    """Parse JSON; what is wrong is named with its line."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as wrong:
        raise BadInput(f"{name}, line {wrong.lineno}: {wrong.msg}. The file is not valid JSON.") from wrong
    except RecursionError as wrong:
        raise BadInput(f"{name} is nested too deeply to be a file of labels.") from wrong


def parse_label_studio(text: str, name: str, frames_from: int | None = None) -> FileLabels:
    """Read an export of Label Studio: tasks with annotations, or the short form.

    Arguments:
        text: the file
        name: its name, for messages
        frames_from: number of the first frame, 1 or 0; needed where the file does not prove it
    """
    tasks = parse_json(text, name)
    tasks = [tasks] if isinstance(tasks, dict) else tasks
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise BadInput(f"{name} is not an export of Label Studio: a list of tasks is expected.")
    found: list[tuple[Span, Json]] = []
    wrong: list[str] = []
    other: Counter[str] = Counter()
    for number, task in enumerate(tasks, 1):
        for author, result, place in _walk_results(task, number):
            if result.get("type", TIMELINE) != TIMELINE or TIMELINE not in result.get("value", {}):
                other[str(result.get("type", "?"))] += 1
                continue
            try:
                spans = list(_read_result(result, _name_episode(task, number), author, place))
                found += [(span, result["value"]) for span in spans]
            except (BadInput, TypeError, AttributeError) as problem:
                wrong.append(f"{place}: {problem}")
    if not found:
        refuse_wrong(name, wrong, len(wrong))
        raise BadInput(f"{name} holds no timeline labels{f', only {_list(other)}' if other else ''}.")
    first = _choose_first_frame(found, name, _read_stated_first(tasks) if frames_from is None else frames_from)
    rates = {rate for task in tasks if (rate := _find_rate(task))}
    spans = [replace(span, start=span.start - first, end=span.end - first) for span, _ in found]
    remarks = (note("agree.not_timelines", results=other.total(), types=_list(other)),) if other else ()
    fps = rates.pop() if len(rates) == 1 else None
    return FileLabels(name, "Label Studio", Unit.FRAMES, tuple(spans), remarks, fps=fps, wrong=tuple(wrong))


def _read_stated_first(tasks: list[Json]) -> int | None:
    """Return the number of the first frame as our own exports state it."""
    stated = {data.get(FIRST_FRAME) for task in tasks if isinstance(data := task.get("data"), dict)} - {None}
    return stated.pop() if len(stated) == 1 else None


def is_label_studio(tasks: Any) -> bool:
    """Does parsed JSON look like an export of Label Studio?"""
    tasks = [tasks] if isinstance(tasks, dict) else tasks
    return isinstance(tasks, list) and any(_is_task(task) for task in tasks if isinstance(task, dict))


def _is_task(task: Json) -> bool:
    named = any(key in task for key in ("annotations", "completions", "result"))
    return named or _is_result(task) or any(_is_short(value) for value in task.values())


def _is_result(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("value"), dict)


def _is_short(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) and TIMELINE in each for each in value)


def _walk_results(task: Json, number: int) -> Iterator[tuple[str, Json, str]]:
    """Yield every result of a task with its author and place: of annotations, or of the short form."""
    if _is_result(task):
        yield "", task, f"result {number}"
        return
    done = [d for d in task.get("annotations") or task.get("completions") or [] if isinstance(d, dict)]
    named = [(f"task {number}, annotation {n}", d) for n, d in enumerate(done, 1) if not d.get("was_cancelled")]
    for place, holder in [*named, (f"task {number}", task)]:
        for at, result in enumerate(holder.get("result") or [], 1):
            if isinstance(result, dict):
                yield _name_author(holder), result, f"{place}, result {at}"
    for key, value in task.items():
        for at, each in enumerate(value if _is_short(value) else [], 1):
            kept = {"value": each, "type": TIMELINE, "from_name": key}
            yield str(task.get("annotator") or ""), kept, f"task {number}, {key} {at}"


def _name_author(done: Json) -> str:
    by = done.get("completed_by", "")
    if isinstance(by, dict):
        return str(by.get("email") or by.get("username") or by.get("id") or "")
    return "" if by in ("", None) else str(by)


def _name_episode(task: Json, number: int) -> str:
    stated = task.get("data")
    data: Json = stated if isinstance(stated, dict) else task
    if isinstance(data.get("episode"), str):
        return str(data["episode"])
    named = next((data[key] for key in ("video", "file") if isinstance(data.get(key), str)), None)
    if named is None:
        return "" if _is_result(task) else str(task.get("id", number))
    return str(named).split("?")[0].rstrip("/").rsplit("/", 1)[-1].rsplit(".", 1)[0]


def _find_rate(task: Json) -> float | None:
    data = task.get("data")
    rate = data.get("frame_rate", data.get("fps")) if isinstance(data, dict) else None
    return float(rate) if isinstance(rate, int | float) and rate > 0 else None


def _read_result(result: Json, episode: str, author: str, place: str) -> Iterator[Span]:
    """Yield a span for each range and label; the last frame is part of it."""
    value, kind = result["value"], str(result.get("from_name", ""))
    labels, ranges = value[TIMELINE], value.get("ranges")
    if not isinstance(ranges, list) or not ranges:
        raise BadInput("the label has no ranges.")
    score = result.get("score")
    for label in labels:
        for reach in ranges:
            first, last = parse_frame(reach.get("start")), parse_frame(reach.get("end"))
            if last < first:
                raise BadInput(f"{label!r} ends at frame {last}, before it begins at frame {first}.")
            yield Span(
                episode, str(label), first, last + 1, author, kind if kind in KINDS else PHASE, place,
                confidence=float(score) if isinstance(score, int | float) else None,
            )  # fmt: skip


def _choose_first_frame(found: list[tuple[Span, Json]], name: str, stated: int | None) -> int:
    """Return the number of the first frame, from what the file proves or the user states; refuse to guess."""
    counts = [(span.end - 1, value.get("framesCount")) for span, value in found]
    zero = any(span.start == 0 for span, _ in found)
    one = any(last == count for last, count in counts if isinstance(count, int))
    if zero and one:
        raise BadInput(f"{name}: a label begins at frame 0 and another ends at framesCount, so frames are miscounted.")
    if stated is not None:
        if stated not in FIRST_FRAMES:
            raise BadInput(f"--frames-from {stated}: the first frame is 1 or 0.")
        if (zero and stated == 1) or (one and stated == 0):
            raise BadInput(f"{name}: --frames-from {stated} contradicts the file, whose first frame is {1 - stated}.")
        return stated
    if zero or one:
        return 0 if zero else 1
    raise Refused(
        f"{name}: whether its first frame is 1 (as Label Studio writes) or 0 (as many scripts do) cannot be seen. "
        "State it with --frames-from 1 or --frames-from 0."
    )


def _list(other: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(other.items()))
