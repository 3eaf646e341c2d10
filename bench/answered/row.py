"""One world and what the diagnosis answered: under the known headers, and under foreign ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SHORT = {
    "environment mismatch": "environment",
    "temporal misalignment": "timing",
    "edge-case distribution": "edge cases",
    "annotation inconsistency": "labels",
    "physical-condition coverage": "conditions",
    "sim-to-real": "simulation",
    "hardware drift": "hardware",
    "infrastructure": "infrastructure",
    "unknown": "unknown",
}
"""Causes as rows write them."""
COVERAGE = ("environment", "edge cases", "conditions")
UNKNOWN, FAILED, PASSED = "unknown", "failed", "passed"
KNOWN, FOREIGN = "known", "foreign"
MOST_CAUSES, DIGITS = 6, 3


@dataclass(frozen=True, slots=True)
class Planted:
    """A planted cause: its kind, the names that are right for it, its conditions, and its true share of the loss."""

    kind: str
    gaps: tuple[str, ...]
    places: tuple[str, ...]
    share: float


@dataclass(frozen=True, slots=True)
class Decoy:
    """Something that looks wrong and costs nothing."""

    kind: str
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Named:
    """A cause that was named: its gap, its conditions with those that cannot be separated from it, and its share."""

    gap: str
    places: tuple[str, ...]
    share: float


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its status, the causes in their order, and whether the loss is mostly a harder mix."""

    status: str
    causes: tuple[Named, ...]
    mostly_mix: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A world with its truth and its two answers; conditions have the known headers in both."""

    seed: int
    kind: str
    baseline: float
    production: float
    without: float
    weak: bool
    faults: tuple[Planted, ...]
    decoys: tuple[Decoy, ...]
    known: Reply
    foreign: Reply

    def reply(self, headers: str) -> Reply:
        return self.known if headers == KNOWN else self.foreign


def write_row(row: Row) -> dict[str, Any]:
    """Return a row as plain JSON, short enough for hundreds in a repository."""
    return {
        "seed": row.seed,
        "kind": row.kind,
        "success": [round(rate, 4) for rate in (row.baseline, row.production, row.without)],
        "weak": row.weak,
        "truth": [[f.kind, list(f.gaps), list(f.places), round(f.share, DIGITS)] for f in row.faults],
        "decoys": [[decoy.kind, list(decoy.places)] for decoy in row.decoys],
        KNOWN: _write_reply(row.known),
        FOREIGN: "the same" if row.foreign == row.known else _write_reply(row.foreign),
    }


def read_row(plain: Mapping[str, Any]) -> Row:
    """Read a row back."""
    known = _read_reply(plain[KNOWN])
    baseline, production, without = plain["success"]
    return Row(
        plain["seed"],
        plain["kind"],
        baseline,
        production,
        without,
        plain["weak"],
        tuple(Planted(kind, tuple(gaps), tuple(places), share) for kind, gaps, places, share in plain["truth"]),
        tuple(Decoy(kind, tuple(places)) for kind, places in plain["decoys"]),
        known,
        known if plain[FOREIGN] == "the same" else _read_reply(plain[FOREIGN]),
    )


def _write_reply(reply: Reply) -> list[Any]:
    causes = [[cause.gap, list(cause.places), round(cause.share, DIGITS)] for cause in reply.causes]
    return [reply.status, causes, *(["mostly mix"] if reply.mostly_mix else [])]


def _read_reply(plain: Sequence[Any]) -> Reply:
    status, causes, *more = plain
    return Reply(status, tuple(Named(gap, tuple(places), share) for gap, places, share in causes), bool(more))
