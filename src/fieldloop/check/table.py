"""Measurements as plain columns, so that a new limit re-judges a year of episodes without opening one log."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.finding import Measured, Measurement
from fieldloop.model.fix import Fix
from fieldloop.model.note import NO_SUBJECT, Note, Subject, read_note

COLUMNS = (
    "episode", "check", "subject", "value", "place", "cannot_tell", "error", "reason", "low", "high", "at_s", "fix",
    "about", "unproven",
)  # fmt: skip
LATER = ("low", "high", "at_s", "fix", "about", "unproven")
"""Columns that tables of earlier versions lack. Without `about`, places and reasons are sentences, not facts."""
UNPROVEN = "check.only_a_protocol_fails_it"
"""The reason in which earlier versions kept what `unproven` holds, before the reason of an open answer."""


def convert_measurements_to_columns(episode_id: str, measured: Iterable[Measured]) -> dict[str, list[Any]]:
    """Return equally long columns: one row a measurement; a check without any has one row without a subject."""
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for asked in measured:
        for m in asked.measurements or (Measurement(NO_SUBJECT, math.nan),):
            subject = m.subject if asked.measurements else None
            facts = (
                _write_note_text(m.place),
                _write_note_text(m.cannot_tell),
                asked.error,
                _write_note_text(asked.reason),
            )
            fix = json.dumps(to_plain(m.fix)) if m.fix else None
            row = (
                episode_id,
                asked.check,
                subject,
                m.value,
                *facts,
                m.low,
                m.high,
                m.at_s,
                fix,
                _write_subject_text(m.about),
                _write_note_text(m.unproven),
            )
            for name, value in zip(COLUMNS, row, strict=True):
                columns[name].append(value)
    return columns


def read_measurements_from_columns(columns: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Measured, ...]]:
    """Read columns back: episode id → what each check measured, in the order written."""
    read: dict[str, dict[str, Measured]] = {}
    count = len(columns["episode"])
    known = {name: columns.get(name, [None] * count) if name in LATER else columns[name] for name in COLUMNS}
    fact = _read_note_text if "about" in columns else _read_note_sentence
    for episode, check, subject, value, place, cannot_tell, error, reason, low, high, at_s, fix, about, lacks in zip(
        *known.values(), strict=True
    ):
        checks = read.setdefault(episode, {})
        before = checks.get(check, Measured(check, (), error or "", fact(reason)))
        number = math.nan if value is None else float(value)  # Parquet may hand a NaN back as null
        repair = from_plain(Fix, json.loads(fix)) if fix else None
        named = Subject.from_displayed(subject or "") if about is None else _read_subject_text(about)
        reason_open, unproven = _take_apart(fact(cannot_tell), _read_note_text(lacks))
        measurement = Measurement(named, number, fact(place), reason_open, low, high, at_s, repair, unproven)
        more = () if subject is None else (measurement,)
        checks[check] = Measured(check, before.measurements + more, before.error, before.reason)
    return {episode: tuple(checks.values()) for episode, checks in read.items()}


def _take_apart(cannot_tell: Note | None, unproven: Note | None) -> tuple[Note | None, Note | None]:
    """Return why the answer is open, and what is unproven; earlier versions kept both in one reason."""
    if cannot_tell is None or cannot_tell.code != UNPROVEN:
        return cannot_tell, unproven
    lacks, held, *_ = (*cannot_tell.details, None, None)
    return held, lacks


def _write_note_text(fact: Note | None) -> str:
    return json.dumps(to_plain(fact), ensure_ascii=False) if fact else ""


def _read_note_text(text: str | None) -> Note | None:
    return read_note(json.loads(text)) if text else None


def _read_note_sentence(text: str | None) -> Note | None:
    """Read a place or reason of an earlier version, which was a sentence."""
    return read_note(text) if text else None


@lru_cache(maxsize=4096)
def _write_subject_text(about: Subject) -> str:
    return json.dumps(about.to_plain(), ensure_ascii=False)


@lru_cache(maxsize=4096)
def _read_subject_text(text: str) -> Subject:
    return from_plain(Subject, json.loads(text))
