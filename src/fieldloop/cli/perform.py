"""Run a command: parse its words, open the workspace, call the use case, print the result."""

from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import Any

from fieldloop.cli.arguments import parser_for, values_from, workspace_folder
from fieldloop.cli.progress import track
from fieldloop.cli.screen import Screen
from fieldloop.doors.given_values import check_given_values
from fieldloop.doors.output_paths import check_output_paths
from fieldloop.doors.parameters import read_parameters
from fieldloop.doors.signatures import docstring, read_source
from fieldloop.loop.catalogue import COMMANDS, Needs, UseCase, use_case


def perform(command: str, words: Sequence[str]) -> Any:
    """Run one command of the catalogue and print its result; returns the result."""
    return run(use_case(command), words)


def run(case: UseCase, words: Sequence[str]) -> Any:
    """Parse the words by the source alone, so that help and refusals import no room; then load and call."""
    ask = read_source(case)
    parsed = parser_for(case.command, case.summary, ask, case.needs, _extra_help(case)).parse(words)
    given = values_from(ask, parsed)
    check_given_values(ask, given)
    check_output_paths(case, given)
    return call(case, case.load(), words)


def call(case: UseCase, function: Callable[..., Any], words: Sequence[str]) -> Any:
    """Call a use case's function with these words, print what it returns, and return it."""
    ask = read_parameters(function)
    parsed = parser_for(case.command, "", ask, case.needs).parse(words)
    given = values_from(ask, parsed)
    check_given_values(ask, given)
    check_output_paths(case, given)
    given |= {name: seam for name, seam in SEAMS.items() if name in ask.seams}
    if not ask.takes_workspace:
        return _print_result(function(**given), parsed)
    workspace = _open(case, parsed)
    if workspace is None:
        return _print_result(function(None, **given), parsed)
    from fieldloop.doors.naming import with_names

    try:
        with with_names(workspace):
            return _print_result(function(workspace, **given), parsed)
    finally:
        workspace.close()


def _print_result(result: Any, parsed: Namespace) -> Any:
    if parsed.json:
        from fieldloop.doors.written import dumps

        print(dumps(result))
    else:
        from fieldloop.cli.render import show

        show(result, Screen())
    return result


def _open(case: UseCase, parsed: Namespace) -> Any:
    from fieldloop.loop.workspace import SETTINGS_FILE, open_workspace

    folder, named = workspace_folder(parsed)
    if case.needs is Needs.MAYBE and not named and not (folder / SETTINGS_FILE).is_file():
        return None
    return open_workspace(folder, track=track)


def _extra_help(case: UseCase) -> str:
    """Return what the docstring adds to its first line and its arguments, and the command's verbs."""
    paragraphs = docstring(case).split("\n\n")[1:]
    kept = [" ".join(p.split()) for p in paragraphs if not p.strip().startswith(("Arguments:", ">>>"))]
    verbs = [verb for verb in COMMANDS.values() if verb.command.startswith(f"{case.command} ")]
    if verbs:
        width = max(len(verb.command) for verb in verbs)
        kept.append("\n".join(["see also:", *(f"  fieldloop {v.command:<{width}}  {v.summary}" for v in verbs)]))
    return "\n\n".join(p for p in kept if p)


def _print_line(*parts: object) -> None:
    Screen().write(" ".join(map(str, parts)))


SEAMS: dict[str, Callable[..., Any]] = {"track": track, "tell": _print_line}
"""Functions that the command line passes to use cases that take them."""
