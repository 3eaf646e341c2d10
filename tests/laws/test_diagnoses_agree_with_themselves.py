"""No diagnosis contradicts itself, whatever world it explains: planted ones, harmless findings, simulated cases."""

import dataclasses

import pytest
from tests.diagnose.planted import CAUSES, SETTINGS, World, draw, explain
from tests.diagnose.test_dose import KAPPA, LAG, at_sites
from tests.diagnose.test_no_false_blame import bins, sides, steadily
from tests.diagnose.test_renamed_columns import GIBBERISH, rename, world_of

from fieldloop.diagnose import Evidence
from fieldloop.loop.floor.picking import simulate_case
from fieldloop.loop.run.case_folder import diagnose_folder
from fieldloop.model.diagnosis import Gap, Role
from fieldloop.model.finding import Status

COVERAGE = (Gap.ENVIRONMENT, Gap.EDGE_CASES, Gap.CONDITIONS, Gap.SIM_TO_REAL)
COLLECT = ("diagnose.fix_collect", "diagnose.fix_collect_real", "diagnose.fix_collect_again")
NOTHING = ("diagnose.nothing_logged_explains", "diagnose.log_conditions")
SMALL = 1e-9


def contradictions(found, evidence=None):
    """What a report states that its own figures deny."""
    codes = [one.code for one in found.cannot_tell]
    placed = [cause for cause in found.causes if cause.stratum]
    yield from ("shares above all" for _ in [0] if sum(c.share for c in found.causes) > 1.0 + SMALL)
    yield from ("an interval without its share" for c in found.causes if not 0 <= c.low <= c.share <= c.high <= 1)
    sure = [c for c in found.causes if c.gap is not Gap.UNKNOWN and c.low > 0.0]
    yield from ("failed without a finding" for _ in [0] if found.status is Status.FAILED and not sure)
    yield from ("passed with a cause" for _ in [0] if found.status is Status.PASSED and found.causes)
    wide = SETTINGS.number("widest_share")
    yield from (
        "a finding from nothing to all" for c in found.causes if c.gap is not Gap.UNKNOWN and c.high - c.low > wide
    )
    if set(codes) & set(NOTHING):
        yield from (f"nothing logged, but {c.stratum}" for c in placed)
        yield from (
            "nothing logged, but unseen" for _ in [0] if found.unseen_share > SETTINGS.number("explaining_share")
        )
    yield from (f"{c.gap} is not collected" for c in found.causes if c.fix.code in COLLECT and c.gap not in COVERAGE)
    yield from ("covered, and never" for c in found.causes if c.never_covered and c.fix.code == "diagnose.fix_restore")
    conditions = [one for one in found.columns if one.role is Role.CONDITION]
    yield from (f"{one.name} without a gap" for one in conditions if one.gap is Gap.UNKNOWN)
    if evidence is not None and evidence.lags and all(max(abs(g.low_ms), abs(g.high_ms)) <= 5.0 for g in evidence.lags):
        yield from ("timing was excluded" for c in found.causes if c.gap is Gap.TIMING)
    risks = {one.details[-1].code for one in found.cannot_tell if one.details}
    if "diagnose.risk" in risks:
        named = {str(c.stratum) for c in placed}
        yield from (
            "a cause and a risk at once"
            for one in found.cannot_tell
            if one.details and one.details[-1].code == "diagnose.risk" and dict(one.numbers).get("where") in named
        )


@pytest.mark.parametrize("gap", [*CAUSES, None], ids=str)
def test_planted_worlds(gap):
    for seed, strength in ((70, 2.2), (71, 1.0)):
        evidence = draw(World((gap,) if gap else (), strength=strength, episodes=500), seed)
        assert not list(contradictions(explain(evidence), evidence))


def test_renamed_worlds_and_worlds_of_two_causes():
    for pair, seed in (((Gap.ENVIRONMENT, Gap.HARDWARE), 1), ((Gap.EDGE_CASES, Gap.TIMING), 2)):
        evidence = rename(draw(World(pair, strength=2.0, episodes=600), seed), GIBBERISH)
        assert not list(contradictions(explain(evidence), evidence))
    assert not list(contradictions(explain(world_of("mondphase"))))


@pytest.mark.parametrize("after", [0.84, 0.78, 0.6])
def test_harmless_findings_beside_losses(after):
    made = sides(5, steadily(0.85, after), bins)
    for lags, agreements in ((LAG, KAPPA), ((), KAPPA), ((), ())):
        assert not list(contradictions(explain(Evidence("p", "", *made, lags=lags, agreements=agreements))))


def test_declines_and_unknown_releases():
    evidence = at_sites(3, lambda _, day: 0.02 * day)
    assert not list(contradictions(explain(evidence)))
    assert not list(contradictions(explain(dataclasses.replace(evidence, demonstrations=None))))


@pytest.mark.parametrize(("seed", "fault"), [(0, ()), (3, ()), (1, ("latency_s=0.1",))])
def test_simulated_cases(tmp_path, seed, fault):
    simulate_case(tmp_path / "case", seed=seed, fault=fault, episodes=500, demonstrations=300)
    assert not list(contradictions(diagnose_folder(None, tmp_path / "case")))
