"""The decorator that turns a function into a check, and the collection of checks from modules; no global state."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Generic, TypeVar

from fieldloop.check.signals.sensed import Evidence
from fieldloop.errors import ProtocolError
from fieldloop.model.finding import Measurement
from fieldloop.model.provenance import StreamFact
from fieldloop.model.quality import Dimension

S = TypeVar("S")
"""The input of a check: a Case (one episode) or a Batch (many)."""

SameCause = Callable[[Any, Measurement, Measurement], bool]
"""Do two measurements of one case show one cause?"""


@dataclass(frozen=True, slots=True)
class Check(Generic[S]):
    """A question, the unit of its answer, and the input it needs.

    `advice`: what to do when it fails, for a check outside this package; ours is in `say/en/advice.toml`.
    `place_says_it`: a measurement's place states the whole fact, so that the number is not repeated.
    `pixels`: it has to decode pictures, which costs more than everything else together.
    `dimension`: what it counts for, where its topic alone (`dimension.py`) does not decide that.
    `rests_on`: facts about its streams that it takes for true; where a reader assumed one of them, it cannot fail.
    `evidence`: what the streams concerned must show for it to fail data that name no protocol.
    `same_cause`: whether two measurements of one episode show one cause, which is then reported once.
    `revision`: raised when it measures differently than before, so that earlier measurements are outdated.
    """

    name: str
    unit: str
    asks: str
    needs: tuple[str, ...]
    look: Callable[[S], Iterator[Measurement]]
    about: str = ""
    advice: str = ""
    place_says_it: bool = False
    pixels: bool = False
    dimension: Dimension | None = None
    revision: int = 1
    rests_on: tuple[StreamFact, ...] = ()
    same_cause: SameCause | None = None
    evidence: Evidence | None = None


def check(  # noqa: PLR0913 - a check's properties, each named where it is used
    name: str,
    *,
    unit: str,
    needs: tuple[str, ...] = (),
    advice: str = "",
    place_says_it: bool = False,
    pixels: bool = False,
    dimension: Dimension | None = None,
    revision: int = 1,
    rests_on: tuple[StreamFact, ...] = (),
    same_cause: SameCause | None = None,
    evidence: Evidence | None = None,
) -> Callable[[Callable[[S], Iterator[Measurement]]], Check[S]]:
    """Make a measuring function a Check; the first line of its docstring is the question it asks."""

    def make_check(look: Callable[[S], Iterator[Measurement]]) -> Check[S]:
        asks, _, about = (look.__doc__ or "").partition("\n")
        more = " ".join(about.split())
        return Check(
            name, unit, asks.strip(), needs, look, more, advice, place_says_it, pixels, dimension, revision, rests_on,
            same_cause, evidence,
        )  # fmt: skip

    return make_check


def collect_checks(*check_modules: ModuleType) -> dict[str, Check[S]]:
    """Collect the checks of these modules, in the order written; duplicate names are refused."""
    checks: dict[str, Check[S]] = {}
    for module in check_modules:
        for member in vars(module).values():
            if isinstance(member, Check) and checks.setdefault(member.name, member) is not member:
                raise ProtocolError(f"Two checks are called {member.name!r}.")
    return checks
