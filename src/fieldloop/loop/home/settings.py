"""Every number in force: those of the protocol and those of operations."""

from dataclasses import dataclass

from fieldloop.loop.protocol.numbers import Numbers, show_operations_numbers, show_protocol_numbers
from fieldloop.loop.workspace import Workspace


@dataclass(frozen=True, slots=True)
class SettingsShown:
    """The workspace, its task, the signed-in user, and every number in force."""

    workspace: str
    task: str
    user: str
    role: str
    protocol: Numbers
    operations: Numbers


def show_settings(workspace: Workspace) -> SettingsShown:
    """Show the workspace with every number of its protocol and operations."""
    actor = workspace.actor
    rules, running = show_protocol_numbers(workspace), show_operations_numbers(workspace)
    return SettingsShown(workspace.name, workspace.task, actor.id, actor.role.value, rules, running)
