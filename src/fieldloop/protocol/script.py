"""What the operator does when something unusual happens, and how the episode is labelled."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fieldloop.protocol.cells import read_line, read_lines, read_table
from fieldloop.protocol.number import refuse_unknown_keys


@dataclass(frozen=True, slots=True)
class Script:
    """An edge case: what starts it, the steps, the label the episode gets."""

    name: str
    trigger: str = ""
    steps: tuple[str, ...] = ()
    label: str = ""

    @property
    def title(self) -> str:
        """The name for display."""
        return self.name.replace("_", " ")

    def __str__(self) -> str:
        """Write the steps as one text.

        >>> str(Script("fallen_off", steps=("Stop.", "Mark the episode as failed.")))
        'Stop. Mark the episode as failed.'
        """
        return " ".join(self.steps)


def read_script(where: str, name: str, row: Any) -> Script:
    """Read one `[edge_cases.name]` table; a bare sentence is a script of one step."""
    if isinstance(row, str):
        return Script(name, steps=(" ".join(row.split()),))
    return _read_script(f"{where}.{name}", name, read_table(f"{where}.{name}", row))


def _read_script(where: str, name: str, row: Mapping[str, Any]) -> Script:
    refuse_unknown_keys(where, row, {"trigger", "steps", "label"})
    return Script(
        name, read_line(where, row, "trigger"), read_lines(where, row, "steps"), read_line(where, row, "label")
    )
