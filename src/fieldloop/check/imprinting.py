"""Take the imprint of one episode: every imprinter once, while its recording is open."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.model.imprint import Imprint

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Imprinter:
    """A function that returns small arrays of a case; `pixels`: it has to decode pictures.

    `revision` is raised when its result changes.
    """

    name: str
    needs: tuple[str, ...]
    take: Callable[[Case], Arrays]
    pixels: bool = False
    revision: int = 1


def register_imprinter(
    name: str, *, needs: tuple[str, ...] = (), pixels: bool = False, revision: int = 1
) -> Callable[[Callable[[Case], Arrays]], Imprinter]:
    """Make a function an Imprinter; the arrays it returns are kept under `name`, or under `name/<key>`."""

    def make_imprinter(take: Callable[[Case], Arrays]) -> Imprinter:
        return Imprinter(name, needs, take, pixels, revision)

    return make_imprinter


def collect_imprinters(*modules: ModuleType) -> tuple[Imprinter, ...]:
    """Collect the imprinters of these modules, in the order written."""
    return tuple(member for module in modules for member in vars(module).values() if isinstance(member, Imprinter))


def take_imprint_with(imprinters: Iterable[Imprinter], case: Case) -> Imprint:
    """Run an imprinter; one that breaks keeps nothing, so that its checks report 'cannot tell'."""
    arrays: dict[str, NDArray[Any]] = {}
    for each_imprinter in imprinters:
        if case.find_missing_input(each_imprinter.needs):
            continue
        try:
            taken = dict(each_imprinter.take(case))
        except Exception:  # noqa: BLE001, S112 - unforeseen data; the checks of this episode report the fault
            continue
        arrays |= {
            f"{each_imprinter.name}/{key}" if key else each_imprinter.name: array for key, array in taken.items()
        }
    return Imprint(arrays)
