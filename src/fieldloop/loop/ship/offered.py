"""Select the episodes that a release is offered: by what they state, by the plan they were collected for, or all."""

from collections.abc import Sequence

from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.data.measurements import IN_USE
from fieldloop.loop.home.episodes import parse_label
from fieldloop.loop.plan.known import find_collected_since
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode
from fieldloop.model.plan import Plan
from fieldloop.plan import list_episodes_of_quotas
from fieldloop.store import EpisodeFilter

EVERY = 2**31
"""No release has as many episodes."""


def select_offered_episodes(workspace: Workspace, where: Sequence[str] = (), plan: str = "") -> list[Episode]:
    """Return the episodes in use that a query and a plan select, in the order in which they were ingested."""
    if plan and where:
        kept = {episode.id for episode in _find_by_labels(workspace, where)}
        return [episode for episode in _find_by_plan(workspace, plan) if episode.id in kept]
    if plan:
        return _find_by_plan(workspace, plan)
    return _find_by_labels(workspace, where) if where else workspace.store.find(Episode, IN_USE)


def _find_by_labels(workspace: Workspace, where: Sequence[str]) -> list[Episode]:
    """Return what `ingest find` lists for these labels; several values of one name are refused: none could match."""
    pairs = [parse_label(one) for one in where]
    labels = dict(pairs)
    if twice := next((name for name, value in pairs if labels[name] != value), None):
        raise BadInput(f"--where states {twice} twice, and no episode has two values of it.")
    found = workspace.store.views.find_episodes(EpisodeFilter(labels=labels, set_aside=False), EVERY)
    if not found.episodes:
        raise BadInput(f"No episode has {' '.join(where)}. See what there is: fieldloop ingest find")
    return [episode for episode, _ in reversed(found.episodes)]


def _find_by_plan(workspace: Workspace, plan: str) -> list[Episode]:
    """Return the episodes that count for a quota of a plan: its progress counts the same ones."""
    chosen = find_plan(workspace, plan)
    came, _ = find_collected_since(workspace, chosen)
    inside = set(list_episodes_of_quotas(chosen, came))
    # with the facts that are stored: the plan's own reading adds the article's tier
    found = workspace.store.find(Episode, {"id": sorted(inside)} | IN_USE) if inside else []
    if not found:
        raise BadInput(f"No episode was collected for plan {plan}. See its progress: fieldloop plan show")
    return found


def find_plan(workspace: Workspace, plan: str) -> Plan:
    """Find a plan by id, by a unique beginning of it, or by its number: 1 is the first that was drawn."""
    if plan.isdigit():
        drawn = workspace.store.find(Plan)
        if not 0 < int(plan) <= len(drawn):
            raise UnknownName("plan", plan, (), f"1 to {len(drawn)}" if drawn else "none yet")
        return drawn[int(plan) - 1]
    return workspace.store.get(Plan, plan)
