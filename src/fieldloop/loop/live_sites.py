"""Sites whose robots work although nothing was collected for them: a further site needs a set of its own first."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence

from fieldloop.loop.workspace import Workspace
from fieldloop.model.attempts import settled
from fieldloop.model.decision import Decision
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.plan import SiteSet
from fieldloop.model.policy import Outcome
from fieldloop.plan.rules.sites import primary_of

EVER_NS = 2**62


def live_without_a_set(workspace: Workspace, deployment: Deployment, sets: Sequence[SiteSet] = ()) -> tuple[str, ...]:
    """Say which further sites are at work without a complete set of demonstrations, or without a gate passed there.

    `sets` says what each set lacks, as a plan counted it; without them, too few demonstrations at a site are no set.
    """
    attempts = Counter[str]()
    for rate in workspace.store.success_rates(-EVER_NS, EVER_NS):
        attempts[rate.site] += rate.episodes
    primary = primary_of({site.id: site.share for site in deployment.sites}, workspace.operations["plan"])
    further = {site.id: attempts[site.id] for site in deployment.sites if site.id != primary and attempts[site.id]}
    if not further:
        return ()
    gated = {decision.site for decision in workspace.store.find(Decision, {"status": Status.PASSED})}
    return tuple(_too_early(further, _lack(sets) if sets else _few(workspace, further), gated))


def live_in_tables(outcomes: Sequence[Outcome], sets: Sequence[SiteSet]) -> tuple[str, ...]:
    """Say the same of tables, which do not know of gates."""
    attempts = Counter(outcome.site or outcome.stratum.level("site") for outcome in settled(outcomes)[0])
    further = {one.site: attempts[one.site] for one in sets if not one.primary and attempts[one.site]}
    return tuple(_too_early(further, _lack(sets), further))


def _too_early(further: Mapping[str, int], lacking: Mapping[str, str], gated: Container[str]) -> Iterator[str]:
    for site, attempts in further.items():
        missing = [lacking[site]] if site in lacking else []
        missing += [] if site in gated else ["no gate passed there (`fieldloop gate POLICY --site`)"]
        if missing:
            yield (
                f"{site} is at work ({attempts:,} attempts) before it was ready: {', and '.join(missing)}. "
                "A further site's set is to be complete and gated there before it goes live."
            )


def _lack(sets: Sequence[SiteSet]) -> dict[str, str]:
    return {one.site: f"its set has {one.have:,} of {one.needed:,}, {_adds(one)}" for one in sets if not one.complete}


def _adds(one: SiteSet) -> str:
    return f"this plan leaves {one.open:,} of them open" if one.open else "this plan completes it"


def _few(workspace: Workspace, sites: Mapping[str, int]) -> dict[str, str]:
    good = [e for e in workspace.store.find(Episode, {"status": Status.PASSED}) if e.succeeded is not False]
    shown = Counter(episode.site for episode in good)
    least = int(workspace.operations["plan"].number("fine_tuning_demonstrations"))
    return {site: f"{shown[site]} demonstrations were made there" for site in sites if shown[site] < least}
