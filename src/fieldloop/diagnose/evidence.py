"""The input of a diagnosis; whatever is missing leads to 'cannot tell' with advice what to log, never to a guess."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fieldloop.diagnose.explanations.demonstrated import Demonstrations
from fieldloop.model.annotation import Agreement
from fieldloop.model.attempts import count_unknown_attempts, select_known_results
from fieldloop.model.condition import Exposure
from fieldloop.model.diagnosis import Lag, Role
from fieldloop.model.policy import Outcome, Stage


@dataclass(frozen=True)
class Evidence:
    """Outcomes of one policy before and in production, what was demonstrated, and what was measured of the data.

    `site` '' takes all sites together. `demonstrations` None: what was trained on is unknown. No `lags` or no
    `agreements`: they were not measured, which differs from measured and fine. `time_zones` (IANA zone by site, UTC
    where none is given) define when a site's days begin.
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
    roles: Mapping[str, Role] = field(default_factory=dict)
    """Roles of columns that the team states."""

    @property
    def before(self) -> list[Outcome]:
        """Outcomes of this policy before production, without those whose result is not known."""
        return [o for o in select_known_results(self.baseline) if o.policy == self.policy]

    @property
    def after(self) -> list[Outcome]:
        """Outcomes of this policy in production with a known result, at this site where one is named."""
        return select_known_results(o for o in self.production if self._is_after(o))

    @property
    def unknown(self) -> int:
        """How many attempts of this policy in production have no known result."""
        return count_unknown_attempts(o for o in self.production if self._is_after(o))

    def _is_after(self, outcome: Outcome) -> bool:
        here = outcome.stage is Stage.PRODUCTION and (not self.site or outcome.site == self.site)
        return here and outcome.policy == self.policy
