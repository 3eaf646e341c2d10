"""Families of worlds that are asked about under known and under foreign headers."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.answered.logistic import answer_logistic
from bench.answered.row import Row
from bench.planted.decoys.asked import answer_decoys


@dataclass(frozen=True, slots=True)
class Answered:
    """A family: how a seed becomes a row (worlds may be kept in a folder), and how many worlds are final."""

    answer: Callable[[int, Path | None], Row]
    final_worlds: int
    block: str


def _answer_logistic(seed: int, _: Path | None) -> Row:
    return answer_logistic(seed)


def _answer_decoys(seed: int, folder: Path | None) -> Row:
    return answer_decoys(seed, None, folder)


LOGISTIC, DECOYS = "logistic", "decoys"
ANSWERED = {
    LOGISTIC: Answered(_answer_logistic, 400, "python -m bench.diagnose --family logistic"),
    DECOYS: Answered(_answer_decoys, 160, "python -m bench.diagnose --family decoys"),
}
DEVELOPMENT_WORLDS = 40
