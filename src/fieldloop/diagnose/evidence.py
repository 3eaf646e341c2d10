"""The input of a diagnosis; whatever is missing leads to 'cannot tell' with advice what to log, never to a guess."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fieldloop.diagnose.explanations.demonstrated import Demonstrations
from fieldloop.model.agreement import Agreement
from fieldloop.model.attempts import count_unknown_attempts, select_known_results
from fieldloop.model.condition import Exposure
from fieldloop.model.diagnosis import Lag, Role
from fieldloop.model.outcome_columns import OutcomeColumns
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
    baseline: Sequence[Outcome]
    production: Sequence[Outcome]
    demonstrations: Demonstrations | None = None
    time_zones: Mapping[str, str] | None = None
    lags: tuple[Lag, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    exposures: tuple[Exposure, ...] = ()
    roles: Mapping[str, Role] = field(default_factory=dict)
    """Roles of columns that the team states."""

    @cached_property
    def before(self) -> Sequence[Outcome]:
        """Outcomes of this policy before production, without those whose result is not known."""
        if isinstance(self.baseline, OutcomeColumns):
            return self.baseline.take(self.baseline.known & self.baseline.texts["policy"].mark([self.policy]))
        return [o for o in select_known_results(self.baseline) if o.policy == self.policy]

    @cached_property
    def after(self) -> Sequence[Outcome]:
        """Outcomes of this policy in production with a known result, at this site where one is named."""
        tried = self._tried
        return tried.take(tried.known) if isinstance(tried, OutcomeColumns) else select_known_results(tried)

    @property
    def unknown(self) -> int:
        """How many attempts of this policy in production have no known result."""
        return count_unknown_attempts(self._tried)

    @property
    def _tried(self) -> Sequence[Outcome]:
        if isinstance(self.production, OutcomeColumns):
            texts = self.production.texts
            here = texts["stage"].mark([Stage.PRODUCTION.value]) & texts["policy"].mark([self.policy])
            return self.production.take(here & texts["site"].mark([self.site]) if self.site else here)
        return [o for o in self.production if self._is_after(o)]

    def _is_after(self, outcome: Outcome) -> bool:
        here = outcome.stage is Stage.PRODUCTION and (not self.site or outcome.site == self.site)
        return here and outcome.policy == self.policy
