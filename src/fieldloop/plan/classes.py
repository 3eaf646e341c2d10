"""The classes of all parts as one sparse matrix, so that sums over strata and back are one product."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.plan.parts import Part
from fieldloop.plan.strata import Floats


class Classes:
    """The classes of the shared parts one after the other, then each stratum by itself, as `parts` returns them."""

    def __init__(self, parts: Sequence[Part], rows: NDArray[np.intp] | None = None) -> None:
        """Record which classes each stratum is in; `rows` restricts it to some of the strata."""
        from scipy.sparse import csr_matrix

        *shared, by_itself = parts
        self._rows = by_itself.codes if rows is None else rows
        count, starts = len(self._rows), np.cumsum([0, *(part.size for part in shared)])
        columns = np.empty((count, len(shared)), dtype=np.int32)
        for at, part in enumerate(shared):
            columns[:, at] = part.codes[self._rows] + starts[at]
        self._shared = int(starts[-1])
        edges = np.arange(count + 1) * len(shared)
        self._has = csr_matrix((np.ones(columns.size), columns.ravel(), edges), (count, self._shared))
        self._in = self._has.T

    def concatenate_class_values(self, by_part: Sequence[Floats]) -> Floats:
        """Concatenate the values of each part's classes into one row."""
        return np.concatenate([*by_part[:-1], by_part[-1][self._rows]])

    def sum_by_class(self, values: Floats) -> Floats:
        """Sum a column of strata over every class."""
        return np.concatenate([self._in @ values, values])

    def sum_classes_of_each_stratum(self, values: Floats) -> Floats:
        """Give each stratum the sum of the values of its classes."""
        return np.asarray(self._has @ values[: self._shared] + values[self._shared :])
