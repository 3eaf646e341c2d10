"""Check the paths that a use case will write to before it starts, so that hours of work are not lost at the end."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.loop.catalogue import UseCase


def check_output_paths(use_case: UseCase, values: Mapping[str, Any]) -> None:
    """Refuse a path that the use case cannot write to."""
    for name in use_case.writes:
        path = values.get(name)
        if not isinstance(path, Path):
            continue
        try:
            _check_path(name, path, use_case)
        except OSError as wrong:  # such as a name that is too long for the file system
            raise BadInput(f"{name}: {path} cannot be written: {wrong.strerror or wrong}.") from wrong


def _check_path(name: str, path: Path, use_case: UseCase) -> None:
    if name in use_case.folders:
        _check_folder(name, path)
    else:
        _check_file(name, path, new=name in use_case.new)


def _check_folder(name: str, folder: Path) -> None:
    """Accept a folder that exists or can be made."""
    nearest = next((part for part in (folder, *folder.absolute().parents) if part.exists()), folder)
    if not nearest.is_dir():
        raise BadInput(f"{name}: {nearest} is not a folder. Name another folder.")
    _check_writable(name, nearest)


def _check_file(name: str, file: Path, *, new: bool) -> None:
    """Accept a file in a folder that exists; `new` ones must not exist."""
    if new and (file.exists() or file.is_symlink()):
        raise BadInput(f"{name}: {file} already exists. Choose another name.")
    if file.is_dir():
        raise BadInput(f"{name}: {file} is a folder. Name a file in it, such as {file / name}.")
    if file.exists() and not file.is_file():
        raise BadInput(f"{name}: {file} is a device, a pipe or a socket. Name an ordinary file.")
    if not file.absolute().parent.is_dir():
        raise BadInput(f"{name}: {file.parent} is not a folder, so {file.name} cannot be written there. Make it first.")
    _check_writable(name, file.resolve().parent)
    if file.exists():
        _check_writable(name, file)


def _check_writable(name: str, path: Path) -> None:
    if not os.access(path, os.W_OK):
        raise BadInput(f"{name}: you may not write to {path}. Choose another place.")
