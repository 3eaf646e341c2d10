"""Read a use case's signature from its source, so that help and usage errors load no room, no NumPy and no store."""

import ast
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from fieldloop.doors.parameters import NO_DEFAULT, PLAIN, Ask, Parameter, read_argument_help
from fieldloop.loop.catalogue import UseCase, parse_module_source

PLAIN_TYPES = {kind.__name__: kind for kind in PLAIN}
ENUMS = {"Enum", "StrEnum", "IntEnum"}


@dataclass(frozen=True, slots=True)
class _Name:
    """What a name stands for: a node of the module that defines it."""

    module: str
    node: ast.AST


@dataclass(frozen=True, slots=True)
class _Type:
    """What an annotation allows: `kind` is None for what a user cannot type, a function or a noun."""

    kind: type | None
    choices: tuple[str, ...] = ()
    repeatable: bool = False
    may_be_none: bool = False
    is_function: bool = False


def read_parameters_from_source(use_case: UseCase) -> Ask:
    """Read a use case's parameters as `read_parameters` does, without importing its function.

    An enumeration is read as text with choices; to call the function, parse again with the real signature.

    >>> from fieldloop.loop.catalogue import find_use_case
    >>> plan = read_parameters_from_source(find_use_case("plan"))
    >>> next((p.kind.__name__, p.default, p.may_be_none) for p in plan.parameters if p.name == "budget")
    ('int', None, True)
    """
    module, function = _find_definition(use_case)
    arguments = function.args
    by_position = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(by_position) - len(arguments.defaults))
    pairs = [
        *zip(by_position, [*missing, *arguments.defaults], strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    helps = read_argument_help(ast.get_docstring(function) or "")
    plain: list[Parameter] = []
    seams: set[str] = set()
    for argument, default in pairs:
        if argument.arg == "workspace":
            continue
        hint = _read_type(argument.annotation, module)
        if hint.is_function or (hint.kind is None and default is not None):
            seams.add(argument.arg)
            continue
        plain.append(_make_parameter(argument, default, hint, module, positional=argument in by_position))
    described = (replace(parameter, help=helps.get(parameter.name, "")) for parameter in plain)
    return Ask(tuple(described), "workspace" in {argument.arg for argument, _ in pairs}, frozenset(seams))


def read_docstring(use_case: UseCase) -> str:
    """Return the whole docstring of a use case, read from its source."""
    return ast.get_docstring(_find_definition(use_case)[1]) or ""


def _find_definition(use_case: UseCase) -> tuple[str, ast.FunctionDef]:
    module, _, name = use_case.target.partition(":")
    definition = _find_name_definition(name, f"fieldloop.loop.{module}")
    if not isinstance(definition.node, ast.FunctionDef):
        raise TypeError(f"{use_case.target} is not a function.")
    return definition.module, definition.node


def _make_parameter(
    argument: ast.arg, default: ast.expr | None, hint: _Type, module: str, *, positional: bool
) -> Parameter:
    if hint.kind is None:
        raise TypeError(f"{argument.arg}: a command line or JSON cannot hold this type. Use one of the types in PLAIN.")
    value = NO_DEFAULT if default is None else _read_default(default, module)
    written = ast.unparse(argument.annotation) if argument.annotation else ""
    return Parameter(
        argument.arg, written, hint.kind, value, positional, hint.repeatable, hint.may_be_none, hint.choices
    )


def _read_type(node: ast.AST | None, module: str) -> _Type:
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            return replace(_read_type(left, module), may_be_none=True)
        case ast.Name(id=name) if name in PLAIN_TYPES:
            return _Type(PLAIN_TYPES[name])
        case ast.Name(id="Callable") | ast.Subscript(value=ast.Name(id="Callable")):
            return _Type(None, is_function=True)
        case ast.Subscript(value=ast.Name(id="Literal"), slice=inside):
            values = ast.literal_eval(inside)
            several = values if isinstance(values, tuple) else (values,)
            return _Type(type(several[0]), tuple(map(str, several)))
        case ast.Subscript(value=ast.Name(id="tuple" | "list"), slice=ast.Tuple(elts=[first, *_])):
            return replace(_read_type(first, module), repeatable=True)
        case ast.Name(id=name):
            found = _find_name_definition(name, module)
            return (
                _read_class_type(found.node)
                if isinstance(found.node, ast.ClassDef)
                else _read_type(found.node, found.module)
            )
    return _Type(None)


def _read_class_type(class_node: ast.ClassDef) -> _Type:
    """An enumeration is a choice between texts; any other class is a noun that only code can pass."""
    if not any(isinstance(base, ast.Name) and base.id in ENUMS for base in class_node.bases):
        return _Type(None)
    return _Type(str, tuple(_read_enum_members(class_node).values()))


def _read_enum_members(class_node: ast.ClassDef) -> dict[str, str]:
    return {
        line.targets[0].id: str(ast.literal_eval(line.value))
        for line in class_node.body
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name)
    }


def _read_default(node: ast.expr, module: str) -> Any:
    match node:
        case ast.Call(func=ast.Name(id="Path"), args=parts):
            return Path(*(ast.literal_eval(part) for part in parts))
        case ast.Attribute(value=ast.Name(id=name), attr=member):
            definition = _find_name_definition(name, module)
            if isinstance(definition.node, ast.ClassDef):
                return _read_enum_members(definition.node)[member]
        case ast.Name(id=name):
            definition = _find_name_definition(name, module)
            if isinstance(definition.node, ast.expr):
                return _read_default(definition.node, definition.module)
    return ast.literal_eval(node)


def _find_name_definition(name: str, module: str) -> _Name:
    """Follow a name through imports to the module that defines it."""
    node = _list_module_names(module).get(name)
    if node is None:
        raise TypeError(f"{module} does not define {name} in a way that can be read without importing it.")
    if isinstance(node, ast.ImportFrom):
        original = next(alias.name for alias in node.names if name in (alias.asname, alias.name))
        return _find_name_definition(original, node.module or "")
    return _Name(module, node)


@cache
def _list_module_names(module: str) -> dict[str, ast.AST]:
    """What each name at the top of a module is bound to."""
    names: dict[str, ast.AST] = {}
    for line in parse_module_source(module).body:
        match line:
            case ast.ImportFrom():
                names |= {alias.asname or alias.name: line for alias in line.names}
            case ast.ClassDef() | ast.FunctionDef():
                names[line.name] = line
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                names[name] = value
    return names
