"""A text file that cannot be read gets one clear message from every command: wrong encoding, missing, a folder."""

import json
from pathlib import Path

import pytest

from fieldloop.cli import main
from fieldloop.doors.signatures import read_parameters_from_source
from fieldloop.errors import BadInput, WorkspaceError
from fieldloop.loop.catalogue import USE_CASES
from fieldloop.text_files import open_text, read_text

LATIN = 'name = 1\nsite = "Käserei"\n'.encode("latin-1")
RUNS_LONG_OR_WRITES = {"init", "demo", "serve", "ingest watch"}
COMMANDS = {
    "check": ("check", "log", "--protocol", "given"),
    "check mapping": ("check", "log", "--mapping", "given"),
    "ingest mapping": ("ingest", "log", "--mapping", "given"),
    "monitor record": ("monitor", "record", "given"),
    "protocol lint": ("protocol", "lint", "given"),
    "protocol diff": ("protocol", "diff", "given", "shipped"),
    "audit": ("audit", "given"),
    "audit velocity": ("audit", "velocity", "given"),
    "calibrate": ("calibrate", "given", "--robot", "arm-1", "--sensor", "front"),
    "plan returned": ("plan", "returned", "given"),
}


@pytest.fixture
def workspace(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["init", "ws"]) == 0
    (tmp_path / "log").write_bytes(b"not a log")
    capsys.readouterr()
    return tmp_path


def answer(words, capsys):
    code = main([*words, "--workspace", "ws", "--json"])
    return code, json.loads(capsys.readouterr().err)


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize(("given", "message"), [
    ("latin", "line 2 is not UTF-8. Save the file as UTF-8."),
    ("missing", "does not exist."),
    ("folder", "is a folder."),
])  # fmt: skip
def test_a_command_names_what_is_wrong_with_a_text_file(words, given, message, workspace, capsys):
    file = workspace / f"{given}.csv"
    if given == "latin":
        file.write_bytes(LATIN)
    elif given == "folder":
        file.mkdir()
    code, error = answer([str(file) if word == "given" else word for word in words], capsys)
    assert (code, error["error"]) == (2, "BadInput")
    assert message in error["message"]


def test_a_workspace_names_its_own_file(workspace, capsys):
    (workspace / "ws" / "operations.toml").write_bytes(LATIN)
    code, error = answer(["home"], capsys)
    assert (code, error["error"]) == (2, "WorkspaceError")
    assert "operations.toml, line 2 is not UTF-8" in error["message"]


@pytest.mark.parametrize("suffix", [".toml", ".csv"])
def test_no_command_calls_a_wrong_encoding_a_bug(suffix, workspace, capsys):
    file = workspace / f"latin{suffix}"
    file.write_bytes(LATIN)
    cases = [case for case in USE_CASES if case.command.split()[0] != "simulate"]
    for case in cases:
        parameters = read_parameters_from_source(case).parameters
        for asked in parameters if case.command not in RUNS_LONG_OR_WRITES else ():
            if asked.kind is Path:
                words = [word for p in parameters for word in typed(p, file) if p.required or p == asked]
                main([*case.command.split(), *words, "--workspace", "ws"])
                assert "this is a bug" not in capsys.readouterr().err, case.command
                file.write_bytes(LATIN)  # a command may have written to it


def typed(parameter, file):
    """How a user would give a parameter."""
    value = {str: "x", int: "1", float: "1.0", Path: str(file)}.get(parameter.kind, "")
    value = parameter.choices[0] if parameter.choices else value
    return [value] if parameter.positional else [f"--{parameter.name.replace('_', '-')}", value]


def test_a_byte_order_mark_is_left_out(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes(b"\xef\xbb\xbfname,site\r\n1,x\r\n")
    assert read_text(file) == "name,site\n1,x\n"
    with open_text(file) as text:
        assert text.readline() == "name,site\r\n"


def test_the_caller_chooses_the_error(tmp_path):
    with pytest.raises(WorkspaceError, match="does not exist"):
        read_text(tmp_path / "none", WorkspaceError)
    with pytest.raises(BadInput, match="is a folder"):
        read_text(tmp_path)
