"""Who may do what in annotation: annotators label under their own name, leads decide."""

from fieldloop.errors import BadInput, Refused
from fieldloop.loop.workspace import Workspace
from fieldloop.model.labelling import ADJUDICATED, MACHINE_PREFIX
from fieldloop.model.person import Actor, Duty, Role

MAY_NAME_OTHERS = (Role.ADMIN, Role.ENGINEER)
"""Who may write labels that another person made; the ledger names both."""


def is_lead(actor: Actor) -> bool:
    """Whether someone deals, decides and spot-checks: by duty, or as an engineer or admin."""
    return Duty.LEAD_ANNOTATOR in actor.duties or actor.role in MAY_NAME_OTHERS


def require_lead(workspace: Workspace, what: str) -> None:
    """Refuse an annotator without the lead's duty."""
    if not is_lead(workspace.actor):
        raise Refused(
            f"Only a lead annotator or an engineer may {what}; you are {workspace.actor.id} ({workspace.actor.role}). "
            "An admin gives the duty: fieldloop token NAME --role annotator --duty lead_annotator"
        )


def choose_author(stated: str, actor: Actor) -> str:
    """Return whose labels these are: the actor's own, or another person's whom an engineer names."""
    name = stated.strip() or actor.id
    if name != actor.id and actor.role not in MAY_NAME_OTHERS:
        raise Refused(f"You are {actor.id} and may not write labels of {name}. Only engineers may name another person.")
    if name == ADJUDICATED or name.startswith(MACHINE_PREFIX):
        raise BadInput(f"{name!r} is not a person: {ADJUDICATED} labels come from `annotate adjudicate`.")
    return name
