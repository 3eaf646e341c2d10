"""A protocol as a flat list of statements, each with what it changes: the ground for comparing two of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fieldloop.protocol import layers
from fieldloop.protocol.collection import CollectionProtocol
from fieldloop.protocol.number import STATED, Limit, Parameter, Setting

ANEW = ("batch.", "corpus.")
"""Questions about many episodes are asked anew of what was kept: no log is opened for them."""

COVER = "task.cover_"
"""What a batch should cover is asked of what was kept, too."""
LOOKED_AT = ("adherence.pre_roll", "adherence.post_roll")
"""Limits that a measurement looks at as well: what may be trimmed depends on the rolls asked for."""
READ_ONLY_BY_PEOPLE = {"task.start", "task.end", "task.interfaces", "episode.trigger", "episode.failures_kept"}
"""Settings that people read; every other one of task and episode changes what a check measures."""


class Effect(StrEnum):
    """What follows for episodes that are there already when a statement changes; the most work first."""

    MEASURE = "measure again"
    JUDGE = "judge again"
    COLLECT = "collect otherwise"
    WORDS = "wording only"


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a protocol, its place, and the check it concerns ('' for all or none).

    `numbers` is the same for machines, given where it changes what is measured: words may be put otherwise.
    `is_as_before`: a number that stood in code until now, at the value it had there; it does not count.
    """

    place: str
    effect: Effect
    text: str
    check: str = ""
    numbers: Any = None
    is_as_before: bool = False


def list_statements(protocol: CollectionProtocol) -> dict[str, Statement]:
    """Return every statement of a protocol, by place."""
    every = (
        *_list_limit_statements(protocol),
        *_list_setting_statements(protocol),
        *_list_task_statements(protocol),
        *_list_instruction_statements(protocol),
        *_list_sensor_statements(protocol),
    )
    return {statement.place: statement for statement in every}


def fingerprint_measuring_numbers(protocol: CollectionProtocol) -> str:
    """Name the part of a protocol that changes what is *measured*.

    Kept measurements may be judged again under a protocol with the same name here; under another, measure again.
    """
    measuring = [s for s in list_statements(protocol).values() if s.effect is Effect.MEASURE and not s.is_as_before]
    return layers.compute_fingerprint({statement.place: statement.numbers for statement in measuring})


def _list_limit_statements(protocol: CollectionProtocol) -> Iterator[Statement]:
    for name, limit in protocol.limits.items():
        place = f"check.{name}"
        effect = Effect.MEASURE if name in LOOKED_AT else Effect.JUDGE
        yield Statement(place, effect, _write_limit(limit), name, _write_limit_numbers(limit))
        for key, one in limit.parameters.items():
            here, effect = f"{place}.parameters.{key}", Effect.JUDGE if name.startswith(ANEW) else Effect.MEASURE
            yield Statement(
                here, effect, f"{write_exact_number(one.value)} {one.unit}", name, one.value, one.is_as_before
            )
            yield from _make_reason_statement(here, one, name)
        yield Statement(f"{place}.cost", Effect.JUDGE, f"{write_exact_number(limit.cost)} of the episode's worth", name)
        yield from _make_reason_statement(place, limit, name)


def _list_setting_statements(protocol: CollectionProtocol) -> Iterator[Statement]:
    for name, setting in protocol.settings.items():
        numbers = [_write_number(setting.value), setting.unit]
        yield Statement(name, _find_effect(name), _write_value(setting), "", numbers, setting.is_as_before)
        yield from _make_reason_statement(name, setting)


def _find_effect(name: str) -> Effect:
    if name in READ_ONLY_BY_PEOPLE:
        return Effect.COLLECT
    if name.startswith(COVER) or name.partition(".")[0] not in ("task", "episode"):
        return Effect.JUDGE
    return Effect.MEASURE


def _list_task_statements(protocol: CollectionProtocol) -> Iterator[Statement]:
    names = [phase.name for phase in protocol.phases]
    yield Statement("phase", Effect.MEASURE, " → ".join(names), numbers=names)
    for phase in protocol.phases:
        parts = {"begins": phase.begins, "ends": phase.ends}
        yield from (Statement(f"phase {phase.name}.{k}", Effect.COLLECT, text) for k, text in parts.items() if text)
    for name, asked in protocol.balance.items():
        shares = ", ".join(
            f"{label} {write_exact_number(100 * share)} %" for label, share in sorted(asked.shares.items())
        )
        yield Statement(f"balance.{name}", Effect.JUDGE, shares, "batch.balance")


def _list_instruction_statements(protocol: CollectionProtocol) -> Iterator[Statement]:
    for name, interface in protocol.interfaces.items():
        place = f"interface.{name}"
        parts = {
            "steps": " / ".join(interface.steps), "never": " / ".join(interface.never),
            "grip": interface.grip, "recovery": interface.recovery,
        }  # fmt: skip
        yield from (Statement(f"{place}.{key}", Effect.COLLECT, text) for key, text in parts.items() if text)
        for limited, limit in interface.limits.items():
            here, numbers = f"{place}.limits.{limited}", _write_limit_numbers(limit)
            yield Statement(here, Effect.MEASURE, _write_limit(limit), numbers=numbers)
            yield from _make_reason_statement(f"{place}.limits.{limited}", limit)
    for name, script in protocol.edge_cases.items():
        parts = {"trigger": script.trigger, "steps": " / ".join(script.steps), "label": script.label}
        for key, text in parts.items():
            if text:
                yield Statement(f"edge_cases.{name}.{key}", Effect.COLLECT, text)


def _list_sensor_statements(protocol: CollectionProtocol) -> Iterator[Statement]:
    for name, sensor in protocol.sensors.items():
        asked = {"hz": sensor.hz, "width": sensor.width, "height": sensor.height, "precision": sensor.precision}
        parts = [f"{key} {write_exact_number(value)}" for key, value in asked.items() if value is not None]
        parts += [word for word, is_so in (("delicate", sensor.delicate), ("required", sensor.required)) if is_so]
        numbers = [sensor.kind, *map(_write_number, asked.values()), sensor.delicate, sensor.required]
        yield Statement(f"sensors.{name}", Effect.MEASURE, ", ".join((sensor.kind, *parts)), numbers=numbers)
    for name, view in protocol.viewpoints.items():
        pose = f"{view.position_m} {view.quaternion_xyzw} in {view.parent}" if view.parent else ""
        within = f"± {view.tolerance_mm} mm, ± {view.tolerance_deg}°"
        yield Statement(
            f"viewpoints.{name}", Effect.COLLECT, "; ".join(filter(None, (view.mounted, view.sees, pose, within)))
        )
    for name, device in protocol.synchronisation.items():
        place, most = f"synchronisation.{name}", device.max_offset_ms
        parts = [device.by.value, f"at most {most:g} ms" if most is not None else "", device.how]
        parts += [f"every {device.verify_every_days:g} days"] if device.verify_every_days is not None else []
        yield Statement(place, Effect.COLLECT, "; ".join(filter(None, parts)))
        if device.verified:
            seen = device.verified
            yield Statement(f"{place}.verified", Effect.WORDS, f"{seen.offset_ms:g} ms on {seen.day} {seen.how}")


def _make_reason_statement(place: str, number: Limit | Setting | Parameter, check: str = "") -> Iterator[Statement]:
    reason = f"{number.why} ({number.source.kind}: {number.source.ref})"
    yield Statement(f"{place}.why", Effect.WORDS, reason, check)


def _write_limit(limit: Limit) -> str:
    """Write a limit, exactly where needed: two that differ in the last digit must not look the same."""
    marks = [word for word, is_so in (("required", limit.required), ("check to come", limit.pending)) if is_so]
    ends = [end for end in (limit.minimum, limit.maximum) if end is not None]
    exactly = [] if all(float(STATED(end)) == end for end in ends) else [f"exactly {' to '.join(map(repr, ends))}"]
    return ", ".join([str(limit), *exactly, *marks])


def _write_limit_numbers(limit: Limit) -> list[Any]:
    return [_write_number(limit.minimum), _write_number(limit.maximum), limit.unit, limit.required, limit.pending]


def _write_number(value: Any) -> Any:
    """Write 8 and 8.0 alike: they measure the same."""
    if isinstance(value, tuple):
        return [_write_number(one) for one in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _write_value(setting: Setting) -> str:
    value = setting.value
    if isinstance(value, tuple):
        return ", ".join(write_exact_number(v) if isinstance(v, float) else str(v) for v in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{write_exact_number(value)} {setting.unit}" if isinstance(value, int | float) else value


def write_exact_number(value: float) -> str:
    """Write a number short where that loses nothing.

    >>> write_exact_number(8.0), write_exact_number(0.1 + 0.2)
    ('8', '0.30000000000000004')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(value)
