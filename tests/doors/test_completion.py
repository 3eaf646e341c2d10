"""Shell completion: commands, verbs, options and choices, asked by a real bash."""

import shutil
import subprocess
import sys

import pytest

from fieldloop.cli import main
from fieldloop.cli.completion import SCRIPTS, list_candidates


@pytest.mark.parametrize("shell", SCRIPTS)
def test_every_shell_has_a_script(shell, capsys):
    assert main(["completion", shell]) == 0
    assert "fieldloop completion --words" in capsys.readouterr().out


def test_an_unknown_shell_is_refused(capsys):
    assert main(["completion", "bahs"]) == 2
    assert "Did you mean 'bash'?" in capsys.readouterr().err


def test_options_and_choices_are_offered():
    assert "--html" in list_candidates(["check", "--"])
    assert list_candidates(["convert", "a", "b", "--to", ""]) == ["lerobot", "hdf5", "rlds", "mcap"]
    assert "orders" in list_candidates(["plan", ""])
    assert list_candidates(["check", "--workspace", ""]) == []


def test_bash_completes_a_command(tmp_path):
    if shutil.which("bash") is None:
        pytest.skip("no bash here")
    stub = tmp_path / "fieldloop"
    stub.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fieldloop "$@"\n')
    stub.chmod(0o755)
    script = (
        f'PATH="{tmp_path}:$PATH"; {SCRIPTS["bash"]}\n'
        'COMP_WORDS=(fieldloop release di); COMP_CWORD=2; _fieldloop; printf "%s" "${COMPREPLY[*]}"'
    )
    found = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout == "diff"
