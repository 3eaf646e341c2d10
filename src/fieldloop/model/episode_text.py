"""Convert an episode's facts to flat texts and back, for readers and writers."""

import hashlib
import math
from collections.abc import Mapping
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.note import Note, note

TEXTS = ("name", "task", "robot", "site", "operator", "session", "provider", "protocol", "failure")
FLAGS = ("simulated", "succeeded")
FIELDS = (*TEXTS, *FLAGS, "stratum")
"""The fields of Episode that a log may state; every other key is a further fact."""

TRUTHS = {
    "true": True, "yes": True, "1": True, "1.0": True, "false": False, "no": False, "0": False, "0.0": False,
}  # fmt: skip
ALIASES = {
    "task": (
        "task_name", "task_description", "language_instruction", "natural_language_instruction", "instruction",
        "language", "env_name", "env_id", "task_code", "task_label", "skill", "prompt",
    ),
    "robot": ("robot_name", "robot_id", "robot_type", "robot_model"),
    "site": ("facility", "location", "lab"),
    "operator": ("operator_id", "operator_name", "teleoperator", "collector"),
    "session": ("session_id",),
    "provider": ("organization", "organisation"),
    "simulated": ("is_simulated", "sim", "simulation"),
    "succeeded": ("success", "is_success", "successful", "task_success"),
}  # fmt: skip
"""Common other names for the fields of an Episode, best first."""

LONGEST_FACT = 1 << 16
"""Characters: an episode is a table row; a robot description or configuration file may be too long for one."""


def convert_to_texts(episode: Episode) -> dict[str, str]:
    """Return all facts of an episode: its fields by their names, and its further facts.

    A fact that has the name of a field is left out, because it would be read as the field. `losses_in_texts`
    reports it.

    >>> convert_to_texts(Episode("", "take 1", "mcap", succeeded=True, facts=(("lux", "400"),)))
    {'lux': '400', 'name': 'take 1', 'succeeded': 'true'}
    """
    stated = {name: getattr(episode, name) for name in TEXTS} | {"stratum": str(episode.stratum)}
    for name in FLAGS:
        stated[name] = {None: "", True: "true", False: "false"}[getattr(episode, name)]
    facts = {key: value for key, value in episode.facts if key not in FIELDS}
    known = facts | {name: text for name, text in stated.items() if text}
    return {escape_non_utf8(key): escape_non_utf8(value) for key, value in sorted(known.items())}


def find_losses_in_texts(episode: Episode) -> list[Note]:
    """Return what `to_texts` cannot hold, so that it is lost to readers."""
    keys = [key for key, _ in episode.facts]
    lost = [note("release.fact_named_like_field", name=escape_non_utf8(key)) for key in keys if key in FIELDS]
    if len(set(keys)) < len(keys):
        lost.append(note("release.facts_repeated"))
    known = dict(episode.facts) | {name: getattr(episode, name) for name in TEXTS}
    for key, text in known.items():
        if escape_non_utf8(key) != key or escape_non_utf8(text) != text:
            lost.append(note("release.text_not_utf8", name=escape_non_utf8(key)))
        if len(text) > LONGEST_FACT:
            lost.append(note("release.text_shortened", name=escape_non_utf8(key), characters=len(text)))
    try:
        parsed = Stratum.parse(str(episode.stratum))
    except BadInput:
        parsed = None
    if parsed != episode.stratum:
        lost.append(note("release.stratum_ambiguous", name="stratum", stratum=escape_non_utf8(str(episode.stratum))))
    return lost


def parse_texts(
    texts: Mapping[str, str], *, from_foreign_log: bool = False
) -> tuple[dict[str, Any], list[tuple[str, Note]]]:
    """Return what texts state, ready for `Episode(**fields, …)`, and what is wrong: key and note.

    Only stated fields are there, beside `stratum` and `facts`. In foreign texts common other names fill a field too and
    stay further facts; in our own they are only facts, so that writing and reading gives the same.

    >>> parse_texts({"operator_id": "op-7", "succeeded": "perhaps"}, from_foreign_log=True)[1][0][1].code
    'ingest.not_true_or_false'
    """
    stated = (
        {**find_fields_by_alias(texts), **_parse_own_fields(texts)} if from_foreign_log else _parse_own_fields(texts)
    )
    fields: dict[str, Any] = {name: shorten_long_text(stated[name]) for name in TEXTS if name in stated}
    wrong: list[tuple[str, Note]] = []
    for name in FLAGS:
        if name in stated and (truth := parse_bool(stated[name])) is not None:
            fields[name] = truth
        elif name in stated:
            wrong.append((name, note("ingest.not_true_or_false", value=shorten_long_text(stated[name]))))
    try:
        fields["stratum"] = Stratum.parse(stated.get("stratum", ""))
    except BadInput as bad:
        fields["stratum"] = Stratum()
        wrong.append(("stratum", note("ingest.conditions_invalid", reason=str(bad))))
    further = sorted((key, shorten_long_text(value)) for key, value in texts.items() if key not in FIELDS)
    return fields | {"facts": tuple(further)}, wrong


def find_fields_by_alias(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that foreign texts state, under our name or a common other one.

    A name, a protocol or a failure of a foreign text need not be the episode's, so those are not looked for.

    >>> find_fields_by_alias({"operator_id": "op-7", "success": "0.7", "sim": "1", "name": "UR5"})
    {'operator': 'op-7', 'simulated': '1'}
    """
    fields: dict[str, str] = {}
    for field, names in ALIASES.items():
        stated = (texts[name] for name in (field, *names) if texts.get(name))
        # a success of 0.7 is a score: it stays a fact, and is not an error
        fit = (text for text in stated if field not in FLAGS or parse_bool(text) is not None)
        if (text := next(fit, None)) is not None:
            fields[field] = text
    return fields


def parse_bool(text: str) -> bool | None:
    """Return what a word for true or false means, None where it is none of these.

    >>> parse_bool("Yes"), parse_bool("0"), parse_bool("perhaps")
    (True, False, None)
    """
    return TRUTHS.get(text.strip().lower())


def parse_finite_number(text: str) -> float | None:
    """Return the finite number that a text is, None for anything else: a log may state 'unknown' instead.

    >>> parse_finite_number("4e2"), parse_finite_number("unknown"), parse_finite_number("nan"), parse_finite_number("")
    (400.0, None, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def shorten_long_text(text: str) -> str:
    """Shorten a fact for a table: a very long text is replaced by its size and hash; the log still has all of it."""
    if len(text) <= LONGEST_FACT:
        return text
    return f"{len(text)} characters, sha256 {hashlib.sha256(text.encode('utf-8', 'backslashreplace')).hexdigest()}"


def escape_non_utf8(text: str) -> str:
    r"""Return a text that UTF-8 can encode; other characters are escaped.

    >>> escape_non_utf8("caf\udce9")
    'caf\\udce9'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def _parse_own_fields(texts: Mapping[str, str]) -> dict[str, str]:
    return {name: texts[name] for name in FIELDS if texts.get(name)}
