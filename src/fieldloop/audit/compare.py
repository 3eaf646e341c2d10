"""Compare what the map claims with what the logs measured."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fieldloop.audit.claim import Claim
from fieldloop.audit.claims import CYCLE, list_claims
from fieldloop.audit.evidence import collect_logged_attempts
from fieldloop.audit.seen import LevelSeen, measure_levels
from fieldloop.errors import UnknownName
from fieldloop.model.audit import ComparedBy, Comparison, LevelCompared
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.model.policy import Outcome
from fieldloop.protocol import Section
from fieldloop.stats.multiple import adjust_by_holm

MOST_NAMED = 3  # differences in one sentence
MOST_WRITTEN = 8  # levels in one line


def compare_map_with_logs(
    deployment: Deployment,
    episodes: Iterable[Episode],
    settings: Section,
    outcomes: Iterable[Outcome] = (),
    *,
    traffic: bool = False,
) -> tuple[Comparison, ...]:
    """Compare mixes, articles, light, air, edge cases and speed with attempts, site by site.

    The day is the unit, because attempts of one day are alike. If nothing differs by more than the tolerance, the
    chance of any false alarm is at most the setting alpha.
    """
    within_s = settings.number("same_attempt_s")
    seen = collect_logged_attempts(deployment, episodes, outcomes, traffic=traffic, within_s=within_s)
    claims = list(list_claims(deployment, seen, settings))
    counted = [measure_levels(claim, settings) for claim in claims]
    open_ones = [
        not _explain_not_judged(claim, of_claim, settings) for claim, of_claim in zip(claims, counted, strict=True)
    ]
    chances = _compute_adjusted_p_values(claims, counted, open_ones, settings.number("alpha"))
    return tuple(
        _judge_claim(claim, of_claim, chance, settings)
        for claim, of_claim, chance in zip(claims, counted, chances, strict=True)
    )


def _compute_adjusted_p_values(
    claims: Sequence[Claim], counted: Sequence[Sequence[LevelSeen]], judged: Sequence[bool], alpha: float
) -> list[list[float]]:
    """Return the p-value of every level of every judged claim, adjusted for all of them together."""
    tests = sum(len(claim.bands) for claim, yes in zip(claims, judged, strict=True) if yes)
    level = 1.0 - alpha / max(tests, 1)
    raw = [
        [seen.compute_chance_beyond(*band, level) for seen, band in zip(of_claim, claim.bands, strict=True)]
        if yes
        else []
        for claim, of_claim, yes in zip(claims, counted, judged, strict=True)
    ]
    adjusted = iter(adjust_by_holm([chance for row in raw for chance in row]).tolist())
    return [[next(adjusted) for _ in row] for row in raw]


def _explain_not_judged(claim: Claim, counted: Sequence[LevelSeen], settings: Section) -> Note | None:
    """Return what blocks judging a claim, None where nothing does."""
    days, least = (counted[0].logged.days if counted else 0), int(settings.number("min_days"))
    if claim.kind is ComparedBy.RANGE and not claim.ranges:
        return note("audit.map_does_not_state_it")
    if not claim.attempts or not claim.logged_attempts:
        return note("audit.no_attempt_logs_it") if claim.attempts else note("audit.no_attempts")
    if claim.why_not:
        return claim.why_not
    return note("audit.too_few_days", days=days, needed=least) if days < least else None


def _judge_claim(claim: Claim, counted: Sequence[LevelSeen], chances: Sequence[float], settings: Section) -> Comparison:
    alpha = settings.number("alpha")
    differs = [chance <= alpha for chance in chances] or [False] * len(claim.levels)
    rows = zip(claim.levels, claim.claimed, counted, differs, strict=True)
    levels = tuple(_compare_level(*row, level=1.0 - alpha) for row in rows)
    named = tuple(level for level in levels if level.level)
    status, message = _decide_verdict(claim, counted, levels, _explain_not_judged(claim, counted, settings))
    measured = (
        _note_measured_shares(claim, named) if claim.logged_attempts or claim.span else note("audit.not_measured")
    )
    return Comparison(
        site=claim.site,
        what=claim.what,
        claimed=claim.stated or _note_amounts([(x.level, x.claimed) for x in named if x.claimed > 0.0]),
        measured=measured,
        episodes=claim.logged_attempts,
        status=status,
        message=replace(message, details=(*message.details, *claim.remarks)),
        kind=claim.kind,
        days=counted[0].logged.days if counted else 0,
        chance=min(chances, default=None),
        levels=named,
        span=claim.span,
        claims=claim.ranges,
    )


def _decide_verdict(
    claim: Claim, counted: Sequence[LevelSeen], levels: Sequence[LevelCompared], blocked: Note | None
) -> tuple[Status, Note]:
    surprising = sorted((x for x in levels if x.level and x.differs), key=lambda x: -abs(x.measured - x.claimed))
    inside = all(low <= x.low and x.high <= high for x, (low, high) in zip(levels, claim.bands, strict=True))
    what, site, attempts = claim.what, claim.site, claim.logged_attempts
    if blocked:
        return Status.CANNOT_TELL, note("audit.not_compared", blocked, what=what, site=site)
    if surprising:
        details = [_note_difference(x, claim) for x in surprising[:MOST_NAMED]]
        details += [
            note("audit.whatever_the_rest", share=_compute_unlogged_share(claim), attempts=claim.attempts)
        ] * counted[0].is_judged_by_bounds_only
        return Status.FAILED, note("audit.contradicted", *details, what=what, site=site)
    if inside:
        return Status.PASSED, note("audit.agrees", what=what, site=site, attempts=attempts)
    if counted[0].is_judged_by_bounds_only:
        share = _compute_unlogged_share(claim)
        return Status.CANNOT_TELL, note(
            "audit.rest_may_differ", what=what, site=site, share=share, attempts=claim.attempts
        )
    return Status.CANNOT_TELL, note("audit.more_days_needed", what=what, site=site, attempts=attempts)


def _compare_level(name: str, claimed: float, seen: LevelSeen, differs: bool, *, level: float) -> LevelCompared:  # noqa: FBT001 - a row
    low, high = seen.compute_interval(level)
    return LevelCompared(name, claimed, seen.logged.rate, low, high, seen.logged.count, differs)


def _compute_unlogged_share(claim: Claim) -> float:
    return (claim.attempts - claim.logged_attempts) / claim.attempts


def _note_difference(level: LevelCompared, claim: Claim) -> Note:
    measured, low, high, attempts = level.measured, level.low, level.high, claim.logged_attempts
    if claim.kind is ComparedBy.RANGE:
        code = "audit.slower_than_target" if claim.what == CYCLE else "audit.outside_stated_range"
        return note(code, measured=measured, low=low, high=high, attempts=attempts, stated=claim.stated)
    if level.claimed == 0.0:
        known = [name for name, share in zip(claim.levels, claim.claimed, strict=True) if share > 0.0]
        meant = UnknownName(claim.what, level.level, known).suggestion or ""
        return note(
            "audit.level_without_share", level=level.level, measured=measured, low=low, high=high, attempts=attempts,
            meant=meant,
        )  # fmt: skip
    return note(
        "audit.level_differs", level=level.level, measured=measured, low=low, high=high, attempts=attempts,
        claimed=level.claimed,
    )  # fmt: skip


def _note_measured_shares(claim: Claim, levels: Sequence[LevelCompared]) -> Note:
    if claim.span:
        return note("audit.range", low=claim.span[0], high=claim.span[1], unit="")
    return _note_amounts([(x.level, x.measured) for x in levels if x.count])


def _note_amounts(amounts: Sequence[tuple[str, float]]) -> Note:
    if not amounts:
        return note("audit.not_stated")
    ranked = sorted(amounts, key=lambda pair: -pair[1])
    levels = tuple(note("audit.level_share", level=level, share=share) for level, share in ranked[:MOST_WRITTEN])
    more = (note("audit.more", more=len(ranked) - MOST_WRITTEN),) if len(ranked) > MOST_WRITTEN else ()
    return note("audit.shares", levels=(*levels, *more))
