"""Read a use case's parameters from its signature: the one source of options, JSON fields and their help."""

import dataclasses
import inspect
import re
import types
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

PLAIN = (str, int, float, bool, Path)
"""Types that a user can type; also an Enum, a Literal, a tuple of one of these, or None."""
NO_DEFAULT = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a use case."""

    name: str
    hint: Any
    kind: type
    default: Any
    positional: bool
    repeatable: bool = False
    may_be_none: bool = False
    choices: tuple[str, ...] = ()
    help: str = ""

    @property
    def required(self) -> bool:
        """Must the caller give it?"""
        return self.default is NO_DEFAULT


@dataclass(frozen=True, slots=True)
class Ask:
    """All parameters of a use case: those a user gives, whether it takes a workspace, and those a door fills in."""

    parameters: tuple[Parameter, ...]
    takes_workspace: bool
    seams: frozenset[str]


def read_parameters(function: Callable[..., Any]) -> Ask:
    """Read a function's signature and the `Arguments:` of its docstring.

    >>> def plan(workspace: object, *, budget: int = 40, site: tuple[str, ...] = ()) -> str:
    ...     '''Draw it.
    ...
    ...     Arguments:
    ...         budget: how many demonstrations
    ...     '''
    >>> [(p.name, p.kind.__name__, p.default, p.repeatable, p.help) for p in read_parameters(plan).parameters]
    [('budget', 'int', 40, False, 'how many demonstrations'), ('site', 'str', (), True, '')]
    """
    hints = get_type_hints(function)
    helps = read_argument_help(inspect.getdoc(function) or "")
    plain: list[Parameter] = []
    seams: set[str] = set()
    for name, raw in inspect.signature(function).parameters.items():
        hint = hints.get(name, str)
        if name == "workspace":
            continue
        if _is_passed_by_code(hint, raw):
            seams.add(name)
            continue
        plain.append(_make_parameter(name, hint, raw, helps.get(name, "")))
    takes_workspace = "workspace" in inspect.signature(function).parameters
    return Ask(tuple(plain), takes_workspace, frozenset(seams))


def read_argument_help(doc: str) -> dict[str, str]:
    r"""Find the `name: text` lines under `Arguments:`; a deeper line continues the one above.

    >>> read_argument_help("Do it.\n\nArguments:\n    path: a log,\n        or a folder\n\nMore.")
    {'path': 'a log, or a folder'}
    """
    helps: dict[str, str] = {}
    name, indent = "", 0
    _, _, section = doc.partition("Arguments:\n")
    for line in section.splitlines():
        bare = line.strip()
        if not bare or not line.startswith(" "):
            break
        depth = len(line) - len(line.lstrip())
        new = re.match(r"(\w+): (.+)", bare)
        if new and (not name or depth <= indent):
            name, indent = new[1], depth
            helps[name] = new[2]
        elif name:
            helps[name] += f" {bare}"
    return helps


def _make_parameter(name: str, hint: Any, signature_parameter: inspect.Parameter, help_text: str) -> Parameter:
    plain_hint, may_be_none = _strip_none(hint)
    repeatable = get_origin(plain_hint) in (tuple, list)
    if repeatable:
        plain_hint = get_args(plain_hint)[0]
    choices: tuple[str, ...] = ()
    if get_origin(plain_hint) is Literal:
        choices, plain_hint = tuple(map(str, get_args(plain_hint))), type(get_args(plain_hint)[0])
    elif isinstance(plain_hint, type) and issubclass(plain_hint, Enum):
        choices = tuple(str(member.value) for member in plain_hint)
    if not isinstance(plain_hint, type) or not issubclass(plain_hint, (*PLAIN, Enum)):
        raise TypeError(
            f"{name}: {hint} is not a type that a command line or JSON can hold. Use one of the types in PLAIN."
        )
    positional = signature_parameter.kind is not inspect.Parameter.KEYWORD_ONLY
    return Parameter(
        name, hint, plain_hint, signature_parameter.default, positional, repeatable, may_be_none, choices, help_text
    )


def _strip_none(hint: Any) -> tuple[Any, bool]:
    if get_origin(hint) not in (types.UnionType, Union):
        return hint, False
    rest = [arg for arg in get_args(hint) if arg is not type(None)]
    return (rest[0] if len(rest) == 1 else hint), len(rest) < len(get_args(hint))


def _is_passed_by_code(hint: Any, signature_parameter: inspect.Parameter) -> bool:
    """Functions (a clock, a callback, a progress bar) and whole nouns are passed by code, never typed by a user."""
    inner, _ = _strip_none(hint)
    is_function = inner is Callable or get_origin(inner) is Callable
    return is_function or (dataclasses.is_dataclass(inner) and signature_parameter.default is not NO_DEFAULT)
