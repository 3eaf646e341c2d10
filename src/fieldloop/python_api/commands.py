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
from fieldloop.doors.signatures import docstring, read_source
from fieldloop.errors import UnknownName, missing_extra
from fieldloop.loop.catalogue import UseCase
from fieldloop.python_api.display import add_notebook_display


def function_of(case: UseCase, name: str, workspace: Any = None) -> Callable[..., Any]:
    """Return a function that runs a command, on an open workspace or without one.

    >>> from fieldloop.loop.catalogue import use_case
    >>> str(inspect.signature(function_of(use_case("plan folder"), "plan")))[:43]
    "(folder: 'Path', *, budget: 'int | None' = "
    """
    signature = _signature(read_source(case))

    def run(*given: Any, **named: Any) -> Any:
        arguments = signature.bind(*given, **named).arguments
        with naming_missing_extra():
            function = case.load()
            ask = read_parameters(function)
            values = _values(ask, arguments) | _progress_functions(ask)
            check_given_values(ask, values)
            check_output_paths(case, values)
            return add_notebook_display(_call(function, ask, workspace, values))

    run.__name__ = run.__qualname__ = name
    run.__doc__ = docstring(case)
    run.__signature__ = signature  # type: ignore[attr-defined]  # what `inspect` and notebooks show
    return run


def _call(function: Callable[..., Any], ask: Ask, workspace: Any, values: Mapping[str, Any]) -> Any:
    if not ask.takes_workspace:
        return function(**values)
    if workspace is None:
        return function(None, **values)
    from fieldloop.doors.naming import with_names

    with with_names(workspace):
        return function(workspace, **values)


@contextmanager
def naming_missing_extra() -> Iterator[None]:
    """Turn an import that fails in the light install into the pip command that helps."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise missing_extra(missing) or missing from None


def _signature(ask: Ask) -> inspect.Signature:
    kinds = {True: inspect.Parameter.POSITIONAL_OR_KEYWORD, False: inspect.Parameter.KEYWORD_ONLY}
    return inspect.Signature(
        [inspect.Parameter(p.name, kinds[p.positional], default=p.default, annotation=p.hint) for p in ask.parameters]
    )


def _values(ask: Ask, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {p.name: _value(p, arguments[p.name]) for p in ask.parameters if p.name in arguments}


def _value(parameter: Parameter, given: Any) -> Any:
    """Accept what people write: a text for a path or a choice, one value where several are allowed."""
    if given is None:
        return None
    if parameter.repeatable:
        several = given if isinstance(given, list | tuple | set) else (given,)
        return tuple(_convert_value(parameter, value) for value in several)
    return _convert_value(parameter, given)


def _convert_value(parameter: Parameter, given: Any) -> Any:
    if parameter.kind is Path:
        return Path(given)
    if parameter.choices:
        written = str(given.value if isinstance(given, Enum) else given)
        if written not in parameter.choices:
            known = ", ".join(repr(choice) for choice in parameter.choices)
            raise UnknownName(f"choice for {parameter.name}", written, parameter.choices, known)
        return parameter.kind(written)
    return given


def _progress_functions(ask: Ask) -> dict[str, Any]:
    """Show progress as the command line does."""
    from fieldloop.cli.perform import SEAMS

    return {name: seam for name, seam in SEAMS.items() if name in ask.seams}
