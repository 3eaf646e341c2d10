"""A plan of trials as its sheet shows it: without the versions, until the gate has decided."""

from dataclasses import dataclass

from fieldloop.model.condition import Stratum
from fieldloop.model.note import Note
from fieldloop.model.trial import TrialResult


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A trial as the sheet shows it: its arm's letter, how to set it up, who makes it now, and its result."""

    order: int
    arm: str
    scenario: str
    stratum: Stratum
    parameters: tuple[tuple[str, float], ...]
    scene: int
    seed: int
    taken_by: str = ""
    result: TrialResult | None = None


@dataclass(frozen=True, slots=True)
class TrialSheet:
    """A plan's trials in order, and how far they are; `arms` names the policies once the gate has decided.

    `plan` is '' where nothing is planned yet and the trials are those that a plan would have. `held` is the trial that
    you have taken, 0 without one.
    """

    plan: str
    policy: str
    site: str
    planned_ns: int
    steps: tuple[str, ...]
    rows: tuple[SheetRow, ...]
    done: int
    arms: tuple[tuple[str, str], ...] = ()
    deviations: tuple[Note, ...] = ()
    html: str | None = None
    held: int = 0

    @property
    def left(self) -> int:
        """How many trials are still to be made."""
        return len(self.rows) - self.done
