"""Diagnose a loss: is it real, what is it made of, which conditions carry it, and what would close it."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose.carriers import Loss
from fieldloop.diagnose.causes import name_causes
from fieldloop.diagnose.table import slow_limit_ms, tabulate
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Diagnosis, Gap
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.identity import Ids
from fieldloop.model.policy import Outcome, Stage
from fieldloop.protocol import Section
from fieldloop.stats import difference


@dataclass(frozen=True)
class Evidence:
    """What a diagnosis rests on: outcomes of one policy before and in production, and what was demonstrated.

    `site` '' takes all sites together; `demonstrations` None means that nobody knows what was trained on;
    `time_zones` (IANA zone by site, UTC where none is given) say when a site's days begin.
    """

    policy: str
    site: str
    baseline: tuple[Outcome, ...]
    production: tuple[Outcome, ...]
    demonstrations: Mapping[Stratum, int] | None = None
    time_zones: Mapping[str, str] | None = None


def demonstrations_of(episodes: Iterable[Episode]) -> dict[Stratum, int]:
    """Count demonstrations by stratum, the site among its conditions."""
    return dict(Counter(Stratum.of({**({"site": e.site} if e.site else {}), **e.stratum.levels}) for e in episodes))


def diagnose(evidence: Evidence, settings: Section, ids: Ids, at_ns: int, rng: np.random.Generator) -> Diagnosis:
    """Explain a loss: FAILED where it is real and a cause is named, PASSED where there is none, else what to log."""
    before = [o for o in evidence.baseline if o.policy == evidence.policy]
    after = [o for o in evidence.production if _counts(o, evidence)]
    loss = Loss(
        tabulate(before, slow := slow_limit_ms(before, settings.number("slow_quantile")), evidence.time_zones),
        tabulate(after, slow, evidence.time_zones),
        evidence.demonstrations,
    )
    status, reasons = _real(loss.before.counts, loss.after.counts, settings)
    found = name_causes(loss, settings, rng) if status is Status.FAILED else None
    if found:
        reasons = (*reasons, *found.cannot_tell)
        status = Status.FAILED if any(c.gap is not Gap.UNKNOWN for c in found.causes) else Status.CANNOT_TELL
    rates = [good / tried if tried else math.nan for good, tried in (loss.before.counts, loss.after.counts)]
    return Diagnosis(
        id=ids.new("diagnosis"),
        policy=evidence.policy,
        site=evidence.site,
        status=status,
        baseline=rates[0],
        observed=rates[1],
        loss=rates[0] - rates[1],
        mix_share=found.split.share(found.split.mix) if found else 0.0,
        mechanism_share=found.split.share(found.split.mechanism) if found else 0.0,
        unseen_share=found.split.share(found.split.unseen) if found else 0.0,
        causes=found.causes if found else (),
        episodes=len(after),
        made_ns=at_ns,
        operations=settings.fingerprint,
        cannot_tell=reasons,
    )


def _counts(outcome: Outcome, evidence: Evidence) -> bool:
    here = not evidence.site or outcome.site == evidence.site
    return here and outcome.policy == evidence.policy and outcome.stage is Stage.PRODUCTION


def _real(before: tuple[int, int], after: tuple[int, int], settings: Section) -> tuple[Status, tuple[str, ...]]:
    """FAILED: a real loss. PASSED: shown to be negligible. CANNOT_TELL: neither, with what is missing."""
    if not before[1] or not after[1]:
        what = "baseline (gate or laboratory)" if not before[1] else "production"
        return Status.CANNOT_TELL, (f"There are no {what} outcomes of this policy; record them.",)
    if difference.chance_of_drop(after, before) < settings.number("alpha"):
        return Status.FAILED, ()
    negligible = settings.number("negligible_loss")
    if difference.lower_bound(after, before, 1.0 - settings.number("alpha")) > -negligible:
        return Status.PASSED, ()
    reason = (
        f"{after[0]} of {after[1]} after {before[0]} of {before[1]} may be chance, and a loss of "
        f"{100 * negligible:.0f} points is still possible; record more outcomes"
        f"{' of the baseline' if before[1] < after[1] else ''}."
    )
    return Status.CANNOT_TELL, (reason,)
