"""A command of the catalogue as a Python function: its signature, its help, plain values in, its noun out."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any

from fieldloop.doors.given_values import check_given_values
from fieldloop.doors.output_paths import check_output_paths
from fieldloop.doors.parameters import Ask, Parameter, read_parameters
from fieldloop.doors.signatures import read_docstring, read_parameters_from_source
from fieldloop.errors import UnknownChoice, find_missing_extra
from fieldloop.loop.catalogue import UseCase
from fieldloop.python_api.display import add_notebook_display


def make_command_function(use_case: UseCase, name: str, workspace: Any = None) -> Callable[..., Any]:
    """Return a function that runs a command, on an open workspace or without one.

    >>> from fieldloop.loop.catalogue import find_use_case
    >>> str(inspect.signature(make_command_function(find_use_case("plan folder"), "plan")))[:43]
    "(folder: 'Path', *, budget: 'int | None' = "
    """
    signature = _make_signature(read_parameters_from_source(use_case))

    def run_command(*given: Any, **named: Any) -> Any:
        arguments = signature.bind(*given, **named).arguments
        with explain_missing_extra():
            function = use_case.load()
            ask = read_parameters(function)
            values = _convert_arguments(ask, arguments) | _choose_progress_arguments(ask)
            check_given_values(ask, values)
            check_output_paths(use_case, values)
            return add_notebook_display(_call_use_case(function, ask, workspace, values))

    run_command.__name__ = run_command.__qualname__ = name
    run_command.__doc__ = read_docstring(use_case)
    run_command.__signature__ = signature  # type: ignore[attr-defined]  # what `inspect` and notebooks show
    return run_command


def _call_use_case(function: Callable[..., Any], parameters: Ask, workspace: Any, values: Mapping[str, Any]) -> Any:
    if not parameters.takes_workspace:
        return function(**values)
    if workspace is None:
        return function(None, **values)
    from fieldloop.doors.naming import use_workspace_names

    with use_workspace_names(workspace):
        return function(workspace, **values)


@contextmanager
def explain_missing_extra() -> Iterator[None]:
    """Turn an import that fails in the light install into the pip command that helps."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise find_missing_extra(missing) or missing from None


def _make_signature(parameters: Ask) -> inspect.Signature:
    kinds = {True: inspect.Parameter.POSITIONAL_OR_KEYWORD, False: inspect.Parameter.KEYWORD_ONLY}
    return inspect.Signature(
        [
            inspect.Parameter(p.name, kinds[p.positional], default=p.default, annotation=p.hint)
            for p in parameters.parameters
        ]
    )


def _convert_arguments(parameters: Ask, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {p.name: _convert_argument(p, arguments[p.name]) for p in parameters.parameters if p.name in arguments}


def _convert_argument(parameter: Parameter, given_value: Any) -> Any:
    """Accept what people write: a text for a path or a choice, one value where several are allowed."""
    if given_value is None:
        return None
    if parameter.repeatable:
        several = given_value if isinstance(given_value, list | tuple | set) else (given_value,)
        return tuple(_convert_value(parameter, value) for value in several)
    return _convert_value(parameter, given_value)


def _convert_value(parameter: Parameter, given_value: Any) -> Any:
    if parameter.kind is Path:
        return Path(given_value)
    if parameter.choices:
        written = str(given_value.value if isinstance(given_value, Enum) else given_value)
        if written not in parameter.choices:
            raise UnknownChoice(parameter.name, written, parameter.choices)
        return parameter.kind(written)
    return given_value


def _choose_progress_arguments(parameters: Ask) -> dict[str, Any]:
    """Show progress as the command line does."""
    from fieldloop.cli.perform import SEAMS

    return {name: seam for name, seam in SEAMS.items() if name in parameters.seams}
