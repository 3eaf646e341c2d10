"""What the map claims, held against what the logs measured."""

from collections.abc import Iterable, Sequence

from fieldloop.audit.claim import Claim
from fieldloop.audit.claims import claims_of
from fieldloop.audit.evidence import witnesses
from fieldloop.audit.seen import Seen, seen_of
from fieldloop.errors import UnknownName
from fieldloop.model.audit import ComparedBy, Comparison, LevelCompared
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome
from fieldloop.protocol import Section
from fieldloop.stats.multiple import holm

MOST_NAMED = 3
MOST_WRITTEN = 8


def compare(
    deployment: Deployment,
    episodes: Iterable[Episode],
    settings: Section,
    outcomes: Iterable[Outcome] = (),
    *,
    traffic: bool = False,
) -> tuple[Comparison, ...]:
    """Hold mixes, articles, light, air, edge cases and speed against attempts, site by site.

    The day is the unit: attempts of one day are alike. All answers together are wrong at most as often as the
    setting alpha says, if nothing differs by more than what is tolerated.
    """
    within_s = settings.number("same_attempt_s")
    seen = witnesses(deployment, episodes, outcomes, traffic=traffic, within_s=within_s)
    claims = list(claims_of(deployment, seen, settings))
    counted = [seen_of(claim, settings) for claim in claims]
    open_ones = [not _why_not(claim, of_claim, settings) for claim, of_claim in zip(claims, counted, strict=True)]
    chances = _chances(claims, counted, open_ones, settings.number("alpha"))
    return tuple(
        _judged(claim, of_claim, chance, settings)
        for claim, of_claim, chance in zip(claims, counted, chances, strict=True)
    )


def _chances(
    claims: Sequence[Claim], counted: Sequence[Sequence[Seen]], judged: Sequence[bool], alpha: float
) -> list[list[float]]:
    """The chance of every level of every claim that is judged, adjusted for all of them together."""
    tests = sum(len(claim.bands) for claim, yes in zip(claims, judged, strict=True) if yes)
    level = 1.0 - alpha / max(tests, 1)
    raw = [
        [seen.chance_beyond(*band, level) for seen, band in zip(of_claim, claim.bands, strict=True)] if yes else []
        for claim, of_claim, yes in zip(claims, counted, judged, strict=True)
    ]
    adjusted = iter(holm([chance for row in raw for chance in row]).tolist())
    return [[next(adjusted) for _ in row] for row in raw]


def _why_not(claim: Claim, counted: Sequence[Seen], settings: Section) -> str:
    """Say what stands in the way of judging a claim, '' where nothing does."""
    days, least = (counted[0].said.days if counted else 0), int(settings.number("min_days"))
    if claim.kind is ComparedBy.RANGE and not claim.ranges:
        return "the map does not say"
    if not claim.asked or not claim.said:
        return "no attempt says it" if claim.asked else "no attempt was made"
    if claim.why_not:
        return claim.why_not
    if days < least:
        return f"all of it comes from {days} day{'s' * (days != 1)}; at least {least} are needed"
    return ""


def _judged(claim: Claim, counted: Sequence[Seen], chances: Sequence[float], settings: Section) -> Comparison:
    alpha = settings.number("alpha")
    reason = _why_not(claim, counted, settings)
    differs = [chance <= alpha for chance in chances] or [False] * len(claim.levels)
    rows = zip(claim.levels, claim.claimed, counted, differs, strict=True)
    levels = tuple(_level(*row, level=1.0 - alpha) for row in rows)
    named = tuple(level for level in levels if level.level)
    surprising = [level for level in named if level.differs]
    inside = all(low <= x.low and x.high <= high for x, (low, high) in zip(levels, claim.bands, strict=True))
    if reason:
        status, verdict = Status.CANNOT_TELL, f"cannot tell: {reason}."
    elif surprising:
        surprising.sort(key=lambda x: -abs(x.measured - x.claimed))
        status, verdict = Status.FAILED, "; ".join(_differs(x, claim) for x in surprising[:MOST_NAMED]) + "."
        verdict += f" Whatever the {_unsaid(claim)} were, this stays." * counted[0].partly
    elif inside:
        status, verdict = Status.PASSED, f"the map and {claim.said} attempts agree."
    elif counted[0].partly:
        status, verdict = Status.CANNOT_TELL, f"cannot tell: the {_unsaid(claim)} may differ."
    else:
        status, verdict = Status.CANNOT_TELL, f"cannot tell from {claim.said} attempts; more days will."
    where = f"{claim.what} at {claim.site}" if claim.site else claim.what
    return Comparison(
        site=claim.site,
        what=claim.what,
        claimed=claim.said_as or _written([(x.level, x.claimed) for x in named if x.claimed > 0.0]),
        measured=_measured(claim, named) if claim.said or claim.span else "",
        episodes=claim.said,
        status=status,
        message=" ".join(part for part in (f"{where}: {verdict}", claim.note) if part),
        kind=claim.kind,
        days=counted[0].said.days if counted else 0,
        chance=min(chances, default=None),
        levels=named,
        span=claim.span,
        claims=claim.ranges,
    )


def _level(name: str, claimed: float, seen: Seen, differs: bool, *, level: float) -> LevelCompared:  # noqa: FBT001 - a row
    low, high = seen.interval(level)
    return LevelCompared(name, claimed, seen.said.rate, low, high, seen.said.count, differs)


def _unsaid(claim: Claim) -> str:
    silent = claim.asked - claim.said
    return f"{100 * silent / claim.asked:.0f} % of {claim.asked} attempts that do not say it"


def _differs(level: LevelCompared, claim: Claim) -> str:
    measured = (
        f"{100 * level.measured:.1f} % of {claim.said} attempts ({100 * level.low:.1f} % to {100 * level.high:.1f} %)"
    )
    if claim.kind is ComparedBy.RANGE:
        return f"{measured} lie outside {claim.said_as}" if claim.what != "cycle_s" else f"{measured} are slower"
    if level.claimed == 0.0:
        known = [name for name, share in zip(claim.levels, claim.claimed, strict=True) if share > 0.0]
        meant = UnknownName(claim.what, level.level, known).suggestion
        said = f"{level.level} is {measured}, and the map gives it no share"
        return f"{said}; did you mean {meant!r}?" if meant else said
    return f"{level.level} is {measured}, the map says {100 * level.claimed:.1f} %"


def _measured(claim: Claim, levels: Sequence[LevelCompared]) -> str:
    if claim.span:
        return f"{claim.span[0]:.4g} to {claim.span[1]:.4g}"
    return _written([(x.level, x.measured) for x in levels if x.count])


def _written(amounts: Sequence[tuple[str, float]]) -> str:
    listed = sorted(amounts, key=lambda pair: -pair[1])
    more = f" and {len(listed) - MOST_WRITTEN} more" if len(listed) > MOST_WRITTEN else ""
    return ", ".join(f"{level} {100 * share:.0f} %" for level, share in listed[:MOST_WRITTEN]) + more
