"""An immutable selection of episodes that policies are trained on."""

from dataclasses import dataclass

from fieldloop.model.condition import Stratum
from fieldloop.model.fix import Fix
from fieldloop.model.note import Note


@dataclass(frozen=True, slots=True)
class StratumShare:
    """How common a stratum is by nature, in the release, and how its episodes are weighted."""

    stratum: Stratum
    natural: float
    sampled: float
    weight: float


@dataclass(frozen=True, slots=True)
class Release:
    """Episodes, their split, and the versions they depend on; identified by content. `fixes` are by episode id.

    `override` states who froze it although clocks were not verified, and why.
    """

    id: str
    name: str
    episodes: tuple[str, ...]
    train: tuple[str, ...]
    validation: tuple[str, ...]
    protocol: str
    taxonomy: str
    shares: tuple[StratumShare, ...]
    annotations_sha256: str
    excluded: tuple[tuple[str, Note], ...] = ()
    fixes: tuple[tuple[str, Fix], ...] = ()
    override: str = ""

    def get_fixes(self, episode: str) -> tuple[Fix, ...]:
        """Return the fixes applied to an episode whenever this release is read."""
        return tuple(fix for of, fix in self.fixes if of == episode)
