"""A command that is told to end says so in one sentence, and leaves no half-written file and no worker behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

RUN = [sys.executable, "-c", "import sys; from fieldloop.cli import main; sys.exit(main())"]
PATIENCE = 1200
"""Looks for workers that are still ending."""
COMMANDS = {"demo": ("demo", "--no-serve"), "simulate": ("simulate", "logs", "--count", "500")}


def tell_group(running, sent):
    """Tell every process, as a terminal and a service manager do."""
    os.killpg(running.pid, sent)


def tell_parent(running, sent):
    running.send_signal(sent)


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize(
    ("tell", "sent", "code"),
    [
        pytest.param(tell_parent, signal.SIGTERM, 143, id="kill"),
        pytest.param(tell_group, signal.SIGTERM, 143, id="service"),
        pytest.param(tell_group, signal.SIGINT, 130, id="ctrl-c"),
    ],
)
def test_a_command_that_is_ended_prints_no_traceback(tmp_path, words, tell, sent, code):
    with subprocess.Popen(
        [*RUN, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as running:  # fmt: skip
        while running.poll() is None and not any(tmp_path.rglob("*.mcap")):  # its workers are at work now
            time.sleep(0.01)
        assert running.poll() is None, running.communicate()
        tell(running, sent)
        out, err = running.communicate(timeout=120)
    assert running.returncode == code, err
    assert "Traceback" not in out + err, err
    assert sum("artial files are removed" in line for line in err.splitlines()) == 1, err
    for _ in range(PATIENCE):
        if not list(find_living(running.pid)):
            break
        time.sleep(0.05)
    assert not list(find_living(running.pid)), "a worker lives on"
    assert not [path.name for path in tmp_path.rglob("*.part")]


def find_living(group):
    """Yield what the processes of a group are called; those that only wait to be reaped do not live."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().rpartition(")")
        except OSError:
            continue
        state, _, of_group = rest.split()[:3]
        if int(of_group) == group and state not in "ZX":
            yield name
