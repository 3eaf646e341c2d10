"""The JSON form of facts: the sentence under the field's own name, code and numbers beside it for programs."""

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, get_args, get_type_hints

from fieldloop.model.codec import to_plain
from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Finding
from fieldloop.model.note import Note, convert_note_to_plain
from fieldloop.say.findings import write_finding
from fieldloop.say.sentences import write_sentence

MESSAGE = "message"
Write = Callable[[Any], Any]


def spell_out_facts(value: Any) -> Any:
    """Write nouns and mappings as plain values, facts among them as sentences with their facts beside.

    >>> from fieldloop.model.note import note
    >>> spell_out_facts({"reason": note("as_written", text="It fits.")})["reason"]
    'It fits.'
    """
    if isinstance(value, Note | Stratum):
        return write_sentence(value) if isinstance(value, Note) else str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return get_extra_fields(value) | _write_noun_fields(value)
    if isinstance(value, Mapping):
        written: dict[str, Any] = {}
        for key, inner in value.items():
            name = str(to_plain(key))
            written |= (
                write_fact_fields(name, inner, spell_out_facts)
                if holds_notes(inner)
                else {name: spell_out_facts(inner)}
            )
        return written
    if isinstance(value, list | tuple):
        return [spell_out_facts(inner) for inner in value]
    return to_plain(value)


def _write_noun_fields(noun: Any) -> dict[str, Any]:
    written: dict[str, Any] = {}
    declared = find_note_fields(noun)
    for field in dataclasses.fields(noun):
        value = getattr(noun, field.name)
        if holds_notes(value) or field.name in declared:
            written |= write_fact_fields(field.name, value, spell_out_facts, with_codes=hasattr(noun, "code"))
        else:
            written[field.name] = spell_out_facts(value)
    return written


def get_extra_fields(noun: Any) -> dict[str, Any]:
    """Return what is written beside a noun's own fields: a finding keeps facts only, and people read its message."""
    if not isinstance(noun, Finding):
        return {}
    return {"subject": noun.subject, MESSAGE: write_finding(noun), "code": noun.code}


def write_fact_fields(name: str, value: Any, write: Write, *, with_codes: bool = False) -> dict[str, Any]:
    """Write a fact, or several: sentences under the name, codes and numbers under `…_facts`.

    A noun's `message` is the noun's own fact, so that its code and numbers stand beside it too, unless the noun has a
    code of its own (`with_codes`).

    >>> from fieldloop.model.note import note
    >>> write_fact_fields("why", note("as_written", text="It fits."), to_plain)
    {'why': 'It fits.', 'why_facts': {'code': 'as_written', 'numbers': {'text': 'It fits.'}}}
    >>> list(write_fact_fields("message", note("as_written", text="It fits."), to_plain))
    ['message', 'message_facts', 'code', 'numbers']
    """
    facts = _write_facts_json(value, write)
    written = {name: _write_sentences_json(value, write), f"{name}_facts": facts}
    if name == MESSAGE and isinstance(facts, dict) and not with_codes:
        written |= {"code": facts["code"], "numbers": facts["numbers"]}
    return written


def holds_notes(value: Any) -> bool:
    """Is it a fact, or a tuple with one in it?"""
    return isinstance(value, Note) or (isinstance(value, tuple) and any(map(holds_notes, value)))


def find_note_fields(noun: Any) -> frozenset[str]:
    """Return the fields of a noun that are declared to hold facts, so that an empty one is written alike."""
    kind: Any = type(noun)
    return _find_note_field_names(kind)


@cache
def _find_note_field_names(kind: Any) -> frozenset[str]:
    hints = get_type_hints(kind)
    return frozenset(field.name for field in dataclasses.fields(kind) if mentions_note(hints[field.name]))


def mentions_note(hint: Any) -> bool:
    """Is a type a fact, or does it hold one?"""
    return hint is Note or any(map(mentions_note, get_args(hint)))


def _write_facts_json(value: Any, write: Write) -> Any:
    if isinstance(value, Note):
        return convert_note_to_plain(value, write)
    return [_write_facts_json(part, write) for part in value] if isinstance(value, tuple) else write(value)


def _write_sentences_json(value: Any, write: Write) -> Any:
    if isinstance(value, Note):
        return write_sentence(value)
    return [_write_sentences_json(part, write) for part in value] if isinstance(value, tuple) else write(value)
