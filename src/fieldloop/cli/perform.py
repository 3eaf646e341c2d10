"""Open the workspace, call the use case, show what came back."""

from collections.abc import Callable, Sequence
from typing import Any

from fieldloop.api.parameters import Ask, read
from fieldloop.cli.arguments import parser_for, values_from, workspace_folder
from fieldloop.cli.progress import track
from fieldloop.cli.screen import Screen
from fieldloop.loop.catalogue import COMMANDS, Needs, UseCase, use_case


def perform(command: str, words: Sequence[str]) -> Any:
    """Run one command of the catalogue and print its result; returns the result."""
    return run(use_case(command), words)


def run(case: UseCase, words: Sequence[str]) -> Any:
    """Run a use case with these words."""
    function = case.load()
    ask = read(function)
    parsed = parser_for(case.command, case.summary, ask, case.needs, _more(case.command, function)).parse(words)
    result = _call(case, function, ask, parsed)
    if parsed.json:
        from fieldloop.api.written import dumps

        print(dumps(result))
    else:
        from fieldloop.cli.render import show

        show(result, Screen())
    return result


def _call(case: UseCase, function: Callable[..., Any], ask: Ask, parsed: Any) -> Any:
    given = values_from(ask, parsed)
    given |= {name: seam for name, seam in SEAMS.items() if name in ask.seams}
    if not ask.takes_workspace:
        return function(**given)
    workspace = _open(case, parsed)
    try:
        return function(workspace, **given)
    finally:
        if workspace is not None:
            workspace.close()


def _open(case: UseCase, parsed: Any) -> Any:
    from fieldloop.loop.workspace import SETTINGS_FILE, open_workspace

    folder, named = workspace_folder(parsed)
    if case.needs is Needs.MAYBE and not named and not (folder / SETTINGS_FILE).is_file():
        return None
    return open_workspace(folder, track=track)


def _more(command: str, function: Callable[..., Any]) -> str:
    """What the docstring says beside its first line and its arguments, and which verbs the command has."""
    paragraphs = (function.__doc__ or "").split("\n\n")[1:]
    kept = [" ".join(p.split()) for p in paragraphs if not p.strip().startswith(("Arguments:", ">>>"))]
    verbs = [case for case in COMMANDS.values() if case.command.startswith(f"{command} ")]
    if verbs:
        width = max(len(case.command) for case in verbs)
        kept.append("\n".join(["see also:", *(f"  fieldloop {v.command:<{width}}  {v.summary}" for v in verbs)]))
    return "\n\n".join(p for p in kept if p)


def _tell(*said: object) -> None:
    Screen().write(" ".join(map(str, said)))


SEAMS: dict[str, Callable[..., Any]] = {"track": track, "tell": _tell}
"""What the command line hands in where a use case asks for it."""
