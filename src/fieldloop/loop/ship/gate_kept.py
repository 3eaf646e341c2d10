"""Keep failures in production as scenarios that every later gate of every policy tries."""

from fieldloop.errors import BadInput, Refused
from fieldloop.loop.home.names import find_numbered
from fieldloop.loop.workspace import Workspace
from fieldloop.model.condition import Stratum
from fieldloop.model.gate_event import ScenarioKept
from fieldloop.model.incident import Incident
from fieldloop.model.policy import Outcome
from fieldloop.model.trial import KeptScenario
from fieldloop.say import write_sentence
from fieldloop.store import Expected

PREFIX = "incident:"


def keep_scenario(
    workspace: Workspace, *, incident: str = "", outcome: str = "", stratum: str = "", what: str = ""
) -> KeptScenario:
    """Keep a failure in production as a scenario of every later gate, of every policy.

    An untried one keeps a gate from passing, as an edge case does. It cannot be dropped again.

    Arguments:
        incident: keep the conditions of this incident: its number or id
        outcome: keep the conditions of this failed attempt: its id
        stratum: the conditions to try (default: those of the incident or the attempt)
        what: what went wrong, in a sentence (default: as the incident states it)
    """
    if bool(incident) == bool(outcome):
        raise BadInput("Name either the incident (--incident) or the failed attempt (--outcome).")
    seen, known = workspace.store.get_last_seq(), workspace.store.find(KeptScenario)
    source, policy, where, described = (
        _read_incident(workspace, incident) if incident else _read_outcome(workspace, outcome)
    )
    for one in known:
        if one.source == source:
            raise Refused(f"{source} is kept already, as the scenario {one.name}.")
    conditions = Stratum.parse(stratum) if stratum else where
    if not conditions.conditions:
        raise BadInput(
            "The conditions of this failure are not known. State them, such as --stratum lighting=dim,bin=back"
        )
    kept = KeptScenario(
        f"{PREFIX}{len(known) + 1}", conditions, what.strip() or described, source, policy, workspace.clock(),
        workspace.actor.id,
    )  # fmt: skip
    workspace.write(ScenarioKept(kept), expect=Expected(KeptScenario, seen))
    return kept


def list_kept_scenarios(workspace: Workspace) -> tuple[KeptScenario, ...]:
    """List the failures that every gate tries, in the order in which they were kept."""
    return tuple(workspace.store.find(KeptScenario))


def _read_incident(workspace: Workspace, incident: str) -> tuple[str, str, Stratum, str]:
    known = find_numbered(workspace, Incident, incident)
    levels = {**known.stratum.levels, **({"site": known.site} if known.site else {})}
    return known.id, known.policy, Stratum.of(levels), write_sentence(known.what)


def _read_outcome(workspace: Workspace, outcome: str) -> tuple[str, str, Stratum, str]:
    known = workspace.store.get(Outcome, outcome)
    if known.succeeded is not False:
        ended = "succeeded" if known.succeeded else "has no known result"
        raise Refused(f"{known.id} {ended}: only a failure becomes a scenario.")
    kind = f" by {known.failure.value}" if known.failure else ""
    return known.id, known.policy, known.stratum, f"An attempt failed{kind} in {known.stage.value}."
