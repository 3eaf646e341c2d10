"""Plans and diagnoses to draw: one as a good day brings it, and parts to make ugly ones from."""

import itertools
import math

from fieldloop.model.alarm import Rate
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Asked, Cause, Diagnosis, FailureExplained, Gap, LostSlice
from fieldloop.model.finding import Status
from fieldloop.model.learning import LearningCurve
from fieldloop.model.note import note, read_note
from fieldloop.model.plan import (
    Coverage,
    CoverageGap,
    Forecast,
    GapKind,
    Plan,
    PlanScore,
    Progress,
    Quota,
    QuotaKind,
    SiteSet,
    StratumScore,
    TierState,
    WorkOrder,
)
from fieldloop.report.plan import PlanReport
from fieldloop.stats.binomial import compute_wilson_interval

NASTY = '<img src=x onerror="document.title=1">'
NOW = 1_760_000_000_000_000_000
DAY = 86_400_000_000_000
TIERS, BINS, LIGHTS, SITES = (
    ("high", "medium", "long_tail"),
    ("front", "back", "side", "buried"),
    ("bright", "dim"),
    ("leipzig", "gdansk"),
)


def coverage():
    """Two sites; dim light is rare in the data and fails, buried bins were never shown."""
    made = []
    for tier, where, light, site in itertools.product(TIERS, BINS, LIGHTS, SITES):
        exposure = (0.6, 0.3, 0.1)[TIERS.index(tier)] * (0.5, 0.3, 0.12, 0.08)[BINS.index(where)]
        exposure *= (0.7, 0.3)[LIGHTS.index(light)] * (0.65, 0.35)[SITES.index(site)]
        demonstrations = 0 if where == "buried" else round(exposure * (900 if light == "bright" else 120))
        attempts = round(3000 * exposure)
        rate = 0.06 + 0.35 * (light == "dim") + 0.3 * (where == "buried")
        stratum = Stratum.of(tier=tier, bin=where, lighting=light, site=site)
        made.append([stratum, exposure, demonstrations, attempts, round(attempts * rate)])
    total = sum(row[2] for row in made)
    return tuple(Coverage(s, e, n, n / total, a, f, tried=n + 3, cost=1.0) for s, e, n, a, f in made)


def curve(now):
    """Failure falls with demonstrations to the power of a half."""
    at = tuple(float(n) for n in range(0, 2 * now.demonstrations + 40, 4))
    failure = now.failures / max(now.attempts, 1)
    level = tuple(failure * ((n + 5) / (now.demonstrations + 5)) ** -0.5 for n in at)
    capped = tuple(min(1.0, v) for v in level)
    low, high = (tuple(min(1.0, f * v) for v in level) for f in (0.8, 1.25))
    return LearningCurve(now.stratum, at, capped, low, high, float(now.demonstrations), 12.0)


def quotas(count=9):
    """The strata that lose most, as a plan would ask for them."""
    hard = sorted(coverage(), key=lambda c: -c.exposure * c.failures / max(c.attempts, 1))
    kinds = (QuotaKind.DEMONSTRATION, QuotaKind.RECOVERY, QuotaKind.SIMULATION)
    return tuple(
        Quota(
            c.stratum, 8 - n % 6, 0.011 / (1 + n / 3), 0.004 / (1 + n / 3), 0.02 / (1 + n / 3),
            note("plan.quota", note("plan.stratum_tried", share=c.exposure, failures=c.failures, attempts=c.attempts),
                 demonstrations=8 - n % 6, gain=0.011, gain_low=0.004, gain_high=0.02),
            kinds[n % 3 if n > 3 else 0], 9.5,
        )
        for n, c in enumerate(itertools.islice(itertools.cycle(hard), count))
    )  # fmt: skip


def orders(asked):
    return tuple(
        WorkOrder(
            f"order_{n:02d}", "plan_7", q.stratum.level("site") or "", "arm-1", f"op-{1 + n % 4}", q.stratum,
            q.demonstrations, "pick v3", q.kind, tuple(f"sku-{k:03d}" for k in range(n % 6)),
            (("yaw", "0 to 360°"), ("offset", "±30 mm")) if n % 2 else (),
        )
        for n, q in enumerate(asked)
    )  # fmt: skip


def gaps():
    never = [c for c in coverage() if c.demonstrations == 0]
    made = [
        CoverageGap(
            GapKind.NEVER_SHOWN,
            c.stratum,
            c.exposure,
            note("plan.level_never_shown", stratum=str(c.stratum), share=c.exposure),
        )
        for c in never
    ]
    end = CoverageGap(
        GapKind.RANGE_END,
        Stratum.of(lighting="dim"),
        None,
        written("Below 120 lux nothing was shown; the floor goes down to 40 lux."),
    )
    return (*made, end)


def plan(asked=None, **changed):
    """A plan of some quotas."""
    asked = quotas() if asked is None else asked
    told = {
        "id": "plan_7", "budget": 40, "strategy": "marginal", "quotas": asked, "orders": orders(asked),
        "expected_gain": sum(q.gain for q in asked), "drawn_ns": NOW, "operations": "f0",
        "warnings": (written("Only three operators are enrolled."),), "answered": (("demand_1", 8),),
        "gaps": gaps(), "gain_low": 0.018, "gain_high": 0.071, "cost": 52.5, "policy": "c" * 64,
        "tiers": (TierState("high", 0.6, 120, 118, 96, 30), TierState("long_tail", 0.1, 19_000, 212, 40, 1, 0.8)),
        "sites": (
            SiteSet("leipzig", 0.65, True, (), 300, 310, 12, True, written("Primary site.")),
            SiteSet("gdansk", 0.35, False, ("lighting dim",), 60, 22, 18, False, written("20 of dim light.")),
        ),
    }  # fmt: skip
    return Plan(**(told | changed))


def score(n=6, status=Status.PASSED, measured=0.03):
    strata = tuple(
        StratumScore(
            c.stratum, c.exposure, max(0, c.demonstrations - 8), c.demonstrations, c.attempts,
            min(c.attempts, 2 * c.failures), c.attempts, c.failures, 0.004, 0.003,
        )
        for c in coverage()
    )  # fmt: skip
    return PlanScore(
        f"plan_{n}", "a" * 64, "b" * 64, 0.041, 0.018, 0.071, measured, measured - 0.015, measured + 0.014, 40, 1200,
        status, written("40 demonstrations came in; success rose within what was promised."), strata,
    )  # fmt: skip


def progressing(asked):
    return tuple(
        Progress(q.stratum, q.demonstrations, min(q.demonstrations + 1, 2 + n), min(q.demonstrations, 1 + n), 1, q.kind)
        for n, q in enumerate(asked)
    )


def planned(**changed):
    """A whole report of a plan that is half collected."""
    drawn = changed.pop("plan", plan())
    told = {
        "plan": drawn, "progress": progressing(drawn.quotas), "coverage": coverage(),
        "forecast": Forecast(18, 6.2, 2.9, 2.0, 4.5, written("18 left at 6.2 a day.")),
        "scores": (score(6), score(5, Status.FAILED, -0.004)),
        "curves": tuple(curve(c) for c in coverage()),
    }  # fmt: skip
    return PlanReport(**(told | changed))


def written(text):
    """A fact as an earlier version wrote it: a text of its own."""
    return read_note(text)


def cause(gap=Gap.ENVIRONMENT, share=0.5, low=None, high=None, **more):
    given = {
        "stratum": Stratum.of(lighting="dim"), "never_covered": True,
        "evidence": written("Dim light fails 41 % against 8 % expected; bright light is as before."),
        "fix": written("Collect 40 demonstrations in dim light and fine-tune."),
    }  # fmt: skip
    low, high = share - 0.1 if low is None else low, share + 0.1 if high is None else high
    return Cause(gap, share, low, high, **(given | more))


def diagnosis(**changed):
    """A real drop with two causes, a rest, slices and failures."""
    asked = tuple(
        Asked(written(question), status, written(answer))
        for question, status, answer in (
            (
                "Were there enough similar demonstrations?",
                Status.FAILED,
                "2 demonstrations in dim light, 40 are usual.",
            ),
            (
                "Could the sensors and the policy recognise the situation?",
                Status.PASSED,
                "Confidence 0.81, light within what the sensors have seen.",
            ),
            ("Was the attempt judged correctly?", Status.PASSED, "Both judges agree."),
            ("Were such failures labelled right?", Status.CANNOT_TELL, "The release keeps no failures."),
        )
    )
    told = {
        "id": "diagnosis_3", "policy": "c" * 64, "site": "leipzig", "status": Status.FAILED, "baseline": 0.88,
        "observed": 0.612, "loss": 0.268, "mix_share": 0.08, "mechanism_share": 0.31, "unseen_share": 0.61,
        "causes": (
            cause(share=0.55, episodes=412),
            cause(Gap.HARDWARE, 0.27, stratum=Stratum.of(robot="arm-2"), never_covered=False, since_ns=NOW - 9 * DAY,
                  group=(Stratum.of(shift="night"),), evidence=written("Slips at lift grow with gripper cycles."),
                  fix=written("Change the pads of arm-2; inspect at 50,000 cycles.")),
            cause(Gap.UNKNOWN, 0.18, 0.02, 0.3, stratum=Stratum(), never_covered=None,
                  evidence=written("No condition explains it."), fix=written("Log temperature and humidity.")),
        ),
        "episodes": 1043, "made_ns": NOW, "operations": "f4", "loss_low": 0.214, "loss_high": 0.319,
        "cannot_tell": (written("robot=arm-2 and shift=night always go together; vary one without the other."),
                        note("diagnose.lacking", outcomes=612, total=1043, factors=("temperature",))),
        "slices": (LostSlice(Stratum.of(lighting="dim"), 412, 0.59, 0.92, 1e-9),
                   LostSlice(Stratum.of(robot="arm-2", bin="back"), 96, 0.71, 0.86, 0.23)),
        "failures": tuple(FailureExplained(f"outcome_{n:05d}", Stratum.of(lighting="dim", bin="back"), asked)
                          for n in range(3)),
    }  # fmt: skip
    return Diagnosis(**(told | changed))


def days(count=21):
    """Success by day: it falls in the middle."""
    made = []
    for n in range(count):
        tried = 40 + 7 * (n % 4)
        won = round(tried * (0.87 if n < count // 2 else 0.58) + math.sin(n))
        at = NOW - (count - n) * DAY
        made.append(
            Rate("c" * 64, "leipzig", won, tried, won / tried, *compute_wilson_interval(won, tried), at, at + DAY)
        )
    return tuple(made)
