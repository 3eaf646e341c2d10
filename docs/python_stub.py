"""Write the types of the Python interface from the signatures of the use cases: `src/fieldloop/__init__.pyi`."""

import inspect
import types
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from fieldloop import NAMES
from fieldloop.doors.parameters import Parameter, read_parameters
from fieldloop.loop.catalogue import UseCase, find_use_case
from fieldloop.python_api import WITHOUT_WORKSPACE
from fieldloop.python_api.workspace import METHODS

FILE = Path(__file__).parents[1] / "src" / "fieldloop" / "__init__.pyi"
HEAD = '''"""Types of the Python interface. Made by `python -m docs.generate`; change the use cases, not this file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self
'''
FIXED = '''
__version__: str
NAMES: tuple[str, ...]
PathLike = str | Path

class Recordings:
    """The recordings of a log, read one at a time as they are asked for."""
    @property
    def format(self) -> str: ...
    @property
    def defects(self) -> tuple[Defect, ...]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Recording]: ...
    def __getitem__(self, index: int) -> Recording: ...

def read(path: PathLike, *, mapping: PathLike | None = ...) -> Recordings:
    """Open a log file, a dataset folder or a folder of logs, and read its recordings as arrays."""

def open_dataset(
    path: PathLike, split: str = ..., *, streams: Sequence[str] = ...,
    deltas_s: Mapping[str, Sequence[float]] | None = ..., chunk: int = ..., hz: float | None = ...,
    clock: str = ..., tensors: bool | None = ..., on_broken: Literal["raise", "zeros"] = ...,
) -> FrameDataset:
    """Open a log or a dataset folder as frames for a trainer: a map-style dataset, with or without PyTorch."""

def register_trainer(name: str, trainer: Callable[[Any, Any, Path, int], Mapping[str, Any] | None]) -> None:
    """Make a trainer of your own known by name, for `ws.train("r1", trainer=name)` in this process."""

def text(result: object) -> str:
    """Return a result as the text that the command line prints."""

def init(folder: PathLike, *, name: str = ..., task: str = ...) -> OpenWorkspace:
    """Make a workspace in a folder and open it."""

def open(folder: PathLike) -> OpenWorkspace:
    """Open the workspace in a folder; its methods are the commands."""
'''
WORKSPACE = '''
class OpenWorkspace:
    """An open workspace. Close it, or use it in a `with` statement."""
    def __init__(self, folder: PathLike) -> None: ...
    @property
    def folder(self) -> Path: ...
    @property
    def name(self) -> str: ...
    def open_dataset(
        self, release: str, split: str = ..., *, streams: Sequence[str] = ...,
        deltas_s: Mapping[str, Sequence[float]] | None = ..., chunk: int = ..., hz: float | None = ...,
        clock: str = ..., tensors: bool | None = ..., on_broken: Literal["raise", "zeros"] = ...,
    ) -> FrameDataset:
        """Open a release as frames for a trainer, with its fixes, weights and labels; see `fl.open_dataset`."""
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None: ...
'''


def text() -> str:
    """Return the whole stub."""
    imports = {("fieldloop.errors", "FieldloopError"), ("fieldloop.model.episode", "Defect")}
    imports |= {("fieldloop.model.episode", "Recording"), ("fieldloop.release.frames", "FrameDataset")}
    functions = [line for name, of in WITHOUT_WORKSPACE.items() for line in _function(name, find_use_case(of), imports)]
    methods = [f"    {line}" for name, case in METHODS.items() for line in _function(name, case, imports, "self, ")]
    named = "\n".join(f"from {module} import {name}{_offered(name)}" for module, name in sorted(imports))
    return f"{HEAD}\n{named}\n{FIXED}\n" + "\n".join(functions) + f"\n{WORKSPACE}" + "\n".join(methods) + "\n"


def _offered(name: str) -> str:
    """An import in a stub is offered to others only under an alias."""
    return f" as {name}" if name in NAMES else ""


def _function(name: str, case: UseCase, imports: set[tuple[str, str]], first: str = "") -> Iterator[str]:
    function = case.load()
    parameters = read_parameters(function).parameters
    given = [_written(p, imports) for p in parameters if p.positional]
    named = [_written(p, imports) for p in parameters if not p.positional]
    arguments = first + ", ".join([*given, *(["*"] if named else []), *named])
    yield f"def {name}({arguments.removesuffix(', ')}) -> {_type(get_type_hints(function)['return'], imports)}:"
    yield f'    """{(inspect.getdoc(function) or "").partition(chr(10))[0]}"""'


def _written(parameter: Parameter, imports: set[tuple[str, str]]) -> str:
    kind = "PathLike" if parameter.kind is Path else parameter.kind.__name__
    if issubclass(parameter.kind, Enum):
        kind = f"{_type(parameter.kind, imports)} | str"
    elif parameter.choices:
        kind = f"Literal[{', '.join(map(repr, parameter.choices))}]"
    if parameter.repeatable:
        kind = f"{kind} | Sequence[{kind}]"
    if parameter.may_be_none:
        kind = f"{kind} | None"
    return f"{parameter.name}: {kind}{'' if parameter.required else ' = ...'}"


def _type(hint: Any, imports: set[tuple[str, str]]) -> str:
    origin, inside = get_origin(hint), get_args(hint)
    if hint is None or hint is type(None):
        return "None"
    if origin in (Union, types.UnionType):
        return " | ".join(_type(part, imports) for part in inside)
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, inside))}]"
    if origin in (tuple, list, dict, Mapping):
        written = ", ".join("..." if part is Ellipsis else _type(part, imports) for part in inside)
        return f"{'dict' if origin is Mapping else origin.__name__}[{written}]"
    if hint is Any or hint is Ellipsis:
        return "Any"
    if hint.__module__ != "builtins":
        imports.add((hint.__module__, hint.__name__))
    return str(hint.__name__)
