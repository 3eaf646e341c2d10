"""Help and usage errors need no room, no store and no library; what they show is the real signature."""

import json
import subprocess
import sys
from dataclasses import replace
from enum import Enum

import pytest

from fieldloop.cli.choose import OWN
from fieldloop.doors.parameters import read_parameters
from fieldloop.doors.signatures import read_docstring, read_parameters_from_source
from fieldloop.loop.catalogue import USE_CASES

LIGHT = {"cli", "doors", "loop", "model", "errors", "say"}
"""What may be imported from our own package; of `loop` the catalogue alone."""


def plain(parameter):
    """A real parameter as source can show it: an enumeration is text with choices."""
    default = parameter.default.value if isinstance(parameter.default, Enum) else parameter.default
    return replace(
        parameter, hint="", kind=str if issubclass(parameter.kind, Enum) else parameter.kind, default=default
    )


@pytest.mark.parametrize("case", USE_CASES, ids=lambda case: case.command)
def test_the_source_shows_the_real_signature(case):
    function = case.load()
    real, from_source = read_parameters(function), read_parameters_from_source(case)
    assert [plain(p) for p in from_source.parameters] == [plain(p) for p in real.parameters]
    assert (from_source.seams, from_source.takes_workspace) == (real.seams, real.takes_workspace)
    assert read_docstring(case).partition("\n")[0] == case.summary


def loaded_by(folder, code, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert not done.returncode, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def heavy(modules):
    """Modules that neither come with Python nor are ours, and ours that hold more than names."""
    from_outside = {
        name
        for name in modules
        if (top := name.partition(".")[0]) not in sys.stdlib_module_names
        and top not in {"fieldloop", "__main__", "sitecustomize", "apport_python_hook"}
        and not top.startswith(("_", "pytest", "coverage", "a1_coverage"))
    }
    ours = {name for name in modules if name.startswith("fieldloop.") and name.split(".")[1] not in LIGHT}
    rooms = {n for n in modules if n.startswith("fieldloop.loop.") and n != "fieldloop.loop.catalogue"}
    return from_outside | ours | rooms


HELP_OF_ALL = """
import contextlib, io
from fieldloop.cli import main
for command in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        assert main([*command.split(), "--help"]) == 0, command
    assert f"fieldloop {command}" in shown.getvalue(), command
"""


def test_help_of_every_command_imports_neither_a_room_nor_a_library(tmp_path):
    commands = [case.command for case in USE_CASES] + list(OWN)
    assert not heavy(loaded_by(tmp_path, f"import sys{HELP_OF_ALL}", *commands))


@pytest.mark.parametrize(
    "words",
    [
        ("check", "--protocl", "x"),
        ("plan", "--budget", "many"),
        ("convert",),
        ("calibrate", "intrinsics", "--lens", "x"),
    ],
    ids=" ".join,
)
def test_wrong_words_are_reported_before_a_room_is_imported(words, tmp_path):
    code = f"from fieldloop.cli import main\nassert main({list(words)!r}) == 2"
    assert not heavy(loaded_by(tmp_path, code))


def test_importing_the_package_imports_nothing_else(tmp_path):
    assert not {name for name in loaded_by(tmp_path, "import fieldloop") if name.startswith("fieldloop.")}


def test_checking_a_log_imports_neither_planning_nor_audit_nor_simulators(tmp_path):
    loaded = loaded_by(tmp_path, "import fieldloop.loop.data.check")
    # `check` reads policy folders too, by serve.checking; what serves or runs a policy is not needed for that
    unrelated = ("plan", "audit", "simulate", "diagnose", "train", "serve.doors", "serve.engines.onnx", "serve.kserve")
    assert not {name for name in loaded if name.startswith(tuple(f"fieldloop.{room}." for room in unrelated))}
