"""An immutable selection of episodes that policies are trained on."""

from dataclasses import dataclass

from fieldloop.model.condition import Stratum
from fieldloop.model.fix import Fix


@dataclass(frozen=True, slots=True)
class StratumShare:
    """How common a stratum is by nature, in the release, and how its episodes are weighted."""

    stratum: Stratum
    natural: float
    sampled: float
    weight: float


@dataclass(frozen=True, slots=True)
class Release:
    """Episodes, their split, and what they stand on; identified by content. `fixes` are by episode id.

    `override` says who froze it over devices whose time nobody had verified, and why.
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
    excluded: tuple[tuple[str, str], ...] = ()
    fixes: tuple[tuple[str, Fix], ...] = ()
    override: str = ""

    def fixes_of(self, episode: str) -> tuple[Fix, ...]:
        """Return what is put right in an episode whenever this release is read."""
        return tuple(fix for of, fix in self.fixes if of == episode)
