"""An episode's small facts as flat texts: readers take them from a log by it, writers put them into one."""

import hashlib
import math
from collections.abc import Mapping
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode

TEXTS = ("name", "task", "robot", "site", "operator", "session", "provider", "protocol", "failure")
FLAGS = ("simulated", "succeeded")
FIELDS = (*TEXTS, *FLAGS, "stratum")
"""What a log may say of an episode in Episode's own words; every other key is a further fact."""

TRUTHS = {
    "true": True, "yes": True, "1": True, "1.0": True, "false": False, "no": False, "0": False, "0.0": False,
}  # fmt: skip
ALIASES = {
    "task": (
        "task_name", "task_description", "language_instruction", "natural_language_instruction", "instruction",
        "language", "env_name", "env_id",
    ),
    "robot": ("robot_name", "robot_id", "robot_type", "robot_model"),
    "site": ("facility", "location", "lab"),
    "operator": ("operator_id", "operator_name", "teleoperator", "collector"),
    "session": ("session_id",),
    "provider": ("organization", "organisation"),
    "simulated": ("is_simulated", "sim", "simulation"),
    "succeeded": ("success", "is_success", "successful", "task_success"),
}  # fmt: skip
"""What others call the fields of an Episode, most telling first."""

LONGEST_FACT = 1 << 16
"""Characters: an episode is a table row; a robot's description or a configuration file may be longer than that."""


def to_texts(episode: Episode) -> dict[str, str]:
    """Return all that is said of an episode: its fields by their names, and its further facts.

    A fact that has the name of a field is left out, for it would be read as the field: `not_in_texts` names it.

    >>> to_texts(Episode("", "take 1", "mcap", succeeded=True, facts=(("lux", "400"),)))
    {'lux': '400', 'name': 'take 1', 'succeeded': 'true'}
    """
    said = {name: getattr(episode, name) for name in TEXTS} | {"stratum": str(episode.stratum)}
    for name in FLAGS:
        said[name] = {None: "", True: "true", False: "false"}[getattr(episode, name)]
    facts = {key: value for key, value in episode.facts if key not in FIELDS}
    told = facts | {name: text for name, text in said.items() if text}
    return {writable(key): writable(value) for key, value in sorted(told.items())}


def not_in_texts(episode: Episode) -> list[str]:
    """Name what `to_texts` cannot say, so that whoever reads it will not know it."""
    keys = [key for key, _ in episode.facts]
    lost = [f"fact {writable(key)}: an episode's own field has this name" for key in keys if key in FIELDS]
    if len(set(keys)) < len(keys):
        lost.append("facts stated twice: the last one stands")
    told = dict(episode.facts) | {name: getattr(episode, name) for name in TEXTS}
    for key, text in told.items():
        if writable(key) != key or writable(text) != text:
            lost.append(f"{writable(key)}: it holds what is no UTF-8, which is written as an escape")
        if len(text) > LONGEST_FACT:
            lost.append(f"{writable(key)}: of {len(text)} characters a reader keeps size and SHA-256")
    try:
        parsed = Stratum.parse(str(episode.stratum))
    except BadInput:
        parsed = None
    if parsed != episode.stratum:
        lost.append(f"stratum: '{episode.stratum}' is read in another way, for a level holds a comma or an =")
    return lost


def from_texts(texts: Mapping[str, str], *, foreign: bool = False) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Return what texts say, ready for `Episode(**fields, …)`, and what is said wrongly: key and sentence.

    Only what is said is there, beside `stratum` and `facts`. In foreign texts other people's names for a field fill it
    too and stay further facts; in our own they are nothing but facts, so that writing and reading gives the same.

    >>> from_texts({"operator_id": "op-7", "succeeded": "perhaps"}, foreign=True)[1]
    [('succeeded', "'perhaps' is neither true nor false; it was left out.")]
    """
    said = {**by_any_name(texts), **_told(texts)} if foreign else _told(texts)
    fields: dict[str, Any] = {name: shortened(said[name]) for name in TEXTS if name in said}
    wrong: list[tuple[str, str]] = []
    for name in FLAGS:
        if name in said and (truth := truth_of(said[name])) is not None:
            fields[name] = truth
        elif name in said:
            wrong.append((name, f"{shortened(said[name])!r} is neither true nor false; it was left out."))
    try:
        fields["stratum"] = Stratum.parse(said.get("stratum", ""))
    except BadInput as bad:
        fields["stratum"] = Stratum()
        wrong.append(("stratum", f"{bad} It was left out."))
    further = sorted((key, shortened(value)) for key, value in texts.items() if key not in FIELDS)
    return fields | {"facts": tuple(further)}, wrong


def by_any_name(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that foreign texts state, under our name for them or one of other people's.

    A name, a protocol or a failure of a foreign text need not be the episode's, so those are not looked for.

    >>> by_any_name({"operator_id": "op-7", "success": "0.7", "sim": "1", "name": "UR5"})
    {'operator': 'op-7', 'simulated': '1'}
    """
    found: dict[str, str] = {}
    for field, names in ALIASES.items():
        said = (texts[name] for name in (field, *names) if texts.get(name))
        # a success of 0.7 is a score: it stays a fact, and says nothing wrong
        fit = (text for text in said if field not in FLAGS or truth_of(text) is not None)
        if (text := next(fit, None)) is not None:
            found[field] = text
    return found


def truth_of(text: str) -> bool | None:
    """Return what a word for true or false means, None where it is neither.

    >>> truth_of("Yes"), truth_of("0"), truth_of("perhaps")
    (True, False, None)
    """
    return TRUTHS.get(text.strip().lower())


def number_of(text: str) -> float | None:
    """Return the finite number that a text is, None for anything else: a log may say 'unknown' where one is usual.

    >>> number_of("4e2"), number_of("unknown"), number_of("nan"), number_of("")
    (400.0, None, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def shortened(text: str) -> str:
    """Keep a fact fit for a table: of a very long text what names it is kept; the log still holds it whole."""
    if len(text) <= LONGEST_FACT:
        return text
    return f"{len(text)} characters, sha256 {hashlib.sha256(text.encode('utf-8', 'backslashreplace')).hexdigest()}"


def writable(text: str) -> str:
    r"""Return a text that UTF-8 can hold; what it cannot is shown as an escape.

    >>> writable("caf\udce9")
    'caf\\udce9'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def _told(texts: Mapping[str, str]) -> dict[str, str]:
    return {name: texts[name] for name in FIELDS if texts.get(name)}
