"""`kill -9` at any point of an ingest: nothing acknowledged is lost, nothing is half there, a second try ends well."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from fieldloop.loop.data import check
from fieldloop.loop.data.measurements import read_stored_measurements
from fieldloop.loop.floor.floor import alternate_operators, write_demonstrations
from fieldloop.loop.house import doctor, setup
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.episode import Episode, Log
from fieldloop.model.finding import EpisodeReport
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.mix import draw_strata

LOGS = 4


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    floor = Floor(3)
    strata = draw_strata(floor.make_lab_mix(), LOGS, floor.make_random_generator("kill"))
    write_demonstrations(alternate_operators(floor, strata, folder, floor.list_operators(), start_ns=10**18))
    return folder


def kill_at(moment_s, workspace, logs):
    """Run the real command in a process group of its own, and kill all of it after a while."""
    command = [sys.executable, "-m", "fieldloop", "ingest", str(logs), "--workspace", str(workspace), "--json"]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(moment_s)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def whole(workspace):
    """Everything that is known of is complete: bytes, episodes, measurements, judgement."""
    for log in workspace.store.find(Log):
        assert workspace.shelf.has(log.blob.sha256)
        for episode in log.episodes:
            assert workspace.store.count(Episode, {"id": episode}) == 1
            assert workspace.store.count(EpisodeReport, {"episode": episode}) == 1
            ((_, numbers),) = read_stored_measurements(workspace, [workspace.store.get(Episode, episode)])
            assert numbers
    assert doctor.examine_installation(workspace).exit_ok


def kills(tmp_path, logs, times, seed):
    folder = tmp_path / "site"
    setup.init(folder)
    chance, known = random.Random(seed), 0
    began = time.monotonic()
    kill_at(600, folder, logs)  # once undisturbed, to learn how long it takes on this machine
    longest = time.monotonic() - began
    for turn in range(times):
        place = tmp_path / f"site-{turn}"
        setup.init(place)
        for _ in range(2):  # the second kill meets what the first one left
            kill_at(chance.uniform(0.2, longest), place, logs)
            opened = open_workspace(place)
            whole(opened)
            known = opened.store.count(Log)
            opened.close()
        kill_at(600, place, logs)
        opened = open_workspace(place)
        assert opened.store.count(Log) == LOGS >= known
        whole(opened)
        assert check.check(opened).episodes
        opened.close()


def test_a_killed_ingest_leaves_nothing_half_written(tmp_path, logs):
    kills(tmp_path, logs, times=1, seed=1)


@pytest.mark.soak
def test_an_ingest_may_be_killed_again_and_again(tmp_path, logs):
    kills(tmp_path, logs, times=30, seed=2)
