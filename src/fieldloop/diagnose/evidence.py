"""What a diagnosis rests on; whatever is absent leads to 'cannot tell, log this', never to a guess."""

from collections.abc import Mapping
from dataclasses import dataclass

from fieldloop.diagnose.demonstrated import Demonstrations
from fieldloop.model.annotation import Agreement
from fieldloop.model.condition import Exposure
from fieldloop.model.diagnosis import Lag
from fieldloop.model.policy import Outcome, Stage


@dataclass(frozen=True)
class Evidence:
    """Outcomes of one policy before and in production, what was demonstrated, and what was measured of the data.

    `site` '' takes all sites together. `demonstrations` None means that nobody knows what was trained on; no `lags`
    or no `agreements` that nobody measured them: measured and fine is another answer. `time_zones` (IANA zone by
    site, UTC where none is given) say when a site's days begin.
    """

    policy: str
    site: str
    baseline: tuple[Outcome, ...]
    production: tuple[Outcome, ...]
    demonstrations: Demonstrations | None = None
    time_zones: Mapping[str, str] | None = None
    lags: tuple[Lag, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    exposures: tuple[Exposure, ...] = ()

    @property
    def before(self) -> list[Outcome]:
        """Outcomes of this policy before production."""
        return [o for o in self.baseline if o.policy == self.policy]

    @property
    def after(self) -> list[Outcome]:
        """Outcomes of this policy in production, at this site where one is named."""
        return [o for o in self.production if o.policy == self.policy and self._here(o)]

    def _here(self, outcome: Outcome) -> bool:
        return outcome.stage is Stage.PRODUCTION and (not self.site or outcome.site == self.site)
