"""The command that opens the explorer at a finding's moment, for reports of logs without a workspace."""

import shlex
from collections import Counter

from fieldloop.report.check.content import CheckReport
from fieldloop.say.numbers import format_fixed


def list_look_commands(report: CheckReport) -> dict[str, str]:
    """Return the command for each episode whose log was opened, by the episode's id.

    An episode is named by its name where no other one of its log has it, because a reader finds that at once.
    """
    pairs = tuple(zip(report.episodes, report.paths, strict=True)) if report.paths else ()
    times = Counter((path, one.name) for one, path in pairs)
    return {
        one.episode: shlex.join(
            ("fieldloop", "look", path, "--episode", one.name if times[path, one.name] == 1 else one.episode)
        )
        for one, path in pairs
        if path
    }


def add_moment(command: str, at_s: float | None) -> str:
    """Add the moment to a command.

    >>> add_moment("fieldloop look logs --episode 0a1b", 1.204)
    'fieldloop look logs --episode 0a1b --at 1.20'
    """
    return command if at_s is None else f"{command} --at {format_fixed(at_s, 2)}"
