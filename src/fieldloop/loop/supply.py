"""Providers: a delivery is accepted or returned by the same checks as everything else."""

from fieldloop.errors import BadInput
from fieldloop.loop.audit import require_complete_audit
from fieldloop.loop.workspace import Workspace
from fieldloop.model.delivery import Acceptance, Scorecard
from fieldloop.model.episode import Episode
from fieldloop.model.event import DeliveryJudged, ProviderContracted
from fieldloop.model.finding import EpisodeReport
from fieldloop.model.person import Provider
from fieldloop.supply import accept as judge_delivery
from fieldloop.supply import scorecard


def contract(
    workspace: Workspace, provider: str, *, name: str = "", min_acceptance: float = 0.0, cost: float | None = None
) -> Provider:
    """Note a provider and the terms it delivers under.

    Arguments:
        provider: its id, as its episodes carry it
        name: what people call it
        min_acceptance: the share of episodes that must pass; the house's bar holds where it is higher
        cost: what one delivered episode costs
    """
    require_complete_audit(workspace)
    known = Provider(provider, name or provider, min_acceptance, cost)
    workspace.write(ProviderContracted(known))
    return known


def accept(workspace: Workspace, provider: str, *, session: str = "") -> Acceptance:
    """Accept a provider's delivery, or return it with its reasons.

    Arguments:
        provider: the provider's id
        session: only the episodes of one session; all of the provider's unless given
    """
    known = workspace.store.get(Provider, provider)
    delivered = [
        e for e in workspace.store.find(Episode, {"provider": known.id}) if not session or e.session == session
    ]
    if not delivered:
        raise BadInput(f"No episode of {known.id} was taken in. Run: fieldloop ingest PATH")
    reports = [r for e in delivered for r in workspace.store.find(EpisodeReport, {"episode": e.id})]
    judged = judge_delivery(reports, known, workspace.operations["supply"], workspace.clock())
    workspace.write(DeliveryJudged(judged))
    return judged


def score(workspace: Workspace, provider: str) -> Scorecard:
    """Sum up a provider's deliveries: acceptance, cost per accepted episode, repeatability.

    Arguments:
        provider: the provider's id
    """
    known = workspace.store.get(Provider, provider)
    # a delivery that was judged again is still one delivery
    judged = {r.event.acceptance.delivery: r.event.acceptance for r in workspace.store.events(DeliveryJudged)}
    return scorecard(judged.values(), known)
