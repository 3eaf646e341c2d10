"""The imprint: stored features of an episode's content, so that episodes can be compared without reading logs again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Imprint:
    """Small named arrays: `way` (where the joints went), `view/camera/top/picture` (small), `lag/camera/wrist/…`."""

    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def get(self, name: str) -> NDArray[Any] | None:
        """Return one array, None if the episode lacks the data for it."""
        return self.arrays.get(name)

    def list_arrays_under(self, prefix: str) -> Iterator[tuple[str, NDArray[Any]]]:
        """Yield the arrays below a prefix, by the rest of their name."""
        for name, array in self.arrays.items():
            if name.startswith(f"{prefix}/"):
                yield name.removeprefix(f"{prefix}/"), array
