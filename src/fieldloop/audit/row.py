"""Read one TOML table field by field; errors name file, line, key, value and remedy."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from fieldloop.audit.units import explain_impossible_values
from fieldloop.errors import BadInput, UnknownName
from fieldloop.protocol import Section

Path = tuple[str | int, ...]

HEADER = re.compile(r"^\s*(\[\[?)\s*([\w.\-\"' ]+?)\s*\]\]?\s*(#.*)?$")
PART = r"""(?:[\w\-]+|"[^"]*"|'[^']*')"""
KEY = re.compile(rf"^\s*({PART}(?:\s*\.\s*{PART})*)\s*=")
PAIR = 2  # a range has two ends
SIDES = 3  # of a box


def find_line_numbers(text: str) -> dict[Path, int]:
    r"""Return the line of every table and key of a TOML text, which its parser does not report.

    >>> find_line_numbers("[[site]]\nid = 'a'\n[[site.zone]]\nname = 'x'\n[[site]]\nid = 'b'")[("site", 1, "id")]
    6
    """
    line_of: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    here: Path = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := HEADER.match(line):
            here = _number_table_path(header[2], repeated=header[1] == "[[", counts=counts)
            line_of[here] = number
        elif key := KEY.match(line):
            names = [part.strip("\"'") for part in re.findall(PART, key[1])]
            for depth in range(1, len(names) + 1):
                line_of.setdefault((*here, *names[:depth]), number)
    return line_of


def _number_table_path(dotted: str, *, repeated: bool, counts: dict[Path, int]) -> Path:
    """Number the tables of an array: parents keep their latest number, the last part is incremented."""
    path: Path = ()
    names = [name.strip(" \"'") for name in dotted.split(".")]
    for depth, name in enumerate(names, start=1):
        path = (*path, name)
        last = depth == len(names)
        if last and repeated:
            counts[path] = counts.get(path, -1) + 1
        if path in counts and (repeated or not last):
            path = (*path, counts[path])
    return path


@dataclass(frozen=True, slots=True)
class Row:
    """The values of one table and their lines."""

    values: Mapping[str, Any]
    file: str
    path: Path = ()
    lines: Mapping[Path, int] = field(default_factory=dict)

    def refuse_value(self, key: str, what: str) -> NoReturn:
        """Raise an error with the place of a key and what to do."""
        raise BadInput(f"{self._name_place_of_key(key)}: {what}")

    def refuse_unknown(self, known: Iterable[str]) -> None:
        """Refuse unknown keys: a misspelt key would otherwise be silently ignored."""
        known = sorted(known)
        for key in self.values:
            if key not in known:
                self.refuse_value(key, f"{UnknownName('key', key, known)} Known: {', '.join(known)}.")

    def read_rows(self, key: str) -> tuple["Row", ...]:
        """Return an array of tables."""
        raw = self.values.get(key, [])
        if not isinstance(raw, list) or not all(isinstance(one, Mapping) for one in raw):
            self.refuse_value(key, f"should be written as tables, [[{'.'.join(str(p) for p in (*self.names, key))}]].")
        return tuple(Row(one, self.file, (*self.path, key, at), self.lines) for at, one in enumerate(raw))

    def read_text(self, key: str, default: str | None = None) -> str:
        """Return a text; without a default it must be there."""
        value = self.values.get(key, default)
        if value is None or (default is None and not str(value).strip()):
            self.refuse_value(key, f'{key} is missing; add {key} = "…".')
        if not isinstance(value, str):
            self.refuse_value(key, f"{key} = {value!r} should be text in quotes.")
        return value.strip()

    def read_texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts, empty where it is not given."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
            self.refuse_value(key, f'{key} = {value!r} should be a list of texts such as ["overhead", "wrist"].')
        return tuple(value)

    def read_number(self, key: str, *, low: float = -math.inf, high: float = math.inf) -> float | None:
        """Return a finite number within bounds, None where it is not given."""
        value = self.values.get(key)
        return None if value is None else self._check_number(key, value, low, high)

    def read_span(self, key: str, low: float = -math.inf, high: float = math.inf) -> tuple[float, float] | None:
        """Return [low, high] within bounds, None where it is not given."""
        value = self.values.get(key)
        if value is None:
            return None
        bounds = self._check_span(key, value)
        if not low <= bounds[0] <= bounds[1] <= high:
            self.refuse_value(key, f"{key} = {list(bounds)} should lie {_format_bounds(low, high)}.")
        return bounds

    def refuse_impossible(self, key: str, quantity: str, values: Sequence[float], settings: Section) -> None:
        """Refuse values that no picking site can have; operations.toml can widen the limits."""
        if why := explain_impossible_values(quantity, values, settings):
            written = f"{values[0]:g}" if len(values) == 1 else f"[{', '.join(f'{value:g}' for value in values)}]"
            self.refuse_value(
                key, f"{key} = {written}: {why}. Correct it, or widen audit.{quantity} in operations.toml."
            )

    def read_sizes(self, key: str) -> dict[str, tuple[float, float, float]]:
        """Return name → [length, width, height], each above zero."""
        sizes = {}
        for name, value in self._read_mapping(key, "{ standard = [0.6, 0.4, 0.3] }").items():
            if not isinstance(value, list) or len(value) != SIDES:
                self.refuse_value(key, f"{key}.{name} = {value!r} should be [length, width, height] in metres.")
            length, width, height = (self._check_number(f"{key}.{name}", side, 0.0, math.inf) for side in value)
            if 0.0 in (length, width, height):
                self.refuse_value(key, f"{key}.{name} = {value!r} has a side of 0; write it in metres.")
            sizes[name] = (length, width, height)
        return sizes

    def read_spans(self, key: str) -> dict[str, tuple[float, float]]:
        """Return name → [low, high]."""
        ranges = self._read_mapping(key, "{ day = [300, 700], night = [80, 200] }")
        return {name: self._check_span(f"{key}.{name}", value) for name, value in ranges.items()}

    def read_shares(self, key: str, tolerance: float) -> dict[str, float]:
        """Return name → share; they add up to one."""
        shares = {
            name: self._check_number(f"{key}.{name}", value, 0.0, 1.0)
            for name, value in self._read_mapping(key).items()
        }
        for name in shares:
            self.refuse_separators_in_name(key, name)
        total = sum(shares.values())
        if shares and abs(total - 1.0) > tolerance:
            self.refuse_value(
                key, f"the shares of {key} add up to {total:g}, not to 1; correct one of {_list_shares(shares)}."
            )
        return shares

    def read_named_rows(self, key: str) -> dict[str, "Row"]:
        """Return the rows of a table of tables by name, each a Row of the table that holds it."""
        inner = Row(self._read_mapping(key), self.file, (*self.path, key), self.lines)
        return dict.fromkeys(inner.values, inner)

    def refuse_separators_in_name(self, key: str, name: str) -> None:
        """Refuse commas and equals signs in names, because strata are written `factor=level,factor=level`."""
        if not name.strip() or "=" in name or "," in name:
            self.refuse_value(key, f"{name!r} of {key} cannot name a level; leave out commas and equals signs.")

    @property
    def names(self) -> tuple[str, ...]:
        """Return the path without its numbers."""
        return tuple(part for part in self.path if isinstance(part, str))

    def _read_mapping(self, key: str, example: str = "{ bright = 0.6, dim = 0.4 }") -> Mapping[str, Any]:
        value = self.values.get(key, {})
        if not isinstance(value, Mapping):
            self.refuse_value(key, f"{key} = {value!r} should be a table such as {example}.")
        return value

    def _check_number(self, key: str, value: Any, low: float, high: float) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse_value(key, f"{key} = {value!r} is not a number.")
        if not math.isfinite(value):
            self.refuse_value(key, f"{key} = {value!r} is not a finite number; leave it out if it is not known.")
        if not low <= value <= high:
            self.refuse_value(key, f"{key} = {value!r} should be {_format_bounds(low, high)}.")
        return float(value)

    def _check_span(self, key: str, value: Any) -> tuple[float, float]:
        if not isinstance(value, list) or len(value) != PAIR:
            self.refuse_value(key, f"{key} = {value!r} should be [lowest, highest].")
        low, high = (self._check_number(key, one, -math.inf, math.inf) for one in value)
        if low > high:
            self.refuse_value(key, f"{key} = [{low:g}, {high:g}]: the lowest value must come first; swap the two.")
        return (low, high)

    def _name_place_of_key(self, key: str) -> str:
        line = self.lines.get((*self.path, key.partition(".")[0]), self.lines.get(self.path))
        place = f", line {line}" if line else ""
        table = ".".join(self.names)
        return f"{self.file}{place}{f', [{table}]' if table else ''}"


def _format_bounds(low: float, high: float) -> str:
    return f"at least {low:g}" if high == math.inf else f"between {low:g} and {high:g}"


def _list_shares(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {share:g}" for name, share in shares.items())
