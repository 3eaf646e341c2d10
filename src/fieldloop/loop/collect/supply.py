"""Contracts of providers, and acceptance of their deliveries."""

from fieldloop.errors import BadInput
from fieldloop.loop.audit.audit import require_complete_audit
from fieldloop.loop.workspace import Workspace
from fieldloop.model.delivery import Acceptance, Scorecard
from fieldloop.model.episode import Episode
from fieldloop.model.event import DeliveryJudged
from fieldloop.model.finding import EpisodeReport
from fieldloop.model.person import Provider
from fieldloop.model.person_event import ProviderContracted
from fieldloop.supply import judge_delivery, make_scorecard


def record_provider(
    workspace: Workspace, provider: str, *, name: str = "", min_acceptance: float = 0.0, cost: float | None = None
) -> Provider:
    """Record a provider of episodes and the contract's terms.

    Arguments:
        provider: the provider's id, as written in its episodes
        name: the provider's name, as people know it
        min_acceptance: required share of passed episodes; the workspace's supply.min_acceptance applies if it is higher
        cost: cost of one delivered episode
    """
    require_complete_audit(workspace)
    known = Provider(provider, name or provider, min_acceptance, cost)
    workspace.write(ProviderContracted(known))
    return known


def accept_delivery(workspace: Workspace, provider: str, *, session: str = "") -> Acceptance:
    """Accept a provider's delivery, or reject it with reasons.

    Arguments:
        provider: the provider's id
        session: only this session's episodes (default: all episodes of the provider)
    """
    known = workspace.store.get(Provider, provider)
    delivered = [
        e for e in workspace.store.find(Episode, {"provider": known.id}) if not session or e.session == session
    ]
    if not delivered:
        raise BadInput(f"No episode of {known.id} was ingested. Run: fieldloop ingest PATH")
    reports = [r for e in delivered for r in workspace.store.find(EpisodeReport, {"episode": e.id})]
    judged = judge_delivery(reports, known, workspace.operations["supply"], workspace.clock())
    workspace.write(DeliveryJudged(judged))
    return judged


def score_provider(workspace: Workspace, provider: str) -> Scorecard:
    """Summarise a provider's deliveries: acceptance, cost per accepted episode, repeatability.

    Arguments:
        provider: the provider's id
    """
    known = workspace.store.get(Provider, provider)
    # a delivery judged twice counts once
    judged = {r.event.acceptance.delivery: r.event.acceptance for r in workspace.store.events(DeliveryJudged)}
    return make_scorecard(judged.values(), known)
