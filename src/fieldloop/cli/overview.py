"""`fieldloop --help`: every command in loop order with its one-line help, without importing a room."""

import os
import shutil
import sys
import textwrap

from fieldloop.cli.choose import OWN
from fieldloop.doors.stages import LAST, STAGES, get_stage, group_by_family

LOOP = "map → plan → collect → check → annotate → release → gate → serve → monitor → diagnose → plan …"
PURPOSE = f"From robot log to the next collection plan: {LOOP}"
LEAST_WIDTH, MOST_WIDTH = 60, 110


def write_overview() -> str:
    """Return the commands under the stages of the loop."""
    width = max(LEAST_WIDTH, min(MOST_WIDTH, shutil.get_terminal_size((100, 24)).columns))
    lines = ["fieldloop COMMAND [options]", "", *textwrap.wrap(PURPOSE, width), ""]
    grouped = group_by_family()
    column = max(map(len, (*grouped, *OWN))) + 2
    for stage in STAGES:
        lines.append(_format_bold(stage))
        for word, cases in grouped.items():
            if get_stage(word) == stage and word not in OWN:
                bare = next((case for case in cases if case.command == word), cases[0])
                verbs = ", ".join(case.command.partition(" ")[2] for case in cases if case.command != word)
                lines += _write_command_row(word, f"{bare.summary}{f' Also: {verbs}.' if verbs else ''}", column, width)
        if stage == LAST:
            for word, summary in OWN.items():
                lines += _write_command_row(word, summary, column, width)
        lines.append("")
    lines += _write_foot()
    return "\n".join(lines)


def _write_foot() -> list[str]:
    return [
        "Every command takes --workspace DIR (default: the current folder, or FIELDLOOP_WORKSPACE), --json and --help.",
        "Exit codes: 0 passed, 1 failed or cannot tell, 2 could not run.",
        "No workspace yet? `fieldloop check PATH` checks any log without one; `fieldloop demo` shows the whole loop.",
    ]


def _write_command_row(word: str, summary: str, column: int, width: int) -> list[str]:
    folded = textwrap.wrap(summary, width - column - 2) or [""]
    return [f"  {word:<{column}}{folded[0]}", *(f"  {'':<{column}}{line}" for line in folded[1:])]


def _format_bold(heading: str) -> str:
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    return heading if plain else f"\x1b[1m{heading}\x1b[0m"
