"""How a function becomes a check: a decorator makes a value, `check/__init__` lists the modules. No globals."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Generic, TypeVar

from fieldloop.errors import ProtocolError
from fieldloop.model.finding import Measurement
from fieldloop.model.quality import Dimension

S = TypeVar("S")
"""What is looked at: a Case (one episode) or a Batch (many)."""


@dataclass(frozen=True, slots=True)
class Check(Generic[S]):
    """A question, the unit of its answer, what it needs to see, and what to do when the answer is bad.

    `place_says_it`: where a measurement's place is a sentence that tells all, the number is not repeated.
    `pixels`: it has to decode pictures, which costs more than everything else together.
    `dimension`: what it counts for, where its subject alone (`dimension.py`) does not say.
    `revision`: raised when it measures otherwise than before, so that what was measured until then is outdated.
    """

    name: str
    unit: str
    asks: str
    needs: tuple[str, ...]
    advice: str
    look: Callable[[S], Iterator[Measurement]]
    about: str = ""
    place_says_it: bool = False
    pixels: bool = False
    dimension: Dimension | None = None
    revision: int = 1


def check(
    name: str,
    *,
    unit: str,
    needs: tuple[str, ...] = (),
    advice: str,
    place_says_it: bool = False,
    pixels: bool = False,
    dimension: Dimension | None = None,
    revision: int = 1,
) -> Callable[[Callable[[S], Iterator[Measurement]]], Check[S]]:
    """Make a measuring function a Check; the first line of its docstring is the question it asks."""

    def make(look: Callable[[S], Iterator[Measurement]]) -> Check[S]:
        asks, _, about = (look.__doc__ or "").partition("\n")
        told = " ".join(about.split())
        return Check(name, unit, asks.strip(), needs, advice, look, told, place_says_it, pixels, dimension, revision)

    return make


def collect(*modules: ModuleType) -> dict[str, Check[S]]:
    """Gather the checks of these modules, in the order written; two of one name are refused."""
    found: dict[str, Check[S]] = {}
    for module in modules:
        for member in vars(module).values():
            if isinstance(member, Check) and found.setdefault(member.name, member) is not member:
                raise ProtocolError(f"Two checks are called {member.name!r}.")
    return found
