"""The loop at a glance: what is in each stage now, what to do next, how production performs, what changed last."""

from dataclasses import dataclass

from fieldloop.loop.home.changes import Change, list_recent_changes
from fieldloop.loop.home.next_steps import NextStep, list_next_steps
from fieldloop.loop.home.now import read_workspace_state
from fieldloop.loop.home.stages import StageNow, describe_demands_on_plan, list_stages
from fieldloop.loop.home.success import Success
from fieldloop.loop.workspace import Workspace
from fieldloop.model.note import Note
from fieldloop.model.plan import Coverage, Plan, Progress


@dataclass(frozen=True, slots=True)
class Home:
    """Everything the home page shows."""

    workspace: str
    at_ns: int
    seq: int
    next: NextStep
    stages: tuple[StageNow, ...]
    way_back: Note
    success: Success
    changes: tuple[Change, ...]
    coverage: tuple[Coverage, ...]
    plan: Plan | None
    progress: tuple[Progress, ...]
    then: tuple[NextStep, ...] = ()


def show_home(workspace: Workspace) -> Home:
    """Show each stage of the loop, what to do next, and what changed."""
    now = read_workspace_state(workspace)
    first, *then = list_next_steps(now)
    seq = workspace.store.get_last_seq()
    return Home(
        workspace.name, workspace.clock(), seq, first, tuple(list_stages(now)),
        describe_demands_on_plan(now), now.success, tuple(list_recent_changes(workspace, seq)), now.coverage, now.plan,
        now.progress, tuple(then),
    )  # fmt: skip
