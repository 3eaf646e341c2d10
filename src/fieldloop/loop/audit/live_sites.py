"""Sites in production without a complete demonstration set or without a passed gate."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence

from fieldloop.loop.workspace import Workspace
from fieldloop.model.attempts import settle_attempts
from fieldloop.model.decision import Decision
from fieldloop.model.deployment import Deployment, choose_primary_site
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.model.plan import SiteSet
from fieldloop.model.policy import Outcome

EVER_NS = 2**62


def note_live_sites_without_set(
    workspace: Workspace, deployment: Deployment, sets: Sequence[SiteSet] = ()
) -> tuple[Note, ...]:
    """Name further sites in production without a complete demonstration set or without a gate passed there.

    `sets` holds what each set lacks, as a plan counted it. Without it, only the demonstrations at a site are counted.
    """
    attempts = Counter[str]()
    for rate in workspace.store.compute_success_rates(-EVER_NS, EVER_NS):
        attempts[rate.site] += rate.episodes
    named = str(workspace.operations["plan"]["primary_site"])
    primary = choose_primary_site({site.id: site.share for site in deployment.sites}, named)
    further = {site.id: attempts[site.id] for site in deployment.sites if site.id != primary and attempts[site.id]}
    if not further:
        return ()
    gated = {decision.site for decision in workspace.store.find(Decision, {"status": Status.PASSED})}
    return tuple(
        _note_early_sites(
            further,
            _find_missing_sets(sets) if sets else _find_sites_with_few_demonstrations(workspace, further),
            gated,
        )
    )


def note_live_sites_without_set_in_tables(outcomes: Sequence[Outcome], sets: Sequence[SiteSet]) -> tuple[Note, ...]:
    """Do the same for tables, which do not record gates."""
    attempts = Counter(outcome.site or outcome.stratum.level("site") for outcome in settle_attempts(outcomes)[0])
    further = {one.site: attempts[one.site] for one in sets if not one.primary and attempts[one.site]}
    return tuple(_note_early_sites(further, _find_missing_sets(sets), further))


Lacks = Mapping[str, tuple[Note, ...]]


def _note_early_sites(further: Mapping[str, int], lacking: Lacks, gated: Container[str]) -> Iterator[Note]:
    for site, attempts in further.items():
        missing = [*lacking.get(site, ()), *(() if site in gated else (note("plan.live_not_gated"),))]
        if missing:
            rule = note("plan.before_go_live")
            yield note("plan.live_without_set", *missing, rule, site=site, attempts=attempts)


def _find_missing_sets(sets: Sequence[SiteSet]) -> Lacks:
    return {
        one.site: (note("plan.live_set_has", have=one.have, needed=one.needed), _note_set_progress(one))
        for one in sets
        if not one.complete
    }


def _note_set_progress(one: SiteSet) -> Note:
    return note("plan.set_left_open", left=one.open) if one.open else note("plan.set_completed")


def _find_sites_with_few_demonstrations(workspace: Workspace, sites: Mapping[str, int]) -> Lacks:
    good = [e for e in workspace.store.find(Episode, {"status": Status.PASSED}) if e.succeeded is not False]
    shown = Counter(episode.site for episode in good)
    least = int(workspace.operations["plan"].number("fine_tuning_demonstrations"))
    return {
        site: (note("plan.live_few_shown", demonstrations=shown[site], needed=least),)
        for site in sites
        if shown[site] < least
    }
