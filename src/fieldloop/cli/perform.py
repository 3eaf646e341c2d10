"""Run a command: parse its words, open the workspace, call the use case, print the result."""

from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import Any

from fieldloop.cli.arguments import build_parser, get_argument_values, get_workspace_folder
from fieldloop.cli.progress import track_progress
from fieldloop.cli.screen import Screen
from fieldloop.doors.given_values import check_given_values
from fieldloop.doors.output_paths import check_output_paths
from fieldloop.doors.parameters import read_parameters
from fieldloop.doors.signatures import read_docstring, read_parameters_from_source
from fieldloop.loop.catalogue import COMMANDS, Needs, UseCase, find_use_case


def perform_command(command: str, arguments: Sequence[str]) -> Any:
    """Run one command of the catalogue and print its result; returns the result."""
    return run_use_case(find_use_case(command), arguments)


def run_use_case(use_case: UseCase, arguments: Sequence[str]) -> Any:
    """Parse the words by the source alone, so that help and refusals import no room; then load and call."""
    ask = read_parameters_from_source(use_case)
    parsed = build_parser(use_case.command, use_case.summary, ask, use_case.needs, _read_extra_help(use_case)).parse(
        arguments
    )
    given = get_argument_values(ask, parsed)
    check_given_values(ask, given)
    check_output_paths(use_case, given)
    return call_use_case(use_case, use_case.load(), arguments)


def call_use_case(use_case: UseCase, function: Callable[..., Any], arguments: Sequence[str]) -> Any:
    """Call a use case's function with these words, print what it returns, and return it."""
    ask = read_parameters(function)
    parsed = build_parser(use_case.command, "", ask, use_case.needs).parse(arguments)
    given = get_argument_values(ask, parsed)
    check_given_values(ask, given)
    check_output_paths(use_case, given)
    given |= {name: seam for name, seam in SEAMS.items() if name in ask.seams}
    if not ask.takes_workspace:
        return _print_result(function(**given), parsed)
    workspace = _open_workspace(use_case, parsed)
    if workspace is None:
        return _print_result(function(None, **given), parsed)
    from fieldloop.doors.naming import use_workspace_names

    try:
        with use_workspace_names(workspace):
            return _print_result(function(workspace, **given), parsed)
    finally:
        workspace.close()


def _print_result(result: Any, parsed: Namespace) -> Any:
    if parsed.json:
        from fieldloop.doors.written import write_json_text

        print(write_json_text(result))
    else:
        from fieldloop.cli.render import show_result

        show_result(result, Screen())
    return result


def _open_workspace(use_case: UseCase, parsed: Namespace) -> Any:
    from fieldloop.loop.workspace import SETTINGS_FILE, open_workspace

    folder, named = get_workspace_folder(parsed)
    if use_case.needs is Needs.MAYBE and not named and not (folder / SETTINGS_FILE).is_file():
        return None
    return open_workspace(folder, track=track_progress)


def _read_extra_help(use_case: UseCase) -> str:
    """Return what the docstring adds to its first line and its arguments, and the command's verbs."""
    paragraphs = read_docstring(use_case).split("\n\n")[1:]
    kept = [" ".join(p.split()) for p in paragraphs if not p.strip().startswith(("Arguments:", ">>>"))]
    verbs = [verb for verb in COMMANDS.values() if verb.command.startswith(f"{use_case.command} ")]
    if verbs:
        width = max(len(verb.command) for verb in verbs)
        kept.append("\n".join(["see also:", *(f"  fieldloop {v.command:<{width}}  {v.summary}" for v in verbs)]))
    return "\n\n".join(p for p in kept if p)


def _print_line(*parts: object) -> None:
    Screen().write(" ".join(map(str, parts)))


SEAMS: dict[str, Callable[..., Any]] = {"track": track_progress, "tell": _print_line}
"""Functions that the command line passes to use cases that take them."""
