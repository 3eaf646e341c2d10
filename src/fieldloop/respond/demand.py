"""Demonstrations that a diagnosis or an incident demands from the plan."""

from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Cause, Diagnosis, Gap
from fieldloop.model.finding import Status
from fieldloop.model.identity import Ids
from fieldloop.model.incident import Incident
from fieldloop.model.note import Note, note
from fieldloop.model.plan import Demand
from fieldloop.protocol import Section

HELPED_BY_DATA = (Gap.ENVIRONMENT, Gap.EDGE_CASES, Gap.CONDITIONS, Gap.SIM_TO_REAL)
"""Gaps that demonstrations close; a worn gripper or a slow network needs another fix."""


def demand_demonstrations(
    diagnosis_or_incident: Diagnosis | Incident, plan_settings: Section, ids: Ids, at_ns: int
) -> tuple[Demand, ...]:
    """Demand demonstrations: a campaign divided among a diagnosis' causes, or one block for an incident."""
    if isinstance(diagnosis_or_incident, Incident):
        amount = int(plan_settings.number("demonstrations_per_failure_class"))
        where = _add_site_to_stratum(diagnosis_or_incident.stratum, diagnosis_or_incident.site)
        return (Demand(ids.new("demand"), where, amount, diagnosis_or_incident.what, diagnosis_or_incident.id, at_ns),)
    causes = [c for c in diagnosis_or_incident.causes if c.gap in HELPED_BY_DATA and c.share > 0.0]
    if diagnosis_or_incident.status is not Status.FAILED or not causes:
        return ()
    total = compute_campaign_size(diagnosis_or_incident, plan_settings)
    whole = sum(c.share for c in causes)
    return tuple(
        Demand(
            ids.new("demand"),
            _add_site_to_stratum(c.stratum, diagnosis_or_incident.site),
            amount,
            _write_demand_reason(c),
            diagnosis_or_incident.id,
            at_ns,
        )
        for c in causes
        if (amount := round(total * c.share / whole))
    )


def compute_campaign_size(diagnosis: Diagnosis, plan_settings: Section) -> int:
    """Size a campaign between its smallest and largest by how much of the baseline was lost."""
    least, most = plan_settings.number("campaign_min"), plan_settings.number("campaign_max")
    lost = diagnosis.loss / diagnosis.baseline if diagnosis.baseline > 0.0 else 1.0
    return round(least + (most - least) * min(1.0, max(0.0, lost)))


def _add_site_to_stratum(stratum: Stratum, site: str) -> Stratum:
    return Stratum.of({**({"site": site} if site else {}), **stratum.levels})


def _write_demand_reason(cause: Cause) -> Note:
    covered = {True: (note("plan.cause_never_covered"),), False: (note("plan.cause_changed"),), None: ()}
    return note("plan.asked_by_cause", *covered[cause.never_covered], gap=cause.gap.value, share=cause.share)
